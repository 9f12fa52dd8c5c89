/* What training rows cannot tell, said before a fit. */
#ifndef LF_PLAN_ROW_NOTES_H
#define LF_PLAN_ROW_NOTES_H

#include "model/model.h"
#include "plan/data_summary.h"

/* Fails for rows from which no starting values follow: a single row, or all at the same input. */
lf_status lf_check_training_rows(lf_context *ctx, const lf_data *data);
/* Notes about rows that tell little, whose summary numbers the outputs as the data do: outputs with one or two rows, inputs whose differences lose
 * most digits. */
void lf_note_training_rows(lf_context *ctx, const lf_data *data, const lf_data_summary *summary);

/* Notes on the readings of a known input, a column of the data, that repeat or have a long gap. */
lf_status lf_note_readings(lf_context *ctx, const lf_data *data, int column, lf_hold hold);
/* Notes on replicates without impulses, or with nothing else. hold (columns): of known inputs; -1 for outputs. */
lf_status lf_note_replicates(lf_context *ctx, const lf_data *data, const int *hold);

#endif
