/* The beginning of a CSV file: its heading, its first rows, and what they show of its separator and decimal mark. */
#ifndef LF_DATA_CSV_SAMPLE_H
#define LF_DATA_CSV_SAMPLE_H

#include "data/csv_fields.h"

enum { LF_SAMPLE_ROWS = 200 };

/* Decimal marks that an option says: the other mark separates thousands. */
#define LF_POINT_AND_GROUPS 'P'
#define LF_COMMA_AND_GROUPS 'C'

typedef struct lf_csv_row {
    char *line;    /* storage of the fields */
    size_t number; /* of the line in the file, or lf_line_reader.line of the row in memory */
    size_t start;  /* offset of the line in the file */
    lf_csv_fields fields;
} lf_csv_row;

typedef struct lf_csv_sample {
    char separator;          /* ' ': runs of blanks */
    char decimal;            /* '.' or ',', or one of the following */
    const char *time_format; /* as which dates are read; NULL: they are recognised */
    lf_csv_row heading;
    size_t count;                       /* of the first rows */
    lf_csv_row row[LF_SAMPLE_ROWS + 1]; /* one more, for a row that was taken as the heading */
} lf_csv_sample;

/* Reads the heading and the first rows. separator and decimal are words of the options; NULL: recognised. Lines that begin
 * with '#' are comments; the last one before the rows is the heading if there is no other and it has as many fields. Lines about the file
 * before the heading are skipped, and a row of units below it goes into the headings. */
lf_status lf_csv_sample_read(lf_context *ctx, lf_line_reader *reader, const char *separator, const char *decimal,
                             lf_csv_sample *sample);
/* Finds the decimal mark of the rows of a sample; `word` as above. Leaves reader->line at the row that decides. */
lf_status lf_csv_choose_decimal(lf_context *ctx, lf_line_reader *reader, const char *word, lf_csv_sample *sample);
void lf_csv_sample_clear(lf_csv_sample *sample);

/* The next line that is no comment; NULL at the end. */
lf_status lf_csv_next_line(lf_context *ctx, lf_line_reader *reader, char **line, size_t *length);

/* How often a character occurs in a line outside quotes. */
size_t lf_csv_count_separators(const char *line, char separator);

/* The mark that separates thousands in a text of groups of three digits with, perhaps, the other mark behind them: "1.234,5"; else '\0'. */
char lf_thousands_mark(const char *text);
/* Whether a cell is a date, and which: in the format of the sample, or lf_field_date. The locale must be "C". */
lf_timestamp_kind lf_sample_date(const lf_csv_sample *sample, const lf_csv_field *cell, lf_timestamp *stamp);

/* The number in a cell with this decimal mark; 0 when it is none. The locale must be "C". */
int lf_csv_number(char decimal, const lf_csv_field *cell, double *value);
/* The same for a number with a sign of per cent: 50 of "50 %". */
int lf_csv_percentage(char decimal, const lf_csv_field *cell, double *value);

#endif
