#include "host/run/targets.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "common/nearest.h"
#include "common/text.h"
#include "host/io/sources.h"
#include "host/suite/kernel_file.h"

/* ---- Sizes ---------------------------------------------------------------------------------- */

/* Problem sizes on the command line (--size):
 *
 *   1024                  every dimension that has no default
 *   1024x512x768          in the order of the family's dimensions
 *   m=7,n=5,k=3           by name: one size
 *   256,512,37x41x43      several problems
 *   2^10:2^26:*4  1:9:+2  ranges, both ends included
 *
 * A number is decimal, or BASE^EXPONENT. */

/* A longer range has a wrong step by mistake. */
#define MAX_SIZES 10000

/* ---- Numbers ------------------------------------------------------------------------------- */

/* Appends the digits at *text to *value, and advances *text past them. Returns their number. */
static int64_t parse_digits(const char **text, int64_t *value, bool *overflow)
{
	const char *start = *text;

	for (; **text >= '0' && **text <= '9'; (*text)++)
		*overflow |= __builtin_mul_overflow(*value, 10, value) ||
			     __builtin_add_overflow(*value, **text - '0', value);
	return *text - start;
}

/* Multiplies *value by base^exponent. Returns true if it overflows. */
static bool multiply(int64_t *value, int64_t base, int64_t exponent)
{
	/* Powers of 0 and 1 do not change. */
	if (base < 2 || *value == 0) {
		*value *= exponent ? base : 1;
		return false;
	}
	for (int64_t i = 0; i < exponent; i++) /* overflows within 63 steps */
		if (__builtin_mul_overflow(*value, base, value))
			return true;
	return false;
}

/* Reads 1024, 2^10 or 1.5e9. Advances *text past the number. */
static enum pmpp_status parse_number(
	const char **text, int64_t *ret_value, struct pmpp_error *error)
{
	const char *start = *text;
	bool negative = **text == '-', overflow = false;
	int64_t base = 0, exponent = 1;
	int64_t places = 0; /* digits after the point */

	*text += negative;
	bool good = parse_digits(text, &base, &overflow) > 0;
	bool fraction = good && **text == '.';
	if (fraction) {
		(*text)++;
		places = parse_digits(text, &base, &overflow);
		good = places > 0;
	}
	for (; places > 0 && base % 10 == 0 && !overflow; places--)
		base /= 10;
	bool power = **text == '^' && !fraction, decimal = **text == 'e' || **text == 'E';
	if (good && (power || decimal)) {
		(*text)++;
		exponent = 0;
		good = parse_digits(text, &exponent, &overflow) > 0;
	}
	if (!good)
		return *start ? PMPP_FAIL(error, PMPP_USAGE, "--size: '%s' is not a number", start)
			      : PMPP_FAIL(error, PMPP_USAGE, "--size: a number is missing");
	int length = (int)(*text - start);
	if (places > (decimal ? exponent : 0))
		return PMPP_FAIL(error, PMPP_USAGE,
			"--size: %.*s is not an integer: a size is an integer, such as 1000 or "
			"1.5e3",
			length, start);
	int64_t value = decimal ? base : 1;
	overflow = overflow || multiply(&value, decimal ? 10 : base, exponent - places);
	if (overflow)
		return PMPP_FAIL(
			error, PMPP_USAGE, "--size: %.*s overflows 64 bits", length, start);
	if (negative || value < 1)
		return PMPP_FAIL(
			error, PMPP_USAGE, "--size: %.*s: a size is at least 1", length, start);
	*ret_value = value;
	return PMPP_OK;
}

/* ---- Items --------------------------------------------------------------------------------- */

static enum pmpp_status append(
	struct size_list *list, const struct size *size, struct pmpp_error *error)
{
	if (list->count == MAX_SIZES)
		return PMPP_FAIL(error, PMPP_USAGE, "--size: more than %d sizes", MAX_SIZES);
	struct size *item = array_add(list, sizeof *item);
	if (!item)
		return PMPP_NO_MEMORY(error, "the sizes");
	*item = *size;
	return PMPP_OK;
}

