/* xoshiro256++ and the Box-Muller transform, which makes normals in pairs. */
#include "base/random.h"

#include <math.h>

#include "base/numbers.h"

static uint64_t splitmix(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void lf_random_seed(lf_random *random, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        random->state[i] = splitmix(&seed);
    }
    random->has_spare = 0;
}

uint64_t lf_stream_seed(uint64_t seed, lf_stream stream, uint64_t index)
{
    return seed + 0xd1342543de82ef95u * (uint64_t)stream + 0x9e3779b97f4a7c15u * index;
}

static uint64_t rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

uint64_t lf_random_bits(lf_random *random)
{
    uint64_t *s = random->state;
    uint64_t result = rotate(s[0] + s[3], 23) + s[0];
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

double lf_random_uniform(lf_random *random) { return ((double)(lf_random_bits(random) >> 12) + 0.5) * 0x1p-52; }

double lf_random_normal(lf_random *random)
{
    if (random->has_spare) {
        random->has_spare = 0;
        return random->spare;
    }
    double radius = sqrt(-2 * log(lf_random_uniform(random)));
    double angle = 2 * LF_PI * lf_random_uniform(random);
    random->spare = radius * sin(angle);
    random->has_spare = 1;
    return radius * cos(angle);
}
