/* Lists that grow, the table of names, and the messages of the parser. */
#include "equations/draft.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"

void *lf_eq_append(lf_eq_draft *draft, lf_eq_list *list, size_t size)
{
    if (list->count == list->capacity) {
        int capacity = list->capacity ? 2 * list->capacity : 16;
        void *items = realloc(list->items, (size_t)capacity * size);
        if (!items) {
            draft->status = lf_no_memory(draft->ctx);
            return NULL;
        }
        list->items = items;
        list->capacity = capacity;
    }
    return memset((char *)list->items + (size_t)list->count++ * size, 0, size);
}

void lf_eq_draft_clear(lf_eq_draft *draft)
{
    for (int i = 0; i < draft->symbols.count; i++) {
        free(lf_eq_symbol_at(draft, i)->name);
    }
    lf_eq_list *lists[] = {&draft->symbols,
                           &draft->nodes,
                           &draft->inputs,
                           &draft->forces,
                           &draft->declared,
                           &draft->parameters,
                           &draft->variables,
                           &draft->outputs,
                           &draft->quantities,
                           &draft->equations,
                           &draft->starts,
                           &draft->output_expressions,
                           &draft->quantity_expressions};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        free(lists[i]->items);
    }
    free(draft->hash);
}

lf_eq_symbol *lf_eq_symbol_at(const lf_eq_draft *draft, int symbol)
{
    return (lf_eq_symbol *)draft->symbols.items + symbol;
}

lf_eq_node *lf_eq_node_at(const lf_eq_draft *draft, int node) { return (lf_eq_node *)draft->nodes.items + node; }

/* FNV-1a. */
static uint32_t hash_of(const char *name, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    }
    return hash;
}

/* The slot of a name: its own, or the empty one where it belongs. */
static int slot_of(const lf_eq_draft *draft, const char *name, size_t length)
{
    uint32_t mask = (uint32_t)draft->hash_size - 1, slot = hash_of(name, length) & mask;
    for (; draft->hash[slot]; slot = (slot + 1) & mask) {
        const char *other = lf_eq_symbol_at(draft, draft->hash[slot] - 1)->name;
        if (strncmp(other, name, length) == 0 && other[length] == '\0') {
            break;
        }
    }
    return (int)slot;
}

int lf_eq_intern(lf_eq_draft *draft, const char *name, size_t length, size_t position)
{
    if (!draft->hash) {
        draft->hash_size = 1 << 16; /* more than twice LF_EQ_MOST_NAMES */
        draft->hash = calloc((size_t)draft->hash_size, sizeof *draft->hash);
        if (!draft->hash) {
            draft->status = lf_no_memory(draft->ctx);
            return -1;
        }
    }
    int slot = slot_of(draft, name, length);
    if (draft->hash[slot]) {
        return draft->hash[slot] - 1;
    }
    if (length > LF_EQ_LONGEST_NAME) {
        lf_eq_wrong(draft, position, "this name has more than %d bytes; give it a shorter one", LF_EQ_LONGEST_NAME);
        return -1;
    }
    if (draft->symbols.count == LF_EQ_MOST_NAMES) {
        lf_eq_wrong(draft, position, "the text has more than %d names", LF_EQ_MOST_NAMES);
        return -1;
    }
    char *copy = malloc(length + 1);
    lf_eq_symbol *symbol = copy ? lf_eq_append(draft, &draft->symbols, sizeof *symbol) : NULL;
    if (!symbol) {
        free(copy);
        draft->status = lf_no_memory(draft->ctx);
        return -1;
    }
    memcpy(copy, name, length);
    copy[length] = '\0';
    *symbol = (lf_eq_symbol){.name = copy, .first_at = position, .variable = -1, .parameter = -1};
    draft->hash[slot] = draft->symbols.count;
    return draft->symbols.count - 1;
}

const char *lf_eq_kind_text(lf_eq_kind kind)
{
    static const char *const texts[] = {"nothing",    "an input",  "a force",   "a parameter",
                                        "a variable", "an output", "a quantity"};
    return texts[kind];
}

lf_status lf_eq_wrong(lf_eq_draft *draft, size_t position, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    lf_eq_vfail(draft->ctx, draft->source, LF_ERROR_MODEL, position, format, arguments);
    va_end(arguments);
    return draft->status = LF_ERROR_MODEL;
}

int lf_eq_line_of(const lf_eq_draft *draft, size_t position) { return lf_eq_line(draft->source, position); }

void lf_eq_token_text(const lf_eq_draft *draft, char text[LF_EQ_EXCERPT])
{
    if (draft->token.kind == TOKEN_LINE || draft->token.kind == TOKEN_END) {
        snprintf(text, LF_EQ_EXCERPT, "%s",
                 draft->token.kind == TOKEN_LINE ? "the end of the line" : "the end of the text");
    } else {
        lf_eq_excerpt(draft->source, draft->token.start, draft->token.end, text);
    }
}

void lf_eq_node_text(const lf_eq_draft *draft, int node, char text[LF_EQ_EXCERPT])
{
    const lf_eq_node *at = lf_eq_node_at(draft, node);
    lf_eq_excerpt(draft->source, at->start, at->end, text);
}
