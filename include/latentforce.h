/** @mainpage latentforce: latent force models and convolved multi-output Gaussian processes
 *
 * Rules. tests/api checks them.
 *   -# `ctx` is the first argument of every function that can fail; then the object; results last. Such a function returns `lf_status`, and leaves a
 *      sentence in the context that names the file, line, name or value (`lf_context_message`); nothing else signals an error, but NULL of
 *      lf_context_create(). What should have been made is NULL after a failure. A number out of range and a handle that is NULL are
 *      LF_ERROR_ARGUMENT; counts of them are 0, names "".
 *   -# A noun is an opaque handle: made by `create`, `read`, `parse`, `copy`, `select` or the verb of the computation, released by its `_free`, which
 *      accepts NULL. The context must outlive the handles made with it. A const handle may be read by several threads, each with its own
 *      context; a posterior by one at a time. Contexts share no setting, no lock and no number of threads.
 *   -# Counts, indices and numbers of bytes are `size_t`; LF_NONE is none. `int` is for flags and enums.
 *   -# Every struct begins with `size_t size`, which the caller sets to its sizeof, for input and output. Fields are added at the end. The library
 *      touches what both know; a field of input that it does not know and that is not 0 is LF_ERROR_UNSUPPORTED. No struct is returned by value.
 *   -# One way to enumerate: `_count(object, kind)`, `_name(object, kind, i)`, `_find(ctx, object, kind, name, &i)`, `_get(ctx, object, i, &info)`. What
 *      has columns is an `lf_table`, whose columns may become more.
 *   -# Strings and arrays in a struct that was filled belong to the object and last until it changes; a `char **` is released by lf_free(); arrays
 *      that are filled belong to the caller, NULL: not wanted. Functions that write into a buffer return the length needed, as snprintf.
 *   -# Options are text by name, in an `lf_options` of one verb; tables describe them (lf_option_get()). Choices have the words of the model file and
 *      of the command line.
 *   -# Numbers are in the units of the data, row by row. Likelihoods are of the scaled data (y - offset) / scale.
 *   -# What is shown has one document: `_json` of its noun.
 *   -# Messages and notes name options in the spelling of the context; a note has a level; a text that is cut stays valid UTF-8. The library never
 *      prints, exits or aborts. The log and the progress function are called on the thread that called the library.
 *   -# Extension points stand in latentforce_processes.h. A name that leaves stays one minor version in latentforce_compat.h, where its arguments allow
 *      it.
 *
 * Some functions do not keep these rules and will go: those of engines (lf_engine_create() …), lf_model_reading(), lf_read_options, those that begin
 * with lf_fit_options or lf_fit_read. */
/** @file
 * The public interface of latentforce. */
#ifndef LATENTFORCE_H
#define LATENTFORCE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LF_VERSION_MAJOR 0 /**< of this header */
#define LF_VERSION_MINOR 2 /**< of this header */
#define LF_VERSION_PATCH 0 /**< of this header */
/** The version of this header; lf_version() is that of the library. */
#define LF_VERSION "0.2.0"

#if defined(__GNUC__)
#define LF_API __attribute__((visibility("default")))
#define LF_PRINTF(format, first) __attribute__((__format__(__printf__, format, first)))
#else
#define LF_API
#define LF_PRINTF(format, first)
#endif

/* ---- status ------------------------------------------------------------------------------------------------- */

/** Every status with its general sentence, as X(name, text). */
#define LF_STATUS_LIST(X)                                                                                              \
    X(LF_OK, "done")                                                                                                   \
    X(LF_ERROR_MEMORY, "out of memory")                                                                                \
    X(LF_ERROR_ARGUMENT, "an argument is wrong")                                                                       \
    X(LF_ERROR_IO, "a file could not be read or written")                                                              \
    X(LF_ERROR_DATA, "the data are wrong")                                                                             \
    X(LF_ERROR_MODEL, "the model is wrong")                                                                            \
    X(LF_ERROR_UNSUPPORTED, "this combination is not supported")                                                       \
    X(LF_ERROR_NUMERIC, "a computation broke down")                                                                    \
    X(LF_ERROR_CANCELLED, "the progress function asked to stop")

/** How a call ended; LF_STATUS_LIST has the values, lf_status_text() says what each means. */
typedef enum lf_status {
#define LF_STATUS_ENUM(name, text) name,
    LF_STATUS_LIST(LF_STATUS_ENUM)
#undef LF_STATUS_ENUM
} lf_status;

/** The general sentence for a status; `lf_context_message` has the particular one. */
LF_API const char *lf_status_text(lf_status status);

/** The version of the library that was linked, "MAJOR.MINOR.PATCH". */
LF_API const char *lf_version(void);

/* ---- context ------------------------------------------------------------------------------------------------ */

/** Holds the last message, the seed, the number of threads and who receives notes. */
typedef struct lf_context lf_context;

/** A new context; NULL when there is no memory. */
LF_API lf_context *lf_context_create(void);
/** Releases a context; what was made with it must have been released before. */
LF_API void lf_context_free(lf_context *ctx);

/** What went wrong last in this context, "" when nothing has. Valid until the next failure. */
LF_API const char *lf_context_message(const lf_context *ctx);

/** How much a note matters. */
typedef enum lf_level {
    LF_LEVEL_NOTE,   /**< what was understood, chosen or left out */
    LF_LEVEL_WARNING /**< what is probably a mistake */
} lf_level;
/** Receives notes for the user (never errors), on the thread that called the library. Default: none. */
typedef void (*lf_log_function)(void *user, lf_level level, const char *note);
/** From now on notes go to `log`, with `user` as its first argument. NULL: to nobody. */
LF_API void lf_context_set_log(lf_context *ctx, lf_log_function log, void *user);

/** The state of a fit. */
typedef struct lf_progress {
    size_t size;           /**< sizeof(lf_progress) in the library */
    const char *stage;     /**< "selection" of the shape, "fit" or standard "errors" */
    size_t item;           /**< which candidate, start or parameter of the stage, from 0 */
    size_t items;          /**< how many there are */
    size_t iteration;      /**< of this candidate or start */
    size_t max_iterations; /**< of each */
    size_t evaluations;    /**< of this candidate or start */
    double objective;      /**< log marginal likelihood plus log prior; NaN for standard errors */
    /** largest entry of its gradient that the bounds leave free, parameters in units of their size */
    double gradient_norm;
    double seconds;   /**< since the beginning of the stage */
    double remaining; /**< of the stage, expected, in seconds */
} lf_progress;
/** Called after every iteration, candidate and standard error, on the thread that called lf_fit(), which holds no lock of any other
 * context. Anything but 0 stops the stage and those after it, but for the posterior: the best parameters found are kept. */
typedef int (*lf_progress_function)(void *user, const lf_progress *progress);
/** From now on fits report to `progress`, with `user` as its first argument. NULL: to nobody. */
LF_API void lf_context_set_progress(lf_context *ctx, lf_progress_function progress, void *user);

/** Seed of every random number drawn through this context (default 1). */
LF_API void lf_context_set_seed(lf_context *ctx, uint64_t seed);

/** Threads for what this context computes, in the library's loops and, with an OpenMP BLAS, in BLAS; 0 = as many as the
 * machine has. Small computations use one thread. Results may depend on the number by rounding, except those of lf_fit(),
 * lf_simulate() and lf_draw(), which do not depend on it. */
LF_API void lf_context_set_threads(lf_context *ctx, size_t threads);
/** How much memory one computation may take, as the option "memory" of a fit: bytes, or a number with K, M, G or T (powers of 1024), as in
 * "4G"; "half" or NULL: half of what the machine, or its control group, can give when it is first needed. Engines, fits, predictions and
 * draws estimate what they will allocate and refuse what is beyond, before they begin; an automatic choice of an engine is made
 * among those within the limit. */
LF_API lf_status lf_context_set_memory(lf_context *ctx, const char *size);

/** How messages, notes and tables name options. */
typedef enum lf_spelling {
    LF_SPELLING_COMMAND, /**< as on the command line: "--force-kernel eq" */
    LF_SPELLING_KEYWORD  /**< as keywords of a language: "force_kernel='eq'", "private=False" */
} lf_spelling;
/** How what this context says names options from now on (default: as on the command line). */
LF_API void lf_context_set_spelling(lf_context *ctx, lf_spelling spelling);
/** A text with its options in the spelling of the context, to be released with lf_free(): for texts in files of models, which name them as on the
 * command line. */
LF_API lf_status lf_context_spell(lf_context *ctx, const char *text, char **spelt);

/** No index: what a function of a number answers where there is none. */
#define LF_NONE SIZE_MAX

/** What a table or a model has several of, and what can be asked about, as X(name, word). */
#define LF_KIND_LIST(X)                                                                                                \
    X(LF_KIND_ROW, "row")                                                                                              \
    X(LF_KIND_INPUT, "input")                                                                                          \
    X(LF_KIND_OUTPUT, "output")                                                                                        \
    X(LF_KIND_REPLICATE, "replicate")                                                                                  \
    X(LF_KIND_RATE, "rate") /* of change of an output */                                                               \
    X(LF_KIND_FORCE, "force")                                                                                          \
    X(LF_KIND_PRIVATE, "private") /* force of one output */                                                            \
    X(LF_KIND_WHITE, "white")     /* force of equations */                                                             \
    X(LF_KIND_KNOWN, "known")     /* input: a measured series that drives outputs */                                   \
    X(LF_KIND_STATE, "state")                                                                                          \
    X(LF_KIND_CONSTANT, "constant")   /* of equations */                                                               \
    X(LF_KIND_QUANTITY, "quantity")   /* of equations */                                                               \
    X(LF_KIND_PARAMETER, "parameter") /* entry of theta */                                                             \
    X(LF_KIND_TARGET, "target")       /* of points */

