/* `selftest`: which mutants are chosen, and what its findings are. */
#include "tests/support/test.h"
#include "host/selftest/choice.c"

/* ---- Findings ------------------------------------------------------------------------------ */

#define NO_MEMORY 100 /* a launch error for lack of memory */

/* Kernels with a mistake and right kernels, by the status of their rows. The lists end with -1. */
static const struct finding_row {
	const char *name;
	int wrong[4], right[4], want;
	size_t rejected, through, ok, called_wrong;
} finding_rows[] = {
	{"nothing", {-1}, {-1}, EXIT_CODE_ALL_SKIPPED},
	{"rejected", {OUTCOME_FAILED, OUTCOME_CRASHED, OUTCOME_LAUNCH_ERROR, -1}, {OUTCOME_OK, -1},
		EXIT_CODE_OK, 3, 0, 1},
	{"does not end", {OUTCOME_TIMEOUT, -1}, {-1}, EXIT_CODE_OK, 1},
	{"a right kernel in place of a wrong one", {OUTCOME_FAILED, OUTCOME_OK, -1}, {-1},
		EXIT_CODE_FAILED, 1, 1},
	{"a right kernel is called wrong", {OUTCOME_FAILED, -1}, {OUTCOME_OK, OUTCOME_FAILED, -1},
		EXIT_CODE_FAILED, 1, 0, 1, 1},
	{"a right kernel crashes", {OUTCOME_FAILED, -1}, {OUTCOME_CRASHED, -1}, EXIT_CODE_FAILED, 1,
		0, 0, 1},
	{"a right kernel is slow", {OUTCOME_FAILED, -1}, {OUTCOME_TIMEOUT, -1}, EXIT_CODE_OK, 1},
	{"not built, not run", {OUTCOME_BUILD_ERROR, OUTCOME_SKIPPED, OUTCOME_UNSUPPORTED, -1},
		{OUTCOME_BUILD_ERROR, OUTCOME_UNVERIFIED, -1}, EXIT_CODE_ALL_SKIPPED},
	{"no memory", {NO_MEMORY, -1}, {NO_MEMORY, -1}, EXIT_CODE_ALL_SKIPPED},
};

static const struct mutant *first_mutant(bool is_right)
{
	size_t n = 0;

	while ((mutant_at(n)->verdict == PASSES) != is_right)
		n++;
	return mutant_at(n);
}

static void add_all(struct selftest_tally *tally, const int *statuses, bool is_right)
{
	const struct mutant *mutant = first_mutant(is_right);

	for (size_t i = 0; statuses[i] >= 0; i++) {
		struct result_row row = {.status = statuses[i]};
		if (statuses[i] == NO_MEMORY) {
			row.status = OUTCOME_LAUNCH_ERROR;
			row.error.record.present = true;
			row.error.status = PMPP_OUT_OF_MEMORY;
		}
		selftest_tally_add(tally, mutant, &row);
	}
}

TEST_ROWS(finding, finding_rows, "findings: %s", row->name)
{
	struct selftest_tally tally = {0};

	add_all(&tally, row->wrong, false);
	add_all(&tally, row->right, true);
	EQUAL(tally.all_wrong[FINDING_GOOD], row->rejected);
	EQUAL(tally.all_wrong[FINDING_MISTAKEN], row->through);
	EQUAL(tally.right[FINDING_GOOD], row->ok);
	EQUAL(tally.right[FINDING_MISTAKEN], row->called_wrong);
	EQUAL(selftest_tally_exit(&tally), row->want);
}

/* ---- Choice -------------------------------------------------------------------------------- */

static const struct device_row {
	enum gpu_backend_id backend;
	unsigned capabilities;
} device_rows[] = {
	{GPU_BACKEND_OPENCL, 0},
	{GPU_BACKEND_CUDA, ~0u},
	{GPU_BACKEND_CUDA_EMU, ~0u},
	{GPU_BACKEND_OPENCL_EMU, ~0u},
};

