/* L-BFGS-B by reverse communication. */
#include "inference/optimiser.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"

enum { MEMORY = 20, TEXT = 60, INTEGERS = 44, REALS = 29 }; /* MEMORY: pairs of steps and gradients kept */
enum { TIMES = 5, TIME_COUNT = 5 }; /* of REALS, processor times, which the routine only prints */

/* The Fortran routine; a text's length follows all other arguments. */
void setulb_(const int *n, const int *m, double *x, const double *l, const double *u, const int *nbd, double *f,
             double *g, const double *factr, const double *pgtol, double *wa, int *iwa, char *task, const int *iprint,
             char *csave, int *lsave, int *isave, double *dsave, size_t task_length, size_t csave_length);

/* What changes from call to call, apart from the vectors. */
typedef struct registers {
    double value; /* at the last finished step, before the first at the start */
    double seen;  /* the value last given to the routine */
    double dsave[REALS];
    int isave[INTEGERS], lsave[4];
    char task[TEXT], csave[TEXT];
} registers;

struct lf_optimiser {
    int n;
    double smallest_gradient;
    double *x, *lower, *upper, *gradient; /* (n) */
    int *kind;                            /* (n) which bounds there are */
    double *real_work;                    /* (real_count) */
    int *integer_work;                    /* (3 n) */
    size_t real_count;
    registers r;
};

static void set_text(char text[TEXT], const char *words)
{
    memset(text, ' ', TEXT);
    memcpy(text, words, strlen(words));
}

static int begins(const char text[TEXT], const char *words) { return memcmp(text, words, strlen(words)) == 0; }

lf_status lf_optimiser_create(lf_context *ctx, size_t n, const double *x, const double *lower, const double *upper,
                              double smallest_gradient, lf_optimiser **optimiser)
{
    lf_optimiser *o = calloc(1, sizeof *o);
    *optimiser = o;
    if (!o) {
        return lf_no_memory(ctx);
    }
    o->n = (int)n;
    o->smallest_gradient = smallest_gradient;
    o->real_count = (2 * MEMORY + 5) * n + 11 * MEMORY * MEMORY + 8 * MEMORY;
    o->x = lf_doubles(n, 1);
    o->lower = lf_doubles(n, 1);
    o->upper = lf_doubles(n, 1);
    o->gradient = lf_doubles(n, 1);
    o->kind = calloc(n + 1, sizeof *o->kind);
    o->integer_work = calloc(3 * n + 1, sizeof *o->integer_work);
    o->real_work = calloc(o->real_count, sizeof *o->real_work);
    if (!o->x || !o->lower || !o->upper || !o->gradient || !o->kind || !o->integer_work || !o->real_work) {
        lf_optimiser_free(o);
        *optimiser = NULL;
        return lf_no_memory(ctx);
    }
    for (size_t i = 0; i < n; i++) {
        int below = isfinite(lower[i]), above = isfinite(upper[i]);
        o->lower[i] = below ? lower[i] : 0;
        o->upper[i] = above ? upper[i] : 0;
        o->kind[i] = below ? (above ? 2 : 1) : (above ? 3 : 0);
        o->x[i] = fmin(fmax(x[i], lower[i]), upper[i]);
        o->gradient[i] = 0;
    }
    o->r.value = INFINITY;
    set_text(o->r.task, "START");
    set_text(o->r.csave, "");
    return LF_OK;
}

void lf_optimiser_free(lf_optimiser *optimiser)
{
    if (optimiser) {
        free(optimiser->x);
        free(optimiser->lower);
        free(optimiser->upper);
        free(optimiser->gradient);
        free(optimiser->kind);
        free(optimiser->integer_work);
        free(optimiser->real_work);
        free(optimiser);
    }
}

lf_request lf_optimiser_next(lf_optimiser *o, double value, const double *gradient)
{
    static const int memory = MEMORY, silent = -1;
    static const double digits = 10; /* of the rounding error of the value */
    if (begins(o->r.task, "FG")) {
        o->r.seen = value;
        o->r.value = isfinite(o->r.value) ? o->r.value : value;
        memcpy(o->gradient, gradient, (size_t)o->n * sizeof *gradient);
    }
    setulb_(&o->n, &memory, o->x, o->lower, o->upper, o->kind, &o->r.seen, o->gradient, &digits, &o->smallest_gradient,
            o->real_work, o->integer_work, o->r.task, &silent, o->r.csave, o->r.lsave, o->r.isave, o->r.dsave, TEXT,
            TEXT);
    memset(o->r.dsave + TIMES, 0, TIME_COUNT * sizeof *o->r.dsave); /* so that equal fits have equal checkpoints */
    if (begins(o->r.task, "FG")) {
        return LF_REQUEST_VALUE;
    }
    o->r.value = o->r.seen;
    if (begins(o->r.task, "NEW_X")) {
        return LF_REQUEST_NOTHING;
    }
    return begins(o->r.task, "CONV") ? LF_REQUEST_STOP_GOOD : LF_REQUEST_STOP_BAD;
}

const double *lf_optimiser_point(const lf_optimiser *optimiser) { return optimiser->x; }

size_t lf_optimiser_steps(const lf_optimiser *optimiser) { return (size_t)optimiser->r.isave[29]; }

double lf_optimiser_value(const lf_optimiser *optimiser) { return optimiser->r.value; }

double lf_optimiser_gradient_norm(const lf_optimiser *optimiser) { return optimiser->r.dsave[12]; }

const char *lf_optimiser_reason(const lf_optimiser *optimiser)
{
    const char *task = optimiser->r.task;
    return begins(task, "CONVERGENCE: NORM") ? "converged: the gradient is zero within its tolerance"
           : begins(task, "CONVERGENCE: REL")
               ? "converged: the objective no longer changed"
               : "stopped: no step improved the objective, though the gradient is not small (rounding errors of the "
                 "objective exceed the remaining gain)";
}

/* The parts of the state, as bytes. */
enum { PARTS = 5 };

typedef struct part {
    void *start;
    size_t size;
} part;

static void list_parts(const lf_optimiser *o, part parts[PARTS])
{
    size_t n = (size_t)o->n;
    parts[0] = (part){o->x, n * sizeof *o->x};
    parts[1] = (part){o->gradient, n * sizeof *o->gradient};
    parts[2] = (part){o->real_work, o->real_count * sizeof *o->real_work};
    parts[3] = (part){o->integer_work, 3 * n * sizeof *o->integer_work};
    parts[4] = (part){(void *)&o->r, sizeof o->r};
}

size_t lf_optimiser_size(const lf_optimiser *optimiser)
{
    part parts[PARTS];
    size_t bytes = 0;
    list_parts(optimiser, parts);
    for (int i = 0; i < PARTS; i++) {
        bytes += parts[i].size;
    }
    return (bytes + sizeof(double) - 1) / sizeof(double);
}

void lf_optimiser_save(const lf_optimiser *optimiser, double *state)
{
    part parts[PARTS];
    char *to = (char *)state;
    list_parts(optimiser, parts);
    state[lf_optimiser_size(optimiser) - 1] = 0; /* its last bytes may not be used */
    for (int i = 0; i < PARTS; to += parts[i++].size) {
        memcpy(to, parts[i].start, parts[i].size);
    }
}

void lf_optimiser_load(lf_optimiser *optimiser, const double *state)
{
    part parts[PARTS];
    const char *from = (const char *)state;
    list_parts(optimiser, parts);
    for (int i = 0; i < PARTS; from += parts[i++].size) {
        memcpy(parts[i].start, from, parts[i].size);
    }
}
