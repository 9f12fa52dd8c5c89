/* The table of force kernels. */
#include "model/force_kernel.h"

#include <stddef.h>
#include <string.h>

static const lf_force_kernel *const spectra[] = {&lf_force_kernel_eq, &lf_force_kernel_matern12,
                                                 &lf_force_kernel_matern32, &lf_force_kernel_matern52};

const lf_force_kernel *lf_force_kernel_find(const char *name)
{
    for (size_t i = 0; i < sizeof spectra / sizeof *spectra; i++) {
        if (strcmp(spectra[i]->name, name) == 0) {
            return spectra[i];
        }
    }
    return NULL;
}

const char *lf_force_kernel_names(void) { return "eq, matern12, matern32, matern52"; }
