/* K += factor (lag(t - t') + X Y'). Among the products, e^{-alpha_i t} is multiplied by
 *   U_i(t') = -A_i L_i(-t') - sum_j C_ij (L_j(t') - e^{-beta_j t'} (L_i(0) + L_j(0)))
 * and e^{-beta_j t'} by V_j(t) = -B_j L_j(-t) - sum_i C_ij L_i(t), where C_ij = c_i d_j / (alpha_i + beta_j), A and B
 * are its sums over j and i, and lag(r) = sum_i A_i L_i(r) + sum_j B_j L_j(-r). */
#include "exact/ode_block.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "exact/lag_table.h"
#include "exact/memory_integral.h"

static const lf_exponentials none = {.weight = 1};

static void side_range(const lf_ode_side *side, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < side->n; i++) {
        *low = fmin(*low, side->t[i]);
        *high = fmax(*high, side->t[i]);
    }
}

int lf_ode_pair_is_long(const lf_ode_pair *pair)
{
    double low[2], high[2];
    side_range(&pair->a, &low[0], &high[0]);
    side_range(&pair->b, &low[1], &high[1]);
    double farthest = fmax(fmax(high[0], high[1]), -fmin(low[0], low[1]));
    return !pair->stationary && pair->lengthscale >= 2 * farthest;
}

int lf_ode_interpolation(const lf_ode_side *side, double lengthscale, double *x, double *basis)
{
    size_t n = side->n;
    if (n <= LF_INTERPOLATION_NODES) { /* the times themselves */
        for (size_t p = 0; p < n; p++) {
            x[p] = side->t[p];
            for (size_t i = 0; i < n; i++) {
                basis[p * n + i] = i == p;
            }
        }
        return (int)n;
    }
    double low, high;
    side_range(side, &low, &high);
    double middle = 0.5 * (low + high), half = fmax(0.5 * (high - low), 1e-3 * lengthscale);
    for (int p = 0; p < LF_INTERPOLATION_NODES; p++) {
        double angle = LF_PI * (p + 0.5) / LF_INTERPOLATION_NODES, at_node[LF_INTERPOLATION_NODES];
        x[p] = middle + half * cos(angle);
        for (int k = 0; k < LF_INTERPOLATION_NODES; k++) {
            at_node[k] = cos(k * angle);
        }
        for (size_t i = 0; i < n; i++) {
            double place = (side->t[i] - middle) / half, last = 1, here = place, sum = 0.5;
            for (int k = 1; k < LF_INTERPOLATION_NODES; k++) {
                sum += at_node[k] * here;
                double next = 2 * place * here - last;
                last = here;
                here = next;
            }
            basis[(size_t)p * n + i] = 2 * sum / LF_INTERPOLATION_NODES;
        }
    }
    return LF_INTERPOLATION_NODES;
}

void lf_ode_lags(const lf_ode_pair *pair, double *lowest, double *highest, double *rate)
{
    double low[2], high[2];
    side_range(&pair->a, &low[0], &high[0]);
    side_range(&pair->b, &low[1], &high[1]);
    *lowest = low[0] - high[1];
    *highest = high[0] - low[1];
    *rate = 0;
    const lf_exponentials *sums[2] = {pair->a.sum, pair->b.sum};
    for (int k = 0; k < 2; k++) {
        for (int i = 0; sums[k] && i < sums[k]->distinct; i++) {
            double complex nu = 0.5 * pair->lengthscale * sums[k]->alpha[i];
            if (creal(nu * (nu - 14)) > -45) { /* log of L at 7 lengthscales */
                *rate = fmax(*rate, cabs(sums[k]->alpha[i]));
            }
        }
    }
}

/* One side with the sums over the other side. */
typedef struct coupled_side {
    lf_ode_side side;
    const lf_exponentials *sum;          /* never NULL */
    double complex A[LF_EXPONENTIALS];   /* (distinct) coefficients of its L in the lag function */
    double complex at0[LF_EXPONENTIALS]; /* (count) L(0) */
    int columns;                         /* real columns per exponential: 2 if complex */
} coupled_side;

