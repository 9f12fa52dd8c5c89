/* Cells, their coefficients, and the derivatives by these. */
#include "dynamics/transition_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/widest.h"

enum { LEAST_GAPS = 3 };    /* of a cell: its coefficients cost about as much as two transitions */
enum { MOST_CELLS = 4096 }; /* gaps beyond them are not in the table */
enum { TERMS = LF_A_TERMS + 1 + LF_Q_TERMS + 1 };
enum { A_NUMBERS = LF_A_TERMS + 1, Q_NUMBERS = LF_Q_TERMS + 2 }; /* coefficients of an entry, from that of x^0 on */

static const double most_bytes = 32e6; /* of coefficients */

typedef double vector __attribute__((vector_size(LF_LANE * sizeof(double)), aligned(sizeof(double)), may_alias));

/* ---- the entries ---- */

/* depends (n, n): the pattern of A. sources (n, n): row i, column l: the noise of source l moves state i. The sources are the forces, each by
 * its first state, and everything else, which is the last state. */
static void find_sources(const lf_state_space *space, char *sources)
{
    size_t n = (size_t)space->n;
    const lf_sparsity *sparsity = &space->sparsity;
    for (size_t i = 0; i < n; i++) {
        for (int e = sparsity->row_start[i]; e < sparsity->row_start[i + 1]; e++) {
            size_t source = n - 1;
            for (int f = 0; f < space->force_count; f++) {
                int first = space->forces[f].first, column = sparsity->columns[e];
                source = column >= first && column < first + space->forces[f].n ? (size_t)first : source;
            }
            sources[i * n + source] = 1;
        }
    }
}

static int share_source(size_t n, const char *a, const char *b)
{
    while (n > 0 && !(a[n - 1] && b[n - 1])) {
        n--;
    }
    return n > 0;
}

static int packing_create(size_t most, lf_packing *packing)
{
    packing->place = calloc(most + 1, sizeof *packing->place);
    packing->mirror = calloc(most + 1, sizeof *packing->mirror);
    return packing->place && packing->mirror;
}

static void packing_add(lf_packing *packing, size_t place, size_t mirror)
{
    packing->place[packing->count] = place;
    packing->mirror[packing->count++] = mirror;
    packing->lanes = (packing->count + LF_LANE - 1) / LF_LANE;
}

static int make_packings(const lf_state_space *space, lf_transition_table *table)
{
    const lf_sparsity *sparsity = &space->sparsity;
    size_t n = (size_t)space->n, s = (size_t)sparsity->stride;
    char *sources = calloc(n + 1, n + 1);
    int done = sources && packing_create((size_t)sparsity->row_start[n], &table->A) &&
               packing_create(n * (n + 1) / 2, &table->Q);
    if (done) {
        find_sources(space, sources);
    }
    for (size_t i = 0; done && i < n; i++) {
        for (int e = sparsity->row_start[i]; e < sparsity->row_start[i + 1]; e++) {
            packing_add(&table->A, i * s + (size_t)sparsity->columns[e], 0);
        }
        for (size_t j = 0; j <= i; j++) {
            if (share_source(n, sources + i * n, sources + j * n)) {
                packing_add(&table->Q, i * s + j, j * s + i);
            }
        }
    }
    table->numbers = LF_LANE * (A_NUMBERS * table->A.lanes + Q_NUMBERS * table->Q.lanes);
    free(sources);
    return done;
}

/* The entries of X as coefficients k of a packing, whose entries have so many each. */
static void pack(const lf_packing *packing, size_t k, size_t numbers, const double *X, double *to)
{
    for (size_t e = 0; e < packing->count; e++) {
        to[(e / LF_LANE * numbers + k) * LF_LANE + e % LF_LANE] = X[packing->place[e]];
    }
}

/* The reverse; other entries of X are left alone. */
static void unpack(const lf_packing *packing, size_t k, size_t numbers, const double *from, int symmetric, double *X)
{
    for (size_t e = 0; e < packing->count; e++) {
        double value = from[(e / LF_LANE * numbers + k) * LF_LANE + e % LF_LANE];
        X[packing->place[e]] = value;
        if (symmetric) {
            X[packing->mirror[e]] = value;
        }
    }
}

/* ---- the cells ---- */

