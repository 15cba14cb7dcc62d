/*
 * The table of options: one row for each, and the commands that read it. Parser, help, man page and
 * completions of shells are made from this table.
 */
#ifndef PMPP_HOST_CLI_OPTION_TABLE_H
#define PMPP_HOST_CLI_OPTION_TABLE_H

#include <argp.h>

#include "host/cli/option_values.h"

/* At most 64: cli_options.given has a bit for each. */
extern const struct option_row option_rows[];
extern const size_t option_count;

/* Rows of one group are neighbours. Order of the table, in --help and in the man page. */
enum option_group {
	GROUP_COMPARE,
	GROUP_WHAT,
	GROUP_MODEL,
	GROUP_HOW,
	GROUP_OUTPUT,
	GROUP_GENERAL, /* read by every command */
	GROUP_COUNT
};

/* Title of a group, such as "Output". */
const char *option_group_title(int group);

/* The letter of the short form. Rows without a letter have a number above 255. */
int option_key(size_t row);

/* All rows as argp takes them, ended by zeros. */
void option_argp_rows(struct argp_option ret_rows[OPTION_MAX_COUNT + 1]);

/* The phrase of --help; NULL if the row shares the line of the row before it. commands: one bit, or
 * ~0u for the help of all commands. */
const char *option_help(const struct option_row *row, unsigned commands);

/* "-o, --output=FILE" */
void option_spelling(const struct option_row *row, char *ret_text, size_t size);

#endif
