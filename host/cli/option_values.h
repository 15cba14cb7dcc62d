/*
 * Setters of option values: text of the command line into fields of struct cli_options.
 */
#ifndef PMPP_HOST_CLI_OPTION_VALUES_H
#define PMPP_HOST_CLI_OPTION_VALUES_H

#include "host/cli/cli_options.h"

struct option_row {
	const char *name; /* without the dashes */
	int key;          /* letter of the short form, or a number above 255 */
	const char *arg;  /* "FILE"; NULL: takes none */
	bool arg_optional;
	unsigned commands; /* enum command_bit */
	int group;         /* order in --help */
	const char *doc;

	/* text: the value, NULL where an optional one is left out. */
	enum pmpp_status (*set)(const struct option_row *row, const char *text,
		struct cli_options *options, struct pmpp_error *error);
	size_t offset;    /* of the field in struct cli_options, for the setters that need one */
	double min, max;  /* of a number */
	const char *unit; /* of a number, for messages; NULL: none */
	const char *const *choices; /* words, in the order of the enum; ended by NULL */
	/* Texts that replace doc in the help of one command. */
	struct {
		unsigned command; /* enum command_bit: one or several */
		const char *doc;
	} command_docs[4];
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
