/*
 * The table of options: one row for each, and the commands that read it. Parser, help, man page and
 * completions of shells are made from this table.
 */
#ifndef PMPP_HOST_CLI_OPTION_TABLE_H
#define PMPP_HOST_CLI_OPTION_TABLE_H

#include "host/cli/cli_options.h"

/* The words that completions of shells offer as the value of an option. */
enum option_words {
	WORDS_NONE,
	WORDS_CHOICES, /* option_row.choices */
	WORDS_BACKENDS,
	WORDS_DEVICES,
	WORDS_DTYPES,
	WORDS_OPERATIONS,
	WORDS_DATA,
	WORDS_TUNABLES,
	WORDS_CAPABILITIES,
	WORDS_MODELS,
	WORDS_FIELDS,
	WORDS_SHIPPED,
	WORDS_FILES,
	WORDS_FOLDERS,
	WORDS_COUNT
};

/* An option of the command line. */
struct given_option {
	const struct option_row *row;
	const char *text; /* the value; NULL if an optional value is left out */
	struct cli_options *options;
};

struct option_row {
	const char *name; /* without the dashes */
	char key;         /* letter of the short form; 0: none */
	const char *arg;  /* "FILE"; NULL: takes none */
	bool arg_optional;
	unsigned commands; /* enum command_bit */
	int group;         /* enum option_group */
	const char *help;  /* phrase of --help; NULL: shares the line of the row before it */
	const char *text;  /* sentences of the man page; NULL: help is the sentence */

	enum pmpp_status (*set)(const struct given_option *given, struct pmpp_error *error);
	size_t offset;    /* of the field in struct cli_options, if the setter needs one */
	double min, max;  /* of a number */
	const char *unit; /* of a number, for messages; NULL: none */
	const char *const *choices; /* words, in the order of the enum; ended by NULL */
	enum option_words words;
	bool common; /* pmpp-run --help describes it */
	/* Phrases that replace help in the help of one command. */
	struct {
		unsigned command; /* enum command_bit: one or several */
		const char *help;
	} command_help[6];
};

/* cli_options.given has a member for each row. */
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

/* The phrase of --help; NULL if the row shares the line of the row before it. commands: one bit, or
 * ~0u for the help of all commands. */
const char *option_help(const struct option_row *row, unsigned commands);

/* "-o, --output=FILE" */
void option_spelling(const struct option_row *row, char *ret_text, size_t size);

#endif
