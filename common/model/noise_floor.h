/*
 * The floor of noise: how much the median of a run differs between runs of unchanged code.
 *
 * The samples of one run show only the noise within this run. Two runs also differ in what is fixed
 * when a process starts: addresses of buffers, clocks, temperature, other programs. Between two
 * cards of one model 43 of 117 variants differed by more than the sum of their half-widths, yet all
 * by less than 1 %.
 */
#ifndef PMPP_COMMON_MODEL_NOISE_FLOOR_H
#define PMPP_COMMON_MODEL_NOISE_FLOOR_H

#include <stddef.h>

struct noise_floor {
	double sd;  /* standard deviation of the logarithm of a run's median; > 0 */
	double dof; /* degrees of freedom of sd: how well it is known; >= 1 */
};

/* The default for a device type: "gpu", "cpu", ... Other words and NULL get the default of a CPU.
 *
 *     gpu    0.2 %    10 runs of 39 variants on an H200: 0.004 to 0.28 %, 9 of 10 below 0.24 %
 *     cpu    5 %      runs on PoCL, two cores of a virtual machine
 *
 * The number of degrees of freedom is small, because variants differ from each other. */
struct noise_floor noise_floor_default(const char *device_type);

/* The floor of one variant from its own runs and the runs of its family. variance: of the
 * logarithms of its medians, runs - 1 degrees of freedom; typical: noise_floor_typical() of the
 * family. The weight of the family is NOISE_FLOOR_PRIOR_DOF degrees of freedom (the moderated
 * variance of Smyth: common/model/repetition.h). */
struct noise_floor noise_floor_of_variant(double variance, size_t runs, double typical);

#define NOISE_FLOOR_PRIOR_DOF 4.0

/* The variance of a typical variant: the median of the variances, divided by the median of a
 * chi-squared distribution with dof degrees of freedom over its mean (Wilson and Hilferty: The
 * distribution of chi-square, PNAS 17, 1931). A few noisy variants do not change it. variances are
 * sorted in place; count >= 1, dof >= 1. */
double noise_floor_typical(double *variances, size_t count, double dof);

/* The floor of variants that were each run `runs` times. variances: of the logarithms of the
 * medians, one for each variant, with runs - 1 degrees of freedom; count >= 1, runs >= 2. sd is the
 * root of the mean variance. dof = 2 * mean^2 / variance of the variances: with it a scaled
 * chi-squared distribution has the same first two moments (Satterthwaite: An approximate
 * distribution of estimates of variance components, Biometrics Bulletin 2, 1946). dof is small if
 * the variants differ. It is at least 1 and at most runs - 1, because the variants of a run share
 * the state of the machine. */
struct noise_floor noise_floor_of(const double *variances, size_t count, size_t runs);

#endif
