/* Scrambled Sobol points: a low-discrepancy sequence in the unit cube of up to LF_SOBOL_DIMENSIONS dimensions. */
#ifndef LF_FEATURES_SOBOL_H
#define LF_FEATURES_SOBOL_H

#include <stdint.h>

#include "base/random.h"

enum { LF_SOBOL_DIMENSIONS = 37, LF_SOBOL_BITS = 32 };

typedef struct lf_sobol {
    int dimensions;
    uint64_t column[LF_SOBOL_DIMENSIONS][LF_SOBOL_BITS]; /* columns of the generator matrices, 52 bits each */
    uint64_t shift[LF_SOBOL_DIMENSIONS];
} lf_sobol;

/* random NULL: without scrambling. */
void lf_sobol_create(lf_sobol *sobol, int dimensions, lf_random *random);

/* Point `index` of the sequence, in the open unit cube: u (dimensions). */
void lf_sobol_point(const lf_sobol *sobol, uint32_t index, double *u);

#endif
