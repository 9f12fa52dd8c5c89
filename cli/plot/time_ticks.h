/* Tics of an axis of dates. */
#ifndef CLI_TIME_TICKS_H
#define CLI_TIME_TICKS_H

#include <stdio.h>

#include "latentforce.h"

/* Prints the gnuplot command that sets at most about `most` tics of the axis 'x' or 'y' for a dated input between low and high.
 * They lie on round dates and times of day; labels have a second line where the day or the year changes. labelled 0: tics
 * without labels. */
void cli_time_ticks(FILE *script, char axis, const lf_label *input, double low, double high, int most, int labelled);

#endif