/* Parses a text of NAME=VALUE pairs: they are one size. */
static enum pmpp_status parse_named(
	const char *text, struct size_list *list, struct pmpp_error *error)
{
	struct size size = {.named = true};

	for (;;) {
		size_t length = strcspn(text, "=,");
		if (text[length] != '=')
			return PMPP_FAIL(error, PMPP_USAGE,
				"--size: '%s' mixes NAME=VALUE pairs with plain sizes", text);
		if (length == 0 || length > SIZE_NAME_LENGTH)
			return PMPP_FAIL(error, PMPP_USAGE,
				"--size: '%s' does not begin with the name of a dimension", text);
		for (size_t i = 0; i < size.count; i++)
			if (strlen(size.name[i]) == length &&
				strncmp(size.name[i], text, length) == 0)
				return PMPP_FAIL(error, PMPP_USAGE,
					"--size: %s is given twice (use a second --size for a second "
					"problem)",
					size.name[i]);
		if (size.count == PMPP_MAX_DIMS)
			return PMPP_FAIL(error, PMPP_USAGE, "--size: more than %d dimensions",
				PMPP_MAX_DIMS);
		memcpy(size.name[size.count], text, length);
		text += length + 1;
		enum pmpp_status status = parse_number(&text, &size.value[size.count++], error);
		if (status != PMPP_OK)
			return status;
		if (!*text)
			return append(list, &size, error);
		if (*text != ',')
			return PMPP_FAIL(error, PMPP_USAGE, "--size: unexpected text '%s'", text);
		text++;
	}
}

/* Parses a range after "FIRST:". */
static enum pmpp_status parse_range(
	const char **text, int64_t first, struct size_list *list, struct pmpp_error *error)
{
	int64_t last = 0;
	int64_t step = 0;
	enum pmpp_status status = parse_number(text, &last, error);

	if (status != PMPP_OK)
		return status;
	if ((*text)[0] != ':' || ((*text)[1] != '*' && (*text)[1] != '+'))
		return PMPP_FAIL(error, PMPP_USAGE,
			"--size: a range is FIRST:LAST:*FACTOR or FIRST:LAST:+STEP");
	bool factor = (*text)[1] == '*';
	*text += 2;
	status = parse_number(text, &step, error);
	if (status != PMPP_OK)
		return status;
	if (factor && step == 1)
		return PMPP_FAIL(error, PMPP_USAGE, "--size: a range with the step *1 never ends");
	if (last < first)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--size: the range %" PRId64 ":%" PRId64
			": the last value is less than the first",
			first, last);
	for (int64_t value = first; value <= last && status == PMPP_OK;) {
		struct size size = {.count = 1, .value = {value}};
		status = append(list, &size, error);
		if (factor ? __builtin_mul_overflow(value, step, &value)
			   : __builtin_add_overflow(value, step, &value))
			break;
	}
	return status;
}

/* Parses NUMBER, NUMBERxNUMBER..., or a range. */
static enum pmpp_status parse_plain(
	const char **text, struct size_list *list, struct pmpp_error *error)
{
	struct size size = {0};

	for (;;) {
		if (size.count == PMPP_MAX_DIMS)
			return PMPP_FAIL(error, PMPP_USAGE, "--size: more than %d dimensions",
				PMPP_MAX_DIMS);
		enum pmpp_status status = parse_number(text, &size.value[size.count++], error);
		if (status != PMPP_OK)
			return status;
		if (**text != 'x')
			break;
		(*text)++;
	}
	if (**text != ':' || size.count > 1)
		return append(list, &size, error);
	(*text)++;
	return parse_range(text, size.value[0], list, error);
}

enum pmpp_status sizes_parse(const char *text, struct size_list *list, struct pmpp_error *error)
{
	if (strchr(text, '='))
		return parse_named(text, list, error);
	for (;;) {
		enum pmpp_status status = parse_plain(&text, list, error);
		if (status != PMPP_OK)
			return status;
		if (!*text)
			return PMPP_OK;
		if (*text != ',')
			return PMPP_FAIL(error, PMPP_USAGE, "--size: unexpected text '%s'", text);
		text++;
	}
}

