/* The inputs of a problem of the user, and its tolerance. */
#ifndef PMPP_COMMON_OWN_PROBLEM_DATA_H
#define PMPP_COMMON_OWN_PROBLEM_DATA_H

#include "common/own/problem_file.h"

/* family.fill */
void own_problem_fill(
	const struct problem *problem, size_t operand, int64_t first, int64_t count, void *target);

/* The largest difference that the problem allows from a right value. */
double own_problem_slack(const struct own_problem *problem, double want, double largest);

#endif
