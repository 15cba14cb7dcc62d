/*
 * The values of tunables from --set, and the builds of a variant with these values.
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

/* Adds NAME=VALUE[,VALUE...]. If the list has the name, the values are added to it. */
enum pmpp_status tunables_parse(
	const char *text, struct tunable_list *list, struct pmpp_error *error);

/* PMPP_USAGE: a name that no selected variant has; a macro that is not tunable; a value that no
 * selected variant allows; a single point (no sweep) that no variant with the name supports on a
 * device of the reference shape. */
enum pmpp_status tunables_check(const struct tunable_list *list, const struct target_list *targets,
	struct pmpp_error *error);

/* One point of a sweep for one variant. */
struct tuned_config {
	struct config config;
	char reason[160]; /* why the variant does not support this point; "" = it does */
};

/* Makes every combination of the values of the names that the variant has, for a device of the
 * shape. If it has none of the names: one point, with its defaults. The caller frees *ret_configs.
 * PMPP_OUT_OF_MEMORY. */
enum pmpp_status tunables_expand(const struct tunable_list *list, const struct variant *variant,
	const struct kernel_shape *shape, struct tuned_config **ret_configs, size_t *ret_count,
	struct pmpp_error *error);

#endif