void sizes_finish(struct size_list *list)
{
	free(list->items);
	*list = (struct size_list){0};
}

/* ---- Sizes of a family --------------------------------------------------------------------- */

/* "m x n x k" */
static void family_dims_text(const struct family *family, char *ret_text, size_t size)
{
	ret_text[0] = '\0';
	for (size_t i = 0; i < family->dim_count; i++)
		text_append(ret_text, size, "%s%s", i ? " x " : "", family->dim_names[i]);
}

static enum pmpp_status find_dim(
	const struct family *family, const char *name, size_t *ret_index, struct pmpp_error *error)
{
	char dims[64];

	for (size_t i = 0; i < family->dim_count; i++) {
		if (strcmp(family->dim_names[i], name) == 0) {
			*ret_index = i;
			return PMPP_OK;
		}
	}
	family_dims_text(family, dims, sizeof dims);
	return PMPP_FAIL(error, PMPP_USAGE, "--size: %s has no dimension '%s': its sizes are %s",
		family->name, name, dims);
}

static size_t without_default(const struct family *family)
{
	size_t count = 0;

	while (count < family->dim_count && family->dim_default[count] == 0)
		count++;
	return count;
}

enum pmpp_status size_dims(const struct size *size, const struct family *family,
	int64_t ret_dim[PMPP_MAX_DIMS], struct pmpp_error *error)
{
	int64_t dim[PMPP_MAX_DIMS] = {0};
	char dims[64];

	family_dims_text(family, dims, sizeof dims);
	memcpy(dim, family->dim_default, sizeof dim);
	if (!size->named && size->count > 1 && size->count != family->dim_count &&
		size->count != without_default(family))
		return PMPP_FAIL(error, PMPP_USAGE,
			"--size has %zu numbers, but the sizes of %s are %s", size->count,
			family->name, dims);
	for (size_t i = 0; i < family->dim_count && !size->named; i++)
		if (i < size->count || dim[i] == 0)
			dim[i] = size->value[size->count == 1 ? 0 : i];
	for (size_t i = 0; i < size->count && size->named; i++) {
		size_t index = 0;
		enum pmpp_status status = find_dim(family, size->name[i], &index, error);
		if (status != PMPP_OK)
			return status;
		dim[index] = size->value[i];
	}
	for (size_t i = 0; i < family->dim_count; i++)
		if (dim[i] > family->dim_max)
			return PMPP_FAIL(error, PMPP_USAGE,
				"--size: %s=%" PRId64
				" is too large: the maximum of %s is %" PRId64,
				family->dim_names[i], dim[i], family->name, family->dim_max);
	memcpy(ret_dim, dim, sizeof dim);
	return PMPP_OK;
}

/* ---- Targets ------------------------------------------------------------------------------- */

#define MAX_NAMES 64

/* "no family 'matmull' (did you mean matmul?)" */
static enum pmpp_status unknown_family(const char *word, struct pmpp_error *error)
{
	const char *names[MAX_NAMES];
	size_t count = 0;
	char hint[NAMES_TEXT_BYTES], backend[24];
	enum gpu_backend_id ignored;

	for (size_t i = 0; i < family_count && count < MAX_NAMES; i++)
		if (!families[i]->internal)
			names[count++] = families[i]->name;
	snprintf(backend, sizeof backend, "%.*s", (int)strcspn(word, ":"), word);
	if (gpu_backend_find(backend, &ignored))
		return PMPP_FAIL(error, PMPP_USAGE, "no family '%s': for a %s use --%s=%s", word,
			strchr(word, ':') ? "device" : "backend",
			strchr(word, ':') ? "device" : "backend", word);
	return PMPP_FAIL(error, PMPP_USAGE, "no family '%s'%s; see pmpp-run list", word,
		nearest_hint(word, names, count, hint));
}

static enum pmpp_status unknown_variant(
	const struct family *family, const char *word, struct pmpp_error *error)
{
	const char *names[MAX_NAMES];
	size_t count = 0;
	char hint[NAMES_TEXT_BYTES];

	for (size_t i = 0; i < family->variant_count && count < MAX_NAMES; i++)
		names[count++] = family->variants[i].name;
	return PMPP_FAIL(error, PMPP_USAGE, "%s has no variant '%s'%s; see pmpp-run list %s",
		family->name, word, nearest_hint(word, names, count, hint), family->name);
}

