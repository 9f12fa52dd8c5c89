/* Every limit and threshold that decides what a fit is, with its reason or the measurement behind it. What belongs to one algorithm, such as
 * the steps of Newton's method, stands in the file of the algorithm; sizes of priors stand in inference/prior.c.
 *
 * X(stage, name, value, reason): `fit --plan` prints them. Operations are those of lf_engine_choice.cost unless the reason says otherwise.
 * No limit is one of time: a fit must not depend on the machine. */
#ifndef LF_PLAN_THRESHOLDS_H
#define LF_PLAN_THRESHOLDS_H

/* What the reason of the end of a fit quotes. */
#define LF_RELATIVE_GAIN 1e-6
#define LF_GAIN_OF_WEAK 0.002
#define LF_GAIN_OF_FIRM 0.01
#define LF_GAIN_AFTER_FIRST_STAGE 0.02

#define LF_THRESHOLDS(X)                                                                                               \
    /* ---- the model that a fit starts from ---- */                                                                   \
    X("start", few_outputs, 6, "outputs; for more, forces follow from principal components and work is limited")       \
    X("start", more_forces, 2, "forces of few outputs beyond their number: different lengthscales pay")                \
    X("start", most_forces, 36, "forces of many outputs, the largest number of components that is compared")           \
    X("start", most_forces_of_map, 3,                                                                                  \
      "forces with several inputs; one that serves all outputs shrinks to the spacing")                                \
    X("start", many_rows_of_map, 3000, "rows with several inputs, beyond which features replace the cube of the rows") \
    X("start", features_of_map, 200, "frequencies of each force there")                                                \
    X("start", near_least_error, 1.05, "times the least error of components: the smallest such number is taken")       \
    /* ---- selection ---- */                                                                                          \
    X("selection", inducing_values, 40, "of a force where an exact engine takes too much (docs/performance.md)")       \
    X("selection", inducing_forces, 4, "forces there: more gain little, and intervals become too narrow")              \
    X("selection", most_work, 7e12, "operations of a start of an automatic model: about five minutes of a core")       \
    X("selection", far_beyond, 4, "times that limit: what was asked for is told to take long")                         \
    X("selection", usual_speed, 2.5e10, "operations of a core in a second, for messages")                              \
    X("selection", fewer_covered, 0.95,                                                                                \
      "share of the rows of windows that intervals cover when densities are compared")                                 \
    X("selection", fewer_work, 3.5e12, "operations of a refit that compares numbers of forces: half of most_work")     \
    X("selection", starts, 2, "of a candidate; one start often ends in a poor optimum")                                \
    X("selection", round1_iterations, 30, "of the first round of successive halving")                                  \
    X("selection", round2_iterations, 25, "of the second round")                                                       \
    X("selection", round3_iterations, 25, "of the third round")                                                        \
    X("selection", round1_behind, 15, "score below the best after which a candidate ends, at most half of them")       \
    X("selection", round2_behind, 5, "the same after the second round")                                                \
    X("selection", round3_behind, 0, "the same after the third round")                                                 \
    X("selection", least_iterations, 5, "of a round, however expensive an evaluation is")                              \
    X("selection", first_iterations, 30, "of the fit with the smallest number of forces")                              \
    X("selection", next_iterations, 40, "of the next ones, which begin with the values of the best so far")            \
    X("selection", new_force, 0.1, "sensitivities to a force that the best one lacks, in parts of their start")        \
    X("selection", white_forces, 4, "shared white forces, which differ in their sensitivities only")                   \
    X("selection", white_evidence, 1000, "to one for each output: a likelihood judges mostly the next reading")        \
    X("selection", rough_gaps, 2, "gaps between readings; a force with a shorter lengthscale may be white")            \
    X("selection", rough_rows, 20, "rows of a series, from which rough can be told from smooth")                       \
    X("selection", alone_iterations, 80, "of a model without a cycle that was not compared before")                    \
    X("selection", cycle_iterations, 40, "of one that was, and of each with a cycle")                                  \
    X("selection", most_harmonics, 6, "of a cycle that are tried: forecasts repeat those no peak shows")               \
    /* ---- the prior ---- */                                                                                          \
    X("prior", few_free, 100, "free parameters; beyond, private forces call for a firm prior")                         \
    /* ---- the fit ---- */                                                                                            \
    X("fit", restarts, 2, "starts of a model made for data")                                                           \
    X("fit", restarts_of_equations, 4, "starts of equations, whose constants may be decades off")                      \
    X("fit", screened_starts, 20, "draws from which a restart of equations takes the most likely one")                 \
    X("fit", iterations_of_few, 500, "of a start with up to few_free free parameters")                                 \
    X("fit", iterations_of_many, 300, "of a start with more: the last ones cost much and gain little")                 \
    X("fit", gradient, 1e-3, "largest entry at an optimum, parameters in units of their size")                         \
    X("fit", relative_gain, LF_RELATIVE_GAIN, "of the objective in an iteration that is worth another one")            \
    X("fit", gain_of_weak, LF_GAIN_OF_WEAK,                                                                            \
      "of the objective for each parameter in ten iterations that are worth ten more")                                 \
    X("fit", gain_of_firm, LF_GAIN_OF_FIRM, "the same with a firm prior: predictions of windows no longer improve")    \
    X("fit", gain_after_first_stage, LF_GAIN_AFTER_FIRST_STAGE,                                                        \
      "the same after a first stage, which has come near the optimum")                                                 \
    X("fit", tolerance_of_smooth, 1e-3, "of covariances: errors far below the noise do not move an optimum")           \
    X("fit", tolerance_of_rough, 1e-4, "the same with rough forces, whose errors are not smooth")                      \
    X("fit", regrid_factor, 1.1, "by which frequencies reach further than parameters need, before they move")          \
    X("fit", expensive, 2e9,                                                                                           \
      "operations of an evaluation, a tenth of a second of a core: no comparison beyond, and a first stage")           \
    X("fit", long_seconds, 60, "that a fit is expected to take by estimate, beyond which a note says how long")        \
    X("fit", checkpoint_seconds, 30, "between checkpoints")                                                            \
    X("first stage", worth_it, 0.7, "operations with the rows of the stretch, in parts of those with all rows")        \
    X("first stage", share, 8, "the stretch has this part of the times")                                               \
    X("first stage", enough_times, 200, "but no fewer than these, or half of them")                                    \
    X("first stage", fewest_times, 150, "in a stretch that is worth it")                                               \
    X("first stage", evaluations, 120, "that a start is expected to take")                                             \
    X("first stage", last_evaluations, 40, "with all rows after a first stage, at least")                              \
    X("first stage", last_work, 4e12, "operations after a first stage: about three minutes of a core")                 \
    /* ---- validation ---- */                                                                                         \
    X("validation", refits, 6, "at most; few outputs have all of them")                                                \
    X("validation", refit_iterations, 25, "of a refit, from the optimum of the fit: the factor is known by then")      \
    X("validation", windows, 12, "of many outputs in all refits together, which need no more refits then")             \
    X("validation", window_share, 0.125, "of the span, in a window where the data have no gaps")                       \
    X("validation", covered, 0.95, "share of the rows left out by a single refit that intervals are to cover")         \
    X("validation", covered_by_several, 0.965, "by several refits: what covers 95 % of few windows covers less")       \
    X("validation", model_windows, 15, "at most, taken to be as the model says, beside those of a single refit")       \
    X("validation", least_rows, 20, "in windows, from which something can be learnt")                                  \
    X("validation", series_rows, 20, "of a series that windows are cut out of")                                        \
    X("validation", gap_steps, 5, "of an output in a gap, at least")                                                   \
    X("validation", least_gap, 1.0 / 30, "of the span, in a gap")                                                      \
    X("validation", most_gap, 0.25, "of the span, in a window")                                                        \
    X("validation", least_windows, 4, "of a refit, in different series where there are so many")                       \
    X("validation", most_windows, 25, "of a refit of few outputs")                                                     \
    X("validation", most_of_many, 200, "windows of a refit of many outputs, which steady the factor")                  \
    X("validation", rows_of_many, 0.05, "share of the rows in the windows of many outputs")                            \
    /* ---- standard errors ---- */                                                                                    \
    X("errors", most_errors, 100, "free parameters whose errors are computed without being asked for")

typedef struct lf_thresholds {
#define LF_FIELD(stage, name, value, reason) double name;
    LF_THRESHOLDS(LF_FIELD)
#undef LF_FIELD
} lf_thresholds;

extern const lf_thresholds lf_threshold;

#endif
