/* Matrices, modes and responses of a model given by equations. */
#include "exact/system_response.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/numbers.h"

static lf_status find_modes(lf_context *ctx, lf_system_response *response)
{
    size_t n = response->n;
    double *real = lf_doubles(n, 1), *imaginary = lf_doubles(n, 1), slowest;
    lf_status status =
        real && imaginary ? lf_system_modes(ctx, &response->matrices, real, imaginary) : lf_no_memory(ctx);
    for (size_t i = 0; !status && i < n; i++) {
        response->modes[i] = real[i] + I * imaginary[i];
    }
    if (!status && response->steady) {
        status = lf_system_slowest_decay(ctx, n, real, &slowest);
    }
    free(real);
    free(imaginary);
    return status;
}

/* c, e and f of the targets. */
static void fill_targets(lf_system_response *response)
{
    const lf_model *model = response->model;
    const lf_system *system = model->system;
    const lf_system_matrices *m = &response->matrices;
    size_t n = response->n, forces = response->forces;
    for (int target = 0; target < (int)response->targets; target++) {
        int d = lf_target_output(model, target), q = lf_target_force(model, target);
        int rate = lf_target_is_rate(model, target);
        double *c = response->c + (size_t)target * n, *e = response->e + (size_t)target * forces;
        double *f = response->f + (size_t)target * forces;
        const double *C = d < 0 ? NULL : m->C + (size_t)d * n;
        for (size_t i = 0; i < n; i++) {
            if (rate) { /* y' = C (A x + L u) + E u' */
                cblas_daxpy((int)n, C[i], m->A + i * n, 1, c, 1);
            } else {
                c[i] = d >= 0 ? C[i] : (int)i == lf_target_state(model, target);
            }
        }
        for (size_t k = 0; k < forces; k++) {
            double amplitude = system->amplitude[k], direct = d < 0 ? 0 : amplitude * m->E[(size_t)d * forces + k];
            if (system->force[k] < 0) {
                continue;
            }
            e[k] = d < 0 ? (system->force[k] == q ? amplitude : 0) : rate ? 0 : direct;
            f[k] = rate ? direct : 0;
            for (size_t i = 0; rate && i < n; i++) {
                e[k] += C[i] * m->L[i * forces + k] * amplitude;
            }
        }
    }
}

lf_status lf_system_response_create(lf_context *ctx, const lf_model *model, lf_system_response *response)
{
    const lf_equations *equations = model->system->equations;
    size_t n = (size_t)equations->state_count, forces = (size_t)equations->force_count;
    size_t targets = (size_t)lf_target_count(model);
    *response = (lf_system_response){.model = model,
                                     .n = n,
                                     .forces = forces,
                                     .targets = targets,
                                     .steady = model->initial == LF_INITIAL_STATIONARY,
                                     .modes = calloc(n + 1, sizeof *response->modes),
                                     .c = lf_doubles(targets, n),
                                     .e = lf_doubles(targets, forces),
                                     .f = lf_doubles(targets, forces),
                                     .wanted = calloc(targets + 1, sizeof *response->wanted),
                                     .start = lf_doubles(n, 1),
                                     .work = calloc(n * n + 1, sizeof *response->work),
                                     .pivots = calloc(n + 1, sizeof *response->pivots)};
    if (!response->modes || !response->c || !response->e || !response->f || !response->wanted || !response->start ||
        !response->work || !response->pivots) {
        return lf_no_memory(ctx);
    }
    lf_status status = lf_system_matrices_create(ctx, equations, &response->matrices);
    LF_TRY(status, lf_system_evaluate(ctx, model->system, &response->matrices));
    LF_TRY(status, find_modes(ctx, response));
    for (size_t i = 0; !status && !response->steady && i < n; i++) {
        double given = response->matrices.start_sd[i], sd = isnan(given) ? model->system->start_sd[i] : given;
        response->start[i] = sd * sd;
    }
    if (!status) {
        fill_targets(response);
    }
    return status;
}

void lf_system_response_clear(lf_system_response *response)
{
    lf_system_matrices_clear(&response->matrices);
    free(response->modes);
    free(response->c);
    free(response->e);
    free(response->f);
    free(response->wanted);
    free(response->start);
    free(response->work);
    free(response->pivots);
    *response = (lf_system_response){0};
}

int lf_system_response_uses(const lf_system_response *response, int force)
{
    double sum = 0;
    for (size_t i = 0; i < response->n; i++) {
        sum += fabs(response->matrices.L[i * response->forces + (size_t)force]);
    }
    for (size_t t = 0; t < response->targets; t++) {
        sum += fabs(response->e[t * response->forces + (size_t)force]);
    }
    return sum != 0 && response->model->system->amplitude[force] != 0;
}

