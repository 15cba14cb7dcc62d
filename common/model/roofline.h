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

#include <stddef.h>
#include <stdint.h>

/* ---- Roofs --------------------------------------------------------------------------------- */

struct roofline_device {
	const char *name;
	double copy_gbps, fma_gflops; /* > 0 */
	double empty_launch_ns;       /* device interval of an empty kernel; NAN = unknown */
	int64_t multiprocessors;      /* 0 = unknown */
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

enum roofline_limit {
	ROOFLINE_MEMORY,
	ROOFLINE_COMPUTE,
	ROOFLINE_LATENCY
};

/* "memory" */
const char *roofline_limit_name(enum roofline_limit limit);

struct roofline_work {
	double flops, bytes;     /* of a run, bytes as the kernel moves them */
	double threads;          /* of its largest launch */
	double resident_threads; /* that a multiprocessor holds of it; NAN = unknown */
};

/*
 * The first that applies:
 *   latency  a multiprocessor has no more threads than one warp for each of its four schedulers
 *            (CUDA C++ Programming Guide, "Compute Capabilities": the same from 7.5 to 12.0), so
 *            that a scheduler has nothing to issue while its warp waits
 *   latency  at the roofs the run would take less than three empty launches
 *   compute  the intensity is at the ridge or above
 *   memory   else
 * *ret_text gets the figures that decided, in one line.
 */
enum roofline_limit roofline_limit(const struct roofline_device *device,
	const struct roofline_work *work, char *ret_text, size_t size);

#endif
