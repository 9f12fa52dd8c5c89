/* The table of force kernels. */
#include "model/spectrum.h"

#include <stddef.h>
#include <string.h>

static const lf_spectrum *const spectra[] = {&lf_spectrum_eq, &lf_spectrum_matern12, &lf_spectrum_matern32,
                                             &lf_spectrum_matern52};

const lf_spectrum *lf_spectrum_find(const char *name)
{
    for (size_t i = 0; i < sizeof spectra / sizeof *spectra; i++) {
        if (strcmp(spectra[i]->name, name) == 0) {
            return spectra[i];
        }
    }
    return NULL;
}

const char *lf_spectrum_names(void) { return "eq, matern12, matern32, matern52"; }
