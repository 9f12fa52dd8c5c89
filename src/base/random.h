/* Random numbers: xoshiro256++ (Blackman & Vigna 2019), seeded with splitmix64. */
#ifndef LF_BASE_RANDOM_H
#define LF_BASE_RANDOM_H

#include <stdint.h>

typedef struct lf_random {
    uint64_t state[4];
    double spare; /* second normal of the last pair, valid if has_spare */
    int has_spare;
} lf_random;

void lf_random_seed(lf_random *random, uint64_t seed);

/* What a fit draws: held-out windows, starting values of its restarts. */
typedef enum lf_stream { LF_STREAM_WINDOWS, LF_STREAM_STARTS } lf_stream;

/* The seed of the index-th stream of its kind; no two streams of a fit have the same. */
uint64_t lf_stream_seed(uint64_t seed, lf_stream stream, uint64_t index);

uint64_t lf_random_bits(lf_random *random);
/* Uniform in the open interval (0, 1). */
double lf_random_uniform(lf_random *random);
/* Standard normal. */
double lf_random_normal(lf_random *random);

#endif
