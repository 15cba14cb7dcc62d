/*
 * The options --dtype, --op and --data, which select from the choices of a family.
 */
#ifndef PMPP_HOST_RUN_CHOICES_H
#define PMPP_HOST_RUN_CHOICES_H

#include "host/run/job_options.h"

/* PMPP_USAGE: a selected family has the option, but not the value (the message has similar values);
 * or no selected family has the option. */
enum pmpp_status choices_check(const struct job_options *options, const struct target_list *targets,
	struct pmpp_error *error);

/* Sets the problem to the first choices of its family that the options allow. Without an option the
 * family's default is used. */
void choices_set(const struct job_options *options, struct problem *problem);

/* Whether the options allow the choices of the problem. An option that the family does not have
 * allows all of them. */
bool choices_allow(const struct job_options *options, const struct problem *problem);

#endif
