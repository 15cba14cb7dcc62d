/*
 * --dtype, --op and --data: the choices a family offers, and what the command line takes of them.
 */
#ifndef PMPP_HOST_RUN_CHOICES_H
#define PMPP_HOST_RUN_CHOICES_H

#include "host/run/job_options.h"

/* PMPP_USAGE for a value that a chosen family does not have, with the nearest ones, and for an
 * option that none of them has. Families without such a choice are left as they are. */
enum pmpp_status choices_check(const struct job_options *options, const struct target_list *targets,
	struct pmpp_error *error);

/* The first of the problem's choices that goes with the command line: the family's defaults where
 * it says nothing. */
void choices_set(const struct job_options *options, struct problem *problem);

/* Whether the problem's choices go with the command line. */
bool choices_allow(const struct job_options *options, const struct problem *problem);

#endif
