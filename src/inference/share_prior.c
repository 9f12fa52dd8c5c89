/* Prior of the shares of the forces in an output that also has a private force.
 *
 * With n^2 = A^2 + sum_q S_q^2, A the private amplitude, force q has the share w_q = S_q^2 / n^2 in the output, and
 *
 *   log p = - 1/2 sum_q log((w_q / e + 1) / (w_q / h + 1)) up to a constant,   e = 0.002, h = 0.1:
 *
 * p^2 = 1 + (h - e) / (w + e) is a spike at 0 on a slab. Without it every force of a few outputs acts on all of them: a
 * sensitivity costs nothing, so it follows correlations that arose by chance, shared forces do what an output has of its own,
 * and an output that has little to do with the others is predicted from them. Compared with a share of 0, one of a hundredth
 * costs 0.8, of a tenth 1.6 and the whole 1.9. Above a tenth the cost hardly depends on the share, so that sensitivities to
 * forces which outputs do share are not shrunk, as by a normal prior narrow enough to help. Twice the cost makes zeros where
 * forces of similar lengthscales could as well be mixed, and these are then not the forces that acted. The private force is
 * charged nothing. S_q and A are in units that make white and other forces comparable (lf_sensitivity_unit). Shares have no
 * unit: decays and lengthscales, which change all sensitivities of an output together, do not affect them.
 *
 * It multiplies the normal densities of S_q and log A. The factor of each force is 1 for a share of 0 and 0.148 for one of 1, so that the
 * product has a finite integral, but that is no closed expression: the constant that would make it 1 is left out, here and in
 * lf_prior_constant(). It is between 0 and 1.9 for each force and output, and the same for all theta. */
#include <math.h>

#include "inference/prior.h"

#define LEAST_SHARE 0.002 /* e: below, a share is as good as none */
#define HIGH_SHARE 0.1    /* h: above, one costs about as much as another */

static double add_output(const lf_model *model, int d, double time, const double *theta, double *gradient)
{
    int first = lf_index_sensitivity(model, d), own = lf_index_private_amplitude(model, d);
    double amplitude = exp(theta[own]) / lf_sensitivity_unit(&model->outputs[d].private_force, time);
    double square = amplitude * amplitude, sum = 0, by_log_square = 0;
    for (int q = 0; q < model->force_count; q++) {
        double S = theta[first + q] / lf_sensitivity_unit(&model->forces[q], time);
        square += S * S;
    }
    for (int q = 0; q < model->force_count; q++) {
        double one = lf_sensitivity_unit(&model->forces[q], time), S = theta[first + q] / one;
        double w = S * S / square, slope = 0.5 * (1 / (w + HIGH_SHARE) - 1 / (w + LEAST_SHARE));
        sum -= 0.5 * log((w / LEAST_SHARE + 1) / (w / HIGH_SHARE + 1));
        gradient[first + q] += slope * 2 * S / square / one;
        by_log_square -= slope * w;
    }
    for (int q = 0; q < model->force_count; q++) {
        double one = lf_sensitivity_unit(&model->forces[q], time);
        gradient[first + q] += 2 * by_log_square * theta[first + q] / (one * one) / square;
    }
    gradient[own] += 2 * by_log_square * amplitude * amplitude / square;
    return sum;
}

double lf_share_prior(const lf_model *model, const double *time, const double *theta, double *gradient)
{
    double sum = 0;
    for (int d = 0; !model->system && model->output_count > 1 && d < model->output_count; d++) {
        sum += model->outputs[d].has_private ? add_output(model, d, time[d], theta, gradient) : 0;
    }
    return sum;
}
