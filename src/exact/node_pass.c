/* The response columns of two point sets, strip by strip. */
#include "exact/node_pass.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "exact/smoothed_block.h"
#include "exact/state_covariance.h"
#include "features/transfer.h"

#define SLOW 3000.0 /* nanoseconds, times the order, of a response that is not from the transfer function */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define NANOSECOND 1e-8 /* sanitizers make it ten times as long */
#else
#define NANOSECOND 1e-9
#endif

int lf_node_pass_leaves_out(const lf_node_pass *pass, const lf_source *source, int a, int b)
{
    const lf_force_kernel *kernel = source->force->kernel; /* NULL: composed */
    return pass->rest && (lf_state_covariance_covers(pass->model, source->force, a, b) ||
                          (kernel && kernel->tail_power > 0 && lf_target_is_smoothed(pass->model, a) &&
                           lf_target_is_smoothed(pass->model, b)));
}

int lf_node_pass_couple(lf_node_pass *pass, int a, int b)
{
    int any = 0;
    memset(pass->c, 0, pass->count * sizeof *pass->c);
    for (int i = 0; i < pass->grids.source_count; i++) {
        const lf_source *source = &pass->grids.sources[i];
        double product =
            source->grid != pass->grid || lf_node_pass_leaves_out(pass, source, a, b)
                ? 0
                : lf_source_sensitivity(pass->model, a, source) * lf_source_sensitivity(pass->model, b, source);
        if (product != 0) {
            any = 1;
            for (size_t s = 0; s < pass->count; s++) {
                pass->c[s] += product * source->w[pass->first + s];
            }
        }
    }
    return any;
}

static void side_clear(lf_column_side *side)
{
    for (int g = 0; side->responses && g < side->set->group_count; g++) {
        lf_response_clear(&side->responses[g]);
    }
    free(side->responses);
    free(side->V);
    free(side->adjoint);
}

static lf_status side_create(lf_context *ctx, const lf_model *model, const lf_point_set *set, size_t strip,
                             int with_gradient, lf_column_side *side)
{
    side->set = set;
    side->responses = calloc((size_t)set->group_count + 1, sizeof *side->responses);
    side->V = lf_doubles(set->n, 2 * strip);
    side->adjoint = with_gradient ? lf_doubles(set->n, 2 * strip) : NULL;
    if (!side->responses || !side->V || (with_gradient && !side->adjoint)) {
        return lf_no_memory(ctx);
    }
    for (int g = 0; g < set->group_count; g++) {
        lf_status status = lf_response_create(ctx, model, set->target[g], set->start[g + 1] - set->start[g],
                                              set->x + set->start[g], with_gradient, &side->responses[g]);
        if (status) {
            return status;
        }
    }
    return LF_OK;
}

lf_node_range lf_node_pass_range(const lf_node_pass *pass)
{
    return (lf_node_range){&pass->grids.grids[pass->grid], pass->first, pass->count};
}

static lf_status side_fill(lf_context *ctx, const lf_node_pass *pass, lf_column_side *side)
{
    for (int g = 0; g < side->set->group_count; g++) {
        lf_status status = lf_response_columns(ctx, &side->responses[g], lf_node_pass_range(pass),
                                               side->V + side->set->start[g] * 2 * pass->count);
        if (status) {
            return status;
        }
    }
    return LF_OK;
}

/* A spec for exact covariances between two sets of points. Parts of a matrix have the frequencies of the whole: together they are one
 * covariance matrix. */
static lf_grid_spec spec_for(const lf_model *model, double tolerance, int rest, const lf_point_set *A,
                             const lf_point_set *B)
{
    lf_grid_spec spec = {.earliest = INFINITY, .latest = -INFINITY, .tolerance = tolerance, .graded = 1};
    const lf_point_set *sets[2] = {A->whole ? A->whole : A, B->whole ? B->whole : B};
    int odes[2] = {0, 0}, smoothed[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < sets[k]->n; i++) {
            spec.earliest = fmin(spec.earliest, sets[k]->x[i]);
            spec.latest = fmax(spec.latest, sets[k]->x[i]);
        }
        for (int g = 0; g < sets[k]->group_count; g++) {
            int target = sets[k]->target[g], output = lf_target_output(model, target);
            spec.with_forces |= target >= model->output_count; /* or rates */
            odes[k] = odes[k] || (output >= 0 && model->outputs[output].op->is_ode);
            smoothed[k] = smoothed[k] || (output >= 0 && !model->outputs[output].op->is_ode);
        }
    }
    int mixed = (odes[0] && smoothed[1]) || (odes[1] && smoothed[0]);
    spec.rough = !rest ? LF_ROUGH_ALL : mixed ? LF_ROUGH_SMOOTHED : LF_ROUGH_NONE;
    return spec;
}

static size_t largest_group(const lf_point_set *set)
{
    size_t largest = 1;
    for (int g = 0; g < set->group_count; g++) {
        size_t size = set->start[g + 1] - set->start[g];
        largest = size > largest ? size : largest;
    }
    return largest;
}

/* The seconds that the responses of one side to a grid take: 13 to 60 ns for each node and point, more with the order, and some microseconds where
 * the transfer-function form cancels; how often it does is seen at a few nodes. */
