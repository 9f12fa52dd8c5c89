/* The lists of the settings. */
#include "options/settings.h"

#include <stdlib.h>

int cli_list_add(cli_list *list, const char *text)
{
    if (list->count + 1 >= list->capacity) {
        size_t capacity = 2 * list->capacity + 8;
        const char **grown = realloc(list->item, capacity * sizeof *grown);
        if (!grown) {
            return 0;
        }
        list->item = grown;
        list->capacity = capacity;
    }
    list->item[list->count++] = text;
    list->item[list->count] = NULL;
    return 1;
}

void cli_settings_clear(cli_settings *settings)
{
    cli_list *lists[] = {&settings->row_files, &settings->data_files, &settings->read_outputs,
                         &settings->drop,      &settings->missing,    &settings->output_names,
                         &settings->models,    &settings->only,       &settings->matches};
    for (size_t i = 0; i < settings->matches.count; i++) {
        free((char *)settings->matches.item[i]);
    }
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        free(lists[i]->item);
        *lists[i] = (cli_list){0};
    }
    lf_options_free(settings->fit);
    settings->fit = NULL;
}