/** A kind; LF_KIND_LIST has them. */
typedef enum lf_kind {
#define LF_KIND_ENUM(name, word) name,
    LF_KIND_LIST(LF_KIND_ENUM)
#undef LF_KIND_ENUM
} lf_kind;

/** Releases memory that a function of the library handed out; NULL is fine. */
LF_API void lf_free(void *memory);

/* ---- tables of results --------------------------------------------------------------------------------------- */

struct lf_column;
/** Named columns of numbers or words, such as the plan of a fit. Columns may be added by later versions: find them by name. */
typedef struct lf_table lf_table;

/** The number of rows. */
LF_API size_t lf_table_rows(const lf_table *table);
/** The number of columns. */
LF_API size_t lf_table_columns(const lf_table *table);
/** Releases a table; NULL is fine. */
LF_API void lf_table_free(lf_table *table);
/** A column by number, from 0. Its arrays belong to the table. column->size is to be set to sizeof(lf_column). */
LF_API lf_status lf_table_column_get(lf_context *ctx, const lf_table *table, size_t index, struct lf_column *column);
/** The number of the column of this name. */
LF_API lf_status lf_table_find(lf_context *ctx, const lf_table *table, const char *name, size_t *index);
/** Writes the table to a file as "csv", or as "json": a list of rows, each an object. path NULL or "-": standard output. */
LF_API lf_status lf_table_write(lf_context *ctx, const lf_table *table, const char *format, const char *path);

/* ---- data ---------------------------------------------------------------------------------------------------- */

/** Rows (output, replicate, x[1..p], y, sd, split), in any order. Also used for inputs alone (then y is NaN). */
typedef struct lf_data lf_data;
struct lf_model;

/** One row of data. In lf_data_add() texts are copied, and what is left 0 is not given. */
typedef struct lf_row {
    size_t size;           /**< sizeof(lf_row) */
    const char *output;    /**< its name; NULL: the row names none (inputs only) */
    const char *replicate; /**< its name; NULL: the row names none */
    const double *x;       /**< (inputs) */
    double y;              /**< NaN for inputs */
    double sd;             /**< known standard error of y; 0 when not given */
    const char *split;     /**< "train", "test": for scores only, or NULL: not marked. A fit sees all but "test" */
    double
        width; /**< y is the mean over this time before x; 0: as the equations say, else the value at x. One input only */
} lf_row;

/** What an input measures, or in which unit values are. With several inputs a model may standardise each input x to (x - offset) / scale:
 * lengthscales and precisions are then in those units. Points, data and predictions stay in the units of the data. */
typedef struct lf_label {
    size_t size;      /**< sizeof(lf_label) */
    const char *name; /**< of inputs: heading of the column; "": none of its own (x, x1, …) */
    const char *unit; /**< "ms", "s", "min", "h", "d" or "a" for a time, or another text from a heading; "": none */
    const char *file_unit; /**< unit of the numbers in files, where that differs */
    double offset;         /**< of inputs of a model: subtracted first; else 0 */
    double scale;          /**< of inputs of a model: what remains is divided by this; else 1 */
    int dated;             /**< it is a time, and files have dates */
    double zero;           /**< dated: seconds from 1970-01-01T00:00 to its value 0, on the clock of the dates */
    double seconds;        /**< seconds in its unit; 0: it is not known to be a time */
    int zoned;             /**< dated: dates have a time zone */
    int zone;              /**< dated: the offset of their clock from UTC, in seconds */
    int digits;            /**< dated: digits of a second that are shown, 6 or 9 */
    int date_only;         /**< dated: no value has a time of day */
    int months;            /**< dated: from one time to the next, where these are steps of the calendar; else 0 */
    int month_day;         /**< and their day of the month, or the last of shorter ones; 31: the last of each */
    const char *between;   /**< of known inputs: "linear", "constant" or, for doses, "impulse"; else NULL */
} lf_label;

/** What is known about all rows of a table. The arrays belong to the caller; NULL: not wanted. Where processes share the table, it is
 * about the rows of all of them. Readings of the known inputs of the model do not count, but in the fingerprint and the step. */
typedef struct lf_data_info {
    size_t size;     /**< sizeof(lf_data_info) */
    size_t rows;     /**< how many there are */
    int distributed; /**< processes share the table: 1 or 0 */
    /** A 64-bit hash of the rows, (output, replicate, x, y) of each, by which they are recognised again. It does not depend on their order: it
     * is the sum, modulo 2^64, of the hashes of the rows. */
    uint64_t fingerprint;
    /** the median distance between neighbouring inputs of a replicate; NaN with several inputs, and where all inputs are equal. Of more than a
     * million shared rows it is that of a sample */
    double step;
    double *low;       /**< (inputs) the least of each */
    double *high;      /**< (inputs) the largest of each */
    double *last;      /**< (replicates, at least 1) the largest first input of each; -infinity: it has no rows */
    const char *empty; /**< why lf_data_select() left no row of an output; NULL: there are such rows */
} lf_data_info;

/** How lf_data_read() reads tables. Every field that is 0 or NULL is the default: what the file shows is recognised. Lists of
 * names are separated by commas; a name that contains one stands in double quotes. */
typedef struct lf_read_options {
    size_t size;        /**< sizeof(lf_read_options) */
    int ignore_columns; /**< accept and drop columns the format does not know */
    int inputs_only;    /**< the file lists inputs: no y column, `output` optional */
    /** The table is for this model: times are in its unit and count from its date of zero; the column with the name of its input
     * is the input; of a wide file only its outputs and its known inputs are read. Columns of known inputs are read from files of any
     * shape, inputs_only included: their rows have the names of these. */
    const struct lf_model *model;
    const char *time; /**< column of the time; "row": without such a column, rows of a wide table are numbered from 0 */
    const char *x;    /**< columns of several inputs */
    const char *outputs;       /**< outputs to read; others are dropped */
    const char *drop;          /**< columns (of a wide file) or outputs (of a long one) to drop */
    const char *output_column; /**< long file: column of the names of the outputs */
    const char *value_column;  /**< long file: column of the values */
    const char *separator;     /**< "comma", "semicolon", "tab", "pipe", "space" or the character */
    const char *decimal;       /**< decimal mark: "." or "," */
    const char *missing;       /**< more words for missing values; a number stands for every way to write it */
    const char *
        time_in; /**< unit of numeric times: "ms", "s", "min", "h", "d", "a"; "epoch": seconds since 1970; "number": none */
    const char *time_unit;  /**< unit to work in: "ms", "s", "min", "h", "d", "a" */
    int replicates_by_file; /**< each of several files is a replicate */
    /** The model is one of equations and yet to be fitted to this table: every output and input of it must be there; times are read as
     * for no model, in the unit of the equations. lf_fit_read() does this. */
    int unfitted;
    const char *known; /**< known inputs, beside those of the model: their columns are read wherever they are found */
    int whole;         /**< every process of the context reads all rows, and not its share of them */
    const char *replicate_column; /**< column of the replicates, whatever its name */
    const char *time_format;      /**< how dates are written, as for strftime: "%d.%m.%Y %H:%M"; NULL: recognised */
    const char *
        by; /**< for lf_fit_many(): the column whose values are fitted alone, read as replicates; a table with replicates of its own is refused */
} lf_read_options;

/** Reads a CSV (or .csv.gz; "-" is standard input) in the long or the wide shape. options NULL = defaults. Notes say what was
 * understood, and what looks wrong in the values. docs/preparing-data.md describes the rules.
 *
 * After lf_context_set_processes() each process reads its share of the rows: a range of bytes of plain files, whole gzip files. Those of process 0,
 * 1, … in this order are the rows of the files; some may have none. Names, units, notes and failures are the same on all. Process 0 alone
 * reads standard input. */
LF_API lf_status lf_data_read(lf_context *ctx, const char *path, const lf_read_options *options, lf_data **data);
/** Reads several files as one table: all their rows and outputs. */
LF_API lf_status lf_data_read_files(lf_context *ctx, size_t count, const char *const *paths,
                                    const lf_read_options *options, lf_data **data);

/** A column of a table: numbers, dates or words. One of `number`, `integer`, `date` and `code` is not NULL, if there are rows. */
typedef struct lf_column {
    size_t size;              /**< sizeof(lf_column), set by the caller of lf_table_column_get() */
    const char *name;         /**< its heading, as in a file: it may have a unit, "T [K]" */
    const double *number;     /**< NaN: missing */
    const int64_t *date;      /**< nanoseconds since 1970-01-01T00:00; INT64_MIN: missing */
    const int32_t *code;      /**< which of `words` it is, from 0; negative: missing */
    const char *const *words; /**< (word_count) */
    size_t word_count;        /**< of `words` */
    ptrdiff_t stride;         /**< bytes from one entry to the next */
    int zoned; /**< dates are in UTC, and are to be shown with the offset `zone`; 0: on the clock that is shown */
    int zone;  /**< in seconds */
    const int64_t *
        integer; /**< numbers, none missing: times that count nanoseconds since 1970 keep digits that a double has no place for */
} lf_column;

