/*
 * Roofline: how fast a kernel may be, by how much it calculates for each byte that it moves (S.
 * Williams, A. Waterman, D. Patterson, Roofline, CACM 52(4), 2009; PMPP 4th ed. 5.1).
 *
 *   attainable FLOP/s = min(arithmetic roof, FLOP a byte x memory roof)
 *
 * The two meet at the ridge. Neither roof is reached by a run that is too short, or by too few
 * threads: latency then limits.
 */
#ifndef PMPP_COMMON_MODEL_ROOFLINE_H
#define PMPP_COMMON_MODEL_ROOFLINE_H

#include "common/model/limit.h"

#include <stddef.h>
#include <stdint.h>

/* ---- Roofs --------------------------------------------------------------------------------- */

struct roofline_device {
	const char *name;
	struct floor_rates rates; /* copy_gbps and gops[OPERATIONS_F32] > 0 */
	int64_t multiprocessors;  /* 0 = unknown */
};

/* Stands in where there is no GPU: an NVIDIA H200 as this program measured it. */
extern const struct roofline_device roofline_reference;

/* FLOP a byte, above which arithmetic is the lower roof. */
double roofline_ridge(const struct roofline_device *device);

/* At an intensity in FLOP a byte, >= 0; infinity stands for no bytes at all. Bytes that a cache
 * serves are faster than the memory roof. */
double roofline_gflops(const struct roofline_device *device, double intensity);
double roofline_gbps(const struct roofline_device *device, double intensity);

/* ---- What limits --------------------------------------------------------------------------- */

struct roofline_work {
	struct floor_work floor;
	double threads;          /* of its largest launch */
	double resident_threads; /* that a multiprocessor holds of it; NAN = unknown */
	const char *where;       /* for the text: "n=1024 on NVIDIA H200" */
};

/* What limits work that was not measured: limit_modelled(). *ret_text gets one line: the
 * figures behind the answer, work->where, and the reason of LIMITED_BY_UNKNOWN. */
enum limited_by roofline_limit(const struct roofline_device *device,
	const struct roofline_work *work, char *ret_text, size_t size);

#endif
