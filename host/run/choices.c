#include "host/run/choices.h"

#include <stdio.h>
#include <string.h>

#include "common/nearest.h"

enum choice {
	CHOICE_DTYPE,
	CHOICE_OP,
	CHOICE_DATA,
	CHOICE_COUNT
};

static const char *const option_names[] = {
	[CHOICE_DTYPE] = "dtype", [CHOICE_OP] = "op", [CHOICE_DATA] = "data"};

static const char *given(const struct job_options *options, enum choice choice)
{
	const char *const values[] = {[CHOICE_DTYPE] = options->dtype,
		[CHOICE_OP] = options->op,
		[CHOICE_DATA] = options->data};

	return values[choice];
}

static size_t names_of(
	const struct family *family, enum choice choice, const char *ret_names[DTYPE_COUNT + 8])
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

static enum pmpp_status check_choice(const struct job_options *options, enum choice choice,
	const struct target_list *targets, struct pmpp_error *error)
{
	const char *value = given(options, choice);
	const char *names[DTYPE_COUNT + 8];
	size_t families_with = 0;
	char near[96];

	for (size_t t = 0; value && t < targets->count; t++) {
		const struct family *family = targets->items[t].family;
		size_t count = names_of(family, choice, names);
		bool found = count == 0;
		char list[96] = "";

		families_with += count > 0;
		for (size_t i = 0; i < count; i++) {
			found = found || strcmp(names[i], value) == 0;
			snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s",
				i ? ", " : "", names[i]);
		}
		if (found)
			continue;
		nearest_names(value, names, count, near, sizeof near);
		return PMPP_FAIL(error, PMPP_USAGE, "--%s: %s has no '%s'%s%s%s: use one of %s",
			option_names[choice], family->name, value, *near ? " (did you mean " : "",
			near, *near ? "?)" : "", list);
	}
	if (value && families_with == 0)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--%s=%s: no selected family has this option; see pmpp-run list",
			option_names[choice], value);
	return PMPP_OK;
}

enum pmpp_status choices_check(const struct job_options *options, const struct target_list *targets,
	struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	for (int choice = 0; choice < CHOICE_COUNT && status == PMPP_OK; choice++)
		status = check_choice(options, (enum choice)choice, targets, error);
	return status;
}

bool choices_allow(const struct job_options *options, const struct problem *problem)
{
	const struct family *family = problem->family;
	const char *const actual[] = {
		[CHOICE_DTYPE] = family->dtype_count ? dtype_info(problem->dtype)->name : NULL,
		[CHOICE_OP] = family->ops[problem->op],
		[CHOICE_DATA] = family->data[problem->data]};
	bool allowed = true;

	for (int choice = 0; choice < CHOICE_COUNT; choice++) {
		const char *expected = given(options, (enum choice)choice);
		allowed = allowed &&
			  (!expected || !actual[choice] || strcmp(expected, actual[choice]) == 0);
	}
	return allowed;
}

void choices_set(const struct job_options *options, struct problem *problem)
{
	for (size_t i = 0; i < family_choice_count(problem->family); i++) {
		problem_choose(problem, i);
		if (choices_allow(options, problem))
			return;
	}
}
