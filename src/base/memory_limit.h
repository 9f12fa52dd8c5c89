/* How much memory computations may take: the limit of a context, and sizes as text. Engines and predictions estimate what they would
 * allocate, and refuse beforehand what is above the limit. */
#ifndef LF_BASE_MEMORY_LIMIT_H
#define LF_BASE_MEMORY_LIMIT_H

#include "latentforce.h"

/* The memory that the machine, and the control group of the process, can still give, in bytes; infinite: not known. */
double lf_memory_available(void);

/* The limit of the context in bytes. By default half of what is available when it is first asked for, and the same from then on. */
double lf_memory_limit(lf_context *ctx);

/* Where the address space is limited, lets BLAS map its work memory while there is room: OpenBLAS waits forever when it cannot. */
void lf_reserve_for_blas(void);

/* LF_OK where these bytes are within the limit. Otherwise the message says that `what` would take them; `remedy` says what to do. */
lf_status lf_check_memory(lf_context *ctx, double bytes, const char *remedy, const char *what, ...) LF_PRINTF(4, 5);

/* Bytes of a text such as "500M" or "4G", powers of 1024; "half": 0. Returns 0 for anything else. */
int lf_size_parse(const char *text, double *bytes);

enum { LF_SIZE_TEXT = 32 };
/* Two digits and a unit, "0.61 GB"; returns the text. */
const char *lf_size_text(double bytes, char text[LF_SIZE_TEXT]);
/* The same as a value of the option "memory" that is not less, "615M". */
const char *lf_size_option(double bytes, char text[LF_SIZE_TEXT]);

#endif
