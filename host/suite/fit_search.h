/*
 * Finds the largest config of a list whose blocks fit a device, by building kernels.
 */
#ifndef PMPP_HOST_SUITE_FIT_SEARCH_H
#define PMPP_HOST_SUITE_FIT_SEARCH_H

#include "host/suite/fallback.h"
#include "host/suite/programs.h"

struct fit_request {
	struct programs *programs;
	const struct problem *problem;
	enum gpu_math math;
	const struct fallback_points *points; /* at least one; larger products first */
};

/* Finds the first point whose blocks fit. The first points are built in their order. If none of
 * them fits, the search halves the rest of the list, which assumes that the points after a point
 * that fits also fit. The number of builds is at most 8. *ret_index: the point, or the number of
 * points if none fits; then ret_limit has the limit of the last point. A point whose build fails for
 * another reason counts as one that fits: its row reports the failure. */
enum pmpp_status fit_search(const struct fit_request *request, size_t *ret_index,
	char ret_limit[FALLBACK_TEXT_BYTES], struct pmpp_error *error);

#endif
