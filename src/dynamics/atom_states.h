/* An atom of a force (model/force_terms.h) as a linear system, u = sqrt(v) c'x, of which
 *
 *   an envelope, omega = 0:  F_e / l, noise b b' / l             (force_system.h)
 *   an envelope, omega > 0:  F_e / l (x) I + I (x) omega J, noise b b' / l (x) I, c (x) e_1,   J = [0 -1; 1 0]
 *   a line, omega > 0:       omega J, an oscillator without noise; omega = 0: a constant
 *   linear:                  z' = 0, x' = z / l, u = sqrt(v) x
 *   white:                   no states
 *
 * With the covariance I of all but the linear one it is stationary: exp(omega J r) turns the pairs, and (c (x) e_1)' exp(F r) (c (x) e_1) =
 * c' exp(F_e r / l) c cos(omega r). */
#ifndef LF_DYNAMICS_ATOM_STATES_H
#define LF_DYNAMICS_ATOM_STATES_H

#include "dynamics/state_space.h"

enum { LF_ATOM_STATES = 2 * LF_RATIONAL_MAX_ORDER }; /* at most */

/* Whether its envelope is a system of force_system.h. */
int lf_atom_has_system(const lf_atom *atom);
/* Whether it has states that neither decay nor are driven by noise. */
int lf_atom_is_undamped(const lf_atom *atom);
/* The number of its states; system: of its envelope, where it has one. */
int lf_atom_states(const lf_atom *atom, const lf_force_system *system);

/* Its entries of F and W (n, stride). */
void lf_atom_fill(const lf_force_states *states, size_t stride, double *F, double *W);
/* row[first + j] = factor c_j. */
void lf_atom_row(const lf_force_states *states, double factor, double *row);

/* sum_j by[first + j] c_j. */
double lf_atom_row_backward(const lf_force_states *states, const double *by);
/* The derivatives by lengthscale and frequency, given those by F and W. */
void lf_atom_backward(const lf_force_states *states, size_t stride, const double *by_F, const double *by_W,
                      double *by_lengthscale, double *by_frequency);

#endif
