/* Peaks of a pooled spectrum. A peak is a band around a frequency and, of the same relative width, around its next harmonics: the average
 * excess there is compared with its distribution in noise, a gamma distribution whose shape is the number of independent excesses. The peak
 * of least probability is the cycle; a fundamental wins over its harmonics where it is more than noise itself. Its bands are then set to the
 * level of noise, and the next peak is sought. */
#include "start/cycles.h"

#include <math.h>
#include <stdlib.h>

#include "base/axis.h"
#include "base/context.h"
#include "base/gamma_function.h"
#include "base/memory.h"
#include "data/data.h"
#include "start/cycle_spectrum.h"
#include "start/lomb_scargle.h"

static const double shortest = 3.9 /* typical gaps */, fewest_cycles = 2.5,
                    fewest_of_harmonics = 4 /* below, trends make fundamentals */, widest = 0.15 /* of a frequency */,
                    significant = 0.01, least_part = 0.03, least_share = 0.02;
enum { MOST_HARMONICS = 4 };

typedef struct peak {
    int harmonics;
    double frequency, width; /* in steps between frequencies */
    double log_p;            /* of this peak alone */
    double power;
} peak;

/* Sum of the excess up to x, linear between frequencies, each of which extends half a step to both sides. */
static double cumulated(const lf_cycle_spectrum *s, const double *sum, double x)
{
    double at = fmin(fmax(x + 0.5, 0), (double)s->count), below = floor(at);
    size_t k = (size_t)below;
    return sum[k] + (k < s->count ? (at - below) * s->excess[k] : 0);
}

/* Independent excesses in a band. */
static double independent(double width) { return fmax(width / LF_OVERSAMPLING, 1); }

/* The average excess of a peak; *shape: of its distribution in noise. */
static double average_excess(const lf_cycle_spectrum *s, const double *sum, const peak *p, double *shape)
{
    double total = 0, count = 0;
    for (int h = 1; h <= p->harmonics; h++) {
        double at = h * p->frequency, width = h * p->width, n = independent(width);
        size_t nearest = (size_t)(at + 0.5);
        double average = width <= LF_OVERSAMPLING
                             ? s->excess[nearest]
                             : (cumulated(s, sum, at + 0.5 * width) - cumulated(s, sum, at - 0.5 * width)) / width;
        total += n * average;
        count += n;
    }
    *shape = count * s->shape[(size_t)(p->harmonics * p->frequency + 0.5)];
    return total / count;
}

/* The number of about independent peaks that are compared. */
static double trials(const lf_cycle_spectrum *s)
{
    double highest = (double)(s->count - 1) / LF_OVERSAMPLING, number = 0;
    for (int harmonics = 1; harmonics <= MOST_HARMONICS; harmonics++) {
        number += 2 * fmax(highest / harmonics - fewest_cycles, 1); /* 2: the best phase of the grid */
    }
    return 2 * number; /* the bands of twice the width are half as many */
}

static void compare(const lf_cycle_spectrum *s, const double *sum, peak p, peak *best)
{
    double shape, power = average_excess(s, sum, &p, &shape);
    /* Chernoff's bound, which is less than this much too large. */
    if (power <= 1 || shape * (power - 1 - log(power)) + 3 + log(shape + 1) < -best->log_p) {
        return;
    }
    p.log_p = lf_log_gamma_tail(shape, shape * power);
    p.power = power;
    peak below = p;
    below.frequency -= 1.0 / p.harmonics;
    /* What rises towards the lowest frequency is no peak. */
    if (p.log_p < best->log_p && average_excess(s, sum, &below, &shape) <= power) {
        *best = p;
    }
}

static peak find_peak(const lf_cycle_spectrum *s, const double *sum)
{
    peak best = {0};
    for (int harmonics = 1; harmonics <= MOST_HARMONICS; harmonics++) {
        /* The highest harmonic takes every frequency of the grid. */
        for (size_t q = (size_t)((harmonics > 1 ? fewest_of_harmonics : fewest_cycles) * LF_OVERSAMPLING * harmonics);
             q + 1 < s->count && 0.5 * shortest * (double)q < harmonics * (double)s->count; q++) {
            peak p = {.harmonics = harmonics, .frequency = (double)q / harmonics};
            compare(s, sum, p, &best);
            for (p.width = LF_OVERSAMPLING; p.width <= widest * p.frequency; p.width *= 2) {
                size_t step = (size_t)(harmonics * p.width / 8) + 1; /* broad bands need fewer frequencies */
                if (q % step == 0 && harmonics * (p.frequency + 0.5 * p.width) < (double)s->count) {
                    compare(s, sum, p, &best);
                }
            }
        }
    }
    return best;
}