static lf_status add_seconds(lf_context *ctx, const lf_column_side *side, const lf_nodes *nodes, double *seconds)
{
    enum { SAMPLES = 32 };
    lf_status status = LF_OK;
    for (int g = 0; !status && g < side->set->group_count; g++) {
        const lf_response *r = &side->responses[g];
        double order = r->output ? r->output->order : 0, each = (double)nodes->count / SAMPLES * NANOSECOND;
        for (size_t k = 0; !status && k < SAMPLES; k++) {
            lf_transfers f;
            status =
                lf_transfers_create(ctx, r, (lf_node_range){nodes, (2 * k + 1) * nodes->count / (2 * SAMPLES), 1}, &f);
            size_t cancelled = 0;
            for (size_t i = 0; !status && r->from_rest && i < r->n; i++) {
                cancelled += r->t[i] < f.safe[0];
            }
            *seconds += each * ((double)r->n * (15 + 5 * order) + (double)cancelled * SLOW * order);
            if (!status) {
                lf_transfers_clear(&f);
            }
        }
    }
    return status;
}

/* Refuses work of minutes that comes from the number of nodes, not from that of the points. */
static lf_status check_cost(lf_context *ctx, const lf_node_pass *pass, int with_gradient)
{
    enum { MANY = 1000, GRADIENT = 3 /* times as long as values */ };
    double nodes = 0, seconds = 0;
    lf_status status = LF_OK;
    for (int g = 0; g < pass->grids.grid_count; g++) {
        nodes += (double)pass->grids.grids[g].count;
    }
    for (int g = 0; nodes > MANY && !status && g < pass->grids.grid_count; g++) {
        status = add_seconds(ctx, &pass->a, &pass->grids.grids[g], &seconds);
        status = status || pass->symmetric ? status : add_seconds(ctx, &pass->b, &pass->grids.grids[g], &seconds);
    }
    seconds *= with_gradient ? GRADIENT : 1;
    size_t points = pass->a.set->n + (pass->symmetric ? 0 : pass->b.set->n);
    return status || !lf_work_is_too_much(ctx, seconds, points)
               ? status
               : lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                         "%.3g frequencies would be needed for these points, and more than %.1g s: a lengthscale is "
                         "short for the span of the inputs, or a stationary start decays slowly; choose points that "
                         "are closer together, or use the kalman engine",
                         nodes, ctx->work);
}

static int has_output(const lf_model *model, const lf_point_set *set, int output)
{
    for (int g = 0; g < set->group_count; g++) {
        if (lf_target_output(model, set->target[g]) == output) {
            return 1;
        }
    }
    return 0;
}

/* A private force has an effect where its output is in both sets: of hundreds of outputs few are. */
static lf_status weigh_sources(lf_context *ctx, const lf_point_set *A, const lf_point_set *B, lf_node_pass *pass)
{
    lf_status status = LF_OK;
    for (int i = 0; !status && i < pass->grids.source_count; i++) {
        int output = pass->grids.sources[i].output;
        if (output < 0 || (has_output(pass->model, A, output) && has_output(pass->model, B, output))) {
            status = lf_grids_weigh(ctx, &pass->grids, i);
        }
    }
    return status;
}

lf_status lf_node_pass_create(lf_context *ctx, const lf_model *model, lf_exact_covariance kernel, const lf_point_set *A,
                              const lf_point_set *B, int with_gradient, lf_node_pass *pass)
{
    *pass =
        (lf_node_pass){.model = model, .symmetric = A == B, .rest = kernel.route == LF_ROUTE_STATE_SPACE, .grid = -1};
    lf_status status = lf_grids_place(ctx, model, spec_for(model, kernel.tolerance, pass->rest, A, B), &pass->grids);
    LF_TRY(status, weigh_sources(ctx, A, B, pass));
    if (status || pass->grids.source_count == 0) {
        return status;
    }
    for (int g = 0; g < pass->grids.grid_count; g++) {
        size_t count = pass->grids.grids[g].count;
        pass->strip = count > pass->strip ? count : pass->strip;
    }
    pass->strip = pass->strip < LF_STRIP ? pass->strip : LF_STRIP;
    size_t rows = largest_group(A) > largest_group(B) ? largest_group(A) : largest_group(B);
    pass->c = lf_doubles(pass->strip, 1);
    pass->work = lf_doubles(rows, 2 * pass->strip);
    if (!pass->c || !pass->work) {
        return lf_no_memory(ctx);
    }
    status = side_create(ctx, model, A, pass->strip, with_gradient, &pass->a);
    if (!status && !pass->symmetric) {
        status = side_create(ctx, model, B, pass->strip, with_gradient, &pass->b);
    }
    return status ? status : check_cost(ctx, pass, with_gradient);
}

void lf_node_pass_clear(lf_node_pass *pass)
{
    side_clear(&pass->a);
    side_clear(&pass->b);
    lf_grids_clear(&pass->grids);
    free(pass->c);
    free(pass->work);
}

lf_status lf_node_pass_next(lf_context *ctx, lf_node_pass *pass, int *more)
{
    pass->first += pass->count;
    if (pass->grid < 0 || pass->first == pass->grids.grids[pass->grid].count) {
        pass->grid++;
        pass->first = 0;
    }
    *more = pass->grid < pass->grids.grid_count;
    if (!*more) {
        return LF_OK;
    }
    size_t left = pass->grids.grids[pass->grid].count - pass->first;
    pass->count = left < pass->strip ? left : pass->strip;
    lf_status status = side_fill(ctx, pass, &pass->a);
    return status || pass->symmetric ? status : side_fill(ctx, pass, &pass->b);
}
