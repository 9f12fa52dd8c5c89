/* The matrices of an atom, and their derivatives. */
#include "dynamics/atom_states.h"

int lf_atom_has_system(const lf_atom *atom)
{
    return atom->envelope && atom->envelope != &lf_force_kernel_linear && atom->envelope != &lf_force_kernel_white;
}

int lf_atom_is_undamped(const lf_atom *atom) { return !atom->envelope || atom->envelope == &lf_force_kernel_linear; }

/* States for each state of the envelope: a pair where it turns. */
static size_t width_of(const lf_atom *atom) { return atom->frequency > 0 ? 2 : 1; }

int lf_atom_states(const lf_atom *atom, const lf_force_system *system)
{
    return atom->envelope == &lf_force_kernel_white    ? 0
           : atom->envelope == &lf_force_kernel_linear ? 2
                                                       : (system ? system->n : 1) * (int)width_of(atom);
}

void lf_atom_fill(const lf_force_states *states, size_t stride, double *F, double *W)
{
    const lf_force_system *system = states->system;
    const lf_atom *atom = &states->value;
    size_t first = (size_t)states->first, width = width_of(atom), n = system ? (size_t)system->n : 0;
    if (atom->envelope == &lf_force_kernel_linear) {
        F[(first + 1) * stride + first] = 1 / atom->lengthscale;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            for (size_t k = 0; k < width; k++) {
                size_t entry = (first + i * width + k) * stride + first + j * width + k;
                F[entry] = system->F[i * n + j] / atom->lengthscale;
                W[entry] = system->b[i] * system->b[j] / atom->lengthscale;
            }
        }
    }
    for (size_t i = first; width == 2 && i < first + (size_t)states->n; i += 2) {
        F[i * stride + i + 1] -= atom->frequency;
        F[(i + 1) * stride + i] += atom->frequency;
    }
}

/* c of one state. */
static double weight(const lf_force_states *states, int j)
{
    int width = (int)width_of(&states->value);
    if (states->value.envelope == &lf_force_kernel_linear) {
        return j == 1;
    }
    return j % width ? 0 : states->system ? states->system->c[j / width] : 1;
}

void lf_atom_row(const lf_force_states *states, double factor, double *row)
{
    for (int j = 0; j < states->n; j++) {
        row[states->first + j] = factor * weight(states, j);
    }
}

double lf_atom_row_backward(const lf_force_states *states, const double *by)
{
    double sum = 0;
    for (int j = 0; j < states->n; j++) {
        sum += by[states->first + j] * weight(states, j);
    }
    return sum;
}

void lf_atom_backward(const lf_force_states *states, size_t stride, const double *by_F, const double *by_W,
                      double *by_lengthscale, double *by_frequency)
{
    const lf_force_system *system = states->system;
    const lf_atom *atom = &states->value;
    size_t first = (size_t)states->first, width = width_of(atom), n = system ? (size_t)system->n : 0;
    double sum = 0, turn = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            for (size_t k = 0; k < width; k++) {
                size_t entry = (first + i * width + k) * stride + first + j * width + k;
                sum += by_F[entry] * system->F[i * n + j] + by_W[entry] * system->b[i] * system->b[j];
            }
        }
    }
    if (atom->envelope == &lf_force_kernel_linear) {
        sum = by_F[(first + 1) * stride + first];
    }
    for (size_t i = first; width == 2 && i < first + (size_t)states->n; i += 2) {
        turn += by_F[(i + 1) * stride + i] - by_F[i * stride + i + 1];
    }
    *by_lengthscale = -sum / (atom->lengthscale * atom->lengthscale);
    *by_frequency = turn;
}
