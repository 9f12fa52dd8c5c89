/* Contractions sum_mn G[m,n] K[m,n] of exact covariances of Matern forces as functions of the parameters, for check_gradient. */
#ifndef LF_TESTS_CONTRACTION_H
#define LF_TESTS_CONTRACTION_H

#include "base/matrix.h"
#include "exact/exact_covariance.h"
#include "model/model.h"
#include "support.h"

static const lf_exact_covariance exact_matern UNUSED = {.route = LF_ROUTE_STATE_SPACE};

typedef struct contraction {
    lf_context *ctx;
    lf_model *model;
    const lf_point_set *a, *b;
    const double *G;
} contraction;

static UNUSED double contracted(void *user, const double *values)
{
    contraction *c = user;
    size_t n = c->a->n, m = c->b->n;
    double *kept = malloc(c->model->parameter_count * sizeof *kept), *K = malloc(n * m * sizeof *K), sum = 0;
    for (size_t i = 0; i < c->model->parameter_count; i++) {
        kept[i] = *c->model->parameters[i].value;
        *c->model->parameters[i].value = values[i];
    }
    assert_ok(c->ctx, lf_exact_covariance_matrix(c->ctx, c->model, exact_matern, c->a, c->b, K, n));
    if (c->a == c->b) {
        lf_mirror(n, K, n);
    }
    for (size_t i = 0; i < n * m; i++) {
        sum += c->G[i] * K[i];
    }
    for (size_t i = 0; i < c->model->parameter_count; i++) {
        *c->model->parameters[i].value = kept[i];
    }
    free(kept);
    free(K);
    return sum;
}

static UNUSED const char *parameter_name(void *user, size_t i)
{
    return ((contraction *)user)->model->parameters[i].name;
}

#endif
