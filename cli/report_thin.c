/* Which rows of a chart are drawn. If there are too many, each of many short intervals keeps the least and the largest of its training and
 * of its test rows, so that no extreme is lost. */
#include <stdlib.h>

#include "message.h"
#include "report.h"

/* Marks the least and the largest y of the training or test rows in each of `intervals` parts of low … high. */
static int mark_extremes(const cli_report_row *rows, size_t n, int test, size_t intervals, double low, double high,
                         char *keep)
{
    const size_t none = (size_t)-1;
    size_t *extreme = malloc(2 * intervals * sizeof *extreme); /* (intervals, 2) least, largest */
    if (!extreme) {
        return cli_no_memory();
    }
    for (size_t k = 0; k < 2 * intervals; k++) {
        extreme[k] = none;
    }
    for (size_t i = 0; i < n; i++) {
        if (rows[i].test == test) {
            double share = high > low ? (rows[i].x[0] - low) / (high - low) : 0;
            size_t interval = share > 0 ? (size_t)(share * (double)intervals) : 0;
            size_t *pair = extreme + 2 * (interval < intervals ? interval : intervals - 1);
            pair[0] = pair[0] == none || rows[i].y < rows[pair[0]].y ? i : pair[0];
            pair[1] = pair[1] == none || rows[i].y > rows[pair[1]].y ? i : pair[1];
        }
    }
    for (size_t k = 0; k < 2 * intervals; k++) {
        if (extreme[k] != none) {
            keep[extreme[k]] = 1;
        }
    }
    free(extreme);
    return CLI_DONE;
}

int cli_report_thin(const cli_report_row *rows, size_t n, double low, double high, size_t most, char *keep)
{
    int status = CLI_DONE;
    for (int test = 0; status == CLI_DONE && test < 2; test++) {
        size_t count = 0;
        for (size_t i = 0; i < n; i++) {
            count += rows[i].test == test;
        }
        if (count > most) {
            status = mark_extremes(rows, n, test, most / 2, low, high, keep);
        }
        for (size_t i = 0; count <= most && i < n; i++) {
            keep[i] = rows[i].test == test ? 1 : keep[i];
        }
    }
    return status;
}
