/* Prior of the shares of the forces in an output that also has a private force.
 *
 * With n^2 = A^2 + sum_q S_q^2, A the private amplitude, force q has the share w_q = S_q^2 / n^2 in the output, and
 *
 *   log p = - sum_q log(1 + w_q / e),   e = 0.003.
 *
 * Without it every force of a few outputs acts on all of them: a sensitivity costs nothing, so it follows correlations that
 * arose by chance, the private force does the rest, and an output that has little to do with the others is predicted from them.
 * The prior is sparse. A share of 0 costs nothing, one of a tenth 3.5 and the whole 5.8, about what BIC charges for a parameter
 * of 1000 rows; so an output takes part in a force where the likelihood gains more than that. The cost grows with the
 * logarithm only, and hardly any more above a tenth: forces that outputs do share keep their sensitivities, which a normal prior
 * narrow enough to help would shrink. The private force is charged nothing. Shares have no unit, so that decays and
 * lengthscales, which change all sensitivities of an output together, are not affected. */
#include <math.h>

#include "fit/prior.h"

#define LEAST_SHARE 0.003 /* e: below, a share is as good as none */

static double add_output(const lf_model *model, int d, const double *theta, double *gradient)
{
    int first = lf_index_sensitivity(model, d), own = lf_index_private_amplitude(model, d);
    double amplitude = exp(theta[own]), square = amplitude * amplitude, sum = 0, by_square = 0;
    for (int q = 0; q < model->force_count; q++) {
        square += theta[first + q] * theta[first + q];
    }
    double least = LEAST_SHARE * square;
    for (int q = 0; q < model->force_count && square > 0; q++) {
        double S = theta[first + q], whole = least + S * S;
        sum -= log(whole / least);
        gradient[first + q] -= 2 * S / whole;
        by_square += S * S / (square * whole);
    }
    for (int q = 0; q < model->force_count; q++) {
        gradient[first + q] += 2 * by_square * theta[first + q];
    }
    gradient[own] += 2 * by_square * amplitude * amplitude;
    return sum;
}

double lf_share_prior(const lf_model *model, const double *theta, double *gradient)
{
    double sum = 0;
    for (int d = 0; !model->system && model->output_count > 1 && d < model->output_count; d++) {
        sum += model->outputs[d].has_private ? add_output(model, d, theta, gradient) : 0;
    }
    return sum;
}
