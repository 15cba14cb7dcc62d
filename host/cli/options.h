/*
 * The command line, parsed by argp: which command, its arguments, and what every option says.
 * Nothing here prints or ends the process; --help and --version are handed back as wishes.
 */
#ifndef PMPP_HOST_CLI_OPTIONS_H
#define PMPP_HOST_CLI_OPTIONS_H

#include <stdio.h>

#include "host/run/sizes.h"
#include "host/run/targets.h"
#include "host/suite/suite.h"
#include "host/suite/trace.h"

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
	CMD_EXPLAIN = 1 << 11
};

struct cli_options;

struct command {
	const char *name;     /* one word or two, "model dram" */
	enum command_bit bit; /* which options it takes: the table in options.c */
	const char *arguments;
	const char *summary;
	size_t least_arguments, most_arguments;

	/* Sets *ret_exit when it returns PMPP_OK; else the error decides the exit code. */
	enum pmpp_status (*run)(
		const struct cli_options *options, int *ret_exit, struct pmpp_error *error);

	const char *note; /* one more paragraph of its --help; NULL = none */
};

extern const struct command commands[]; /* commands[0] is `run`, which may be left out */
extern const size_t command_count;

/* ---- Options ------------------------------------------------------------------------------- */

#define CLI_MOST_WORDS 256

enum when {
	WHEN_AUTO,
	WHEN_YES,
	WHEN_NO
};

/* --in or --out NAME=FILE */
struct operand_file {
	char name[16];
	const char *path;
};

struct operand_file_list {
	struct operand_file items[PMPP_MAX_OPERANDS];
	size_t count;
};

/* What the models are given; 0 where nothing else is said: not on the command line. */
struct model_options {
	const char *cc;
	size_t threads, registers, shared_bytes; /* of a block, a thread, a block */
	size_t threads_per_sm, blocks_per_sm, registers_per_sm, shared_per_sm_bytes;
	double latency_ratio; /* negative: not given */
	size_t channels, banks, burst_bytes;
	int64_t block[2]; /* x, y; y 0 where there is one number */
};

#define CLI_MOST_BLOCKS 256

/* --blocks: numbers ascending, each once; empty unless they are listed. */
struct block_choice {
	enum trace_blocks which;
	uint64_t numbers[CLI_MOST_BLOCKS];
	size_t count;
};

struct cli_options {
	int argc;
	char *const *argv;

	const struct command *command;
	const char *arguments[CLI_MOST_WORDS]; /* what follows the command's name */
	size_t argument_count;

	const char *backend, *device; /* NULL = not given, not in the environment either */
	struct size_list sizes;
	struct tunable_list tunables;
	const char *dtype, *op, *data; /* NULL = not given: choices.h */
	struct operand_file_list in, out;
	uint64_t seed;
	enum gpu_math math;
	double min_time_ms;
	size_t min_samples, max_samples;
	double timeout_s; /* of one variant */
	enum flush {
		FLUSH_YES,
		FLUSH_NO
	} flush;
	const char *json, *csv, *markdown; /* NULL = not asked for, "-" = stdout */
	enum engine {
		ENGINE_DEVICES,
		ENGINE_OCLGRIND
	} engine;
	const char *kernel_dir;
	const char *arch; /* NULL = not given */
	enum when progress, colour;
	size_t shard_index, shard_count; /* 1 <= index <= count; 1/1 without --shard */
	struct model_options model;
	struct block_choice blocks;
	size_t step_limit; /* of a traced launch; 0 = not given */
	bool ptx, diff, no_isolate, quiet, verbose, help, version;

	uint64_t given; /* bit i: row i of the option table was on the command line */
};

/* Reads the command line and PMPP_BACKEND, PMPP_DEVICE. ret_options->help or version is set when
 * that was asked for: nothing else is then to be done. cli_options_finish it either way. */
enum pmpp_status cli_options_parse(
	int argc, char **argv, struct cli_options *ret_options, struct pmpp_error *error);
void cli_options_finish(struct cli_options *options);

/* Help of the command, or of all when none was given. */
void cli_help(const struct cli_options *options, FILE *out);

#endif
