/*
 * The files of a fleet (pmpp-run --fleet): whether they belong together, and which ranks are slower
 * than the others.
 */
#ifndef PMPP_HOST_COMPARE_STRAGGLERS_H
#define PMPP_HOST_COMPARE_STRAGGLERS_H

#include "common/model/repetition.h"
#include "host/compare/compare.h"

#define FLEET_MAX_RANKS 65536

/* Sorts the files by rank. PMPP_USAGE with the reason: a file without a rank, files of two fleets,
 * two files of one rank. count >= 1. */
enum pmpp_status fleet_files_sort(
	struct compared_file *files, size_t count, struct pmpp_error *error);

struct straggler {
	const struct compared_file *file;
	const struct result_row *row;
	struct repetition_ratio ratio; /* its time / the time of the median rank */
	double p;                      /* p-value of "not slower" */
	bool confirmed;                /* verdict_p_limit(), over all judged times of the fleet */
};

/* Zero-initialised: empty. */
struct straggler_list {
	struct straggler *items; /* owned: free() */
	size_t count;
	size_t judged; /* times that were compared with the time of the median rank */
};

/* Judges the rows of one variant, problem and model of device (common/model/fleet.h). A rank can have
 * several equal rows: the first one is compared with the first ones of the other ranks, the second one
 * with the second ones. The result is in the order of the files. It points into the files.
 * PMPP_OUT_OF_MEMORY. */
enum pmpp_status stragglers_find(const struct compared_file *files, size_t count,
	struct straggler_list *ret_list, struct pmpp_error *error);

#endif