bool targets_begin_with(const char *word)
{
	char name[64];

	snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "/"), word);
	const struct family *family = family_find(name);
	return strcmp(word, "all") == 0 || (family && !family->internal);
}

enum pmpp_status targets_refuse_file(const char *word, struct pmpp_error *error)
{
	static const enum gpu_backend_id backends[] = {GPU_BACKEND_CUDA, GPU_BACKEND_OPENCL};
	const char *ending = strrchr(word, '.');

	for (size_t i = 0; ending && i < sizeof backends / sizeof *backends; i++)
		if (strcmp(ending, gpu_backend_kernel_extension(backends[i])) == 0)
			return PMPP_FAIL(error, PMPP_USAGE,
				"'%s' is a file: use pmpp-run try %s (docs/try.md)", word, word);
	return PMPP_OK;
}

/* Marks in chosen[family index] the variants that a word names, one bit each. */
static enum pmpp_status mark_word(const char *word, uint64_t *chosen, struct pmpp_error *error)
{
	char name[64];
	const char *slash = strchr(word, '/');
	bool all = strcmp(word, "all") == 0;

	if (all) {
		for (size_t i = 0; i < family_count; i++)
			if (!families[i]->internal)
				chosen[i] = UINT64_MAX;
		return PMPP_OK;
	}
	enum pmpp_status status = targets_refuse_file(word, error);
	if (status != PMPP_OK)
		return status;
	snprintf(name, sizeof name, "%.*s", slash ? (int)(slash - word) : (int)strlen(word), word);
	const struct family *family = family_find(name);
	if (!family || family->internal)
		return unknown_family(name, error);
	const struct variant *variant = slash ? variant_find(family, slash + 1) : NULL;
	if (slash && !variant)
		return unknown_variant(family, slash + 1, error);
	uint64_t bits = variant ? (uint64_t)1 << (variant - family->variants) : UINT64_MAX;
	for (size_t i = 0; i < family_count; i++)
		if (families[i] == family)
			chosen[i] |= bits;
	return PMPP_OK;
}

static bool add_target(struct target_list *list, const struct family *family, uint64_t chosen)
{
	struct target *target = array_add(list, sizeof *target);

	if (!target)
		return false;
	target->family = family;
	target->variants = calloc(family->variant_count, sizeof *target->variants);
	if (!target->variants)
		return false;
	for (size_t i = 0; i < family->variant_count; i++)
		if (chosen >> i & 1)
			target->variants[target->variant_count++] = &family->variants[i];
	return true;
}

enum pmpp_status targets_parse(const char *const *words, size_t word_count,
	struct target_list *ret_list, struct pmpp_error *error)
{
	struct target_list list = {0};
	enum pmpp_status status = PMPP_OK;
	uint64_t *chosen = calloc(family_count, sizeof *chosen);

	if (!chosen) {
		status = PMPP_NO_MEMORY(error, "the families");
		goto out;
	}
	for (size_t i = 0; i < word_count && status == PMPP_OK; i++)
		status = mark_word(words[i], chosen, error);
	for (size_t i = 0; i < family_count && status == PMPP_OK; i++)
		if (chosen[i] && !add_target(&list, families[i], chosen[i]))
			status = PMPP_NO_MEMORY(error, "the variants");
	if (status != PMPP_OK)
		goto out;
	*ret_list = list;
	list = (struct target_list){0};
out:
	targets_finish(&list);
	free(chosen);
	return status;
}

/* Returns the target of a family, which is added if it is missing. NULL: no memory. */
static struct target *find_or_add_target(struct target_list *list, const struct family *family)
{
	for (size_t t = 0; t < list->count; t++)
		if (list->items[t].family == family)
			return &list->items[t];
	struct target *target = array_add(list, sizeof *target);
	if (target)
		*target = (struct target){.family = family};
	return target;
}

