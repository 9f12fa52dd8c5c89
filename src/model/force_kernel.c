/* The table of force kernels. */
#include "model/force_kernel.h"

#include <stddef.h>
#include <string.h>

static const lf_force_kernel *const spectra[] = {&lf_force_kernel_eq, &lf_force_kernel_matern12,
                                                 &lf_force_kernel_matern32, &lf_force_kernel_matern52};

/* Other names of the exponentiated quadratic kernel. A model file is written with the names of the table. */
static const char *const eq_names[] = {"rbf", "se"};

const lf_force_kernel *lf_force_kernel_find(const char *name)
{
    for (size_t i = 0; i < sizeof eq_names / sizeof *eq_names; i++) {
        if (strcmp(eq_names[i], name) == 0) {
            return &lf_force_kernel_eq;
        }
    }
    for (size_t i = 0; i < sizeof spectra / sizeof *spectra; i++) {
        if (strcmp(spectra[i]->name, name) == 0) {
            return spectra[i];
        }
    }
    return NULL;
}

const char *lf_force_kernel_names(void) { return "eq, matern12, matern32, matern52 (rbf and se are eq)"; }
