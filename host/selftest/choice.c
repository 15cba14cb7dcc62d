#include "host/selftest/choice.h"

#include <stdlib.h>
#include <string.h>

#include "host/gpu/backends.h"
#include "host/io/sources.h"
#include "host/suite/kernel_file.h"

/* ---- Numbers ------------------------------------------------------------------------------- */

/* Stops at the mutant, or at the mutant with the number. */
static const struct mutant *find(
	const struct mutant *mutant, size_t number, size_t *ret_number, size_t *ret_table)
{
	*ret_number = 0;
	for (size_t t = 0; t < MUTANT_TABLE_COUNT; t++)
		for (const struct mutant *m = mutant_tables[t].rows; m->name; m++, ++*ret_number)
			if (m == mutant || *ret_number == number) {
				*ret_table = t;
				return m;
			}
	return NULL;
}

size_t mutant_count(void)
{
	size_t count, ignored;

	find(NULL, SIZE_MAX, &count, &ignored);
	return count;
}

const struct mutant *mutant_at(size_t number)
{
	size_t ignored;

	return find(NULL, number % mutant_count(), &ignored, &ignored);
}

static size_t mutant_number(const struct mutant *mutant)
{
	size_t number, ignored;

	find(mutant, SIZE_MAX, &number, &ignored);
	return number;
}

/* The index of its table in mutant_tables. */
static size_t mutant_table_of(const struct mutant *mutant)
{
	size_t ignored, table = 0;

	find(mutant, SIZE_MAX, &ignored, &table);
	return table;
}

/* ---- Choice -------------------------------------------------------------------------------- */

static unsigned engine_bit(enum gpu_backend_id backend, bool traced)
{
	static const unsigned bits[GPU_BACKEND_COUNT][2] = {
		[GPU_BACKEND_OPENCL] = {ON_OPENCL, ON_OPENCL},
		[GPU_BACKEND_CUDA] = {ON_CUDA, ON_CUDA},
		[GPU_BACKEND_CUDA_EMU] = {ON_EMULATOR, ON_TRACED},
		[GPU_BACKEND_OPENCL_EMU] = {0, ON_CL_TRACED},
	};

	return bits[backend][traced];
}

const struct variant *mutant_variant(const struct mutant *mutant)
{
	return variant_find(family_find(mutant->family), mutant->variant);
}

/* Whether a mutant can run: with the capabilities of the device, and with an enum mutant_engines
 * bit for its backend. traced: an emulator checks each access. */
static bool mutant_can_run(
	const struct mutant *mutant, const struct gpu_device_info *info, bool traced)
{
	unsigned needs = mutant_variant(mutant)->needs | mutant->needs;

	return (mutant->engines & engine_bit(info->backend, traced)) &&
	       !(needs & ~info->capabilities);
}

/* Which mutants are alike, for mutant_is_first(). */
enum mutant_likeness {
	LIKE_TABLE = 1 << 0,
	LIKE_FAMILY = 1 << 1,
	LIKE_VERDICT = 1 << 2,
	LIKE_DEFECTS = 1 << 3 /* controls do not count */
};

static bool is_like(const struct mutant *mutant, const struct mutant *other, unsigned like)
{
	return (!(like & LIKE_FAMILY) || strcmp(mutant->family, other->family) == 0) &&
	       (!(like & LIKE_VERDICT) || mutant->verdict == other->verdict) &&
	       (!(like & LIKE_DEFECTS) || other->verdict != PASSES);
}

/* Whether no mutant before this one, in the order of the tables, is like it and can run. like: bits
 * of enum mutant_likeness, all of which must hold. */
static bool mutant_is_first(
	const struct mutant *mutant, const struct gpu_device_info *info, bool traced, unsigned like)
{
	size_t table = mutant_table_of(mutant);

	for (size_t t = like & LIKE_TABLE ? table : 0; t <= table; t++)
		for (const struct mutant *m = mutant_tables[t].rows; m->name; m++)
			if (is_like(mutant, m, like) && mutant_can_run(m, info, traced))
				return m == mutant;
	return false;
}