/* Of a strong sinusoid a subharmonic would win too, for what leaks to the other multiples of that: these must be more than noise and have
 * a part in the peak, or the peak is that of the harmonic. */
static void leave_subharmonic(const lf_cycle_spectrum *s, const double *sum, peak *p)
{
    for (int j = p->harmonics; j > 1; j--) {
        double shape, others = 0, total = 0, count = 0;
        for (int h = 1; h <= p->harmonics; h++) {
            peak one = {.harmonics = 1, .frequency = h * p->frequency, .width = h * p->width};
            double n = independent(one.width), more = n * (average_excess(s, sum, &one, &shape) - 1);
            total += more;
            others += h % j ? more : 0;
            count += h % j ? n : 0;
        }
        double noise = count * s->shape[(size_t)(p->harmonics * p->frequency + 0.5)];
        if (others < least_part * total ||
            lf_log_gamma_tail(noise, noise * fmax(others / count + 1, 0)) > log(0.1 * significant)) {
            p->frequency *= j;
            p->width *= j;
            p->harmonics /= j;
            return;
        }
    }
}

/* The frequency of a narrow peak is the top of the parabola through it and its neighbours, that of a broad one its centre of excess. */
static void refine(const lf_cycle_spectrum *s, const double *sum, peak *p)
{
    if (p->width > 0) {
        double total = 0, moment = 0;
        for (int h = 1; h <= p->harmonics; h++) {
            double at = h * p->frequency, half = 0.5 * h * p->width;
            for (size_t k = (size_t)ceil(at - half); k < s->count && (double)k <= at + half; k++) {
                double more = fmax(s->excess[k] - 1, 0);
                total += more;
                moment += more * ((double)k / h - p->frequency);
            }
        }
        p->frequency += total > 0 ? moment / total : 0;
        return;
    }
    double step = 1.0 / p->harmonics, shape, value[3];
    for (int i = 0; i < 3; i++) {
        peak moved = *p;
        moved.frequency += (i - 1) * step;
        value[i] = average_excess(s, sum, &moved, &shape);
    }
    double curvature = 2 * value[1] - value[0] - value[2];
    if (curvature > 0) {
        p->frequency += fmin(fmax(0.5 * (value[2] - value[0]) / curvature, -1), 1) * step;
    }
}

/* A day, a week or a year, or one of their first harmonics, from which the frequency cannot be distinguished: their period; else 0. The
 * peak becomes theirs. */
static double natural_period(const lf_axis *axis, const lf_cycle_spectrum *s, peak *p)
{
    static const double seconds[] = {86400, 7 * 86400, 365.25 * 86400};
    double unit = lf_unit_seconds(axis->unit), tolerance = 0.5 * fmax(p->width, LF_OVERSAMPLING);
    for (int h = 1; unit > 0 && h <= MOST_HARMONICS; h++) {
        for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++) {
            double period = seconds[i] / unit, frequency = 1 / period / s->frequency;
            if (fabs(p->frequency - h * frequency) <= tolerance && frequency >= fewest_cycles * LF_OVERSAMPLING) {
                p->frequency = frequency;
                p->width /= h;
                p->harmonics = h * p->harmonics < MOST_HARMONICS ? h * p->harmonics : MOST_HARMONICS;
                return period;
            }
        }
    }
    return 0;
}

/* share (D): of the variance of each output that the bands have beyond the background, where that is more than noise. Returns the largest
 * part that it has in what changes as fast. */
