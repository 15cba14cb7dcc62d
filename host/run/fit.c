#include "host/run/fit.h"

#include <stdio.h>

static bool all_fit(const struct fit_place *place, const struct task *tasks, size_t count,
	const struct problem *problem)
{
	for (size_t i = 0; i < count; i++)
		for (size_t s = 0; s < 2; s++)
			if (place->suites[s] &&
				!suite_fits_well(place->suites[s], &tasks[i].config, problem))
				return false;
	return true;
}

bool fit_problem(const struct fit_place *place, const struct task *tasks, size_t count,
	struct problem *problem, char ret_note[FIT_NOTE_BYTES])
{
	struct problem smaller = *problem;
	char before[80], after[80];

	if (all_fit(place, tasks, count, problem))
		return false;
	do {
		if (!problem_halve(&smaller))
			return false;
	} while (!all_fit(place, tasks, count, &smaller));
	problem_text(problem, before, sizeof before);
	problem_text(&smaller, after, sizeof after);
	snprintf(ret_note, FIT_NOTE_BYTES,
		"%s: default size reduced from %s to %s to fit in free memory",
		problem->family->name, before, after);
	*problem = smaller;
	return true;
}
