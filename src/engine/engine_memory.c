/* The estimates that engines make, and sums of their memory. */
#include <math.h>

#include "base/context.h"
#include "base/memory_limit.h"
#include "engine/engine.h"

/* Of a row and of an event in the lists of rows, points and times. */
static const double bytes_of_row = 120;

lf_status lf_demand_set(lf_demand *demand, double cost, int applies)
{
    demand->cost = cost;
    demand->applies = applies > 0;
    return cost < 0 || applies < 0 ? LF_ERROR_MEMORY : LF_OK;
}

static double one(const lf_rows *rows, const lf_memory_estimate *memory)
{
    return memory->state + bytes_of_row * (double)rows->n / (rows->shared ? rows->shared : 1);
}

double lf_engine_bytes(const lf_context *ctx, const lf_rows *rows, const lf_memory_estimate *memory)
{
    return fmax(1, (double)ctx->engines) * one(rows, memory) + memory->work;
}

double lf_engine_memory(const lf_engine *engine) { return one(&engine->rows, &engine->memory) + engine->memory.work; }
