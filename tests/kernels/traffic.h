/*
 * Rows of the test of config_traffic() against the traced emulator (test_traffic.c). Each row is a
 * variant at one size. The tables end with a row without a name.
 */
#ifndef PMPP_TESTS_KERNELS_TRAFFIC_H
#define PMPP_TESTS_KERNELS_TRAFFIC_H

#include "common/family.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRAFFIC_SETS 3

/* Bytes that no cache saves. */
enum traffic_bytes {
	TRAFFIC_READ = 1 << 0,
	TRAFFIC_WRITTEN = 1 << 1,
	TRAFFIC_L2 = 1 << 2,
};

struct traffic_row {
	const char *name; /* "matmul/naive" */
	int64_t dim[PMPP_MAX_DIMS];

	/* false: whole tiles, and the passes are equal to the traced ones. true: they are at most
	 * 2 % above and 10 % below. */
	bool ragged;

	/* Whole tiles: the largest difference, as a fraction of the traced passes, where the
	 * function gives an expectation. 0: exact. */
	double within;

	/* All loads of global memory are asynchronous copies, which take no pass of L1. */
	bool copies;

	unsigned exact; /* traffic_bytes: equal to the traced ones. Others are at most as many */

	/* Accesses that take fewer passes on a GPU than in the trace, because its compiler joins
	 * them. Shared loads of this width whose pattern begins with this text
	 * (access_pattern_text()) count `times` their passes. NULL: none. */
	struct {
		const char *pattern;
		uint32_t width_bytes;
		double times;
	} fewer;

	struct {
		const char *name;
		int value;
	} set[TRAFFIC_SETS + 1]; /* macros, as --set; ended by a NULL name */
	size_t choice;           /* of problem_choose(): type, operation and data */
};

/* Counts of a GPU in 10^6 passes, at the sizes that `run` takes on a GPU, because a trace cannot
 * show all passes. The formula of a row gives at most these counts, and at least this fraction of
 * them. */
struct traffic_measured {
	const char *name;
	double all;      /* 0: not counted */
	double shared;   /* of shared memory; 0: the row does not use it */
	double at_least; /* 0 stands for 0.95 */
};

extern const struct traffic_measured traffic_measured_rows[];

extern const struct traffic_row traffic_access_rows[]; /* families about patterns of access */
extern const struct traffic_row traffic_work_rows[];   /* the other families */

#endif