/* The width, and the cells with enough gaps. 0: no memory. */
static int choose_cells(const lf_state_space *space, size_t count, const double *gaps, lf_transition_table *table)
{
    double norm = lf_infinity_norm(&space->sparsity, space->F), longest = 0;
    int exponent;
    frexp(norm, &exponent);
    for (size_t g = 0; g < count; g++) {
        longest = fmax(longest, gaps[g]);
    }
    table->width = ldexp(0.5, -exponent); /* norm < 2^exponent */
    if (count < LEAST_GAPS || !(norm > 0) || !isfinite(norm) || !(table->width > 0) || !isfinite(longest)) {
        return 1;
    }
    table->cells = (size_t)fmin(MOST_CELLS, floor(longest / table->width) + 1);
    table->slot = calloc(table->cells, sizeof *table->slot);
    table->cell = calloc(table->cells, sizeof *table->cell);
    if (!table->slot || !table->cell) {
        return 0;
    }
    int *uses = table->slot;
    for (size_t g = 0; g < count; g++) {
        double cell = floor(gaps[g] / table->width);
        if (cell < (double)table->cells) {
            uses[(size_t)cell]++;
        }
    }
    double room = most_bytes / ((double)table->numbers * sizeof(double));
    int least = LEAST_GAPS;
    for (size_t found = table->cells + 1; (double)found > room; least *= 2) {
        found = 0;
        for (size_t c = 0; c < table->cells; c++) {
            found += uses[c] >= least;
        }
        if ((double)found <= room) {
            break;
        }
    }
    for (size_t c = 0; c < table->cells; c++) {
        int used = uses[c] >= least;
        table->cell[table->slots] = c;
        table->slot[c] = used ? (int)table->slots : -1;
        table->slots += (size_t)used;
    }
    return 1;
}

/* T_k and then C_k of the width, each (n, stride). */
static void copy_terms(const lf_transition_table *table, lf_transition_work *work, double *terms)
{
    size_t size = lf_sparsity_size(&table->space->sparsity);
    double *C = terms + (LF_A_TERMS + 1) * size, factor = 1;
    lf_taylor_terms(table->space, table->space->F, table->width, work);
    memcpy(terms, work->terms, TERMS * size * sizeof *terms);
    for (size_t k = 0; k <= LF_Q_TERMS; k++, C += size) {
        factor *= table->width / (double)(k + 1);
        for (size_t i = 0; i < size; i++) {
            C[i] *= factor;
        }
    }
}

/* scratch (5, n, stride). */
static void fill_slot(const lf_transition_table *table, size_t slot, const double *terms, lf_transition_work *work,
                      double *scratch)
{
    const lf_sparsity *sparsity = &table->space->sparsity;
    size_t size = lf_sparsity_size(sparsity), cell = table->cell[slot];
    const double *T = terms, *C = terms + (LF_A_TERMS + 1) * size;
    double *A = scratch, *Q = A + size, *product = Q + size, *to = table->coefficients + slot * table->numbers,
           *to_Q = to + LF_LANE * A_NUMBERS * table->A.lanes;
    if (cell) {
        lf_transition(table->space, table->space->F, (double)cell * table->width, work, A, Q);
        pack(&table->Q, 0, Q_NUMBERS, Q, to_Q);
    }
    for (size_t k = 0; k <= LF_A_TERMS; k++, T += size) {
        if (cell) {
            lf_sparse_multiply(sparsity, A, T, product);
        }
        pack(&table->A, k, A_NUMBERS, cell ? product : T, to);
    }
    for (size_t k = 0; k <= LF_Q_TERMS; k++, C += size) {
        if (cell) {
            lf_sparse_sandwich(sparsity, A, C, NULL, product + size, product);
        }
        pack(&table->Q, k + 1, Q_NUMBERS, cell ? product : C, to_Q);
    }
}

static lf_status fill(lf_context *ctx, lf_transition_work *work, lf_transition_table *table)
{
    size_t size = lf_sparsity_size(&table->space->sparsity);
    table->coefficients = lf_doubles(table->slots, table->numbers);
    double *terms = lf_doubles(TERMS + 5, size);
    lf_status status = table->coefficients && terms ? LF_OK : lf_no_memory(ctx);
    if (!status) {
        copy_terms(table, work, terms);
    }
    for (size_t slot = 0; !status && slot < table->slots; slot++) {
        fill_slot(table, slot, terms, work, terms + TERMS * size);
    }
    free(terms);
    return status;
}

lf_status lf_transition_table_create(lf_context *ctx, const lf_state_space *space, size_t count, const double *gaps,
                                     lf_transition_work *work, lf_transition_table *table)
{
    *table = (lf_transition_table){.space = space};
    if (count < LEAST_GAPS) {
        return LF_OK;
    }
    if (!make_packings(space, table) || !choose_cells(space, count, gaps, table)) {
        return lf_no_memory(ctx);
    }
    return table->slots ? fill(ctx, work, table) : LF_OK;
}

void lf_transition_table_clear(lf_transition_table *table)
{
    free(table->slot);
    free(table->cell);
    free(table->A.place);
    free(table->A.mirror);
    free(table->Q.place);
    free(table->Q.mirror);
    free(table->coefficients);
    free(table->by);
    *table = (lf_transition_table){0};
}

