/* Do fits find the truth? A hundred simulated systems of each kind, drawn and fitted as in tests/support/recovery.h.
 *
 * Shares of numbers within 1, 2 and 3 standard errors, beside those of a normal distribution; twice the gain in log
 * likelihood over the truth, beside the number of parameters, which is its mean for many rows; and how the forces found
 * follow the true ones. Fails where fewer than nine in ten parameters, or systems by constants and lengthscales, are
 * within three standard errors, or where a force of a well-driven system has a correlation of 0.95 or less. */
#include "recovery.h"
#include "bench.h"

enum { SYSTEMS = 100 };

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* Sorts the values. */
static double median_of(double *values, size_t n)
{
    qsort(values, n, sizeof *values, compare_doubles);
    return n ? 0.5 * (values[(n - 1) / 2] + values[n / 2]) : (double)NAN;
}

static void print_kinds(const char *name, const recovery *r, int first, int last)
{
    static double z[SYSTEMS * MOST_COMPARED];
    size_t n = 0, unknown = 0;
    for (size_t s = 0; s < SYSTEMS; s++) {
        for (size_t i = 0; i < r[s].count; i++) {
            if (r[s].compared[i].kind >= first && r[s].compared[i].kind < last) {
                double away = fabs(r[s].compared[i].z);
                unknown += isnan(away) != 0;
                z[n++] = isnan(away) ? (double)INFINITY : away;
            }
        }
    }
    if (n > 0) {
        double median = median_of(z, n);
        printf("  %-18s %5zu", name, n);
        for (int limit = 1; limit <= 3; limit++) {
            printf(" %8.1f", 100 * share_within(r, SYSTEMS, first, last, limit));
        }
        printf(" %10.2f %7zu\n", median, unknown);
    }
}

/* Returns the share of correlations above 0.95. */
static double print_forces(const char *name, const recovery *r, int only_well_driven)
{
    double values[SYSTEMS * MOST_FORCES];
    size_t n = 0, above = 0;
    for (size_t s = 0; s < SYSTEMS; s++) {
        for (int q = 0; q < r[s].forces; q++) {
            if (r[s].well_driven || !only_well_driven) {
                above += r[s].correlation[q] > 0.95;
                values[n++] = r[s].correlation[q];
            }
        }
    }
    double median = median_of(values, n), share = (double)above / (double)n;
    printf("  %-18s %5zu  correlation: median %.4f, smallest %.4f, above 0.95: %.1f %%\n", name, n, median, values[0],
           100 * share);
    return share;
}

/* The share of systems of which every number of kinds before `last` is within three standard errors. */
static double share_recovered(const recovery *r, int last)
{
    size_t recovered = 0;
    for (size_t s = 0; s < SYSTEMS; s++) {
        recovered += share_within(&r[s], 1, 0, last, 3) >= 1;
    }
    return (double)recovered / SYSTEMS;
}

static void print_fits(const recovery *r)
{
    size_t converged = 0, above = 0;
    double gain = 0, parameters = 0;
    for (size_t s = 0; s < SYSTEMS; s++) {
        converged += r[s].converged != 0;
        above += r[s].gain > 0;
        gain += 2 * r[s].gain / SYSTEMS;
        parameters += (double)r[s].parameters / SYSTEMS;
    }
    printf("  fits converged: %zu; more likely than the truth: %zu; twice the gain over it: mean %.1f for %.1f "
           "parameters\n",
           converged, above, gain, parameters);
}

/* Whether they were recovered. */
static int report(int order, const recovery *r, double seconds)
{
    double motion = share_recovered(r, MOTION_KINDS);
    printf("%d systems of ode%d, %.1f s\n", SYSTEMS, order, seconds);
    printf("  %-18s %5s %8s %8s %8s %10s %7s\n", "", "n", "% 1 se", "% 2 se", "% 3 se", "median |z|", "no se");
    printf("  %-18s %5s %8.1f %8.1f %8.1f %10.2f\n", "a normal variable", "", 68.3, 95.4, 99.7, 0.67);
    for (int kind = 0; kind < KINDS; kind++) {
        print_kinds(kind_names[kind], r, kind, kind + 1);
    }
    print_kinds("all parameters", r, 0, PARAMETER_KINDS);
    printf("  systems within 3 se: %.0f %% in constants and lengthscales, %.0f %% in all parameters\n", 100 * motion,
           100 * share_recovered(r, PARAMETER_KINDS));
    print_fits(r);
    print_forces("all forces", r, 0);
    return print_forces("if well driven", r, 1) >= 1 && motion >= 0.9 &&
           share_within(r, SYSTEMS, 0, PARAMETER_KINDS, 3) >= 0.9;
}

int main(void)
{
    static recovery found[SYSTEMS];
    lf_context *ctx = lf_context_create();
    int good = 1;
    for (int order = 1; order <= 2; order++) {
        double start = seconds_now();
        for (int s = 0; s < SYSTEMS; s++) {
            need(ctx, recover(ctx, order, s, &found[s]));
        }
        good = report(order, found, seconds_now() - start) && good;
    }
    lf_context_free(ctx);
    printf("%s\n", good ? "recovered" : "NOT RECOVERED");
    return !good;
}
