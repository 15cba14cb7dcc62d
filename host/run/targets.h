/*
 * The families and variants that the words FAMILY[/VARIANT]... select.
 */
#ifndef PMPP_HOST_RUN_TARGETS_H
#define PMPP_HOST_RUN_TARGETS_H

#include "common/family.h"
#include "common/own/kernel.h"
#include "common/status.h"
#include "host/record/result.h"
#include "host/run/device_select.h"

#define SIZE_NAME_LENGTH 15

struct size {
	size_t count; /* number of values; one value without a name is used for every dimension */
	bool named;
	char name[PMPP_MAX_DIMS][SIZE_NAME_LENGTH + 1];
	int64_t value[PMPP_MAX_DIMS]; /* each >= 1 */
};

/* Zero-initialise. */
struct size_list {
	struct size *items; /* owned */
	size_t count;
};

/* Appends the sizes of text. PMPP_USAGE with the part that is wrong. */
enum pmpp_status sizes_parse(const char *text, struct size_list *list, struct pmpp_error *error);

void sizes_finish(struct size_list *list);

/* Sets the extents of a family's problem. A dimension without a value gets its default, or 0 if the
 * family has no default. PMPP_USAGE: an unknown dimension, a wrong number of values, or a value
 * above family->dim_max. */
enum pmpp_status size_dims(const struct size *size, const struct family *family,
	int64_t ret_dim[PMPP_MAX_DIMS], struct pmpp_error *error);

struct target {
	const struct family *family;
	const struct variant **variants; /* in ladder order; owned */
	size_t variant_count;
};

/* Zero-initialise. */
struct target_list {
	struct target *items; /* in the order of the registry, then problems of the user; owned */
	size_t count;
};

/* Resolves words such as "matmul", "matmul/tiled32", "all". PMPP_USAGE: an unknown name; the
 * message has similar names. The caller calls targets_finish(). */
enum pmpp_status targets_parse(const char *const *words, size_t word_count,
	struct target_list *ret_list, struct pmpp_error *error);

/* Adds kernels of the user, after the chosen variants of their families. PMPP_USAGE: two of them have the same
 * language and name. */
enum pmpp_status targets_add_own(struct target_list *list, const struct own_kernel *const *own,
	size_t count, struct pmpp_error *error);

/* Whether the word is "all", or begins with the name of a family: "matmul", "matmul/tiled32". */
bool targets_begin_with(const char *word);

/* PMPP_USAGE if the word is the name of a kernel file (.cu, .cl). The message has the way to use the
 * file. */
enum pmpp_status targets_refuse_file(const char *word, struct pmpp_error *error);

void targets_finish(struct target_list *list);

/* Returns those of the backends (bits) in whose language the folder has no file of the targets; 0 if it has
 * no file in any language. root: NULL = the built-in kernels. */
unsigned kernel_dir_lacks(const char *root, const struct target_list *targets, unsigned backends);

/* Returns PMPP_USAGE unless root is a folder with a readable file for each target on each of the
 * backends (bits: BACKEND_BIT). The message has the folder, the first file that cannot be read, and
 * the number of other such files. root: NULL = the built-in kernels. */
enum pmpp_status kernel_dir_check(const char *root, const struct target_list *targets,
	unsigned backends, struct pmpp_error *error);

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
	size_t shared_bytes; /* --shared */
};

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

/* The options --dtype, --op and --data, which select from the choices of a family. */
enum choice_option {
	CHOICE_DTYPE,
	CHOICE_OP,
	CHOICE_DATA,
	CHOICE_COUNT
};

struct choices {
	const char *of[CHOICE_COUNT]; /* NULL = not given */
};

/* PMPP_USAGE: a selected family has the option, but not the value (the message has similar values);
 * or no selected family has the option. */
enum pmpp_status choices_check(
	const struct choices *choices, const struct target_list *targets, struct pmpp_error *error);

/* Sets the problem to the first choices of its family that the options allow. Without an option the
 * family's default is used. Returns false if the options allow none. */
bool choices_set(const struct choices *choices, struct problem *problem);

/* Completes the choices with the type and operation of a kernel of the user. */
void choices_of_own(const struct own_kernel *kernel, struct choices *choices);

/* Whether the options allow the choices of the problem. An option that the family does not have
 * allows all of them. */
bool choices_allow(const struct choices *choices, const struct problem *problem);

/* The problems of a result file, for `run --like`: the job runs the sizes, types, operations and data
 * of the file, so that both can be compared. Zero-initialise. */
struct like_list {
	struct problem
		*items; /* without seed; each problem once, in the order of the rows; owned */
	size_t count;
};

/* Returns the problem number `index` of a family; NULL: there are fewer. */
const struct problem *like_of(
	const struct like_list *list, const struct family *family, size_t index);

#endif
