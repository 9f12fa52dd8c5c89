/* What model tables and the page say in words: values with units, kernels, private forces. */
#ifndef LF_REPORT_QUANTITY_H
#define LF_REPORT_QUANTITY_H

#include "model/model.h"

enum { LF_QUANTITY_SIZE = 256 };

/* A parameter with its error and its unit, "0.476 +- 0.027 1/h". */
void lf_parameter_quantity(const lf_model *model, size_t index, char text[LF_QUANTITY_SIZE]);
/* The unit of angular frequencies: "rad/h", "rad". */
void lf_frequency_unit(const lf_model *model, char unit[LF_UNIT_SIZE]);
/* An angular frequency, per unit of the first input, with the frequency beside it: "0.35 rad/h (15.5 µHz)"; where the unit of time is not known,
 * "0.35 rad (0.0557 cycles)" per unit of input. */
void lf_frequency_quantity(const lf_model *model, double value, double error, char text[LF_QUANTITY_SIZE]);
/* The parameters of a kernel from the first on by name: "lengthscale 90 +- 4 h, period 24 h", "term1: lengthscale 3 h, weight 1; term2: …"; "-"
 * where there are none. Cut to the size. */
void lf_kernel_quantities(const lf_model *model, const lf_force *force, int first, size_t size, char *text);
/* The lengthscales of a plain kernel: "0.5", "0.5, 1.2". */
void lf_lengthscale_quantities(const lf_model *model, const lf_force *force, int first, size_t size, char *text);

#endif