/** Makes rows of a table in memory by the rules of lf_data_read(): the long or the wide shape, units of headings, dates. Nothing is
 * copied but the values. `name` stands for the file in messages, which count rows from 0. */
LF_API lf_status lf_data_read_columns(lf_context *ctx, const char *name, size_t rows, size_t count,
                                      const lf_column *columns, const lf_read_options *options, lf_data **data);

/** The number of the column that lf_data_read_columns() takes as the time of the table, for callers that keep it apart; count: no column may
 * be the time, and rows may be numbered. A table that may be read in several ways is refused, as it is there. */
LF_API lf_status lf_find_time(lf_context *ctx, const char *name, size_t rows, size_t count, const lf_column *columns,
                              const lf_read_options *options, size_t *column);

/** An empty table of rows with `inputs` inputs, filled by lf_data_add(). */
LF_API lf_status lf_data_create(lf_context *ctx, size_t inputs, lf_data **data);
/** Adds a row. Either every row has a y or none, and likewise the name of an output and that of a replicate. */
LF_API lf_status lf_data_add(lf_context *ctx, lf_data *data, const lf_row *row);
/** Releases a table; NULL is fine. */
LF_API void lf_data_free(lf_data *data);

/** The number of rows, inputs, outputs or replicates; 0 for other kinds. Of a table that processes share these are the rows of this process. */
LF_API size_t lf_data_count(const lf_data *data, lf_kind kind);
/** The name of an input, output or replicate by number, from 0; "": it has none, or there is none of this number. */
LF_API const char *lf_data_name(const lf_data *data, lf_kind kind, size_t index);
/** A row by number, from 0. row->size is to be set to sizeof(lf_row). What it points to belongs to the table. */
LF_API lf_status lf_data_get(lf_context *ctx, const lf_data *data, size_t index, lf_row *row);
/** The numbers of all rows: "x" (rows, inputs) row by row, "y", "sd" or "width" (rows). They belong to the table and are valid until rows are
 * added. NULL: there are none; no row has a width. */
LF_API const double *lf_data_numbers(const lf_data *data, const char *column);
/** Codes of all rows (rows): the number of the "output" or of the "replicate", -1 where the row names none; of "split": 1 "train", 2 "test", 0
 * where the row is not marked. They belong to the table and are valid until rows are added. NULL: there are none. */
LF_API const int32_t *lf_data_codes(const lf_data *data, const char *column);

/** What an input measures (LF_KIND_INPUT), or the name and the unit of an output (LF_KIND_OUTPUT). label->size is to be set to sizeof(lf_label). */
LF_API lf_status lf_data_label_get(lf_context *ctx, const lf_data *data, lf_kind kind, size_t index, lf_label *label);
/** Says what an input of a table measures, or in which unit the values of an output are; of an output nothing but the unit is taken. Texts
 * that are NULL are "". Dates need the unit "ms", "s", "min", "h", "d" or "a", and their zero a whole second. */
LF_API lf_status lf_data_label_set(lf_context *ctx, lf_data *data, lf_kind kind, size_t index, const lf_label *label);
/** Facts about all rows. model NULL: no row is a reading of a known input. info->size is to be set to sizeof(lf_data_info), and
 * the arrays of the caller, or NULL. Called by all processes that share the table. */
LF_API lf_status lf_data_info_get(lf_context *ctx, const lf_data *data, const struct lf_model *model,
                                  lf_data_info *info);

/** A new table with some of the rows; there may be none. `rows` is "train": those that a fit may see (marked so, or not marked), and all
 * readings of known inputs; "test": those marked so; "outputs": all but readings of known inputs; "known": all readings of known inputs;
 * "started": the rows of outputs that do not lie before the origin of a model in which the output starts there, and so can be predicted.
 * model NULL: there are no known inputs, and "started" is "outputs". Replicate numbering is kept. */
LF_API lf_status lf_data_select(lf_context *ctx, const lf_data *data, const struct lf_model *model, const char *rows,
                                lf_data **selected);

/** Writes the long shape (columns that no row uses are left out), atomically; path NULL or "-" is standard output. */
LF_API lf_status lf_data_write(lf_context *ctx, const lf_data *data, const char *path);

/* ---- model --------------------------------------------------------------------------------------------------- */

/** Outputs with their operators, forces with their kernels, sensitivities, noise. Text form: docs/model-file.md. */
typedef struct lf_model lf_model;

/** Reads a model file, or equations that have all values (docs/equations.md), which the ending of the name shows: ".eq" or ".eqn"; "-" is
 * standard input. Equations without some value are no model yet: lf_fit() finds the values. */
LF_API lf_status lf_model_read(lf_context *ctx, const char *path, lf_model **model);
/** The same from a text in memory: JSON, or equations; `name` stands for the file in messages. */
LF_API lf_status lf_model_parse(lf_context *ctx, const char *text, const char *name, lf_model **model);
/** Writes a model file, atomically; path NULL or "-" is standard output. */
LF_API lf_status lf_model_write(lf_context *ctx, const lf_model *model, const char *path);
/** A second model that is equal to the first and independent of it. */
LF_API lf_status lf_model_copy(lf_context *ctx, const lf_model *model, lf_model **copy);
/** Releases a model; NULL is fine. */
LF_API void lf_model_free(lf_model *model);

/** How many of a kind the model has; 0 for other kinds. Inputs are the coordinates p, known inputs are measured series that drive outputs. Private
 * forces (LF_KIND_PRIVATE) do not count as forces, and white forces of equations (LF_KIND_WHITE) are the noise of the process. States,
 * constants and quantities are those of equations. Rates are the outputs of a model with one input. */
LF_API size_t lf_model_count(const lf_model *model, lf_kind kind);
/** A name by number, from 0; "": there is none of this number. Of an input it is the heading in files ("x" where it has none, "x1" to "xp"), of
 * a force that of the equations, or "force1" …, of rates and private forces that of the output. */
LF_API const char *lf_model_name(const lf_model *model, lf_kind kind, size_t index);
/** The number of the one with this name; parameters may also have that of theta. There is none: LF_ERROR_ARGUMENT. */
LF_API lf_status lf_model_find(lf_context *ctx, const lf_model *model, lf_kind kind, const char *name, size_t *index);

/** What is known about a model as a whole. */
typedef struct lf_model_info {
    size_t size;           /**< sizeof(lf_model_info) */
    double origin;         /**< the first input at which the initial state holds, in the unit of the model */
    const char *equations; /**< their text; NULL: outputs have operators */
    int has_posterior;     /**< one is stored in it: 1 or 0 */
    int has_provenance;    /**< it says where it came from: 1 or 0 */
    int is_calibrated;     /**< its fit calibrated the intervals by windows left out, widened or not: 1 or 0 */
} lf_model_info;
/** info->size is to be set to sizeof(lf_model_info). */
LF_API lf_status lf_model_get(lf_context *ctx, const lf_model *model, lf_model_info *info);

/** The name and the unit of one of a kind: what an input measures, and how the model standardises it (offset 0 and scale 1 where it does not); what
 * a known input is between its readings. label->size is to be set to sizeof(lf_label). */
LF_API lf_status lf_model_label_get(lf_context *ctx, const lf_model *model, lf_kind kind, size_t index,
                                    lf_label *label);

/** Description of an output. Time constant, natural frequency and damping ratio are NaN where they are not defined, standard errors
 * where none is known (lf_fit() computes them). With Student-t noise the noise variance is that of the normal noise with the same 95 % interval. */
typedef struct lf_output_info {
    size_t size;                /**< sizeof(lf_output_info) */
    const char *name;           /**< as in the data */
    const char *unit;           /**< of its values, from the heading of its column; "": not known */
    const char *operator_type;  /**< "ode1", "ode2", "ode", "gaussian" */
    size_t order;               /**< P of the ODE; 0 for gaussian */
    size_t constant_count;      /**< of its operator */
    const double *constants;    /**< (constant_count) their values */
    size_t first_constant;      /**< the number of the first among the parameters, which the others follow */
    const double *sensitivity;  /**< (forces) */
    double sensitivity_sd;      /**< prior standard deviation of each about that value; 0: they are known */
    double variance_inflation;  /**< factor of the variance of its predictions, found by calibration; 1: none */
    double noise_variance;      /**< of the measurement noise, in the units of the data; 0: the likelihood has none */
    double offset;              /**< y = offset + scale * (f + noise) */
    double scale;               /**< see offset */
    const char *private_kernel; /**< of its private force; NULL: it has none */
    double private_amplitude;   /**< its sensitivity to that force */
    double time_constant;       /**< of the slowest mode: 1 / -Re(root) */
    double natural_frequency;   /**< order 2: sqrt(spring / mass), radians per unit of input */
    double damping_ratio;       /**< order 2: damper / (2 sqrt(spring mass)) */
    int stable;                 /**< every root has a negative real part */
    double time_constant_error; /**< standard error */
    double natural_frequency_error; /**< standard error */
    double damping_ratio_error;     /**< standard error */
    const char *likelihood;         /**< of its readings: "gaussian", "student", "poisson", … */
    int link;                       /**< f is the logarithm or the logit of their mean: offset and scale are of f */
} lf_output_info;
/** An output by number, from 0. info->size is to be set to sizeof(lf_output_info). */
LF_API lf_status lf_model_output_get(lf_context *ctx, const lf_model *model, size_t index, lf_output_info *info);
/** A reading of an output whose function has the value f, which a standard normal number z chooses: f + z sd of Gaussian noise, otherwise the reading
 * that is as probable. z NaN: the mean of readings. NaN where there is no such output. */
