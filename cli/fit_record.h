/* What a fit leaves behind besides the parameters: its story in the model file, and a few lines for the person. */
#ifndef CLI_FIT_RECORD_H
#define CLI_FIT_RECORD_H

#include "latentforce.h"
#include "settings.h"

typedef struct cli_fit_record {
    const lf_fit_result *result;
    const lf_engine_info *engine;
    size_t rows;
    size_t candidate_count;
    const lf_candidate *candidates; /* (candidate_count) */
} cli_fit_record;

/* Puts the story into the model as its provenance. Nothing in it depends on time or on the number of threads. */
int cli_fit_remember(lf_context *ctx, const cli_settings *settings, const cli_fit_record *record, lf_model *model);

/* The table of candidates and the lines at the end, on standard error. */
int cli_fit_print_candidates(const lf_candidate *candidates, size_t count, const lf_draft_options *chosen);
void cli_fit_tell(const cli_settings *settings, const cli_fit_record *record, const lf_model *model);

#endif
