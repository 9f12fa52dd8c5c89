/* The weights of nodes for a force, and the lines in its spectrum. */
#include <math.h>

#include "features/nodes.h"

size_t lf_force_lines(const lf_force *force)
{
    lf_atom atoms[LF_MAX_ATOMS];
    size_t lines = 0;
    if (!lf_force_is_composed(force)) {
        return 0;
    }
    lf_force_atoms(force, atoms);
    for (int i = 0; i < lf_force_atom_count(force); i++) {
        lines += !atoms[i].envelope;
    }
    return lines;
}

/* The derivatives of one weight by the parameters of a kernel, given those by its atoms. */
static void store_slopes(const lf_force *force, size_t S, double factor, const double *by_lengthscale,
                         const double *by_frequency, const double *by_variance, double *dw)
{
    double slopes[4 * LF_MAX_TERMS] = {0};
    lf_force_atoms_backward(force, by_lengthscale, by_frequency, by_variance, slopes);
    for (int k = 0; k < lf_force_parameter_count(force); k++) {
        dw[(size_t)k * S] = factor * slopes[k];
    }
}

static void weigh_composed(lf_nodes *nodes, const lf_force *force, double *w, double *dw)
{
    lf_atom atoms[LF_MAX_ATOMS];
    double by_lengthscale[LF_MAX_ATOMS] = {0}, by_frequency[LF_MAX_ATOMS] = {0}, by_variance[LF_MAX_ATOMS] = {0};
    int count = lf_force_atom_count(force);
    size_t S = nodes->count, line = S - nodes->lines;
    lf_force_atoms(force, atoms);
    for (size_t s = 0; s < S - nodes->lines; s++) {
        double density = 0;
        for (int i = 0; i < count; i++) {
            if (atoms[i].envelope) {
                lf_atom unit = atoms[i];
                unit.variance = 1;
                by_variance[i] = lf_atom_density(&unit, nodes->lambda[s], &by_lengthscale[i], &by_frequency[i]);
                by_lengthscale[i] *= atoms[i].variance;
                by_frequency[i] *= atoms[i].variance;
                density += atoms[i].variance * by_variance[i];
            }
        }
        w[s] = nodes->weight[s] * density;
        if (dw) {
            store_slopes(force, S, nodes->weight[s], by_lengthscale, by_frequency, by_variance, dw + s);
        }
    }
    for (int i = 0; i < count; i++) {
        by_variance[i] = 0;
    }
    for (int i = 0; i < count && line < S; i++) {
        if (!atoms[i].envelope) {
            nodes->lambda[line] = atoms[i].frequency;
            w[line] = atoms[i].variance;
            by_variance[i] = 1;
            if (dw) {
                store_slopes(force, S, 1, NULL, NULL, by_variance, dw + line);
            }
            by_variance[i] = 0;
            line++;
        }
    }
}

void lf_nodes_weigh(lf_nodes *nodes, const lf_force *force, double *w, double *dw)
{
    size_t p = (size_t)nodes->input_dim;
    if (lf_force_is_composed(force)) {
        weigh_composed(nodes, force, w, dw);
        return;
    }
    double l = force->lengthscale[0];
    for (size_t s = 0; s < nodes->count; s++) {
        if (nodes->base) {
            for (size_t k = 0; k < p; k++) {
                double lengthscale = force->lengthscale[force->lengthscale_count > 1 ? k : 0];
                nodes->lambda[s * p + k] = nodes->base[s * p + k] / lengthscale;
            }
            w[s] = nodes->weight[s];
        } else {
            double z = l * nodes->lambda[s], density = force->kernel->density(z);
            w[s] = nodes->weight[s] * l * density;
            if (dw) {
                dw[s] = nodes->weight[s] * (density + z * force->kernel->density_slope(z));
            }
        }
    }
}

void lf_nodes_lines_backward(const lf_force *force, const double *by_lambda, double *gradient)
{
    lf_atom atoms[LF_MAX_ATOMS];
    double by_frequency[LF_MAX_ATOMS] = {0};
    lf_force_atoms(force, atoms);
    for (int i = 0; i < lf_force_atom_count(force); i++) {
        by_frequency[i] = atoms[i].envelope ? 0 : *by_lambda++;
    }
    lf_force_atoms_backward(force, NULL, by_frequency, NULL, gradient);
}
