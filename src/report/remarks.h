/* The verdict on a fitted model, and how its sentences are built. */
#ifndef LF_REPORT_REMARKS_H
#define LF_REPORT_REMARKS_H

#include "latentforce.h"

/* One sentence of a verdict. */
typedef struct lf_remark {
    const char *severity; /* "good", "note" or "warning" */
    const char *sentence; /* plain text */
    const char *output;   /* the output that it is about; NULL: several, or the model */
} lf_remark;

/* What a fit is worth, in words. */
typedef struct lf_verdict {
    size_t count;       /* of sentences; 0: the model does not say how it was fitted */
    lf_remark *remarks; /* (count) */
} lf_verdict;

/* The verdict on a fitted model, from its provenance, its stored diagnosis and its standard errors: at most six sentences, of which
 * at most three are warnings, in the words that the command line and the report show. First comes whether the model explains anything
 * and how the fit ended, then what explains the outputs, what changes predictions, what changes constants, and what is harmless. */
lf_status lf_verdict_create(lf_context *ctx, const lf_model *model, lf_verdict **verdict);
/* Releases a verdict; NULL is fine. */
void lf_verdict_free(lf_verdict *verdict);

/* What a sentence is about, in the order in which sentences are shown; of several about the same, the first comes first. Warnings come
 * before notes of the same kind. */
typedef enum lf_remark_kind {
    LF_REMARK_NOTHING,     /* the model explains nothing */
    LF_REMARK_CONVERGENCE, /* how the fit ended */
    LF_REMARK_SHARES,
    LF_REMARK_PREDICTIONS, /* what changes predictions or their intervals */
    LF_REMARK_CONSTANTS,   /* what changes parameters, and predictions hardly */
    LF_REMARK_FINE,        /* what is as it should be */
    LF_REMARK_HARMLESS     /* what changes neither */
} lf_remark_kind;

/* How many are shown: those that change least are dropped. */
enum { LF_MOST_REMARKS = 6, LF_MOST_WARNINGS = 3 };

/* Zeroed at first. After a failed allocation further calls have no effect, and lf_remarks_finish reports it. */
typedef struct lf_remarks {
    size_t count;
    lf_remark *list;      /* (count) their texts belong to it */
    lf_remark_kind *kind; /* (count) */
    int failed;
} lf_remarks;

/* Starts a sentence; lf_remark_text continues the last one. output: copied, or NULL. */
void lf_remark_begin(lf_remarks *remarks, lf_remark_kind kind, const char *severity, const char *output);
void lf_remark_text(lf_remarks *remarks, const char *format, ...) LF_PRINTF(2, 3);
/* A whole sentence. */
void lf_remark_add(lf_remarks *remarks, lf_remark_kind kind, const char *severity, const char *output,
                   const char *format, ...) LF_PRINTF(5, 6);

/* "12", "99.3" or "0.04": a share in per cent, with the digits that it is worth. */
enum { LF_PERCENT_SIZE = 32 };
const char *lf_percent(double share, char text[LF_PERCENT_SIZE]);

/* What stands before item i, from 0, of a list of n: "", ", " or " and ". */
const char *lf_list_separator(int i, int n);

/* The verdict in its order and length, unless `status` or an allocation failed; the remarks are released or belong to it. */
lf_status lf_remarks_finish(lf_context *ctx, lf_status status, lf_remarks *remarks, lf_verdict **verdict);

#endif