static bool is_chosen(const struct mutant *mutant, const struct gpu_device_info *info)
{
	return mutant_tables[mutant_table_of(mutant)].rows == mutants_data ||
	       mutant_is_first(mutant, info, true, LIKE_TABLE | LIKE_FAMILY | LIKE_VERDICT);
}

/* Ranks count from SELFTEST_FAMILIES + 1, within each table and family. */
static int rank_of(size_t number, const int *ranks)
{
	const struct mutant *mutant = mutant_at(number);
	int rank = SELFTEST_FAMILIES + 1;

	for (size_t n = 0; n < number; n++)
		rank += ranks[n] > SELFTEST_FAMILIES && ranks[n] < SELFTEST_NOT_CHOSEN &&
			is_like(mutant, mutant_at(n), LIKE_FAMILY) &&
			mutant_table_of(mutant_at(n)) == mutant_table_of(mutant);
	return rank;
}

/* Ranks become rounds: in the order of the ranks, each mutant of a table gets the next round. */
static void spread_ranks(int *ranks)
{
	int last[MUTANT_TABLE_COUNT] = {0};
	size_t count = mutant_count();

	for (int rank = SELFTEST_FAMILIES + 1; rank < SELFTEST_NOT_CHOSEN; rank++)
		for (size_t n = 0; n < count; n++)
			if (ranks[n] == rank)
				ranks[n] =
					-SELFTEST_FAMILIES - ++last[mutant_table_of(mutant_at(n))];
	for (size_t n = 0; n < count; n++)
		ranks[n] = abs(ranks[n]);
}

void selftest_rounds(const struct gpu_device_info *info, bool all, int *ret_rounds)
{
	for (size_t n = 0; n < mutant_count(); n++) {
		const struct mutant *mutant = mutant_at(n);

		if (!mutant_can_run(mutant, info, true))
			ret_rounds[n] = SELFTEST_NOT_HERE;
		else if (mutant_is_first(mutant, info, true, LIKE_TABLE | LIKE_DEFECTS))
			ret_rounds[n] = SELFTEST_KINDS;
		else if (mutant_is_first(mutant, info, true, LIKE_FAMILY | LIKE_DEFECTS))
			ret_rounds[n] = SELFTEST_FAMILIES;
		else if (all || is_chosen(mutant, info))
			ret_rounds[n] = rank_of(n, ret_rounds);
		else
			ret_rounds[n] = SELFTEST_NOT_CHOSEN;
	}
	spread_ranks(ret_rounds);
}

/* ---- Changed text ---------------------------------------------------------------------------- */

static size_t text_occurrences(const char *text, const char *find)
{
	size_t count = 0;

	for (const char *at = strstr(text, find); at; at = strstr(at + strlen(find), find))
		count++;
	return count;
}

/* Returns the text with each occurrence of `find` replaced; the caller frees it. NULL: no memory. */
static char *text_replaced(const char *text, const char *find, const char *replacement)
{
	size_t size = strlen(text) + text_occurrences(text, find) * strlen(replacement) + 1;
	char *result = calloc(1, size);
	char *end = result;

	if (!result)
		return NULL;
	while (*text) {
		const char *at = strstr(text, find);
		size_t before = at ? (size_t)(at - text) : strlen(text);

		memcpy(end, text, before);
		end += before;
		if (!at)
			break;
		end = stpcpy(end, replacement);
		text = at + strlen(find);
	}
	*end = '\0';
	return result;
}

/* ---- Kernel and problem -------------------------------------------------------------------- */

struct problem mutant_problem(const struct mutant *mutant)
{
	struct problem problem = problem_default(family_find(mutant->family));