static double find_shares(const lf_cycle_spectrum *s, const peak *p, double *share)
{
    double largest = 0;
    for (int d = 0; d < s->output_count; d++) {
        const double *power = &s->power[(size_t)d * s->count], *background = &s->background[(size_t)d * s->count];
        double more = 0, relative = 0, count = 0;
        for (int h = 1; h <= p->harmonics; h++) {
            double width = fmax(h * p->width, LF_OVERSAMPLING), at = h * p->frequency, sum = 0, top = 0;
            for (size_t k = (size_t)ceil(at - 0.5 * width); k < s->limit[d] && (double)k <= at + 0.5 * width; k++) {
                sum += (power[k] - background[k]) / LF_OVERSAMPLING;
                top = fmax(top, power[k] - background[k]);
                relative += power[k] / background[k];
                count += 1.0 / LF_OVERSAMPLING;
            }
            more += p->width > 0
                        ? sum
                        : top; /* a line is as wide as the resolution makes it, and its height is its variance */
        }
        relative /= fmax(LF_OVERSAMPLING * count, 1);
        count *= s->replicates[d];
        share[d] =
            count > 0 && lf_log_gamma_tail(count, count * relative) < log(significant) ? fmin(fmax(more, 0), 1) : 0;
        double fast = 1e-12; /* the share of half the frequency and all above it */
        for (size_t k = (size_t)(0.5 * p->frequency); k < s->limit[d]; k++) {
            fast += power[k] / LF_OVERSAMPLING;
        }
        largest = fmax(largest, share[d] / fast);
    }
    return largest;
}

/* Sets the bands of the peak and all its harmonics to the level of noise, as wide as a cycle may be: what is beside it there is the same
 * cycle, whose size and phase change, or leaks from it. */
static void remove_peak(lf_cycle_spectrum *s, const peak *p)
{
    for (int h = 1; h * p->frequency < (double)s->count; h++) {
        double at = h * p->frequency, half = fmax(1.5 * LF_OVERSAMPLING, fmin(h, p->harmonics) * widest * p->frequency);
        for (size_t k = (size_t)fmax(ceil(at - half), 1); k < s->count && (double)k <= at + half; k++) {
            s->excess[k] = fmin(s->excess[k], 1);
        }
    }
}

static void cumulate(const lf_cycle_spectrum *s, double *sum)
{
    for (size_t k = 0; k < s->count; k++) {
        sum[k + 1] = sum[k] + s->excess[k];
    }
}

static void find_cycles(const lf_axis *axis, lf_cycle_spectrum *s, double *sum, lf_cycles *cycles)
{
    for (int attempt = 0; attempt < 2 * LF_MOST_CYCLES && cycles->count < LF_MOST_CYCLES; attempt++) {
        cumulate(s, sum);
        peak p = find_peak(s, sum);
        double false_alarm = -expm1(-trials(s) * exp(p.log_p));
        if (!(false_alarm < significant)) {
            return;
        }
        leave_subharmonic(s, sum, &p);
        refine(s, sum, &p);
        double natural = natural_period(axis, s, &p);
        lf_cycle *cycle = &cycles->cycle[cycles->count];
        *cycle = (lf_cycle){.period = natural > 0 ? natural : 1 / (p.frequency * s->frequency),
                            .power = p.power,
                            .false_alarm = false_alarm,
                            .coherence = 1 / (fmax(p.width, LF_OVERSAMPLING) * s->frequency),
                            .harmonics = p.harmonics,
                            .natural = natural > 0,
                            .share = &cycles->share[cycles->count * s->output_count]};
        cycle->cycles = s->span / cycle->period;
        double part = find_shares(s, &p, cycle->share);
        cycles->count += part >= least_share && 0.5 * shortest * p.frequency < (double)s->count;
        remove_peak(s, &p);
    }
}

lf_status lf_cycles_find(lf_context *ctx, const lf_data *data, lf_cycles *cycles)
{
    lf_cycle_spectrum spectrum;
    *cycles = (lf_cycles){.share = lf_doubles(LF_MOST_CYCLES, (size_t)data->outputs.count)};
    lf_status status = cycles->share ? lf_cycle_spectrum_create(ctx, data, &spectrum) : lf_no_memory(ctx);
    if (status) {
        lf_cycles_clear(cycles);
        return status;
    }
    double *sum = lf_doubles(spectrum.count + 1, 1);
    if (sum && spectrum.count > 0) {
        find_cycles(&data->axes[0], &spectrum, sum, cycles);
    }
    lf_cycle_spectrum_clear(&spectrum);
    if (!sum) {
        lf_cycles_clear(cycles);
        return lf_no_memory(ctx);
    }
    free(sum);
    return LF_OK;
}

void lf_cycles_clear(lf_cycles *cycles)
{
    free(cycles->share);
    *cycles = (lf_cycles){0};
}