LF_API double lf_model_reading(const lf_model *model, size_t output, double f, double z);

/** Writes an input as files show it: a date, or a number in the unit of files. `text` has `size` bytes; what does not fit is cut, and 40 are
 * enough. The length of the whole text is returned, as by snprintf; 0: there is no such input. */
LF_API size_t lf_model_format_input(const lf_model *model, size_t input, double x, size_t size, char *text);
/** Reads an input as files have it: a date, or a number in the unit of files. */
LF_API lf_status lf_model_parse_input(lf_context *ctx, const lf_model *model, size_t input, const char *text,
                                      double *x);
/** Reads a span of the first input: a number, or a number with a unit of time: "48h", "30 min". */
LF_API lf_status lf_model_parse_span(lf_context *ctx, const lf_model *model, const char *text, double *span);

/* The parameters are one flat vector, theta: theta[i] = log(value) or value, by transform. Names: "force1.lengthscale", "NAME.decay",
 * "NAME.sensitivity1", …; the entry of theta is called "force1.log_lengthscale" where the transform is a logarithm. */

/** Bytes of the text of a unit. */
#define LF_UNIT_SIZE 64
/** One parameter of a model. */
typedef struct lf_parameter {
    size_t size;            /**< sizeof(lf_parameter) */
    const char *name;       /**< "force1.lengthscale" */
    const char *theta_name; /**< "force1.log_lengthscale" */
    const char *transform;  /**< from value to theta: "log" or "identity" */
    double value;           /**< natural */
    double lower;           /**< least value that the model allows, 0 or -infinity unless it was set */
    double upper;           /**< largest value that the model allows, infinity unless it was set */
    int fixed;              /**< an optimiser must not move it */
    size_t tied_to;         /**< index of the parameter it copies; LF_NONE: none */
    double standard_error;  /**< of value; NaN where none is known */
    /** the range of values that the fit searched, as the provenance has it: what a parameter that "ended on a bound" has reached. It follows
     * from the data, and lies within lower and upper. NaN: it is not known, or the parameter was not free */
    double searched_lower;
    double searched_upper;  /**< its upper end */
    const char *short_name; /**< "lengthscale": without the name of its owner */
    lf_kind owner;          /**< LF_KIND_FORCE, LF_KIND_WHITE, LF_KIND_OUTPUT, LF_KIND_PRIVATE or LF_KIND_CONSTANT */
    size_t owner_index;     /**< which of these */
    /** "h" for a lengthscale, "1/h^2" for a spring, "1/(h kW)" for the gain of a known input, "1/mg" for that of doses of an equation of first
     * order; "" where it has none or it is not known */
    char unit[LF_UNIT_SIZE];
} lf_parameter;
/** A parameter by number, from 0. parameter->size is to be set to sizeof(lf_parameter). */
LF_API lf_status lf_model_parameter_get(lf_context *ctx, const lf_model *model, size_t index, lf_parameter *parameter);
/** Sets the value, the bounds, fixed and tied_to of a parameter to those of `parameter`, which lf_model_parameter_get() has filled; its other
 * fields do not matter. A tied parameter copies the value of its leader, which must have the same transform, and does not take another. After a failure
 * the model is as before. A new value drops the stored posterior and standard errors. */
LF_API lf_status lf_model_parameter_set(lf_context *ctx, lf_model *model, size_t index, const lf_parameter *parameter);
/** All parameters as theta (count), whose count must be lf_model_count() of LF_KIND_PARAMETER. */
LF_API lf_status lf_model_get_theta(lf_context *ctx, const lf_model *model, size_t count, double *theta);
/** Sets all parameters from theta, as lf_model_get_theta() gives it. The entries of tied parameters are ignored: they copy their leaders. */
LF_API lf_status lf_model_set_theta(lf_context *ctx, lf_model *model, size_t count, const double *theta);

/** A table of a model, to be released with lf_table_free().
 *   - "parameters": name, value, standard_error, unit, lower, upper, fixed (1 or 0), tied_to, searched_lower, searched_upper.
 *   - "quantities": name, value, standard_error and unit of the quantities of the equations, and of the time constants, frequencies and
 *     damping ratios of outputs.
 *   - "inputs": input, unit, offset, scale, and the date of its zero.
 *   - "outputs": output, operator, order, unit, noise_sd, offset, scale, private (its private force in words), constants, variance_inflation,
 *     likelihood (with its number).
 *   - "forces": force, kernel, its lengthscale and its amplitude each with _error, _unit and _fixed ("fixed" or ""), all lengthscales and all
 *     values in words, white (1 or 0), idle ("idle" or ""). The amplitude of a white force is the standard deviation of its integral over a time 1.
 *   - "sensitivities": output, their prior standard deviation sd, and for each force FORCE and FORCE.error.
 *   - "known": input, unit, between (readings), its meaning in words, and for each output with a gain OUTPUT, OUTPUT.error, OUTPUT.unit, OUTPUT.fixed.
 *   - "constants": constant, value, standard_error, fixed ("fixed" or "") of the equations. "states": state.
 *   - "modes": output ("" of equations, whose modes begin with the slowest), time_constant, natural_frequency, period and damping_ratio with
 *     _error, time_unit, frequency_unit, frequency in words, stable ("yes", "no" or "integrates").
 *   - "verdict" on the fit: severity ("good", "note" or "warning"), sentence, output (empty: several, or the model). */
LF_API lf_status lf_model_table(lf_context *ctx, const lf_model *model, const char *what, lf_table **table);
/** A document of a model as JSON, to be released with lf_free(). "file": the model file. "description": inputs, forces, outputs, parameters and
 * provenance, with what follows from them (time constants, frequencies, modes, quantities) and the range of the stored posterior.
 * "provenance": where the model came from; NULL where it does not say. "state-space": lf_model_matrices() in continuous time. */
LF_API lf_status lf_model_json(lf_context *ctx, const lf_model *model, const char *what, char **text);
/** Writes a value with its standard error and its unit for people: "2.10 +- 0.12 h", "12.3e-6 1/h", "350 ms"; "-" for NaN. error NaN or 0: not
 * known; unit NULL or "": none. The error has two significant digits and the value as many decimals, without an error five digits. Numbers below
 * 0.001 or from a million on have an exponent that is a multiple of three; seconds below 1 get a prefix. `text` has `size` bytes; what does
 * not fit is cut. The length of the whole text is returned, as by snprintf. */
LF_API size_t lf_format_quantity(double value, double error, const char *unit, size_t size, char *text);

/** A model as matrices, in the units of the data: for controllers, simulators and other programs. Forces are part of the state; EQ forces are
 * approximated as in the kalman engine. In continuous time (step 0), with known inputs v and white noise w of intensity Q,
 *
 *     x' = A x + B v + c + w,    y = C x + D v + d + e,    e ~ N(0, R)
 *
 * and for a step h, with w[k] ~ N(0, Q) and inputs that are linear within a step (B_slope) or constant (the same without B_slope),
 *
 *     x[k+1] = A x[k] + B v[k] + B_slope (v[k+1] - v[k]) + c + w[k],    y[k] = C x[k] + D v[k] + d + e[k]
 *
 * An impulse v adds B v to x in continuous time; for a step it acts at its beginning, and its column of B_slope is 0. Of an output that is an
 * average, C, D and d are those of its expression. Matrices are row by row. */
typedef struct lf_matrices {
    size_t size;              /**< sizeof(lf_matrices) in the library */
    size_t states;            /**< n */
    size_t inputs;            /**< m known inputs */
    size_t outputs;           /**< p */
    double step;              /**< 0: continuous time */
    const char **state_names; /**< (n) "load.1" … of the force load, then variables and derivatives: "x", "x'" */
    double *A;                /**< (n, n) */
    double *B;                /**< (n, m) */
    double *B_slope;          /**< (n, m) 0 in continuous time, and of inputs that are constant between readings */
    double *c;                /**< (n) */
    double *C;                /**< (p, n) */
    double *D;                /**< (p, m) */
    double *d;                /**< (p) */
    double *Q;                /**< (n, n) */
    double *R;                /**< (p) variances of the noise of the outputs, which is independent */
    int steady;               /**< the start is the steady state under the first inputs: x = -A^-1 (B v + c) */
    double *start_mean;       /**< (n) of the state at the origin; NaN where it is steady */
    double *start_covariance; /**< (n, n) of the state at the origin */
    double *widths;           /**< (p) the time over which an output is a mean; 0: it is a value */
} lf_matrices;

/** The matrices of a model of differential equations at its parameters, for a step in the unit of its input; 0: in continuous time. */
LF_API lf_status lf_model_matrices(lf_context *ctx, const lf_model *model, double step, lf_matrices **matrices);
/** Matrices of the model as JSON, with all digits; to be released with lf_free(). */
LF_API lf_status lf_matrices_json(lf_context *ctx, const lf_model *model, const lf_matrices *matrices, char **text);
/** Releases matrices; NULL is fine. */
LF_API void lf_matrices_free(lf_matrices *matrices);

