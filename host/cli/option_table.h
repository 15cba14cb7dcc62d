/*
 * The table of options: one row for each, and the commands that read it.
 */
#ifndef PMPP_HOST_CLI_OPTION_TABLE_H
#define PMPP_HOST_CLI_OPTION_TABLE_H

#include <argp.h>

#include "host/cli/option_values.h"

/* At most 64: cli_options.given has a bit for each. */
extern const struct option_row option_rows[];
extern const size_t option_count;

/* Order in --help. */
enum option_group {
	GROUP_WHERE = 1,
	GROUP_WHAT,
	GROUP_MODEL,
	GROUP_HOW,
	GROUP_OUTPUT,
	GROUP_HELP
};

#define OPTION_MAX_COUNT 64

/* The letter of the short form. Rows without a letter have a number above 255. */
int option_key(size_t row);

/* The rows that any of the commands reads, as argp takes them, ended by zeros. If `commands` is one
 * command, the texts are those for this command. */
void option_argp_rows(unsigned commands, struct argp_option ret_rows[OPTION_MAX_COUNT + 1]);

#endif
