/* A report behind lf_report: rows, panels, and what is predicted for them. Predictions and residuals are computed when they are first asked for,
 * those of all panels together, because some engines pass over all rows in each call. */
#ifndef LF_PAGE_REPORT_H
#define LF_PAGE_REPORT_H

#include "options/options.h"
#include "points/points.h"
#include "predict/posterior.h"
#include "predict/readings.h"
#include "report/diagnosis.h"

/* One row of the data with its prediction. */
typedef struct lf_report_row {
    size_t index; /* in the data */
    int output, replicate, test;
    const double *x; /* (p) */
    double y, sd;
    double width;          /* y is the mean over this time before x */
    double mean, variance; /* of f; once predicted */
} lf_report_row;

typedef struct lf_report_panel {
    lf_kind kind;
    int index;     /* of the output, force, … in the model */
    int residuals; /* it is about the residuals of the output */
    int target;    /* of predictions, as numbered in model.h; -1: residuals or a known input */
    int replicate; /* of the posterior; -1: all */
    size_t place;  /* among the panels of targets */
    char name[256];
    size_t first, count; /* its rows in the report */
    size_t training, test;
} lf_report_panel;

/* What the options ask for. */
typedef struct lf_report_settings {
    double level, reach; /* of intervals; standard deviations on either side of the mean */
    size_t grid, rows;   /* points of a curve, or of the side of a map; most rows of a series */
    int all_forces;
    char *model, *data, *dygraphs; /* NULL: not given */
    lf_option_list command;
} lf_report_settings;

struct lf_report {
    const lf_model *model;
    lf_posterior *posterior;
    int owned, stored;      /* the posterior is released with the report; it comes from the model */
    const lf_data *table;   /* of the caller, with readings of known inputs; NULL: there is none */
    lf_data *data;          /* its rows of outputs */
    size_t n;               /* of `rows` */
    lf_report_row *rows;    /* (n) sorted by output and replicate, and those of one input by it */
    double low[2], high[2]; /* range of the panels; one or two inputs */
    int has_range;          /* it is known */
    lf_report_settings settings;
    size_t panel_count, target_panels;
    lf_report_panel *panel; /* (panel_count) */
    /* Computed when they are needed; NULL before. */
    int predicted;           /* the rows have their predictions */
    double *grid;            /* (points, p) the inputs of a curve or a map */
    size_t points;           /* of the grid */
    double *mean, *variance; /* (target_panels, points) */
    lf_diagnosis *diagnosis; /* of the training rows */
};

/* ---- settings.c ---- */
lf_status lf_report_take_options(lf_context *ctx, const lf_options *options, lf_report_settings *settings);
void lf_report_clear_settings(lf_report_settings *settings);
/* What messages call the model and the data. */
const char *lf_report_model_name(const lf_report *report);
const char *lf_report_data_name(const lf_report *report);

/* ---- rows.c ---- */
/* Takes the rows of the outputs and, unless the caller gave it, finds the posterior. */
lf_status lf_report_collect(lf_context *ctx, lf_report *report, lf_posterior *posterior);
/* Leaves the rows out that lie outside of the range. */
void lf_report_drop_outside(lf_report *report);
size_t lf_report_count(const lf_report *report, int test);

/* ---- range.c ---- */
lf_status lf_report_find_range(lf_context *ctx, lf_report *report, const lf_options *options);

/* ---- panels.c ---- */
lf_status lf_report_list_panels(lf_context *ctx, lf_report *report, const lf_options *options);
/* Whether a force has no panel: it is white, or idle. */
int lf_report_hides_force(const lf_report *report, int force);
int lf_report_has_named_replicates(const lf_report *report);

/* ---- predictions.c: each does nothing where it has been done ---- */
lf_status lf_report_predict_rows(lf_context *ctx, lf_report *report);
lf_status lf_report_predict_grid(lf_context *ctx, lf_report *report);
/* Whether readings of a panel are not in the units of f. */
int lf_report_has_link(const lf_report *report, const lf_report_panel *panel);
/* Mean and variance of what f says of the mean of a reading: f itself where there is no link. */
lf_latent lf_report_mean(const lf_report *report, const lf_report_panel *panel, lf_latent f);
/* The interval of the output itself and that of a new observation: lower, upper, lower, upper. */
void lf_report_bounds(const lf_report *report, const lf_report_panel *panel, lf_latent f, double bounds[4]);
lf_status lf_report_diagnose(lf_context *ctx, lf_report *report);

/* ---- series.c ---- */
/* Marks the rows of a panel that are drawn, keep (count of the panel). */
lf_status lf_report_thin_rows(lf_context *ctx, const lf_report *report, const lf_report_panel *panel, char *keep);
/* The readings of a known input within the range, with its values at both ends: x, y (*n), to be released with free(), of `*total` readings that
 * there are without thinning. */
lf_status lf_report_readings(lf_context *ctx, const lf_report *report, const lf_report_panel *panel, size_t *n,
                             double **x, double **y, size_t *total);

/* ---- residuals.c ---- */
enum { LF_REPORT_LAGS = 40, LF_REPORT_QUANTILES = 200, LF_REPORT_FREQUENCIES = 400 };
/* Autocorrelation of a series (n), whose entries of a replicate are consecutive, at the lags 1, 2, …: returns how many there are, at most
 * LF_REPORT_LAGS and a quarter of n. */
size_t lf_report_autocorrelation(size_t n, const double *z, const int *replicate, double r[LF_REPORT_LAGS]);
/* 95 % of the autocorrelations of white noise are within this distance from 0. */
double lf_report_lag_limit(size_t n);
/* Whether frequency j of a periodogram is drawn: of many some, among them that of the largest distance from a straight line. */
int lf_report_draws_frequency(const lf_output_diagnosis *output, size_t j, size_t farthest);
size_t lf_report_farthest_frequency(const lf_output_diagnosis *output);
/* Quantiles of z (n), which are sorted: expected ones of a normal distribution and those found, at most LF_REPORT_QUANTILES; returns how many. */
size_t lf_report_quantiles(size_t n, double *z, double *expected, double *found);

/* ---- residual_tables.c ---- */
lf_status lf_errors_table(lf_context *ctx, lf_report *report, const lf_report_panel *panel, lf_table **table);
lf_status lf_autocorrelation_table(lf_context *ctx, lf_report *report, const lf_report_panel *panel, lf_table **table);
lf_status lf_periodogram_table(lf_context *ctx, lf_report *report, const lf_report_panel *panel, lf_table **table);
lf_status lf_quantiles_table(lf_context *ctx, lf_report *report, const lf_report_panel *panel, lf_table **table);
lf_status lf_diagnosis_table(lf_context *ctx, lf_report *report, const lf_report_panel *panel, lf_table **table);

#endif
