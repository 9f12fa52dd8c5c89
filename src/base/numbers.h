/* Mathematical constants (M_PI is not part of C11), and the order of numbers. */
#ifndef LF_BASE_NUMBERS_H
#define LF_BASE_NUMBERS_H

#define LF_PI 3.14159265358979323846
#define LF_SQRT_PI 1.77245385090551602730

/* For qsort: ascending. */
static inline int lf_order_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

#endif
