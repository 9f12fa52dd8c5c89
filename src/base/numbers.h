/* Mathematical constants (M_PI is not part of C11). */
#ifndef LF_BASE_NUMBERS_H
#define LF_BASE_NUMBERS_H

#define LF_PI 3.14159265358979323846
#define LF_SQRT_PI 1.77245385090551602730

#endif