enum pmpp_status targets_add_own(struct target_list *list, const struct own_kernel *const *own,
	size_t count, struct pmpp_error *error)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < i; k++)
			if (own[k]->cuda == own[i]->cuda && own[k]->family == own[i]->family &&
				strcmp(own[k]->name, own[i]->name) == 0)
				return PMPP_FAIL(error, PMPP_USAGE,
					"two files have the name %s: rename one of them",
					own[i]->file);
		struct target *target = find_or_add_target(list, own[i]->family);
		const struct variant **variants =
			target ? realloc(target->variants,
					 (target->variant_count + 1) * sizeof *variants)
			       : NULL;
		if (!variants)
			return PMPP_NO_MEMORY(error, "the variants");
		target->variants = variants;
		variants[target->variant_count++] = &own[i]->variant;
	}
	return PMPP_OK;
}

void targets_finish(struct target_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].variants);
	free(list->items);
	*list = (struct target_list){0};
}

/* ---- Files of --kernel-dir ------------------------------------------------------------------ */

/* Checks the files of --kernel-dir before any variant runs. */

/* Keeps one backend per kernel language. */
static unsigned one_of_each_language(unsigned backends)
{
	unsigned languages = 0;
	unsigned kept = 0;

	for (enum gpu_backend_id id = 0; id < GPU_BACKEND_COUNT; id++) {
		unsigned language = 1u << gpu_backend_row(id)->language;
		if (!(backends & BACKEND_BIT(id)) || (languages & language))
			continue;
		languages |= language;
		kept |= BACKEND_BIT(id);
	}
	return kept;
}

/* Several variants may share a file. */
static bool is_first_user(const struct target *target, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (strcmp(target->variants[i]->file, target->variants[index]->file) == 0)
			return false;
	return true;
}

/* Counts the target's files that cannot be read. *error keeps the first error. If no file is
 * missing, an error in an included file ends the check. */
static enum pmpp_status check_target(const char *root, const struct target *target,
	enum gpu_backend_id backend, size_t *count, struct pmpp_error *error)
{
	struct pmpp_error other = PMPP_ERROR_INIT;
	char path[KERNEL_PATH_BYTES];

	for (size_t i = 0; i < target->variant_count; i++) {
		char *text = NULL;
		const struct variant *variant = target->variants[i];
		if (!kernel_file_exists(variant, backend) || !is_first_user(target, i))
			continue;
		kernel_file_path(variant, backend, path);
		enum pmpp_status status =
			source_load_file(root, path, &text, *count ? &other : error);
		free(text);
		pmpp_error_clear(&other);
		if (status == PMPP_OK && *count == 0) {
			status = source_load(root, path, &text, error);
			if (status != PMPP_OK)
				return status;
			free(text);
		}
		if (status != PMPP_OK && status != PMPP_USAGE)
			return status;
		*count += status == PMPP_USAGE;
	}
	return PMPP_OK;
}

/* Whether the folder has a kernel for the backend, or needs none. */
static bool has_files(
	const char *root, const struct target_list *targets, enum gpu_backend_id backend)
{
	char path[KERNEL_PATH_BYTES], full[SOURCE_PATH_BYTES];
	bool needs_any = false;

	for (size_t t = 0; t < targets->count; t++)
		for (size_t i = 0; i < targets->items[t].variant_count; i++) {
			const struct variant *variant = targets->items[t].variants[i];
			if (!kernel_file_exists(variant, backend))
				continue;
			needs_any = true;
			kernel_file_path(variant, backend, path);
			if (snprintf(full, sizeof full, "%s/%s", root, path) < (int)sizeof full &&
				access(full, F_OK) == 0)
				return true;
		}
	return !needs_any;
}

unsigned kernel_dir_lacks(const char *root, const struct target_list *targets, unsigned backends)
{
	unsigned lacks = 0;

	for (enum gpu_backend_id id = 0; id < GPU_BACKEND_COUNT && root; id++)
		if ((backends & BACKEND_BIT(id)) && !has_files(root, targets, id))
			lacks |= BACKEND_BIT(id);
	return lacks == backends ? 0 : lacks;
}

