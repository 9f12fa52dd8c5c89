/* Dense matrix helpers. Blocks keep the reads and the writes of the transposed copy within the cache. */
#include "base/matrix.h"

void lf_mirror(size_t n, double *K, size_t ld)
{
    enum { BLOCK = 32 };
#pragma omp parallel for schedule(dynamic) if (n > 256)
    for (size_t jb = 0; jb < n; jb += BLOCK) {
        for (size_t ib = jb; ib < n; ib += BLOCK) {
            for (size_t j = jb; j < n && j < jb + BLOCK; j++) {
                for (size_t i = ib > j ? ib : j + 1; i < n && i < ib + BLOCK; i++) {
                    K[i * ld + j] = K[j * ld + i];
                }
            }
        }
    }
}