static void couple(const lf_ode_side *side, const lf_ode_side *other, double lengthscale, coupled_side *h)
{
    h->side = *side;
    h->sum = side->sum ? side->sum : &none;
    h->columns = h->sum->weight > 1 ? 2 : 1;
    for (int i = 0; i < h->sum->count; i++) {
        double complex sum = other->sum ? 0 : 1;
        for (int j = 0; other->sum && j < other->sum->count; j++) {
            sum += other->sum->c[j] / (h->sum->alpha[i] + other->sum->alpha[j]);
        }
        h->A[i] = h->sum->c[i] * sum;
        h->at0[i] = lf_memory_past(h->sum->alpha[i], lengthscale, 0, NULL);
    }
}

static double lag_value(const coupled_side *a, const coupled_side *b, double lengthscale, double r)
{
    double sum = 0;
    for (int i = 0; i < a->sum->distinct; i++) {
        sum += a->sum->weight * creal(a->A[i] * lf_memory_past(a->sum->alpha[i], lengthscale, r, NULL));
    }
    for (int j = 0; j < b->sum->distinct; j++) {
        sum += b->sum->weight * creal(b->A[j] * lf_memory_past(b->sum->alpha[j], lengthscale, -r, NULL));
    }
    return sum;
}

/* Fills the columns of X (n, …) that are functions of the times of side h: its exponentials from column own_first on,
 * and the functions that multiply the exponentials of the other side from column other_first on. */
static void fill_products(const coupled_side *h, const coupled_side *other, double lengthscale, int is_long,
                          int corrected, double *X, size_t own_first, size_t other_first)
{
    const lf_exponentials *e = h->sum, *f = other->sum;
    size_t n = h->side.n;
    double complex C[LF_CIRCLE_NODES][LF_EXPONENTIALS]; /* (distinct of f, count of e) */
    for (int j = 0; j < f->distinct; j++) {
        for (int i = 0; i < e->count; i++) {
            C[j][i] = e->c[i] * f->c[j] / (e->alpha[i] + f->alpha[j]);
        }
    }
#pragma omp parallel for schedule(static) if (n > 16)
    for (size_t m = 0; m < n; m++) {
        double t = h->side.t[m], zero = 0;
        double complex decay[LF_EXPONENTIALS], L[LF_EXPONENTIALS];
        for (int i = 0; i < e->count; i++) {
            if (i >= e->distinct) {
                decay[i] = conj(decay[i - e->distinct]);
                L[i] = conj(L[i - e->distinct]);
                continue;
            }
            decay[i] = cexp(-e->alpha[i] * t);
            if (is_long) {
                lf_memory_since(e->alpha[i], lengthscale, t, 1, &zero, &L[i], NULL);
            } else {
                L[i] = lf_memory_past(e->alpha[i], lengthscale, t, NULL);
            }
            size_t column = own_first + (size_t)(i * h->columns);
            X[column * n + m] = creal(decay[i]);
            if (h->columns == 2) {
                X[(column + 1) * n + m] = cimag(decay[i]);
            }
        }
        for (int j = 0; j < f->distinct; j++) {
            double complex value = is_long ? 0 : -other->A[j] * lf_memory_past(f->alpha[j], lengthscale, -t, NULL);
            for (int i = 0; i < e->count; i++) {
                double complex part = L[i];
                if (corrected) {
                    part -= decay[i] * (h->at0[i] + other->at0[j]);
                }
                value -= C[j][i] * part;
            }
            size_t column = other_first + (size_t)(j * other->columns);
            X[column * n + m] = f->weight * creal(value);
            if (other->columns == 2) {
                X[(column + 1) * n + m] = -f->weight * cimag(value);
            }
        }
    }
}

/* X (n, count): sum_i A_i E_i(t, x_p), p < count, for the times of side h. */
static void fill_interpolated(const coupled_side *h, double lengthscale, int count, const double *x, double *X)
{
    size_t n = h->side.n;
#pragma omp parallel for schedule(static) if (n > 16)
    for (size_t m = 0; m < n; m++) {
        double complex E[LF_INTERPOLATION_NODES];
        for (int i = 0; i < h->sum->distinct; i++) {
            lf_memory_since(h->sum->alpha[i], lengthscale, h->side.t[m], count, x, E, NULL);
            for (int p = 0; p < count; p++) {
                X[(size_t)p * n + m] += h->sum->weight * creal(h->A[i] * E[p]);
            }
        }
    }
}