	memcpy(problem.dim, mutant->dim, problem.family->dim_count * sizeof *mutant->dim);
	problem.op = mutant->op;
	problem.data = mutant->data;
	if (mutant->dtype)
		problem.dtype = mutant->dtype;
	problem.seed = mutant_number(mutant) + 1;
	return problem;
}

enum pmpp_status mutant_text(const struct mutant *mutant, enum gpu_backend_id backend,
	char **ret_text, struct pmpp_error *error)
{
	bool is_opencl = gpu_backend_row(backend)->language == GPU_LANGUAGE_OPENCL_C;
	const char *replacement =
		is_opencl || !mutant->replace_cu ? mutant->replace_cl : mutant->replace_cu;
	char path[KERNEL_PATH_BYTES], *text;

	kernel_file_path(mutant_variant(mutant), backend, path);
	/* A part of an included file can be changed too. */
	enum pmpp_status status = source_load(NULL, path, &text, error);
	if (status != PMPP_OK)
		return status;
	if (!mutant->find) {
		*ret_text = text;
		return PMPP_OK;
	}
	if (text_occurrences(text, mutant->find) == 0)
		status = PMPP_FAIL(error, PMPP_INTERNAL,
			"%s does not hold '%s': the mutation is out of date", path, mutant->find);
	else if (!(*ret_text = text_replaced(text, mutant->find, replacement)))
		status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "%s: no memory for its text", path);
	free(text);
	return status;
}

/* ---- Findings ------------------------------------------------------------------------------ */

/* By status: of a kernel with a mistake, and of a control. */
static const enum selftest_finding findings[OUTCOME_STATUS_COUNT][2] = {
	[OUTCOME_OK] = {FINDING_MISTAKEN, FINDING_GOOD},
	[OUTCOME_UNVERIFIED] = {FINDING_NOT_RUN, FINDING_NOT_RUN},
	[OUTCOME_FAILED] = {FINDING_GOOD, FINDING_MISTAKEN},
	[OUTCOME_SUSPECT] = {FINDING_GOOD, FINDING_MISTAKEN},
	[OUTCOME_UNSUPPORTED] = {FINDING_NOT_RUN, FINDING_NOT_RUN},
	[OUTCOME_SKIPPED] = {FINDING_NOT_RUN, FINDING_NOT_RUN},
	[OUTCOME_BUILD_ERROR] = {FINDING_NOT_RUN, FINDING_NOT_RUN},
	[OUTCOME_LAUNCH_ERROR] = {FINDING_GOOD, FINDING_MISTAKEN},
	[OUTCOME_TIMEOUT] = {FINDING_GOOD, FINDING_NOT_RUN},
	[OUTCOME_CRASHED] = {FINDING_GOOD, FINDING_MISTAKEN},
};

static enum selftest_finding judge_row(const struct mutant *mutant, const struct result_row *row)
{
	if (row->status < 0 || row->status >= OUTCOME_STATUS_COUNT ||
		(row->error.record.present && row->error.status == PMPP_OUT_OF_MEMORY))
		return FINDING_NOT_RUN;
	return findings[row->status][mutant->verdict == PASSES];
}

enum selftest_finding selftest_tally_add(
	struct selftest_tally *tally, const struct mutant *mutant, const struct result_row *row)
{
	enum selftest_finding finding = judge_row(mutant, row);

	if (mutant->verdict == PASSES) {
		tally->right[finding]++;
	} else {
		tally->wrong[mutant_table_of(mutant)][finding]++;
		tally->all_wrong[finding]++;
	}
	return finding;
}

enum exit_code selftest_tally_exit(const struct selftest_tally *tally)
{
	struct exit_counts counts = {.needs_rows = true};

	counts.of_class[OUTCOME_CLASS_OK] =
		tally->all_wrong[FINDING_GOOD] + tally->right[FINDING_GOOD];
	counts.of_class[OUTCOME_CLASS_FAILED] =
		tally->all_wrong[FINDING_MISTAKEN] + tally->right[FINDING_MISTAKEN];
	return exit_code_of_counts(&counts);
}
