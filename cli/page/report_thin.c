/* Which rows of a chart of a report are drawn: training and test rows are thinned each for themselves. */
#include <stdlib.h>

#include "message.h"
#include "page/report.h"
#include "plot/thin.h"

int cli_report_thin(const cli_report_row *rows, size_t n, double low, double high, size_t most, char *keep)
{
    cli_point *points = malloc((n + 1) * sizeof *points);
    int status = points ? CLI_DONE : cli_no_memory();
    for (int test = 0; status == CLI_DONE && test < 2; test++) {
        size_t count = 0;
        for (size_t i = 0; i < n; i++) {
            if (rows[i].test == test) {
                points[count++] = (cli_point){rows[i].x[0], rows[i].y, i};
            }
        }
        status = cli_thin(count, points, low, high, most, keep);
    }
    free(points);
    return status;
}