/* The slot of a gap and its x; -1: it has none. */
static int find_slot(const lf_transition_table *table, double gap, double *x)
{
    double cells = gap / table->width, cell = floor(cells);
    if (!table->slots || !(cells < (double)table->cells)) {
        return -1;
    }
    *x = cells - cell;
    return table->slot[(size_t)cell];
}

lf_transition_table_size lf_transition_table_measure(const lf_state_space *space, size_t count, const double *gaps)
{
    lf_transition_table table = {.space = space};
    lf_transition_table_size size = {0};
    if (count >= LEAST_GAPS && make_packings(space, &table) && choose_cells(space, count, gaps, &table)) {
        size = (lf_transition_table_size){.slots = (double)table.slots, .numbers = (double)table.numbers};
        for (size_t g = 0; g < count; g++) {
            double x;
            size.gaps += find_slot(&table, gaps[g], &x) >= 0;
        }
    }
    lf_transition_table_clear(&table);
    return size;
}

/* ---- values ---- */

/* sum_k x^k c_k of a lane, whose coefficients (numbers, LF_LANE) are added in two sums that do not wait for each other. */
__attribute__((always_inline)) static inline void polynomial(size_t numbers, const double *coefficients, double x,
                                                             double *value)
{
    const vector *c = (const vector *)coefficients;
    vector even = c[numbers - 1 - (numbers - 1) % 2], odd = c[numbers - 1 - numbers % 2];
    double square = x * x;
    for (size_t k = numbers - 1 - (numbers - 1) % 2; k >= 2; k -= 2) {
        even = even * square + c[k - 2];
    }
    for (size_t k = numbers - 1 - numbers % 2; k >= 3; k -= 2) {
        odd = odd * square + c[k - 2];
    }
    *(vector *)value = even + x * odd;
}

WIDEST static void evaluate(const lf_transition_table *table, const double *coefficients, double x, double *restrict A,
                            double *restrict Q)
{
    double value[LF_LANE];
    for (size_t lane = 0; lane < table->A.lanes; lane++, coefficients += A_NUMBERS * LF_LANE) {
        size_t first = lane * LF_LANE, left = table->A.count - first, count = left < LF_LANE ? left : LF_LANE;
        polynomial(A_NUMBERS, coefficients, x, value);
        for (size_t e = 0; e < count; e++) {
            A[table->A.place[first + e]] = value[e];
        }
    }
    for (size_t lane = 0; lane < table->Q.lanes; lane++, coefficients += Q_NUMBERS * LF_LANE) {
        size_t first = lane * LF_LANE, left = table->Q.count - first, count = left < LF_LANE ? left : LF_LANE;
        polynomial(Q_NUMBERS, coefficients, x, value);
        for (size_t e = 0; e < count; e++) {
            Q[table->Q.place[first + e]] = value[e];
            Q[table->Q.mirror[first + e]] = value[e];
        }
    }
}

int lf_transition_table_get(const lf_transition_table *table, double gap, double *A, double *Q)
{
    double x;
    int slot = find_slot(table, gap, &x);
    if (slot >= 0) {
        evaluate(table, table->coefficients + (size_t)slot * table->numbers, x, A, Q);
    }
    return slot >= 0;
}

/* ---- derivatives ---- */

lf_status lf_transition_table_begin_backward(lf_context *ctx, lf_transition_table *table)
{
    table->by = lf_doubles(table->slots, table->numbers);
    return table->by ? LF_OK : lf_no_memory(ctx);
}

/* The derivatives by the coefficients of all lanes: x^k of those by the values. */
__attribute__((always_inline)) static inline void add_lanes(const lf_packing *packing, size_t numbers,
                                                            const double *power, const double *by, double *sums)
{
    double value[LF_LANE] = {0};
    for (size_t lane = 0; lane < packing->lanes; lane++, sums += numbers * LF_LANE) {
        size_t first = lane * LF_LANE, left = packing->count - first, count = left < LF_LANE ? left : LF_LANE;
        for (size_t e = 0; e < LF_LANE; e++) {
            value[e] = e < count ? by[packing->place[first + e]] : 0;
        }
        vector lane_value = *(const vector *)value, *to = (vector *)sums;
        for (size_t k = 0; k < numbers; k++) {
            to[k] += power[k] * lane_value;
        }
    }
}

WIDEST static void add(const lf_transition_table *table, double *sums, double x, const double *by_A, const double *by_Q)
{
    double power[Q_NUMBERS] = {1};
    for (size_t k = 1; k < Q_NUMBERS; k++) {
        power[k] = power[k - 1] * x;
    }
    add_lanes(&table->A, A_NUMBERS, power, by_A, sums);
    add_lanes(&table->Q, Q_NUMBERS, power, by_Q, sums + LF_LANE * A_NUMBERS * table->A.lanes);
}

