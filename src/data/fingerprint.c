/* Fingerprints of rows: 64-bit hashes by which a table is recognised again.
 *
 * The fingerprint of a row is an FNV-1a hash of (output, replicate, x, y), finished by the mixer of splitmix64; that of a table is the
 * sum over its rows modulo 2^64, so it does not depend on their order, and rows that are added add theirs. The names are
 * hashed, not their numbers, so that tables that list outputs in another order agree. Known errors sd and marks of a split do
 * not count. */
#include <string.h>

#include "data/data.h"

static uint64_t add_bytes(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ byte[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

/* With its end, so that "ab", "c" and "a", "bc" differ. */
static uint64_t add_text(uint64_t hash, const char *text) { return add_bytes(hash, text, strlen(text) + 1); }

static uint64_t add_number(uint64_t hash, double value)
{
    double number = value == 0 ? 0 : value; /* -0 is 0 */
    return add_bytes(hash, &number, sizeof number);
}

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t lf_data_row_fingerprint(const lf_data *data, size_t row)
{
    int output = data->output[row], replicate = data->replicate[row];
    uint64_t hash = UINT64_C(14695981039346656037);
    hash = add_text(hash, output >= 0 ? data->outputs.name[output] : "");
    hash = add_text(hash, replicate >= 0 ? data->replicates.name[replicate] : "");
    for (int k = 0; k < data->input_dim; k++) {
        hash = add_number(hash, data->x[row * (size_t)data->input_dim + (size_t)k]);
    }
    return mix(add_number(hash, data->y[row]));
}

uint64_t lf_data_fingerprint(const lf_data *data)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < data->n; i++) {
        sum += lf_data_row_fingerprint(data, i);
    }
    return sum;
}
