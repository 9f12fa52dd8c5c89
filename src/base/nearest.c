/* The nearest word by the distance of Damerau and Levenshtein: insertions, deletions, replacements and swaps of neighbours. */
#include "base/nearest.h"

#include <string.h>

enum { MAX_WORD = 64 };

static size_t least_of(size_t a, size_t b) { return a < b ? a : b; }

/* Between two short words. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t m = strlen(a), n = strlen(b), d[MAX_WORD + 1][MAX_WORD + 1];
    if (m > MAX_WORD || n > MAX_WORD) {
        return MAX_WORD;
    }
    for (size_t i = 0; i <= m; i++) {
        for (size_t j = 0; j <= n; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            d[i][j] = least_of(d[i - 1][j - 1] + (a[i - 1] != b[j - 1]), least_of(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                d[i][j] = least_of(d[i][j], d[i - 2][j - 2] + 1);
            }
        }
    }
    return d[m][n];
}

const char *lf_nearest(const char *word, const char *const *words, size_t count)
{
    const char *best = NULL;
    size_t bound = 2 + strlen(word) / 3;
    for (size_t i = 0; i < count; i++) {
        size_t distance = edit_distance(word, words[i]);
        /* A word of which nothing is left is another word. */
        if (distance < bound && distance < strlen(words[i])) {
            best = words[i];
            bound = distance;
        }
    }
    return best;
}
