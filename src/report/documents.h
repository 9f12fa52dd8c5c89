/* Parts of documents that several of them have. */
#ifndef LF_REPORT_DOCUMENTS_H
#define LF_REPORT_DOCUMENTS_H

#include "base/document.h"

/* The name of an input: its own, or "x", "x1"; `own` has room for the latter. */
const char *lf_input_name(const lf_model *model, int input, char own[16]);
/* "provenance":…, null where there is none. */
lf_status lf_describe_provenance(lf_context *ctx, lf_document *d, const lf_model *model);

#endif
