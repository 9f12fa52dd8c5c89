/* An ordered set of names: an array in insertion order and an open-addressing hash table (FNV-1a, at most half
 * full). */
#include "data/names.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static size_t hash(const char *name, size_t length)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < length; i++) {
        h = (h ^ (unsigned char)name[i]) * 0x100000001b3u;
    }
    return (size_t)(h ^ (h >> 32));
}

/* The slot that holds the name, or the empty slot where it would be inserted. */
static size_t slot_of(const lf_names *names, const char *name, size_t length)
{
    size_t mask = names->slots - 1;
    size_t i = hash(name, length) & mask;
    while (names->slot[i] >= 0) {
        const char *stored = names->name[names->slot[i]];
        if (strncmp(stored, name, length) == 0 && stored[length] == '\0') {
            break;
        }
        i = (i + 1) & mask;
    }
    return i;
}

int lf_names_find(const lf_names *names, const char *name, size_t length)
{
    return names->slots ? names->slot[slot_of(names, name, length)] : -1;
}

/* Makes room for one more name; the number of slots stays a power of two. */
static int reserve(lf_names *names)
{
    if (names->count == names->capacity) {
        if (names->capacity > INT_MAX / 4) {
            return 0;
        }
        int capacity = names->capacity ? 2 * names->capacity : 8;
        char **grown = realloc(names->name, (size_t)capacity * sizeof *grown);
        if (!grown) {
            return 0;
        }
        names->name = grown;
        names->capacity = capacity;
    }
    if (2 * ((size_t)names->count + 1) > names->slots) {
        size_t slots = names->slots ? 2 * names->slots : 16;
        int *slot = malloc(slots * sizeof *slot);
        if (!slot) {
            return 0;
        }
        for (size_t i = 0; i < slots; i++) {
            slot[i] = -1;
        }
        free(names->slot);
        names->slot = slot;
        names->slots = slots;
        for (int i = 0; i < names->count; i++) {
            slot[slot_of(names, names->name[i], strlen(names->name[i]))] = i;
        }
    }
    return 1;
}

int lf_names_add(lf_names *names, const char *name, size_t length)
{
    int known = lf_names_find(names, name, length);
    if (known >= 0) {
        return known;
    }
    char *copy = malloc(length + 1);
    if (!copy || !reserve(names)) {
        free(copy);
        return -1;
    }
    memcpy(copy, name, length);
    copy[length] = '\0';
    names->slot[slot_of(names, name, length)] = names->count;
    names->name[names->count] = copy;
    return names->count++;
}

void lf_names_clear(lf_names *names)
{
    for (int i = 0; i < names->count; i++) {
        free(names->name[i]);
    }
    free(names->name);
    free(names->slot);
    *names = (lf_names){0};
}
