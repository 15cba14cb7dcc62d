/*
 * Passes of the memory that holds the first-level cache and shared memory, for the functions
 * `traffic` of rows (common/family.h). Addresses of global memory that hit the first-level cache
 * take passes by the same rule as shared memory: access_shared() (access.h). The model is NVIDIA's,
 * with warps of 32 threads and 32 banks. Only devices with floor_rates.l1_is_shared use it for both.
 */
#ifndef PMPP_COMMON_MODEL_PASSES_H
#define PMPP_COMMON_MODEL_PASSES_H

#include "common/integers.h"
#include "common/model/warp.h"

#include <stdint.h>

/* Number of warps of `threads` threads. It is also the number of passes of an access in which
 * neighbouring threads access neighbouring words. */
static inline double passes_count_warps(int64_t threads)
{
	return (double)ceil_div(threads, WARP_THREADS);
}

/* The addresses of a warp's access: `rows` rows of `lanes` neighbouring threads. */
struct warp_lanes {
	int lanes, rows;      /* their product: 1 to WARP_THREADS */
	int64_t lane_bytes;   /* from one thread of a row to the next */
	int64_t row_bytes;    /* from one row to the next */
	uint32_t width_bytes; /* bytes per lane: 1 to 16; 0 means 4 */
	int64_t first_byte;   /* offset of the first thread; matters for elements below 4 bytes */
};

/* The shape of the first warp of a block of `y` rows with `x` threads each. Powers of two. */
struct warp_lanes warp_lanes_of_block(int x, int y, int64_t lane_bytes, int64_t row_bytes);

/* Passes of one access, >= 1. */
double passes_of_warp(const struct warp_lanes *lanes);

/*
 * Passes of one access by each thread of a grid of columns x rows threads, >= 0. All warps have
 * the shape `lanes`, with the columns along the lanes. Warps at the edges have fewer threads.
 */
double passes_of_grid(const struct warp_lanes *lanes, int64_t columns, int64_t rows);

/* ---- Random addresses ----------------------------------------------------------------------- */

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

/* lanes and banks: 1 to 32; words, groups >= 1. Returns at least 1. */
double random_passes(int lanes, int banks, int64_t words, int groups);

#endif
