/* The parts of the covariance of a model given by equations that one force causes. With times t from the origin, the response from rest
 * to a wave is h e^{j lambda t} - D'R, D = e^{A't} c, and the covariance of points i and j
 *
 *   sum_k w_k g_ki conj(g_kj) + Phi_ij - P_i'D_j - D_i'P_j + D_i'X D_j
 *
 * with the nodes k up to the corner of the contour, g_ki = h_i(k) e^{j lambda_k t_i} - D_i'R_k, and on the ray, for lags r >= 0,
 *
 *   Phi_ij = Re sum w h_i(lambda) h_j(-lambda) e^{j lambda r},   P_i = Re sum w h_i(lambda) R(-lambda) e^{j lambda t_i},
 *   X = Re sum w R(lambda) R(-lambda)'.
 *
 * Of a steady system there is no D. Weights w contain the spectral density. */
#ifndef LF_EXACT_SYSTEM_PASS_H
#define LF_EXACT_SYSTEM_PASS_H

#include "exact/contour.h"
#include "points/points.h"

enum { LF_SYSTEM_STRIP = 128 };

/* A point set: its times, and its free motion. */
typedef struct lf_system_side {
    const lf_point_set *set;
    int *target; /* (n) */
    double *t;   /* (n) */
    double *D;   /* (n, states) row-major; NULL for a steady system */
} lf_system_side;

/* Its targets are wanted of the response from now on. */
lf_status lf_system_side_create(lf_context *ctx, lf_system_response *response, const lf_point_set *set,
                                lf_system_side *side);
void lf_system_side_clear(lf_system_side *side);
/* The span of times that the contour must resolve. */
double lf_system_span(const lf_system_response *response, const lf_point_set *A, const lf_point_set *B);

/* The nodes of a force on the ray. */
typedef struct lf_ray {
    size_t count, capacity;
    double complex *lambda, *weight; /* (count); the weight with the density */
    double complex *R, *Q;           /* (count, states) R(lambda), R(-lambda) */
    double complex *h, *g;           /* (count, targets) h(lambda), h(-lambda) */
} lf_ray;

/* The ray of a contour until what is left is below rounding. It must be cleared, also after a failure. */
lf_status lf_ray_create(lf_context *ctx, lf_system_response *response, int force, lf_contour *contour, lf_ray *ray);
void lf_ray_clear(lf_ray *ray);

/* The responses to a force at some nodes up to the corner. */
typedef struct lf_system_strip {
    int force;
    size_t count;                  /* at most LF_SYSTEM_STRIP */
    const double *lambda, *weight; /* (count) */
    double complex *R, *h;         /* (count, states), (count, targets) */
} lf_system_strip;

/* An empty strip. It must be cleared, also after a failure. */
lf_status lf_system_strip_create(lf_context *ctx, const lf_system_response *response, int force,
                                 lf_system_strip *strip);
void lf_system_strip_clear(lf_system_strip *strip);
/* The strip that begins at node `first`. */
lf_status lf_system_strip_fill(lf_context *ctx, lf_system_response *response, const lf_contour *contour, size_t first,
                               lf_system_strip *strip);
/* V (n, 2 count), column-major: the real and imaginary parts of sqrt(w_k) g_ki of the strip. */
void lf_system_side_columns(const lf_system_response *response, const lf_system_strip *strip,
                            const lf_system_side *side, double *V);

/* P (n, states) of a side. */
void lf_ray_motion(const lf_system_response *response, const lf_ray *ray, const lf_system_side *side, double *P);
/* X (states, states). */
void lf_ray_start(const lf_system_response *response, const lf_ray *ray, double *X);
/* Phi of targets a and b at a lag of either sign. */
double lf_ray_lag(const lf_system_response *response, const lf_ray *ray, int a, int b, double lag);

#endif
