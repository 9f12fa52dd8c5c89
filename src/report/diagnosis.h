/* The diagnosis behind lf_diagnosis. */
#ifndef LF_REPORT_DIAGNOSIS_H
#define LF_REPORT_DIAGNOSIS_H

#include "latentforce.h"

enum { LF_MOST_LAGS = 10 };

/* With nothing known: NaN, and no lags although there is room for LF_MOST_LAGS. NULL: no memory. */
lf_diagnosis *lf_diagnosis_allocate(int output_count, int force_count, int input_count);

#endif