/* ---- points: what can be asked about --------------------------------------------------------------------------- */

/** The code of a target: what a point asks about. Nobody calculates with it: it is made by lf_model_target(), and later versions have more kinds.
 * Outputs (LF_KIND_OUTPUT), their rates of change (LF_KIND_RATE, one input), forces (LF_KIND_FORCE) and the states of a model given by
 * equations (LF_KIND_STATE) are targets. */
LF_API lf_status lf_model_target(lf_context *ctx, const lf_model *model, lf_kind kind, size_t index, uint32_t *target);

struct lf_posterior;
struct lf_options;
/** Points at which a model is asked, in an order of their own. */
typedef struct lf_points lf_points;

/** No points yet, for a model of this shape; the model need not outlive them. */
LF_API lf_status lf_points_create(lf_context *ctx, const lf_model *model, lf_points **points);
/** Releases points; NULL is fine. */
LF_API void lf_points_free(lf_points *points);
/** Appends n points. target (n): codes; replicate (n): which of the training data, NULL: all 0; x (n, p), row by row; width (n): the mean of the output
 * over this time before x, 0: as the equations say, else the value at x, NULL: all 0. Means as the equations say that would begin before the
 * start of the model, or of an updated posterior, are an error; where a width is NaN they begin there, of these and all other points. After a failure
 * the points are those of before. */
LF_API lf_status lf_points_add(lf_context *ctx, lf_points *points, size_t n, const uint32_t *target,
                               const size_t *replicate, const double *x, const double *width);
/** The points that a request asks for: every replicate, every target and every input, in this order of nesting. request: options of the verb "request"
 * (NULL: defaults, which are a grid over the range of the training inputs).
 *   - inputs, unless NULL: a table that lists the inputs, and nothing of the range is asked for then. Its rows may name outputs and replicates, for
 *     which they alone count; rows of known inputs are readings, at which nothing is asked.
 *   - training: the rows that the posterior will be computed from, of which lf_posterior_create() takes the points as its reach; posterior: the one
 *     that will be asked, which refuses inputs beyond those at which it can predict. One of them is NULL. Both are NULL: the prior
 *     is asked, and the replicates are those of the inputs.
 *
 * The points have the names of their replicates. A forecast of replicates that end at different inputs begins where each of them ends. */
LF_API lf_status lf_points_request(lf_context *ctx, const lf_model *model, const lf_data *training,
                                   const struct lf_posterior *posterior, const struct lf_options *request,
                                   const lf_data *inputs, lf_points **points);
/** How many rows (points) there are. Of inputs, targets and replicates: how many there are of each where every one is combined with every other;
 * else 0. */
LF_API size_t lf_points_count(const lf_points *points, lf_kind kind);

/** How covariances, likelihoods and posteriors are computed. NULL = defaults, and so is every other field left 0.
 * Nodes of the dense engine: "uniform", "closed-form", "state-space" (exact for Matern forces); of fourier: "uniform"; of lowrank: "uniform" (one input), "mc", "qmc" (up
 * to 37 inputs), "orthogonal"; of the inducing engines: "exact", "closed-form", and those of lowrank. "auto" is, for lowrank
 * and several inputs, "qmc" up to 6 inputs and "orthogonal" beyond. */
typedef struct lf_engine_options {
    size_t size; /**< sizeof(lf_engine_options) */
    /** "auto" (the cheapest that applies), "dense", "lowrank" (or "features"), "fourier", "kalman"; approximations by
     * inducing values: "dtc", "variational", "fitc", "pitc" */
    const char *engine;
    const char *nodes; /**< "auto", or how frequencies are chosen, see above */
    double tolerance;  /**< of uniform nodes, relative to the largest covariance; 0 = dense 1e-13 (1e-7 with Matern
                           forces and "uniform"), feature engines 1e-10 (1e-5); kalman: of the covariance of EQ forces, 1e-10 */
    size_t features; /**< frequencies for each force of a feature engine; 0 = as the tolerance asks ("uniform" only) */
    double ahead;    /**< how far beyond the last input of the data predictions will be asked for (feature engines) */
    double behind;   /**< how far before the first */
    size_t inducing; /**< inducing values for each force that has no inputs for them in the model */
    const char
        *inducing_inputs; /**< how these are placed: "even", "data" or "kmeans"; 0 = even, with several inputs kmeans */
    /** for optimisers: by which factor lengthscales and rates of decay may move before nodes chosen by tolerance are chosen
     * again; 0 = 1 */
    double regrid_factor;
    /** "cpu", or "gpu" (lowrank, dense, dtc, variational, fitc, pitc), where the library was built with CUDA: results agree to rounding. Several
     * processes on one machine take its GPUs in turn. 0 = cpu */
    const char *device;
} lf_engine_options;

/** Prior covariance of f (no noise) and of the forces at the points, in the units of the data: K (n, n). Engine "auto" and
 * "dense": exact; "lowrank": that of the features with these nodes. */
LF_API lf_status lf_covariance(lf_context *ctx, const lf_model *model, const lf_points *points,
                               const lf_engine_options *options, double *K);

/** A joint draw of outputs (without noise) and forces from the prior: f (n), points that share a replicate are drawn
 * together, replicates independently. It runs on one thread: the same seed gives the same bits whatever the number of threads,
 * and the same numbers to rounding with another BLAS or processor. */
LF_API lf_status lf_simulate(lf_context *ctx, const lf_model *model, const lf_points *points, double *f);
/** The same for a model with known inputs: the response to these, plus a draw of what the forces add. Their readings are rows of `inputs`,
 * under their names; replicates are numbered as in this table, and its rows without a replicate count for all. NULL: there are none. */
LF_API lf_status lf_simulate_driven(lf_context *ctx, const lf_model *model, const lf_points *points,
                                    const lf_data *inputs, double *f);

/** n independent N(0, 1) numbers from the context's generator. */
LF_API void lf_normals(lf_context *ctx, size_t n, double *z);

/* ---- engines: likelihood and posterior ----------------------------------------------------------------------- */

/** A model and data, prepared for evaluation. */
typedef struct lf_engine lf_engine;

/** Description of an engine. */
typedef struct lf_engine_info {
    const char *engine; /**< the one chosen */
    const char *reason; /**< why, in words; owned by the engine */
    const char *nodes;  /**< the route of its covariances */
    size_t columns;     /**< M; of dense the rows, of kalman the states, of the inducing engines the inducing values */
    size_t rows;        /**< of the data */
    double jitter; /**< largest variance added to a covariance of inducing values so that it could be factored, relative
                      to its diagonal; of the last evaluation */
} lf_engine_info;

/** Prepares rows and model (both are copied); options NULL = defaults. Every output in the data must be in the model. The
 * frequencies of the feature engines are chosen here, for the lengthscales of the model within the regrid_factor. When parameters move
 * further, nodes chosen by tolerance are chosen again, which costs a pass over the rows; a given number of nodes stays as it is. */
LF_API lf_status lf_engine_create(lf_context *ctx, const lf_model *model, const lf_data *data,
                                  const lf_engine_options *options, lf_engine **engine);
/** Releases an engine; NULL is fine. */
LF_API void lf_engine_free(lf_engine *engine);
/** Which engine it is, and its size. */
LF_API lf_engine_info lf_engine_describe(const lf_engine *engine);

/** Log marginal likelihood (of the variational engine: its lower bound) at theta (NULL: the parameters of the model) and, unless
 * NULL, its gradient by theta; both have `count` entries, which must be lf_parameter_count() unless both are NULL. */
LF_API lf_status lf_engine_evaluate(lf_engine *engine, size_t count, const double *theta, double *log_likelihood,
                                    double *gradient);

/** Bounds on the errors of covariances, relative to the largest variances of their kinds: for feature engines with uniform nodes, for the kalman engine
 * with EQ forces, and for exact engines whose nodes are frequencies with Matern forces, twice the largest difference from the exact ones at probe
 * times. 0 for exact covariances, NaN for sampled nodes. The errors of rates are often much larger than those of outputs. */
typedef struct lf_error_bounds {
    double outputs; /**< covariances between outputs, which alone matter for the likelihood */
    double forces;  /**< covariances of forces with outputs and with each other */
    double rates;   /**< covariances of rates with all others */
} lf_error_bounds;
/** The bounds for each kind. */
LF_API lf_status lf_engine_error_bounds(lf_engine *engine, lf_error_bounds *bounds);

/** An estimate of how far rounding has moved the log likelihood at the parameters last evaluated (those of the model if none were), of
 * the dense and kalman engines; NaN of others. It is large where the covariance of the rows is nearly singular: without noise, or with
 * prior variances that are huge against it. A note says so when it exceeds 1e-6 of the log likelihood. */
LF_API lf_status lf_engine_rounding(lf_engine *engine, double *rounding);

/** -sum over rows of log scale: add it to the log likelihood for the log density of y in its own units. */
LF_API double lf_engine_log_jacobian(const lf_engine *engine);

/** The posterior of outputs, forces and rates of change given data. */
typedef struct lf_posterior lf_posterior;

/** The posterior given the training rows. engine: options of the verb "engine"; NULL: defaults. reach, unless NULL: points that will be asked, for
 * engines that must know how far beyond the rows they reach; so does the option "horizon", the last input that will be asked. */
LF_API lf_status lf_posterior_create(lf_context *ctx, const lf_model *model, const lf_data *rows,
                                     const struct lf_options *engine, const lf_points *reach, lf_posterior **posterior);
