/* The gradient of sum_mn G[m,n] k(t_m, t'_n). As k = sum_ij c_i d_j g_ij and only c and d depend on the coefficients,
 * everything follows from Gamma_ij = sum_mn G[m,n] g_ij(t_m, t'_n) and its derivative by the lengthscale:
 *
 *   (alpha_i + beta_j) Gamma_ij = P_i + Q_j - z_i' G e_j - e_i' G z_j
 *   P_i = sum G E_i(t, t'),  Q_j = sum G E_j(t', t),  e = e^{-alpha t},  z = E(t, 0),
 * where P_i = sum over lags of weight * L_i(lag) - e_i' G l_i with l_i(t') = L_i(-t'). For long lengthscales P_i comes
 * from E_i interpolated in t'. */
#include "exact/ode_block.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "exact/lag_table.h"
#include "exact/memory_integral.h"

typedef double complex complex_pair[2]; /* a value and its derivative by the lengthscale */

/* Kinds of columns of a side, each with Re and Im of one function per distinct exponential: e, z and dz/dl for the sum
 * of this side, then l and dl/dl for the sum of the other side. */
enum { E_OWN, Z_OWN, Z_SLOPE, L_OTHER, L_SLOPE, KINDS };

typedef struct columns {
    int own, other; /* distinct exponentials of this side and of the other */
    size_t count;   /* real columns */
    double *values; /* (n, count) */
} columns;

static int distinct(const lf_ode_side *side) { return side->sum ? side->sum->distinct : 0; }

/* The column of the real part; the next column is the imaginary part. */
static size_t column_of(const columns *c, int kind, int i)
{
    int before = kind <= L_OTHER ? kind * c->own : L_OTHER * c->own + (kind - L_OTHER) * c->other;
    return 2 * (size_t)(before + i);
}

static void put_column(const columns *c, size_t n, size_t m, int kind, int i, double complex value)
{
    size_t column = column_of(c, kind, i);
    c->values[column * n + m] = creal(value);
    c->values[(column + 1) * n + m] = cimag(value);
}

static int columns_create(const lf_ode_side *side, const lf_ode_side *other, double lengthscale, int is_long,
                          columns *c)
{
    size_t n = side->n;
    c->own = distinct(side);
    c->other = is_long ? 0 : distinct(other);
    c->count = column_of(c, KINDS, 0);
    c->values = lf_doubles(n, c->count);
    if (!c->values) {
        return -1;
    }
#pragma omp parallel for schedule(static)
    for (size_t m = 0; m < n; m++) {
        double t = side->t[m], zero = 0;
        for (int i = 0; i < c->own; i++) {
            double complex alpha = side->sum->alpha[i], decay = cexp(-alpha * t), z, slope, at0_slope;
            if (is_long) {
                lf_memory_since(alpha, lengthscale, t, 1, &zero, &z, &slope);
            } else {
                z = lf_memory_past(alpha, lengthscale, t, &slope);
                z -= decay * lf_memory_past(alpha, lengthscale, 0, &at0_slope);
                slope -= decay * at0_slope;
            }
            put_column(c, n, m, E_OWN, i, decay);
            put_column(c, n, m, Z_OWN, i, z);
            put_column(c, n, m, Z_SLOPE, i, slope);
        }
        for (int j = 0; j < c->other; j++) {
            double complex slope, l = lf_memory_past(other->sum->alpha[j], lengthscale, -t, &slope);
            put_column(c, n, m, L_OTHER, j, l);
            put_column(c, n, m, L_SLOPE, j, slope);
        }
    }
    return 0;
}

/* x' G y from the real products M (a.count, b.count) of the columns; with y conjugated if `conjugate`. */
static double complex bilinear(const double *M, size_t ld, size_t x, size_t y, int conjugate)
{
    const double *re = M + y * ld + x, *im = re + ld;
    return conjugate ? re[0] + im[1] + I * (re[1] - im[0]) : re[0] - im[1] + I * (re[1] + im[0]);
}

/* P (distinct): sums over weighted lags; sign -1: of the lags t' - t. */
static void sum_lags(const lf_ode_side *side, double lengthscale, double sign, size_t count, const double *lag,
                     const double *weight, complex_pair *P)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < distinct(side); i++) {
        double complex sum = 0, slopes = 0;
        for (size_t k = 0; k < count; k++) {
            double complex slope, L = lf_memory_past(side->sum->alpha[i], lengthscale, sign * lag[k], &slope);
            sum += weight[k] * L;
            slopes += weight[k] * slope;
        }
        P[i][0] = sum;
        P[i][1] = slopes;
    }
}

enum { CHUNKS = 8 };

/* The lags of a block with their weights, collected on the nodes of a table if there are many. To be
 * freed by the caller. */
