/*
 * Setters of option values: they write the text of an option to a field of struct cli_options.
 */
#ifndef PMPP_HOST_CLI_OPTION_VALUES_H
#define PMPP_HOST_CLI_OPTION_VALUES_H

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

struct option_row {
	const char *name; /* without the dashes */
	int key;          /* letter of the short form, or a number above 255 */
	const char *arg;  /* "FILE"; NULL: takes none */
	bool arg_optional;
	unsigned commands; /* enum command_bit */
	int group;         /* enum option_group */
	const char *help;  /* phrase of --help; NULL: shares the line of the row before it */
	const char *text;  /* sentences of the man page */

	/* text: the value; NULL if an optional value is left out. */
	enum pmpp_status (*set)(const struct option_row *row, const char *text,
		struct cli_options *options, struct pmpp_error *error);
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
	} command_help[5];
};

typedef enum pmpp_status option_set_fn(const struct option_row *row, const char *text,
	struct cli_options *options, struct pmpp_error *error);

option_set_fn option_set_flag;   /* bool */
option_set_fn option_set_text;   /* const char * */
option_set_fn option_set_output; /* const char *, "-" without a value */
option_set_fn option_set_choice; /* an enum (int) */
option_set_fn option_set_double;
option_set_fn option_set_count; /* size_t */
option_set_fn option_set_seed;
option_set_fn option_set_size;
option_set_fn option_set_tunable;
option_set_fn option_set_file; /* struct operand_file_list */
option_set_fn option_set_shard;
option_set_fn option_set_block; /* int64_t[2]: N or NxN */
option_set_fn option_set_blocks;

#endif
