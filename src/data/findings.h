/* What one of several processes finds in its share of the files, with the file where it was found first, so that all of them together find
 * what one process would. Every process reads the headings and the first rows of every file; the rest of a file is read by one process or cut
 * between some, in the order of their ranks. So what comes first is in the file with the least number, of the processes that found it there
 * with the one of least rank, and there before what it found later. */
#ifndef LF_DATA_FINDINGS_H
#define LF_DATA_FINDINGS_H

#include "data/names.h"
#include "latentforce.h"

struct lf_table_reader;

/* The files in which the names of a list were found first. */
typedef struct lf_name_files {
    size_t *file; /* (count) */
    int count;
} lf_name_files;

/* A column of a wide file without a value in the first rows: the first value beyond these decides whether it has numbers or text. */
typedef struct lf_open_column {
    enum { LF_COLUMN_NO_VALUE, LF_COLUMN_NUMBERS, LF_COLUMN_TEXT } state; /* by the share of this process */
    size_t missing; /* cells of the share before its first value */
} lf_open_column;

typedef struct lf_found_note {
    size_t file;
    int once; /* for all files; 0: for each file */
    lf_level level;
    char *subject, *text; /* a note with a subject is given once; NULL: none */
} lf_found_note;

typedef struct lf_findings {
    lf_name_files outputs, replicates, foreign;
    size_t text_file; /* where lf_table_reader.text_column was found */
    int has_text;
    lf_open_column *open; /* (open_count) of all files, the same columns on all processes */
    size_t open_count;
    lf_found_note *notes; /* (note_count) */
    size_t note_count;
    const char *subject; /* of the note that follows; NULL: none */
    int lost;            /* a note was lost: there is no memory */
    lf_log_function log; /* of the context, while notes are kept here */
    void *log_user;
    int log_wanted; /* on any process */
} lf_findings;

/* Notes are kept, until lf_findings_release. */
void lf_findings_hold_notes(struct lf_table_reader *t);
void lf_findings_release(struct lf_table_reader *t);
/* The current row or heading is read: records the file of names that are new. */
lf_status lf_findings_update(struct lf_table_reader *t);
/* The first rows of the file are read: columns without a value so far are open. */
void lf_findings_open_columns(struct lf_table_reader *t);
/* The share of the file is read. */
lf_status lf_findings_close_columns(struct lf_table_reader *t);
void lf_findings_clear(lf_findings *f);

#endif