/* The number of columns of X (na, columns) and Y (nb, columns). */
static size_t product_columns(const coupled_side *a, const coupled_side *b, int is_long)
{
    return (size_t)(a->sum->distinct * a->columns + b->sum->distinct * b->columns +
                    (is_long ? 2 * LF_INTERPOLATION_NODES : 0));
}

static void make_products(const coupled_side *a, const coupled_side *b, double lengthscale, int is_long, double *X,
                          double *Y)
{
    size_t of_a = 0, of_b = (size_t)(a->sum->distinct * a->columns);
    fill_products(a, b, lengthscale, is_long, 0, X, of_a, of_b);
    fill_products(b, a, lengthscale, is_long, !is_long, Y, of_b, of_a);
    if (is_long) {
        size_t next = of_b + (size_t)(b->sum->distinct * b->columns);
        double x[LF_INTERPOLATION_NODES];
        int count = lf_ode_interpolation(&b->side, lengthscale, x, Y + next * b->side.n);
        fill_interpolated(a, lengthscale, count, x, X + next * a->side.n);
        next += LF_INTERPOLATION_NODES;
        count = lf_ode_interpolation(&a->side, lengthscale, x, X + next * a->side.n);
        fill_interpolated(b, lengthscale, count, x, Y + next * b->side.n);
    }
}

/* Tabulates the lag function if that is cheaper than evaluating it for every entry, and sets *tabulated
 * then. */
static lf_status tabulate(lf_context *ctx, const lf_ode_pair *pair, const coupled_side *a, const coupled_side *b,
                          double entries, lf_lag_table *table, int *tabulated)
{
    double lowest, highest, rate;
    lf_ode_lags(pair, &lowest, &highest, &rate);
    *tabulated = 2 * lf_lag_table_size(lowest, highest, pair->lengthscale, rate) < entries;
    if (!*tabulated) {
        return LF_OK;
    }
    if (lf_lag_table_create(lowest, highest, pair->lengthscale, rate, table)) {
        return lf_no_memory(ctx);
    }
    double *values = lf_doubles(table->nodes, 1);
    if (!values) {
        return lf_no_memory(ctx);
    }
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < table->nodes; i++) {
        values[i] = lag_value(a, b, pair->lengthscale, table->lag[i]);
    }
    lf_lag_table_fit(table, values);
    free(values);
    return LF_OK;
}

lf_status lf_ode_block(lf_context *ctx, const lf_ode_pair *pair, double factor, int lower, double *K, size_t ld)
{
    coupled_side a, b;
    size_t na = pair->a.n, nb = pair->b.n;
    if (na == 0 || nb == 0) {
        return LF_OK;
    }
    couple(&pair->a, &pair->b, pair->lengthscale, &a);
    couple(&pair->b, &pair->a, pair->lengthscale, &b);
    int is_long = lf_ode_pair_is_long(pair), tabulated = 0;
    size_t columns = pair->stationary ? 0 : product_columns(&a, &b, is_long);
    double *X = lf_doubles(na, columns), *Y = lf_doubles(nb, columns);
    lf_lag_table table = {0};
    lf_status status = X && Y ? LF_OK : lf_no_memory(ctx);
    if (!status && columns) {
        make_products(&a, &b, pair->lengthscale, is_long, X, Y);
    }
    if (!status && !is_long) {
        status = tabulate(ctx, pair, &a, &b, (double)na * (double)nb, &table, &tabulated);
    }
    if (!status) {
#pragma omp parallel for schedule(static) if (na * nb > 256)
        for (size_t n = 0; n < nb; n++) {
            double s = pair->b.t[n], *k = K + n * ld;
            size_t first = lower ? n : 0, left = na - first;
            const double *t = pair->a.t + first;
            for (size_t m = 0; m < left; m++) {
                double sum = is_long     ? 0
                             : tabulated ? lf_lag_table_value(&table, t[m] - s)
                                         : lag_value(&a, &b, pair->lengthscale, t[m] - s);
                k[first + m] += factor * sum;
            }
            for (size_t r = 0; r < columns; r++) {
                const double *x = X + r * na, y = factor * Y[r * nb + n];
                for (size_t m = first; m < na; m++) {
                    k[m] += x[m] * y;
                }
            }
        }
    }
    free(X);
    free(Y);
    lf_lag_table_clear(&table);
    return status;
}