int lf_transition_table_add(lf_transition_table *table, double gap, const double *by_A, const double *by_Q)
{
    double x;
    int slot = find_slot(table, gap, &x);
    if (slot >= 0) {
        add(table, table->by + (size_t)slot * table->numbers, x, by_A, by_Q);
    }
    return slot >= 0;
}

/* Work of the backward pass over cells, each (n, stride). */
typedef struct cell_adjoint {
    double *terms;       /* (TERMS) and, in one array with it, what follows */
    double *by_terms;    /* (TERMS) */
    double *A, *Q;       /* the transition to a cell */
    double *by_A, *by_Q; /* derivatives by them */
    double *by;          /* derivatives by a coefficient, */
    double *product;     /* and what they add to those by a term */
    double *scratch;     /* (2) */
} cell_adjoint;

static int cell_adjoint_create(size_t size, cell_adjoint *a)
{
    a->terms = lf_doubles(LF_TABLE_MATRICES, size);
    a->by_terms = a->terms + TERMS * size;
    a->A = a->by_terms + TERMS * size;
    a->Q = a->A + size;
    a->by_A = a->Q + size;
    a->by_Q = a->by_A + size;
    a->by = a->by_Q + size;
    a->product = a->by + size;
    a->scratch = a->product + size;
    return a->terms != NULL;
}

static void add_to(size_t size, const double *X, double *Y)
{
    for (size_t i = 0; i < size; i++) {
        Y[i] += X[i];
    }
}

/* What the coefficients of a slot add to the derivatives by the terms and by its A_j and Q_j. */
static void coefficients_backward(const lf_transition_table *table, size_t slot, cell_adjoint *a)
{
    const lf_sparsity *sparsity = &table->space->sparsity;
    size_t size = lf_sparsity_size(sparsity);
    int first = table->cell[slot] == 0; /* A_j = I */
    const double *from = table->by + slot * table->numbers, *from_Q = from + LF_LANE * A_NUMBERS * table->A.lanes;
    const double *term = a->terms;
    double *by_term = a->by_terms;
    memset(a->by_A, 0, size * sizeof(double));
    memset(a->by, 0, size * sizeof(double));
    for (size_t k = 0; k <= LF_A_TERMS; k++, term += size, by_term += size) {
        unpack(&table->A, k, A_NUMBERS, from, 0, a->by);
        if (!first) {
            lf_sparse_add_products(sparsity, 1, a->by, term, a->by_A);
            lf_sparse_multiply_transposed(sparsity, a->A, a->by, a->product);
        }
        add_to(size, first ? a->by : a->product, by_term);
    }
    memset(a->by, 0, size * sizeof(double));
    for (size_t k = 0; k <= LF_Q_TERMS; k++, term += size, by_term += size) {
        unpack(&table->Q, k + 1, Q_NUMBERS, from_Q, 1, a->by);
        if (!first) {
            lf_sparse_sandwich_backward(sparsity, a->A, term, a->by, a->scratch, a->product, a->by_A);
        }
        add_to(size, first ? a->by : a->product, by_term);
    }
    memset(a->by_Q, 0, size * sizeof(double));
    unpack(&table->Q, 0, Q_NUMBERS, from_Q, 1, a->by_Q);
}

lf_status lf_transition_table_end_backward(lf_context *ctx, const lf_transition_table *table, lf_transition_work *work,
                                           double *by_F, double *by_W)
{
    const lf_state_space *space = table->space;
    size_t size = lf_sparsity_size(&space->sparsity);
    cell_adjoint a = {0};
    if (!table->slots) {
        return LF_OK;
    }
    if (!cell_adjoint_create(size, &a)) {
        return lf_no_memory(ctx);
    }
    copy_terms(table, work, a.terms);
    for (size_t slot = 0; slot < table->slots; slot++) {
        double gap = (double)table->cell[slot] * table->width;
        if (gap > 0) {
            lf_transition(space, space->F, gap, work, a.A, a.Q);
        }
        coefficients_backward(table, slot, &a);
        if (gap > 0) {
            lf_transition_backward(space, space->F, gap, a.by_A, a.by_Q, work, by_F, by_W);
        }
    }
    lf_taylor_terms(space, space->F, table->width, work);
    lf_taylor_adjoint by = {a.by_terms, a.by_terms + (LF_A_TERMS + 1) * size, size, size};
    lf_taylor_backward(&space->sparsity, space->F, table->width, by, work, by_F, by_W);
    free(a.terms);
    return LF_OK;
}
