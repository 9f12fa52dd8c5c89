/* Records where a process finds names, columns of text and what it notes. */
#include "data/findings.h"

#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "data/table_reader.h"

/* ---- notes ---- */

static void hold_note(void *user, lf_level level, const char *text)
{
    lf_table_reader *t = user;
    lf_findings *f = &t->findings;
    lf_found_note note = {.file = t->file, .once = !t->columns.wide, .level = level, .text = lf_copy_string(text)};
    note.subject = f->subject ? lf_copy_string(f->subject) : NULL;
    lf_found_note *grown = realloc(f->notes, (f->note_count + 1) * sizeof *grown);
    f->notes = grown ? grown : f->notes;
    if (!grown || !note.text || (f->subject && !note.subject)) {
        f->lost = 1;
        free(note.text);
        free(note.subject);
    } else {
        f->notes[f->note_count++] = note;
    }
    f->subject = NULL;
}

void lf_findings_hold_notes(lf_table_reader *t)
{
    t->findings.log = t->ctx->log;
    t->findings.log_user = t->ctx->log_user;
    t->ctx->log = hold_note;
    t->ctx->log_user = t;
}

void lf_findings_release(lf_table_reader *t)
{
    t->ctx->log = t->findings.log;
    t->ctx->log_user = t->findings.log_user;
}

/* ---- names ---- */

static int add_files(lf_name_files *files, const lf_names *names, size_t file)
{
    if (files->count == names->count) {
        return 1;
    }
    /* The capacity of the names grows by doubling, so that reallocations are few. */
    size_t *grown = realloc(files->file, (size_t)names->capacity * sizeof *grown);
    if (!grown) {
        return 0;
    }
    files->file = grown;
    while (files->count < names->count) {
        grown[files->count++] = file;
    }
    return 1;
}

lf_status lf_findings_update(lf_table_reader *t)
{
    lf_findings *f = &t->findings;
    if (*t->text_column && !f->has_text) {
        f->has_text = 1;
        f->text_file = t->file;
    }
    int stored = add_files(&f->outputs, &t->data->outputs, t->file) &&
                 add_files(&f->replicates, &t->data->replicates, t->file) &&
                 add_files(&f->foreign, &t->foreign, t->file) && !f->lost;
    return stored ? LF_OK : lf_no_memory(t->ctx);
}

/* ---- columns ---- */

void lf_findings_open_columns(lf_table_reader *t)
{
    for (size_t i = 0; i < t->columns.count; i++) {
        lf_csv_column *column = &t->columns.column[i];
        column->open = column->role == LF_COLUMN_OUTPUT && column->first_line == 0;
        column->missing = 0;
    }
}

lf_status lf_findings_close_columns(lf_table_reader *t)
{
    lf_findings *f = &t->findings;
    for (size_t i = 0; i < t->columns.count; i++) {
        const lf_csv_column *column = &t->columns.column[i];
        if (!column->open) {
            continue;
        }
        lf_open_column *grown = realloc(f->open, (f->open_count + 1) * sizeof *grown);
        if (!grown) {
            return lf_no_memory(t->ctx);
        }
        f->open = grown;
        f->open[f->open_count++] = (lf_open_column){.state = column->first_line == 0 ? LF_COLUMN_NO_VALUE
                                                             : column->is_text       ? LF_COLUMN_TEXT
                                                                                     : LF_COLUMN_NUMBERS,
                                                    .missing = column->missing};
    }
    return LF_OK;
}

void lf_findings_clear(lf_findings *f)
{
    for (size_t i = 0; i < f->note_count; i++) {
        free(f->notes[i].text);
        free(f->notes[i].subject);
    }
    free(f->notes);
    free(f->open);
    free(f->outputs.file);
    free(f->replicates.file);
    free(f->foreign.file);
    *f = (lf_findings){0};
}
