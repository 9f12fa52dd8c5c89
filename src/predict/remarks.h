/* Builds the sentences of a verdict. */
#ifndef LF_PREDICT_REMARKS_H
#define LF_PREDICT_REMARKS_H

#include "latentforce.h"

/* Zeroed at first. After a failed allocation further calls have no effect, and lf_remarks_finish reports it. */
typedef struct lf_remarks {
    size_t count;
    lf_remark *list; /* (count) their texts belong to it */
    int failed;
} lf_remarks;

/* Starts a sentence; lf_remark_text continues the last one. output: copied, or NULL. */
void lf_remark_begin(lf_remarks *remarks, const char *severity, const char *output);
void lf_remark_text(lf_remarks *remarks, const char *format, ...) LF_PRINTF(2, 3);
/* A whole sentence. */
void lf_remark_add(lf_remarks *remarks, const char *severity, const char *output, const char *format, ...)
    LF_PRINTF(4, 5);

/* What stands before item i, from 0, of a list of n: "", ", " or " and ". */
const char *lf_list_separator(int i, int n);

/* The verdict, unless `status` or an allocation failed; the remarks are released or belong to it. */
lf_status lf_remarks_finish(lf_context *ctx, lf_status status, lf_remarks *remarks, lf_verdict **verdict);

#endif