/** The posterior at the parameters last evaluated (those of the model if none were). It does not depend on the engine afterwards. */
LF_API lf_status lf_engine_posterior(lf_engine *engine, lf_posterior **posterior);
/** Releases a posterior; NULL is fine. */
LF_API void lf_posterior_free(lf_posterior *posterior);

/** Gives a posterior newer data. `what` is
 *   - "rows": newer rows of its replicates, with which a posterior of the kalman engine is continued from the state of its filter, and without the
 *     old rows, which it drops: afterwards it predicts from the last old row on. A row older than that is an error, which changes nothing;
 *   - "inputs": readings of the known inputs of the model, which are added to those of the training data; later predictions use them. Rows of other
 *     names are ignored. Rows without a replicate count for all replicates;
 *   - NULL: the rows that are not marked "test", or, where none of these is a row of an output, the readings. */
LF_API lf_status lf_posterior_update(lf_context *ctx, lf_posterior *posterior, const lf_data *data, const char *what);

/** Facts about a posterior. The arrays belong to the caller; NULL: not wanted. What a model file does not have is not known: of a number of
 * rows or columns 0, of inputs NaN. */
typedef struct lf_posterior_info {
    size_t size;          /**< sizeof(lf_posterior_info) */
    const char *engine;   /**< the engine behind it */
    size_t columns;       /**< its size, as in lf_engine_info; 0: not known, because the posterior was restored */
    size_t rows;          /**< training rows; of a posterior that was continued the old and the new ones */
    uint64_t fingerprint; /**< of these rows, as in lf_data_info */
    double step;          /**< of these rows, as in lf_data_info */
    double first;         /**< the first training input (of several inputs: of the first of them) */
    double last;          /**< the last one */
    /** where it can predict: everywhere for the dense and kalman engines (once continued: from the last of the old rows on) and for the inducing
     * engines with exact covariances; for uniform features from the first to the last training input, and as far beyond as was asked for */
    double from;
    double to;         /**< the end of that range */
    size_t replicates; /**< of the training rows, in the order of the numbers that lf_points_add() takes */
    int named;         /**< they have names: 1 or 0 */
    /** (inputs) the range over which a grid is laid: where it can predict, if that is limited, or else that of the training inputs; with several
     * inputs sqrt 3 standard deviations around their mean */
    double *low;
    double *high; /**< (inputs) its end */
    double *ends; /**< (replicates) the last training input of each */
} lf_posterior_info;
/** Facts. info->size is to be set to sizeof(lf_posterior_info), and the arrays of the caller, or NULL. */
LF_API lf_status lf_posterior_get(lf_context *ctx, const lf_posterior *posterior, lf_posterior_info *info);
/** The name of a replicate of the training data by number, from 0; "": it has none, or there is none of this number. */
LF_API const char *lf_posterior_name(const lf_posterior *posterior, size_t replicate);

/** What is predicted at points, in the units of the data. The arrays belong to the caller; NULL: not wanted. */
typedef struct lf_prediction {
    size_t size;      /**< sizeof(lf_prediction) */
    double level;     /**< probability between lower and upper; 0: 0.95 */
    int noise_free;   /**< nonzero: lower and upper are those of f itself; 0: of a new observation, noise included */
    double *mean;     /**< (n) */
    double *variance; /**< (n) of f, the noise-free output, or of the rate, force or state */
    double *variance_new; /**< (n) of a new observation: with the noise of the output; of other targets as `variance` */
    double *lower;        /**< (n) the quantile (1 - level) / 2 */
    double *upper;        /**< (n) the quantile (1 + level) / 2 */
    double *covariance;   /**< (n, n) of f; points of different replicates have none */
    const double *sd;     /**< (n) known standard errors of new observations; NULL: 0 */
    const double *y;      /**< (n) observations of outputs, for `log_density` */
    double *log_density;  /**< (n) the log density of y, or the log probability of a count */
} lf_prediction;

/** Predicts at the points. With a likelihood that has a link, such as the logarithm of counts, mean, variance and noise-free quantiles are those of
 * the mean of a new observation, in the units of the data; such points have no joint covariance. After a failure the arrays hold nothing of use. */
LF_API lf_status lf_predict(lf_context *ctx, lf_posterior *posterior, const lf_points *points,
                            const lf_prediction *prediction);
/** Predictions as a table, to be released with lf_table_free(): the columns replicate (where the training data have replicates), output, force or
 * state (target, where the points are of several kinds), the inputs under their headings, as files show them, mean, and sd; of outputs sd_f, the
 * standard deviation of the output itself, and sd_y, that of a new observation. The options "level" and "noise" of the request add lower and upper,
 * which outputs whose likelihood has a link always have,
 * "samples" the columns sample1, sample2, …, drawn as by lf_draw(), and "rows" a first column row: the number of the input among those of the
 * request. request NULL: defaults. */
LF_API lf_status lf_predict_table(lf_context *ctx, lf_posterior *posterior, const lf_points *points,
                                  const struct lf_options *request, lf_table **table);
/** The same as JSON, to be released with lf_free(): {"outputs": {NAME: {INPUT: [...], "mean": [...], "sd_f": [...], "sd_y": [...], "samples":
 * [[...], ...]}, ...}}, or "rates", "forces", "states", in {"replicates": {NAME: ..., ...}} where the training data have replicates. */
LF_API lf_status lf_predict_json(lf_context *ctx, lf_posterior *posterior, const lf_points *points,
                                 const struct lf_options *request, char **text);
/** `count` joint draws of f, or of the mean of a new observation where the likelihood has a link: samples (count, n). It runs on one thread: one
 * posterior and one seed give the same bits whatever the number
 * of threads. Posteriors that were computed with different numbers of threads, with another BLAS or on another processor differ by
 * rounding, and so do their samples. */
LF_API lf_status lf_draw(lf_context *ctx, lf_posterior *posterior, const lf_points *points, size_t count,
                         double *samples);

/** Stores the posterior in the model, so that the model file predicts without the data. Changing a parameter afterwards drops
 * what is stored. Where the rows are not those of the fit, the provenance gets "conditioned": {"rows": count}, count 0: not known; its
 * other figures are about the fit. */
LF_API lf_status lf_posterior_store(lf_posterior *posterior, lf_model *model);
/** The posterior stored in a model. */
LF_API lf_status lf_posterior_restore(lf_context *ctx, const lf_model *model, lf_posterior **posterior);

/* ---- fitting -------------------------------------------------------------------------------------------------- */

/** One option of a verb. The tables of them are what the command line, its manual page and bindings read. */
typedef struct lf_option {
    size_t size;          /**< sizeof(lf_option), set by the caller of lf_option_get() */
    const char *name;     /**< "force-kernel" */
    const char *argument; /**< what stands for the value in help, "K"; NULL: it has none (flags and switches) */
    /** "text", "choice" (one of `values`), "list" (text; each setting adds an item), "file" (the name of one), "count" (a whole
     * number), "number", "time" (a number or a date, as in the data), "share" (a number between 0 and 1), "size" (bytes, or with K, M, G, T), "seed" (a whole number of 64 bits),
     * "kernel" (one of `values`, or a formula: docs/kernels.md), "flag" (given or not),
     * "switch" ("yes" or "no") */
    const char *type;
    const char *fallback; /**< the default, in words */
    const char *values;   /**< the words it accepts, "a, b, c"; of counts and lists some of them; NULL: any */
    const char *help;     /**< one sentence, without the default */
    const char *no_help;  /**< switches: the sentence of "no" */
    size_t minimum;       /**< counts: the least */
    size_t maximum;       /**< counts: the most */
    /** It decides where and how the work is done (files, threads), not what comes out; provenance leaves it out. */
    int about_machine;
    /** What it is about: "model", "fit", "engine" (how likelihoods are computed) or "machine" (files, seed, threads). Help has a
     * section for each. */
    const char *group;
} lf_option;

/** The number of options of a verb: "fit" (lf_fit() and lf_plan()), "engine" (how a likelihood, a log posterior or a posterior is computed),
 * "request" (lf_points_request() and lf_predict_table()), "report", "validate" (scores) or "read" (the fields of lf_read_options, whose names have
 * hyphens in the table; items of a "list" are joined by commas there); 0: there is no such verb. */
LF_API size_t lf_option_count(const char *verb);
/** An option of a verb by number, from 0, in the order of the help. Its texts last as long as the library. */
LF_API lf_status lf_option_get(lf_context *ctx, const char *verb, size_t index, lf_option *option);

/** The options of one verb, each the default until it is set. */
typedef struct lf_options lf_options;

/** Options of a verb at their defaults; those of "read" are the fields of lf_read_options. */
LF_API lf_status lf_options_create(lf_context *ctx, const char *verb, lf_options **options);
/** Releases options; NULL is fine. */
LF_API void lf_options_free(lf_options *options);
/** Sets an option by its name in the table, or by "no-NAME" a switch to "no". `value` as text; NULL for flags and switches:
 * given. Texts are copied. A name or a value that the table does not allow is an error, which names the nearest name. Messages spell options
 * as on the command line, "--NAME". */
LF_API lf_status lf_options_set(lf_context *ctx, lf_options *options, const char *name, const char *value);
/** Options of a fit: starts from the structure, the parameters, the bounds, and what is fixed or tied in a model, which is copied; as the option
 * "init" does for a model file. */
