/*
 * Roofline: the speed limit of a kernel as a function of its FLOP per byte (S. Williams, A.
 * Waterman, D. Patterson, Roofline, CACM 52(4), 2009; PMPP 4th ed. 5.1).
 *
 *   attainable FLOP/s = min(arithmetic roof, FLOP per byte x memory roof)
 *
 * Both roofs are equal at the ridge. A run that is too short or has too few threads reaches neither
 * roof: latency limits it.
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

/* An NVIDIA H200 as measured by this program. Used for its compute capability if no GPU is measured.
 * Other GPUs have no reference. */
extern const struct roofline_device roofline_reference;
#define ROOFLINE_REFERENCE_CC "9.0"

/* The FLOP per byte above which the arithmetic roof is the lower one. */
double roofline_ridge(const struct roofline_device *device);

/* The roofs at an intensity in FLOP per byte, >= 0; infinity = no bytes. Bytes from a cache may be
 * faster than the memory roof. */
double roofline_gflops(const struct roofline_device *device, double intensity);
double roofline_gbps(const struct roofline_device *device, double intensity);

/* ---- Limit --------------------------------------------------------------------------------- */

struct roofline_work {
	struct floor_work floor;
	double threads;          /* of its largest launch */
	double resident_threads; /* of this launch on one multiprocessor; NAN = unknown */
	double one_each;         /* threads of one warp for each scheduler; NAN = unknown */
	const char *unit;        /* "multiprocessor", "compute unit" */
	const char *where;       /* part of the text: "n=1024 on NVIDIA H200" */
};

/* The limit of work that was not measured: limit_modelled(). Writes one line into ret_text: the
 * figures of the limit, work->where, and the reason for LIMITED_BY_UNKNOWN. */
enum limited_by roofline_limit(const struct roofline_device *device,
	const struct roofline_work *work, char *ret_text, size_t size);

#endif