static lf_status collect_lags(lf_context *ctx, const lf_ode_pair *pair, const double *G, size_t ld, size_t *count,
                              double **lags, double **weights)
{
    size_t na = pair->a.n, nb = pair->b.n;
    double lowest, highest, rate;
    lf_ode_lags(pair, &lowest, &highest, &rate);
    if (lf_lag_table_size(lowest, highest, pair->lengthscale, rate) >= (double)na * (double)nb) {
        *count = na * nb;
        *lags = lf_doubles(na, nb);
        *weights = lf_doubles(na, nb);
        for (size_t k = 0; *lags && *weights && k < *count; k++) {
            (*lags)[k] = pair->a.t[k % na] - pair->b.t[k / na];
            (*weights)[k] = G[k / na * ld + k % na];
        }
        return *lags && *weights ? LF_OK : lf_no_memory(ctx);
    }
    lf_lag_table table;
    if (lf_lag_table_create(lowest, highest, pair->lengthscale, rate, &table)) {
        return lf_no_memory(ctx);
    }
    *count = table.nodes;
    *weights = lf_doubles(table.nodes, CHUNKS);
    if (*weights) {
        /* a fixed number of chunks, so that the sums do not depend on the number of threads */
#pragma omp parallel for schedule(static)
        for (size_t chunk = 0; chunk < CHUNKS; chunk++) {
            for (size_t n = chunk * nb / CHUNKS; n < (chunk + 1) * nb / CHUNKS; n++) {
                lf_lag_table_gather(&table, na, pair->a.t, pair->b.t[n], G + n * ld, *weights + chunk * table.nodes);
            }
        }
        for (size_t k = table.nodes; k < CHUNKS * table.nodes; k++) {
            (*weights)[k % table.nodes] += (*weights)[k];
        }
        lf_lag_table_weights(&table, *weights);
        *lags = table.lag;
        table.lag = NULL;
    }
    lf_lag_table_clear(&table);
    return *weights ? LF_OK : lf_no_memory(ctx);
}

/* P_i = sum_m sum_p E_i(t_m, x_p) (G basis)[m,p] for the times of a side; `transposed` for side b. */
static lf_status sum_interpolated(lf_context *ctx, const lf_ode_side *side, const lf_ode_side *other,
                                  double lengthscale, const double *G, size_t ld, int transposed, complex_pair *P)
{
    double x[LF_INTERPOLATION_NODES], *basis = lf_doubles(other->n, LF_INTERPOLATION_NODES),
                                      *weights = lf_doubles(side->n, LF_INTERPOLATION_NODES);
    lf_status status = basis && weights ? LF_OK : lf_no_memory(ctx);
    if (!status) {
        int count = lf_ode_interpolation(other, lengthscale, x, basis);
        cblas_dgemm(CblasColMajor, transposed ? CblasTrans : CblasNoTrans, CblasNoTrans, (int)side->n, count,
                    (int)other->n, 1, G, (int)ld, basis, (int)other->n, 0, weights, (int)side->n);
#pragma omp parallel for schedule(static)
        for (int i = 0; i < distinct(side); i++) {
            double complex E[LF_INTERPOLATION_NODES], slope[LF_INTERPOLATION_NODES], sum = 0, slopes = 0;
            for (size_t m = 0; m < side->n; m++) {
                lf_memory_since(side->sum->alpha[i], lengthscale, side->t[m], count, x, E, slope);
                for (int p = 0; p < count; p++) {
                    sum += weights[(size_t)p * side->n + m] * E[p];
                    slopes += weights[(size_t)p * side->n + m] * slope[p];
                }
            }
            P[i][0] = sum;
            P[i][1] = slopes;
        }
    }
    free(basis);
    free(weights);
    return status;
}

static double complex conj_if(int condition, double complex z) { return condition ? conj(z) : z; }

/* Adds the contribution of weight * Gamma_ij to all derivatives: i of side a, j of side b; -1 for a
 * force. */
static void add_gamma(const lf_ode_pair *pair, int i, int j, double weight, const double complex *gamma,
                      lf_ode_slopes *slopes)
{
    const lf_exponentials *a = pair->a.sum, *b = pair->b.sum;
    double complex c = i < 0 ? 1 : a->c[i], d = j < 0 ? 1 : b->c[j];
    slopes->total += weight * creal(c * d * gamma[0]);
    slopes->by_lengthscale += weight * creal(c * d * gamma[1]);
    for (int k = 0; i >= 0 && k <= a->order; k++) {
        slopes->by_a[k] += weight * creal(lf_exponentials_slope(a, i, k) * d * gamma[0]);
    }
    for (int k = 0; j >= 0 && k <= b->order; k++) {
        slopes->by_b[k] += weight * creal(c * lf_exponentials_slope(b, j, k) * gamma[0]);
    }
}

