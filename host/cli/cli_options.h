/*
 * The parsed command line: the command, its arguments, and the value of every option.
 */
#ifndef PMPP_HOST_CLI_CLI_OPTIONS_H
#define PMPP_HOST_CLI_CLI_OPTIONS_H

#include <string.h>

#include "common/own/kernel.h"
#include "host/report/terminal.h"
#include "host/run/job.h"

/* ---- Commands ------------------------------------------------------------------------------ */

enum command_bit {
	CMD_RUN = 1 << 0,
	CMD_VERIFY = 1 << 1,
	CMD_PARITY = 1 << 2,
	CMD_LIST = 1 << 3,
	CMD_DEVICES = 1 << 4,
	CMD_SHOW = 1 << 5,
	CMD_ROOFLINE = 1 << 6,
	CMD_DOCTOR = 1 << 7,
	CMD_OCCUPANCY = 1 << 8, /* the models */
	CMD_DRAM = 1 << 9,
	CMD_BOUNDARY = 1 << 10,
	CMD_EXPLAIN = 1 << 11,
	CMD_COMPARE = 1 << 12,
	CMD_HISTORY = 1 << 13,
	CMD_STORE_EXPORT = 1 << 14,
	CMD_STORE_IMPORT = 1 << 15,
	CMD_REPORT = 1 << 16,
	CMD_CONTRIBUTE = 1 << 17,
	CMD_SELFTEST = 1 << 18,
	CMD_STORE_LIST = 1 << 19,
	CMD_STORE_REMOVE = 1 << 20,
	CMD_TRY = 1 << 21,
	CMD_NEW = 1 << 22,
	CMD_WARPS = 1 << 23, /* models too */
	CMD_TREE = 1 << 24
};

/* Order in pmpp-run --help. Commands of one group are neighbours. */
enum command_group {
	COMMANDS_KERNELS,
	COMMANDS_RESULTS,
	COMMANDS_LISTS,
	COMMANDS_MODELS,
	COMMAND_GROUP_COUNT
};

/* What the arguments of a command are, for completions of shells. */
enum argument_words {
	ARGUMENTS_NONE,
	ARGUMENTS_VARIANTS,
	ARGUMENTS_FILES,
	ARGUMENTS_COUNT
};

struct cli_options;

struct command {
	const char *name;     /* one word or two, "model dram" */
	enum command_bit bit; /* of option_row.commands */
	const char *arguments;
	const char *summary; /* phrase that starts with a verb */
	size_t min_arguments, max_arguments;

	/* Sets *ret_exit to the exit code of its findings, also if an error ends the command later.
	 * The caller combines both with exit_code_with_error(). */
	enum pmpp_status (*run)(
		const struct cli_options *options, int *ret_exit, struct pmpp_error *error);

	enum command_group group;
	enum argument_words words;
	enum job_action action;  /* of cmd_job() */
	const char *note;        /* sentence or two of its --help; NULL = none */
	const char *text;        /* sentences of the man page, after the note; NULL = none */
	const char *page;        /* page of the documentation; NULL = none */
	const char *examples[4]; /* without the name of the program; two at least */
	bool takes_shipped;      /* its --help has the names of the shipped devices */
};

struct command_list {
	const struct command *items; /* the first is `run`, whose name may be left out */
	size_t count;
};

/* ---- Options ------------------------------------------------------------------------------- */

#define CLI_MAX_WORDS 256
#define OPTION_MAX_COUNT 96

/* Options of the models. Unless the comment says otherwise, 0 = not on the command line. */
struct model_options {
	const char *cc;
	size_t threads, registers;     /* per block, per thread */
	size_t scalars, acc_registers; /* AMD: per wave, per thread */
	bool barrier, cu_mode;
	size_t threads_per_sm, blocks_per_sm, registers_per_sm, shared_per_sm_bytes;
	double latency_ratio; /* negative: not given */
	double bus_gbps;      /* of a channel; 0: not given */
	size_t channels, banks, burst_bytes;
	int64_t block[3]; /* x, y, z; 0 if not given */
};

/* --fail-on. */
enum fail_on {
	FAIL_ON_NOTHING,
	FAIL_ON_SLOW,
	FAIL_ON_MISSING,
	FAIL_ON_COUNTS /* of explain files */
};

/* Options of `compare`. */
struct comparing_options {
	const char *by;   /* NULL = not given */
	const char *with; /* shipped devices; NULL = not given */
	enum fail_on fail_on;
};

struct cli_options {
	int argc;
	char *const *argv;

	const struct command *command;
	const char *arguments[CLI_MAX_WORDS]; /* words after the name of the command */
	size_t argument_count;

	struct job_options job; /* command_task_prepare() sets words and cc */
	struct model_options model;
	struct comparing_options comparing;
	struct own_wishes trying; /* try */
	const char *require;      /* conditions, or "@" and a file; NULL = not given */
	struct terminal_options terminal;
	const char *json, *csv, *markdown; /* NULL = not given, "-" = stdout */
	const char *output;                /* -o; NULL = not given, "-" = stdout */
	const char *report;                /* page of the run; NULL = not given */
	const char *junit;                 /* try; NULL = not given */
	const char *arch;                  /* NULL = not given */
	const char *label;                 /* NULL = not given */
	const char *from;                  /* new: a variant; NULL = not given */
	const char *like;                  /* file or shipped device; NULL = not given */
	bool save;
	bool write;   /* try: write comments to the file */
	int annotate; /* try: 0 = no, 1 = github */
	bool check;   /* contribute: check files */
	bool fleet;   /* one process of several, which a launcher starts; compare: their files */
	const char *rank; /* I/N; NULL = not given */
	bool ptx, diff, help, version;

	bool given[OPTION_MAX_COUNT]; /* row i of the option table was on the command line */
};

/* Whether the command prints on stdout. */
static inline bool cli_prints(const struct cli_options *options)
{
	return !options->terminal.quiet && !(options->json && strcmp(options->json, "-") == 0);
}

/* Reads the command line and PMPP_BACKEND, PMPP_DEVICE. Nothing is printed, and the process does not
 * end. If ret_options->help or version is set, the caller prints that text and runs no command. Call
 * sizes_finish() for the sizes of the job in all cases. */
enum pmpp_status cli_options_parse(
	int argc, char **argv, struct cli_options *ret_options, struct pmpp_error *error);

#endif
