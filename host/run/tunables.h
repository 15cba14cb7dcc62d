/*
 * The values of tunables that --set gives, and the builds of a variant that they make.
 */
#ifndef PMPP_HOST_RUN_TUNABLES_H
#define PMPP_HOST_RUN_TUNABLES_H

#include "host/run/targets.h"

#define TUNABLE_MAX_VALUES 32
#define TUNABLE_MAX_COUNT 8

struct tunable {
	char name[32];
	int values[TUNABLE_MAX_VALUES];
	size_t value_count;
};

/* Zero-initialise. */
struct tunable_list {
	struct tunable items[TUNABLE_MAX_COUNT];
	size_t count;
};

/* Adds NAME=VALUE[,VALUE...]; a name given again adds values. */
enum pmpp_status tunables_parse(
	const char *text, struct tunable_list *list, struct pmpp_error *error);

/* PMPP_USAGE for a name that no chosen variant has, one that is not tunable, a value that none of
 * them allows, and a single point (no sweep) that is infeasible for all that have the name. */
enum pmpp_status tunables_check(const struct tunable_list *list, const struct target_list *targets,
	struct pmpp_error *error);

/* One point of a sweep for one variant. */
struct tuned_config {
	struct config config;
	char reason[160]; /* why this point cannot be; "" = it can */
};

/* Every combination of the names that the variant has: one, its defaults, when it has none.
 * *ret_configs is owned by the caller. */
enum pmpp_status tunables_expand(const struct tunable_list *list, const struct variant *variant,
	struct tuned_config **ret_configs, size_t *ret_count, struct pmpp_error *error);

#endif