static void add_gammas(const lf_ode_pair *pair, const complex_pair *P, const complex_pair *Q, const columns *ca,
                       const columns *cb, const double *M, lf_ode_slopes *slopes)
{
    const lf_exponentials *a = pair->a.sum, *b = pair->b.sum;
    size_t ld = ca->count;
    for (int i = 0; a && !b && i < a->distinct; i++) {
        add_gamma(pair, i, -1, a->weight, P[i], slopes);
    }
    for (int j = 0; b && !a && j < b->distinct; j++) {
        add_gamma(pair, -1, j, b->weight, Q[j], slopes);
    }
    for (int i = 0; a && b && i < a->distinct; i++) {
        for (int j = 0; j < b->count; j++) {
            int conjugate = j >= b->distinct, k = conjugate ? j - b->distinct : j;
            double complex gamma[2];
            for (int by = 0; by < 2; by++) {
                gamma[by] = P[i][by] + conj_if(conjugate, Q[k][by]);
                if (M) {
                    int z = by ? Z_SLOPE : Z_OWN;
                    gamma[by] -= bilinear(M, ld, column_of(ca, z, i), column_of(cb, E_OWN, k), conjugate) +
                                 bilinear(M, ld, column_of(ca, E_OWN, i), column_of(cb, z, k), conjugate);
                }
                gamma[by] /= a->alpha[i] + b->alpha[j];
            }
            add_gamma(pair, i, j, a->weight, gamma, slopes);
        }
    }
}

/* M (a.count, b.count) = Ca' G Cb; NULL when there is no memory. */
static double *multiply(const lf_ode_pair *pair, const columns *a, const columns *b, const double *G, size_t ld)
{
    size_t na = pair->a.n, nb = pair->b.n;
    double *GC = lf_doubles(na, b->count), *M = lf_doubles(a->count, b->count);
    if (GC && M) {
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)na, (int)b->count, (int)nb, 1, G, (int)ld,
                    b->values, (int)nb, 0, GC, (int)na);
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)a->count, (int)b->count, (int)na, 1, a->values,
                    (int)na, GC, (int)na, 0, M, (int)a->count);
    } else {
        free(M);
        M = NULL;
    }
    free(GC);
    return M;
}

lf_status lf_ode_gradient(lf_context *ctx, const lf_ode_pair *pair, const double *G, size_t ld, lf_ode_slopes *slopes)
{
    *slopes = (lf_ode_slopes){0};
    if (pair->a.n == 0 || pair->b.n == 0) {
        return LF_OK;
    }
    complex_pair P[LF_EXPONENTIALS], Q[LF_EXPONENTIALS];
    columns a = {0}, b = {0};
    double l = pair->lengthscale, *M = NULL, *lags = NULL, *weights = NULL;
    int is_long = lf_ode_pair_is_long(pair);
    size_t count = 0;
    lf_status status = LF_OK;
    if (is_long) {
        status = sum_interpolated(ctx, &pair->a, &pair->b, l, G, ld, 0, P);
        LF_TRY(status, sum_interpolated(ctx, &pair->b, &pair->a, l, G, ld, 1, Q));
    } else {
        status = collect_lags(ctx, pair, G, ld, &count, &lags, &weights);
        if (!status) {
            sum_lags(&pair->a, l, 1, count, lags, weights, P);
            sum_lags(&pair->b, l, -1, count, lags, weights, Q);
        }
    }
    if (!status && !pair->stationary) {
        status =
            columns_create(&pair->a, &pair->b, l, is_long, &a) || columns_create(&pair->b, &pair->a, l, is_long, &b)
                ? lf_no_memory(ctx)
                : LF_OK;
        if (!status && a.count && b.count) {
            M = multiply(pair, &a, &b, G, ld);
            status = M ? LF_OK : lf_no_memory(ctx);
        }
    }
    if (!status && M && !is_long) {
        for (int by = 0; by < 2; by++) {
            int kind = by ? L_SLOPE : L_OTHER;
            for (int i = 0; i < distinct(&pair->a); i++) {
                P[i][by] -= bilinear(M, a.count, column_of(&a, E_OWN, i), column_of(&b, kind, i), 0);
            }
            for (int j = 0; j < distinct(&pair->b); j++) {
                Q[j][by] -= bilinear(M, a.count, column_of(&a, kind, j), column_of(&b, E_OWN, j), 0);
            }
        }
    }
    if (!status) {
        add_gammas(pair, P, Q, &a, &b, M, slopes);
    }
    free(lags);
    free(weights);
    free(M);
    free(a.values);
    free(b.values);
    return status;
}