LF_API lf_status lf_options_set_model(lf_context *ctx, lf_options *options, const lf_model *model);
/** Refuses options that contradict each other. The functions that take options do this too, before anything else. */
LF_API lf_status lf_options_check(lf_context *ctx, const lf_options *options);

/** The text that an option was last set to; NULL: it was not set, or there is none of that name. */
LF_API const char *lf_fit_options_get(const lf_options *options, const char *name);
/** The model is the linear system that this text describes, as the option "equations" says for a file; `name` stands for the file in
 * messages. */
LF_API lf_status lf_fit_options_set_equations(lf_context *ctx, lf_options *options, const char *text, const char *name);
/** Reads data files for a fit with these options: columns that the equations mention, in the unit of the equations; columns of known inputs;
 * times as those of the model to start from. reading NULL = defaults. */
LF_API lf_status lf_fit_read(lf_context *ctx, lf_options *options, size_t count, const char *const *paths,
                             const lf_read_options *reading, lf_data **data);
/** The same for a table in memory, as lf_data_read_columns() reads it. */
LF_API lf_status lf_fit_read_columns(lf_context *ctx, lf_options *options, const char *name, size_t rows, size_t count,
                                     const lf_column *columns, const lf_read_options *reading, lf_data **data);
/** The command that the provenance of the model shows. */
LF_API lf_status lf_fit_options_set_command(lf_context *ctx, lf_options *options, size_t count,
                                            const char *const *words);

/** One shape of model that was tried: where an option is "auto", and for few outputs numbers of forces, also of white ones. */
typedef struct lf_candidate {
    const char *operator_type;  /**< of the outputs */
    const char *force_kernel;   /**< of the forces */
    const char *private_kernel; /**< of the private forces; NULL: there are none */
    int forces;                 /**< their number, without the private ones, copies and those of periods */
    int chosen;                 /**< the model has this shape */
    size_t parameters;          /**< free ones */
    size_t iterations;          /**< of each start at most; fewer where it was clearly behind */
    double log_likelihood;      /**< after a short fit; -infinity: the fit failed or was not begun */
    double log_prior;           /**< at the parameters found, 0 at its mode */
    double score; /**< log likelihood + log prior - parameters; the larger the better; -infinity: as log likelihood */
} lf_candidate;

/** How a fit ended. The library allocates it, so that fields can be added. */
typedef struct lf_fit_result {
    const char *reason;        /**< why it ended, in words */
    int converged;             /**< at an optimum, by the rules of stopping */
    int cancelled;             /**< by the progress function */
    size_t restart;            /**< the start that won, from 0 */
    size_t iterations;         /**< of that one */
    size_t evaluations;        /**< of all starts */
    double objective;          /**< log likelihood plus log prior, as the fit computed them */
    double log_likelihood;     /**< at the parameters found, by the engine of the posterior */
    double log_prior;          /**< at the parameters found */
    double seconds;            /**< the optimisation took */
    size_t rows;               /**< training rows */
    size_t free_count;         /**< parameters that could move */
    size_t bound_count;        /**< of these, those that ended on a bound */
    size_t *bound;             /**< (bound_count) their indices */
    double *trace;             /**< (iterations) objective after each */
    const char *engine;        /**< of the posterior */
    const char *nodes;         /**< the route of its covariances */
    size_t columns;            /**< its size, as in lf_engine_info */
    size_t candidate_count;    /**< shapes that were compared; 0: none */
    lf_candidate *candidates;  /**< (candidate_count) in the order they were tried */
    int candidates_asked;      /**< an option was "auto"; 0: what was compared was compared by default */
    size_t undetermined_count; /**< parameters that the data do not determine; known where there are standard errors */
    size_t *undetermined;      /**< (undetermined_count) their indices */
    char *combinations;        /**< what the data determine of them, "Ro*Cw" or "k/m and c/m"; NULL: not known */
    size_t held_out_windows;   /**< cut out of the rows for calibration; 0: there was none */
    size_t held_out_rows;      /**< in these windows */
    double held_out_coverage;  /**< share of these rows within the 95 % intervals of refits */
    size_t first_rows;         /**< of the stretch of the times that the fit began with; 0: it began with all */
    double
        *searched_lower; /**< (parameters) the range of values that the fit searched; NaN: the parameter was not free */
    double *searched_upper;    /**< (parameters) its upper end */
    size_t total_evaluations;  /**< of all stages: also those of the selection, of refits and of standard errors */
    struct lf_reports *stages; /**< of lf_fit_result_table() */
    lf_model *model;           /**< a copy of the model that was fitted, which lf_fit_result_json() describes */
} lf_fit_result;

/** Fits a model to data: what `latentforce fit` does, with the same defaults and the same bits. Rows marked "test" are left out;
 * only their inputs count, as places where predictions will be asked for. In order: the shape of the model (or a choice among
 * several), starting values from the rows, restarts of an optimiser on the log marginal likelihood plus a log prior, standard
 * errors, and the posterior, which is stored in the model with the provenance of the fit. options NULL = defaults. The same
 * data, seed and options give the same model, whatever the number of threads. `result`, unless NULL, is to be released with
 * lf_fit_result_free(). The options "seed", "threads" and "memory" hold for this call. docs/fitting.md
 * describes every step. */
LF_API lf_status lf_fit(lf_context *ctx, const lf_data *data, const lf_options *options, lf_model **model,
                        lf_fit_result **result);
/** The fit of one replicate by lf_fit_many(). All of it belongs to the library, and lasts until the function that is given it returns. */
typedef struct lf_fitted {
    size_t size;                 /**< sizeof(lf_fitted) in the library */
    const char *name;            /**< of the replicate */
    size_t item;                 /**< which replicate, from 0 */
    size_t items;                /**< how many there are */
    lf_status status;            /**< of its fit */
    const char *message;         /**< why it failed; "": it did not */
    double seconds;              /**< by the clock */
    const lf_data *data;         /**< its rows, without the name of the replicate; NULL: there was no memory for them */
    const lf_model *model;       /**< NULL: the fit failed */
    const lf_fit_result *result; /**< NULL: the fit failed */
} lf_fitted;
/** Receives the fit of a replicate, on the thread that called lf_fit_many(). Anything but 0 ends the call. */
typedef int (*lf_fitted_function)(void *user, const lf_fitted *fitted);
/** Fits a model to the rows of each replicate alone: the fits are those of lf_fit() for a table of these rows without names of replicates. They run side by
 * side, each on one thread, and `take` receives them in the order of the replicates, which few models wait for. A fit that fails does not end the others;
 * `take` receives its status and message. LF_ERROR_CANCELLED: `take` or the progress function asked to stop. Fits leave no notes; their progress
 * has the stage "series", whose items are the replicates. */
LF_API lf_status lf_fit_many(lf_context *ctx, const lf_data *data, const lf_options *options, lf_fitted_function take,
                             void *user);
/** What lf_fit() would do with these data and options, without fitting anything: a table with the columns stage, kind
 * ("decision", "proposal", "option" or "threshold"), name, value, default and reason, to be released with lf_table_free(). It lists what the stages up to the model that a fit starts from decided, what the selection would
 * compare and what that costs, every option, and every limit and threshold of a fit. Values that follow from the model are those of the one
 * that the fit starts from; a selection may take another one. Notes and failures are those of lf_fit(). */
LF_API lf_status lf_plan(lf_context *ctx, const lf_data *data, const lf_options *fit, lf_table **plan);

/** A table of a result, to be released with lf_table_free().
 *   - "stages": one row for each stage of the fit, in their order, with the columns stage ("problem", "plan", "start", "selection: NAME", "fit",
 *     "fit: first stage", "validation", "errors", "posterior"; some do not occur), seconds, evaluations (of the likelihood), decision and
 *     reason. Refits run beside the fit where there is one start: the seconds of "fit" include them then.
 *   - "candidates": operator, force_kernel, private_kernel, forces, chosen (1 or 0), parameters, iterations, log_likelihood, log_prior and score of
 *     the shapes that were tried, as lf_candidate has them.
 *   - "bounds" and "undetermined": the parameter that ended on a bound, or that the data do not determine.
 *   - "trace": iteration, objective. */
LF_API lf_status lf_fit_result_table(lf_context *ctx, const lf_fit_result *result, const char *what, lf_table **table);
/** A result as JSON, to be released with lf_free(): how the fit ended, its candidates and stages, and the parameters and quantities that it
 * found. */
LF_API lf_status lf_fit_result_json(lf_context *ctx, const lf_fit_result *result, char **text);
/** Releases a result; NULL is fine. */
LF_API void lf_fit_result_free(lf_fit_result *result);

/* ---- report --------------------------------------------------------------------------------------------------- */

/** What a figure or a page shows of a model and its data: panels, and the tables that each is drawn from. It computes them with its posterior when they
 * are first asked for, so that one thread at a time may use it. */
typedef struct lf_report lf_report;

/** What is known about a report. The arrays belong to it. */
typedef struct lf_report_info {
    size_t size;        /**< sizeof(lf_report_info) */
    size_t panels;      /**< how many there are */
    size_t training;    /**< rows of outputs that are training rows */
    size_t test;        /**< rows of outputs that are marked "test" */
    double level;       /**< probability between the ends of intervals */
    int stored;         /**< the posterior is the one stored in the model: 1 or 0 */
    size_t ranges;      /**< inputs whose range is known: those of a model with one or two; else 0 */
    const double *low;  /**< (ranges) where the panels begin, in the unit of the model */
    const double *high; /**< (ranges) where they end */
} lf_report_info;