enum pmpp_status kernel_dir_check(const char *root, const struct target_list *targets,
	unsigned backends, struct pmpp_error *error)
{
	unsigned readers = one_of_each_language(backends);
	size_t count = 0;
	enum pmpp_status status = root ? source_check_root(root, error) : PMPP_OK;

	if (!root || status != PMPP_OK)
		return status;
	for (size_t t = 0; t < targets->count; t++)
		for (enum gpu_backend_id id = 0; id < GPU_BACKEND_COUNT; id++)
			if ((readers & BACKEND_BIT(id)) && status == PMPP_OK)
				status = check_target(root, &targets->items[t], id, &count, error);
	if (status != PMPP_OK || count == 0)
		return status;
	if (count > 1)
		pmpp_error_append(error, "; %zu other kernel file%s cannot be read", count - 1,
			count > 2 ? "s" : "");
	/* A folder may have kernels of the other language only. */
	enum gpu_backend_id emulator;
	unsigned lacks = kernel_dir_lacks(root, targets, EVERY_BACKEND);
	if (lacks && (lacks & backends) == backends &&
		gpu_backend_emulator(lacks & BACKEND_BIT(GPU_BACKEND_CUDA) ? GPU_LANGUAGE_OPENCL_C
									   : GPU_LANGUAGE_CUDA_C,
			&emulator))
		pmpp_error_append(error,
			"; the folder has kernels of the other language only: use --backend=%s",
			gpu_backend_name(emulator));
	else
		pmpp_error_append(error,
			"; copy the missing files from the project, or choose other variants");
	return PMPP_USAGE;
}

/* ---- Tunables ------------------------------------------------------------------------------- */

/* The values of tunables from --set, and the builds of a variant with these values. */

/* ---- Tunables of variants ------------------------------------------------------------------ */

static const struct macro *macro_find(const struct variant *variant, const char *name)
{
	for (const struct macro *macro = variant->macros; macro->name; macro++)
		if (strcmp(macro->name, name) == 0)
			return macro;
	return NULL;
}

static bool macro_allows(const struct macro *macro, int value)
{
	for (const int *choice = macro->choices; choice && *choice; choice++)
		if (*choice == value)
			return true;
	return false;
}

static void choices_text(const struct macro *macro, char *ret_text, size_t size)
{
	ret_text[0] = '\0';
	for (const int *choice = macro->choices; *choice; choice++)
		text_append(ret_text, size, "%s%d", choice == macro->choices ? "" : ", ", *choice);
}

static bool has_name(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static enum pmpp_status unknown_tunable(
	const char *name, const struct target_list *targets, struct pmpp_error *error)
{
	const char *names[MAX_NAMES];
	size_t count = 0;
	char hint[NAMES_TEXT_BYTES], all[NAMES_TEXT_BYTES];

	for (size_t t = 0; t < targets->count; t++)
		for (size_t v = 0; v < targets->items[t].variant_count; v++) {
			const struct macro *macro = targets->items[t].variants[v]->macros;
			for (; macro->name && count < MAX_NAMES; macro++) {
				if (macro->choices && !has_name(names, count, macro->name))
					names[count++] = macro->name;
			}
		}
	if (count == 0)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--set: '%s' is not a tunable: the selected variants have none; see "
			"pmpp-run list",
			name);
	return PMPP_FAIL(error, PMPP_USAGE,
		"--set: no selected variant has a tunable '%s'%s; the tunables are %s", name,
		nearest_hint(name, names, count, hint), names_text(names, count, all));
}

/* Whether a selected variant allows the value. *ret_macro: a macro with the name, tunable if there
 * is one; unchanged if no variant has the name. */
static bool some_variant_allows(const struct target_list *targets, const char *name, int value,
	const struct macro **ret_macro)
{
	for (size_t t = 0; t < targets->count; t++)
		for (size_t v = 0; v < targets->items[t].variant_count; v++) {
			const struct macro *macro = macro_find(targets->items[t].variants[v], name);
			if (macro && (!*ret_macro || macro->choices))
				*ret_macro = macro;
			if (macro && macro_allows(macro, value))
				return true;
		}
	return false;
}

