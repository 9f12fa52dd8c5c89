/* Physical readings of the equations of a model: time constant, natural frequency, period, damping ratio. */
#include "show/show_readings.h"

#include "message.h"
#include "show/quantity.h"
#include "show/table.h"

#define TWO_PI 6.28318530717958647692

/* Whether any output is an ODE: only these have physical readings. */
static int has_equations(const lf_model *model)
{
    for (int d = 0; d < lf_model_output_count(model); d++) {
        if (lf_model_output(model, d).order > 0) {
            return 1;
        }
    }
    return 0;
}

static int print_readings(FILE *stream, const lf_model *model)
{
    const char *time = lf_model_input(model, 0).unit;
    cli_table table = cli_table_create("lrrrrl");
    static const char *const headings[] = {"output", "time constant", "natural frequency",
                                           "period", "damping ratio", "stable"};
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++) {
        cli_table_add(&table, "%s", headings[i]);
    }
    for (int d = 0; d < lf_model_output_count(model); d++) {
        lf_output_info output = lf_model_output(model, d);
        if (output.order > 0) {
            char frequency[CLI_QUANTITY_SIZE];
            double period = TWO_PI / output.natural_frequency;
            cli_frequency(frequency, model, output.natural_frequency, output.natural_frequency_error);
            cli_table_add(&table, "%s", output.name);
            cli_table_add_quantity(&table, output.time_constant, output.time_constant_error, time);
            cli_table_add(&table, "%s", frequency);
            cli_table_add_quantity(&table, period, period * output.natural_frequency_error / output.natural_frequency,
                                   time);
            cli_table_add_quantity(&table, output.damping_ratio, output.damping_ratio_error, "");
            cli_table_add(&table, output.stable ? "yes" : "no");
        }
    }
    return cli_table_print(&table, stream);
}

int cli_show_readings(FILE *stream, const lf_model *model)
{
    if (!has_equations(model)) {
        return CLI_DONE;
    }
    fprintf(stream, "\nPhysical readings%s\n",
            *lf_model_input(model, 0).unit ? "" : " (frequencies per unit of input)");
    return print_readings(stream, model);
}
