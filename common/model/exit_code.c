#include "common/model/exit_code.h"

/* For an error that ended a command. */
static enum exit_code exit_code_of(enum pmpp_status status)
{
	static const enum exit_code codes[] = {
		[PMPP_OK] = EXIT_CODE_OK,
		[PMPP_USAGE] = EXIT_CODE_USAGE,
		[PMPP_TOO_LARGE] = EXIT_CODE_USAGE,
		[PMPP_UNAVAILABLE] = EXIT_CODE_UNAVAILABLE,
		[PMPP_UNSUPPORTED] = EXIT_CODE_UNAVAILABLE,
		[PMPP_OUT_OF_MEMORY] = EXIT_CODE_BROKEN,
		[PMPP_BUILD] = EXIT_CODE_BROKEN,
		[PMPP_LAUNCH] = EXIT_CODE_BROKEN,
		[PMPP_TIMEOUT] = EXIT_CODE_BROKEN,
		[PMPP_IO] = EXIT_CODE_BROKEN,
		[PMPP_INTERRUPTED] = EXIT_CODE_INTERRUPTED,
		[PMPP_INTERNAL] = EXIT_CODE_BROKEN,
	};
	if ((size_t)status >= sizeof codes / sizeof *codes)
		return EXIT_CODE_BROKEN;
	return codes[status];
}

enum exit_code exit_code_of_counts(const struct exit_counts *counts)
{
	const size_t *of = counts->of_class;

	if (of[OUTCOME_CLASS_FAILED] > 0)
		return EXIT_CODE_FAILED;
	if (of[OUTCOME_CLASS_BROKEN] > 0 || counts->lost_devices > 0)
		return EXIT_CODE_BROKEN;
	if (counts->misfits > 0)
		return EXIT_CODE_USAGE;
	if (counts->needs_rows && of[OUTCOME_CLASS_OK] == 0)
		return EXIT_CODE_ALL_SKIPPED;
	return EXIT_CODE_OK;
}

enum exit_code exit_code_with_error(enum exit_code found, enum pmpp_status status)
{
	bool stays = found == EXIT_CODE_FAILED || found == EXIT_CODE_BROKEN;

	if (status == PMPP_OK || (stays && status != PMPP_INTERRUPTED))
		return found;
	return exit_code_of(status);
}

/* The position of a code in the order; an unknown code counts as EXIT_CODE_BROKEN. */
static size_t place_of(enum exit_code code)
{
	static const enum exit_code order[] = {EXIT_CODE_INTERRUPTED, EXIT_CODE_CLOSED_PIPE,
		EXIT_CODE_FAILED, EXIT_CODE_BROKEN, EXIT_CODE_REGRESSION, EXIT_CODE_UNAVAILABLE,
		EXIT_CODE_USAGE, EXIT_CODE_OK, EXIT_CODE_ALL_SKIPPED};
	const size_t broken = 3;

	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		if (code == order[i])
			return i;
	return broken;
}

enum exit_code exit_code_worst(enum exit_code a, enum exit_code b)
{
	return place_of(a) <= place_of(b) ? a : b;
}
