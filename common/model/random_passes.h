/*
 * Passes of shared memory for random addresses, such as the counters of a histogram.
 *
 * `lanes` threads of a warp each choose one of `words` words, independently. All words are equally
 * likely. Word i is in bank i modulo `banks`. The access takes as many passes as there are
 * different words in the fullest bank (access_shared(), access.h). A warp may consist of several
 * such groups of lanes. Each group has its own banks. The group with the most passes counts.
 *
 * The expected number is exact to 10^-5. In a bank with w of W words, c lanes have the probability
 * (w / W)^c / c! * P(at most k different words), up to lanes!. The product of these power series
 * over the banks gives P(at most k different words in every bank): the exponential generating
 * function of an occupancy problem (N. L. Johnson, S. Kotz, Urn Models and Their Application,
 * 1977, chapter 3).
 */
#ifndef PMPP_COMMON_MODEL_RANDOM_PASSES_H
#define PMPP_COMMON_MODEL_RANDOM_PASSES_H

#include <stdint.h>

/* lanes and banks: 1 to 32; words, groups >= 1. Returns at least 1. */
double random_passes(int lanes, int banks, int64_t words, int groups);

#endif