struct rounds {
	int *of; /* by number; the caller frees it */
	size_t first, chosen;
};

static struct rounds rounds_of(const struct gpu_device_info *info, bool all)
{
	struct rounds rounds = {.of = calloc(mutant_count(), sizeof *rounds.of)};

	assert_non_null(rounds.of);
	selftest_rounds(info, all, rounds.of);
	for (size_t n = 0; n < mutant_count(); n++) {
		rounds.first += rounds.of[n] <= SELFTEST_FAMILIES;
		rounds.chosen += rounds.of[n] < SELFTEST_NOT_CHOSEN;
	}
	return rounds;
}

/* The first round has a wrong kernel of the same table. The first two have one of the same family. */
static bool is_covered(const struct mutant *mutant, const int *rounds)
{
	bool has_family = false, has_table = false;

	for (size_t i = 0; i < mutant_count(); i++) {
		const struct mutant *other = mutant_at(i);

		if (other->verdict == PASSES || rounds[i] > SELFTEST_FAMILIES)
			continue;
		has_family |= strcmp(other->family, mutant->family) == 0;
		has_table |= rounds[i] == SELFTEST_KINDS &&
			     mutant_table_of(other) == mutant_table_of(mutant);
	}
	return has_family && has_table;
}

/* A later round has at most one mutant of a table, and each round before it has one as well. */
static void check_spread(const int *rounds, size_t number)
{
	size_t before = 0;

	for (size_t n = 0; n < mutant_count(); n++) {
		if (n == number || rounds[n] <= SELFTEST_FAMILIES ||
			mutant_table_of(mutant_at(n)) != mutant_table_of(mutant_at(number)))
			continue;
		assert_int_not_equal(rounds[n], rounds[number]);
		before += rounds[n] < rounds[number];
	}
	assert_int_equal(before, rounds[number] - SELFTEST_FAMILIES - 1);
}

/* Each kind that the device can run has a wrong kernel in the first round, and each family in the
 * first two. The other kernels are spread over the kinds. All of mutants_data run. */
TEST_ROWS(choice, device_rows, "choice: %s", gpu_backend_name(row->backend))
{
	const struct gpu_device_info info = {
		.backend = row->backend, .capabilities = row->capabilities};
	struct rounds rounds = rounds_of(&info, false), all = rounds_of(&info, true);

	for (size_t n = 0; n < mutant_count(); n++) {
		const struct mutant *mutant = mutant_at(n);
		int round = rounds.of[n];
		bool can_run = mutant_can_run(mutant, &info, true);

		EQUAL(mutant_number(mutant), n);
		EQUAL(round == SELFTEST_NOT_HERE, !can_run);
		EQUAL(all.of[n] < SELFTEST_NOT_CHOSEN, can_run);
		if (can_run && mutant->verdict != PASSES)
			IS(is_covered(mutant, rounds.of));
		if (round > SELFTEST_FAMILIES && round < SELFTEST_NOT_CHOSEN)
			check_spread(rounds.of, n);
		if (can_run && mutant_tables[mutant_table_of(mutant)].rows == mutants_data)
			IS(round < SELFTEST_NOT_CHOSEN);
	}
	test_note("%zu of %zu mutants: %zu in the first rounds", rounds.chosen, all.chosen,
		rounds.first);
	IS(all.chosen > rounds.chosen && rounds.chosen > rounds.first);
	free(rounds.of);
	free(all.of);
}

/* Each mutant that a backend can run has a text: the kernel has the part that is changed. */
TEST_ROWS(texts, device_rows, "texts: %s", gpu_backend_name(row->backend))
{
	const struct gpu_device_info info = {
		.backend = row->backend, .capabilities = row->capabilities};

	for (size_t n = 0; n < mutant_count(); n++) {
		const struct mutant *mutant = mutant_at(n);
		FREED char *text = NULL;

		if (!mutant_can_run(mutant, &info, true))
			continue;
		test_ok(mutant_text(mutant, row->backend, &text, &test_error));
	}
}