static enum pmpp_status check_value(
	const struct target_list *targets, const char *name, int value, struct pmpp_error *error)
{
	const struct macro *macro = NULL;
	char choices[128];

	if (some_variant_allows(targets, name, value, &macro))
		return PMPP_OK;
	if (!macro)
		return unknown_tunable(name, targets, error);
	if (!macro->choices)
		return PMPP_FAIL(error, PMPP_USAGE, "--set: %s is fixed at %d", name, macro->value);
	choices_text(macro, choices, sizeof choices);
	return PMPP_FAIL(
		error, PMPP_USAGE, "--set %s=%d: the choices are %s", name, value, choices);
}

/* Rejects a point that no selected variant supports. */
static enum pmpp_status check_feasible(const struct tunable_list *list,
	const struct target_list *targets, struct pmpp_error *error)
{
	char reason[160] = "";

	for (size_t t = 0; t < targets->count; t++)
		for (size_t v = 0; v < targets->items[t].variant_count; v++) {
			const struct variant *variant = targets->items[t].variants[v];
			struct tuned_config *configs = NULL;
			size_t count = 0;
			bool concerned = false;
			enum pmpp_status status = tunables_expand(
				list, variant, &kernel_shape_reference, &configs, &count, error);
			if (status != PMPP_OK)
				return status;
			for (size_t i = 0; i < list->count; i++)
				concerned |= macro_find(variant, list->items[i].name) != NULL;
			bool feasible = count > 1 || !configs[0].reason[0];
			if (concerned && !feasible && !*reason)
				snprintf(reason, sizeof reason, "%s", configs[0].reason);
			free(configs);
			if (concerned && feasible)
				return PMPP_OK;
		}
	return PMPP_FAIL(error, PMPP_USAGE, "--set: infeasible: %s", reason);
}

enum pmpp_status tunables_check(const struct tunable_list *list, const struct target_list *targets,
	struct pmpp_error *error)
{
	if (list->count == 0)
		return PMPP_OK;
	for (size_t i = 0; i < list->count; i++)
		for (size_t j = 0; j < list->items[i].value_count; j++) {
			enum pmpp_status status = check_value(
				targets, list->items[i].name, list->items[i].values[j], error);
			if (status != PMPP_OK)
				return status;
		}
	return check_feasible(list, targets, error);
}

/* ---- Points -------------------------------------------------------------------------------- */

static void find_reason(struct tuned_config *tuned)
{
	const struct variant *variant = tuned->config.variant;
	char choices[96];

	for (size_t i = 0; variant->macros[i].name; i++) {
		const struct macro *macro = &variant->macros[i];
		int value = tuned->config.value[i];
		if (value == macro_default(macro, &tuned->config.shape) ||
			macro_allows(macro, value))
			continue;
		if (!macro->choices) {
			snprintf(tuned->reason, sizeof tuned->reason, "%s is fixed at %d here",
				macro->name, macro->value);
			return;
		}
		choices_text(macro, choices, sizeof choices);
		snprintf(tuned->reason, sizeof tuned->reason, "%s=%d is not among %s", macro->name,
			value, choices);
		return;
	}
	const char *reason = variant->infeasible ? variant->infeasible(&tuned->config) : NULL;
	snprintf(tuned->reason, sizeof tuned->reason, "%s", reason ? reason : "");
}

enum pmpp_status tunables_expand(const struct tunable_list *list, const struct variant *variant,
	const struct kernel_shape *shape, struct tuned_config **ret_configs, size_t *ret_count,
	struct pmpp_error *error)
{
	const struct tunable *swept[PMPP_MAX_MACROS] = {NULL}; /* one for each of variant->macros */
	size_t count = 1;