/** A panel: an output, a rate, a force, a state or a known input in a replicate, or the residuals of an output. Strings belong to the report. */
typedef struct lf_panel {
    size_t size;                /**< sizeof(lf_panel) */
    lf_kind kind;               /**< LF_KIND_OUTPUT, LF_KIND_RATE, LF_KIND_FORCE, LF_KIND_STATE or LF_KIND_KNOWN */
    size_t index;               /**< which of the model, as lf_model_target() counts them */
    int residuals;              /**< it is about the residuals of the output: 1 or 0 */
    const char *name;           /**< of the output, force, state or known input */
    const char *unit;           /**< of its values; "": not known */
    const char *between;        /**< of a known input, between readings: "linear", "constant" or "impulse"; else NULL */
    size_t replicate;           /**< of the posterior; LF_NONE: all of them */
    const char *replicate_name; /**< "": it has none */
    size_t training;            /**< its training rows, drawn or not */
    size_t test;                /**< its rows marked "test", drawn or not */
} lf_panel;

/** Collects what a report shows. posterior NULL: the one stored in the model, or, where there is none or it does not reach all rows, one that is computed
 * from the training rows of the data. data NULL: there are no rows. options: those of "report"; NULL: the defaults. Model, posterior and data must
 * outlive the report. */
LF_API lf_status lf_report_create(lf_context *ctx, const lf_model *model, lf_posterior *posterior, const lf_data *data,
                                  const lf_options *options, lf_report **report);
/** What is known about a report; info->size is to be set. */
LF_API lf_status lf_report_get(lf_context *ctx, const lf_report *report, lf_report_info *info);
/** A panel by number, from 0; panel->size is to be set. */
LF_API lf_status lf_report_panel_get(lf_context *ctx, const lf_report *report, size_t index, lf_panel *panel);
/** A table of a panel, to be released with lf_table_free(). Inputs are in the unit of the model.
 *   - "curve" (one input): x, mean, sd, lower and upper of the output itself, the rate, force or state, and lower_new and upper_new of a new observation,
 *     noise included.
 *   - "map" (two inputs): x1, x2, mean and sd on a grid, on which the second input runs fastest.
 *   - "rows": x (of several inputs x1, x2, …), y, lower and upper (the interval of its known standard error), split ("train" or "test"), and, with
 *     several inputs, mean and sd that are predicted there. Of one input in its order, else in that of the data; of many rows those with the least and
 *     the largest value of each short interval of the first input.
 *   - "readings" of a known input: x, value, with the values at both ends of the range.
 *   - "errors" of predictions from earlier rows, in standard deviations: replicate, x, error, and lower and upper, between which 95 % of them are if
 *     the model is right.
 *   - "autocorrelation" of these errors, or of the residuals where there are none: lag (in rows), autocorrelation, and lower and upper, between which
 *     95 % are.
 *   - "periodogram" of these errors: frequency (in cycles per unit of the input where rows are evenly spaced, else per row), the share of their variance
 *     up to it, the one expected, and lower and upper, between which all of them are in 95 % of the cases.
 *   - "quantiles" of the residuals: expected of a normal distribution, found.
 *   - "diagnosis" of the residuals: name, value. Some are: rows, residual_mean and residual_rms (0 and 1 are expected), coverage95 (of intervals of rows that are left
 *     out), autocorrelation_p, periodogram_p and normality_p (probabilities of results as far from those of a right model), spacing (of evenly spaced
 *     rows, NaN for others). docs/fitting.md has all of them.
 * A table is empty where nothing is known. */
LF_API lf_status lf_report_table(lf_context *ctx, lf_report *report, size_t panel, const char *what, lf_table **table);
/** The document that the page of a report is drawn from, to be released with lf_free(): the model with its errors, scores of the rows marked "test",
 * residuals, provenance, and the panels of outputs, forces, states and known inputs. */
LF_API lf_status lf_report_json(lf_context *ctx, lf_report *report, char **text);
/** Writes the page: one file of HTML that needs no other. path NULL or "-": standard output. It is replaced only when it is complete. The charts are drawn
 * by dygraphs, which the page takes in. */
LF_API lf_status lf_report_write(lf_context *ctx, lf_report *report, const char *path);
/** Releases a report; NULL is fine. */
LF_API void lf_report_free(lf_report *report);

/* ---- scores --------------------------------------------------------------------------------------------------- */

/** Predictions of rows and how good they are, or a comparison of models. */
typedef struct lf_scores lf_scores;

/** What was scored. The texts belong to the scores. */
typedef struct lf_scores_info {
    size_t size; /**< sizeof(lf_scores_info) */
    const char
        *scored; /**< "test", "all", "training", "cross-validation", "rolling" or, of several models, "comparison" */
    const char *how; /**< of folds, in words: "5-fold cross-validation over windows of time, …"; else "" */
    size_t rows;     /**< rows that were scored; of a comparison the training rows of each model */
    size_t training; /**< of these, rows that the posterior was given: their scores are too good */
    double nmse; /**< over all outputs: squared errors divided by squared deviations of each output from its own mean */
    double
        nlpd; /**< mean of the negative log density of y: 0.5 [(y - mean)^2 / s2 + log 2 pi s2] with Gaussian noise */
    double rmse;              /**< root of the mean squared error */
    double coverage95;        /**< share of y within its 95 % interval */
    size_t folds;             /**< of a cross-validation, or origins of forecasts; else 0 */
    int refit;                /**< folds were fitted again: 1 or 0 */
    size_t left_out;          /**< training rows that the table "rows" predicts from all other rows */
    size_t unknown;           /**< rows that have no prediction there */
    const char *not_left_out; /**< why training rows are predicted with themselves there; NULL: they are not */
    size_t models;            /**< that were compared; else 0 */
    const char *ranked_by;    /**< of a comparison: "nlpd" of held-out rows, or "bic"; else "" */
    const char *
        held_out; /**< of a comparison: "test" rows, those of a "cross-validation" or of "rolling" origins, or "": none */
} lf_scores_info;

/** Scores predictions of a posterior. Scored are the rows of outputs that are marked "test" or, unless there are any, all rows of outputs; rows before
 * the start of the model are left out, with a note. Readings of known inputs in the table are added to the posterior, as by lf_posterior_update().
 * Rows that the posterior was given are recognised. `validate`: options of the verb "validate", NULL: defaults. */
LF_API lf_status lf_score(lf_context *ctx, lf_posterior *posterior, const lf_data *data, const lf_options *validate,
                          lf_scores **scores);
/** Withholds every row of outputs that is not marked "test" once, in folds, and scores its predictions. Each fold is fitted again, with the options that
 * the provenance of the model has, calibrated if the model was, or (option "refit" no) keeps its parameters. With one input each output is cut along
 * time into windows, with several inputs its rows form random groups. With the option "rolling" the folds are forecasts instead: rows up to an origin predict
 * those within "span" after it, and the next origin follows after "step"; a row is scored as often as it is predicted. Progress is that of the fits, and before each fold the stage "folds". */
LF_API lf_status lf_cross_validate(lf_context *ctx, const lf_model *model, const lf_data *data,
                                   const lf_options *validate, lf_scores **scores);
/** Compares models of the same rows: by the log density of the training rows and BIC and, where rows are marked "test" or with the option "cross-validate" or
 * "rolling", by scores of held-out rows. data (count): the rows as read for each model, because models may measure time otherwise. */
LF_API lf_status lf_compare(lf_context *ctx, size_t count, const lf_model *const *models, const lf_data *const *data,
                            const lf_options *validate, lf_scores **scores);
/** What was scored. info->size is to be set to sizeof(lf_scores_info). */
LF_API lf_status lf_scores_get(lf_context *ctx, const lf_scores *scores, lf_scores_info *info);
/** A table of scores, to be released with lf_table_free().
 *   - "outputs": output, n, nmse, nlpd, rmse, coverage95; the last row, without an output, is over all of them.
 *   - "rows": in the order of the data, replicate (where there are any), output, the inputs, the origin of a forecast (where rows are forecast), y, mean, sd of a new reading, z = (y - mean) / sd and flag:
 *     "outlier" where |z| is beyond the option "threshold", "unknown" where there is no prediction. Training rows are predicted from all other rows, without
 *     the factor of calibration, where that can be computed.
 *   - "folds": fold, the origin and the end of a forecast (where folds are forecasts), n, nmse, nlpd, rmse, coverage95.
 *   - "models": of a comparison, the best first: model, engine, bound ("", "bound" below the log density or "approximation"), parameters, log_density, bic,
 *     bic_behind (the least one), n, nlpd, nlpd_behind (the least one), nmse, rmse, coverage95 of the held-out rows. */
LF_API lf_status lf_scores_table(lf_context *ctx, const lf_scores *scores, const char *what, lf_table **table);
/** Scores as JSON, to be released with lf_free(): the outputs, all of them, and what was scored; or the models that were compared. */
LF_API lf_status lf_scores_json(lf_context *ctx, const lf_scores *scores, char **text);
/** Releases scores; NULL is fine. */
LF_API void lf_scores_free(lf_scores *scores);

#ifdef __cplusplus
}
#endif

#endif