/* x (n) becomes (j lambda - A)^-1 x, or with the transposed matrix. */
static lf_status solve(lf_context *ctx, lf_system_response *response, double complex lambda, int transposed,
                       double complex *x)
{
    size_t n = response->n;
    const double *A = response->matrices.A;
    for (size_t i = 0; i < n * n; i++) { /* LAPACK sees columns where A has rows */
        size_t entry = transposed ? i : i % n * n + i / n;
        response->work[i] = (i / n == i % n) * I * lambda - A[entry];
    }
    lapack_int info = LAPACKE_zgesv_work(LAPACK_COL_MAJOR, (lapack_int)n, 1, response->work, (lapack_int)n,
                                         response->pivots, x, (lapack_int)n);
    return info ? lf_fail(ctx, LF_ERROR_NUMERIC, "the equations have no response at the frequency %g", creal(lambda))
                : LF_OK;
}

lf_status lf_system_response_states(lf_context *ctx, lf_system_response *response, int force, double complex lambda,
                                    double complex *R)
{
    for (size_t i = 0; i < response->n; i++) {
        R[i] = response->matrices.L[i * response->forces + (size_t)force] * response->model->system->amplitude[force];
    }
    return solve(ctx, response, lambda, 0, R);
}

lf_status lf_system_response_backward(lf_context *ctx, lf_system_response *response, double complex lambda,
                                      double complex *y)
{
    return solve(ctx, response, lambda, 1, y);
}

double complex lf_system_response_target(const lf_system_response *response, int force, double complex lambda,
                                         const double complex *R, int target)
{
    size_t at = (size_t)target * response->forces + (size_t)force;
    const double *c = response->c + (size_t)target * response->n;
    double complex h = response->e[at] + I * lambda * response->f[at];
    for (size_t i = 0; i < response->n; i++) {
        h += c[i] * R[i];
    }
    return h;
}

/* Matern: p(z) = p(0) (1 + z^2 / n)^-(n+1)/2 with an integer exponent; EQ: p(0) e^{-z^2 / 4}. Both continue to complex z. */
double complex lf_system_density(const lf_model *model, int force, double complex lambda,
                                 double complex *by_lengthscale)
{
    int q = model->system->force[force];
    if (by_lengthscale) {
        *by_lengthscale = 0;
    }
    if (q < 0) {
        return 1 / (2 * LF_PI);
    }
    const lf_force_kernel *kernel = model->forces[q].kernel;
    double l = model->forces[q].lengthscale[0], power = kernel->tail_power, n = power - 1;
    double complex z = l * lambda, density = l * kernel->density(0);
    if (power == 0) {
        if (by_lengthscale) {
            *by_lengthscale = (1 - 0.5 * z * z) / l;
        }
        return density * cexp(-0.25 * z * z);
    }
    for (int k = 0; k < (int)power / 2; k++) {
        density /= 1 + z * z / n;
    }
    if (by_lengthscale) {
        *by_lengthscale = (1 - power * z * z / (n + z * z)) / l;
    }
    return density;
}

void lf_system_motion(size_t n, const double *A, double t, double *X, double *work)
{
    enum { DEGREE = 16 }; /* |A| t / 2^k <= 1/2: the remainder is 2^-17 / 17! */
    double *scaled = work, *product = work + n * n, norm = 0;
    for (size_t i = 0; i < n; i++) {
        double row = 0;
        for (size_t j = 0; j < n; j++) {
            row += fabs(A[i * n + j] * t);
        }
        norm = fmax(norm, row);
    }
    int squarings = norm > 0.5 && norm < 1e300 ? (int)ceil(log2(norm / 0.5)) : 0, N = (int)n;
    for (size_t i = 0; i < n * n; i++) {
        scaled[i] = ldexp(A[i] * t, -squarings);
        X[i] = i % (n + 1) == 0;
    }
    for (int k = DEGREE; k > 0; k--) { /* X = I + scaled X / k */
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, N, N, 1.0 / k, scaled, N, X, N, 0, product, N);
        for (size_t i = 0; i < n * n; i++) {
            X[i] = product[i] + (i % (n + 1) == 0);
        }
    }
    for (int k = 0; k < squarings; k++) {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, N, N, 1, X, N, X, N, 0, product, N);
        memcpy(X, product, n * n * sizeof *X);
    }
}