	for (size_t i = 0; variant->macros[i].name; i++)
		for (size_t j = 0; j < list->count; j++)
			if (strcmp(list->items[j].name, variant->macros[i].name) == 0) {
				swept[i] = &list->items[j];
				count *= list->items[j].value_count;
			}
	struct tuned_config *configs = calloc(count, sizeof *configs);
	if (!configs)
		return PMPP_NO_MEMORY(error, "%zu points", count);
	for (size_t point = 0; point < count; point++) {
		size_t rest = point;
		configs[point].config = config_for(variant, shape);
		configs[point].config.shared_bytes = (uint32_t)list->shared_bytes;
		for (size_t i = 0; variant->macros[i].name; i++) {
			if (!swept[i])
				continue;
			configs[point].config.value[i] =
				swept[i]->values[rest % swept[i]->value_count];
			configs[point].config.chosen |= 1u << i;
			rest /= swept[i]->value_count;
		}
		find_reason(&configs[point]);
	}
	*ret_configs = configs;
	*ret_count = count;
	return PMPP_OK;
}

/* ---- Choices -------------------------------------------------------------------------------- */

static size_t choice_names(const struct family *family, enum choice_option choice,
	const char *ret_names[DTYPE_COUNT + 8])
{
	const char *const *list = choice == CHOICE_OP ? family->ops : family->data;
	size_t count = 0;

	if (choice == CHOICE_DTYPE)
		for (; count < family->dtype_count; count++)
			ret_names[count] = dtype_info(family->dtypes[count])->name;
	else
		for (; count < PMPP_MAX_CHOICES && list[count]; count++)
			ret_names[count] = list[count];
	return count;
}

static enum pmpp_status check_choice(const char *value, enum choice_option choice,
	const struct target_list *targets, struct pmpp_error *error)
{
	static const char *const options[] = {
		[CHOICE_DTYPE] = "dtype", [CHOICE_OP] = "op", [CHOICE_DATA] = "data"};
	const char *names[DTYPE_COUNT + 8];
	char hint[NAMES_TEXT_BYTES], list[NAMES_TEXT_BYTES];
	size_t families_with = 0;

	for (size_t t = 0; value && t < targets->count; t++) {
		const struct family *family = targets->items[t].family;
		size_t count = choice_names(family, choice, names);
		families_with += count > 0;
		if (count > 0 && !has_name(names, count, value))
			return PMPP_FAIL(error, PMPP_USAGE, "--%s: %s has no '%s'%s: use one of %s",
				options[choice], family->name, value,
				nearest_hint(value, names, count, hint),
				names_text(names, count, list));
	}
	if (value && families_with == 0)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--%s=%s: no selected family has this option; see pmpp-run list",
			options[choice], value);
	return PMPP_OK;
}

enum pmpp_status choices_check(
	const struct choices *choices, const struct target_list *targets, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	for (int i = 0; i < CHOICE_COUNT && status == PMPP_OK; i++)
		status = check_choice(choices->of[i], (enum choice_option)i, targets, error);
	return status;
}

bool choices_allow(const struct choices *choices, const struct problem *problem)
{
	const struct family *family = problem->family;
	const char *const actual[] = {
		[CHOICE_DTYPE] = family->dtype_count ? dtype_info(problem->dtype)->name : NULL,
		[CHOICE_OP] = family->ops[problem->op],
		[CHOICE_DATA] = family->data[problem->data]};

	for (int i = 0; i < CHOICE_COUNT; i++)
		if (choices->of[i] && actual[i] && strcmp(choices->of[i], actual[i]) != 0)
			return false;
	return true;
}

void choices_of_own(const struct own_kernel *kernel, struct choices *choices)
{
	const struct family *family = kernel->family;

	if (kernel->has_dtype && !choices->of[CHOICE_DTYPE] && family->dtype_count > 1)
		choices->of[CHOICE_DTYPE] = dtype_info(kernel->dtype)->name;
	if (!choices->of[CHOICE_OP] && family->ops[0])
		choices->of[CHOICE_OP] = kernel->op ? kernel->op : family->ops[0];
}

bool choices_set(const struct choices *choices, struct problem *problem)
{
	for (size_t i = 0; i < family_choice_count(problem->family); i++) {
		problem_choose(problem, i);
		if (choices_allow(choices, problem))
			return true;
	}
	return false;
}

/* ---- Problems of a result file --------------------------------------------------------------- */

const struct problem *like_of(
	const struct like_list *list, const struct family *family, size_t index)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].family == family && index-- == 0)
			return &list->items[i];
	return NULL;
}
