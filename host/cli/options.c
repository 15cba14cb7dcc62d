#include "host/cli/options.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/dram.h"
#include "common/nearest.h"
#include "host/cli/option_values.h"
#include "host/gpu/backends.h"

/* ---- Table --------------------------------------------------------------------------------- */

#define JOBS (CMD_RUN | CMD_VERIFY | CMD_PARITY)
#define TASKS (JOBS | CMD_EXPLAIN)
#define TIMES (CMD_RUN | CMD_PARITY | CMD_EXPLAIN)
#define ON_DEVICES (TASKS | CMD_ROOFLINE)
#define MODELS (CMD_OCCUPANCY | CMD_DRAM | CMD_BOUNDARY)
#define EVERY (~0u)

#define AT(field) .offset = offsetof(struct cli_options, field)

enum option_group {
	GROUP_WHERE = 1,
	GROUP_WHAT,
	GROUP_MODEL,
	GROUP_HOW,
	GROUP_OUTPUT,
	GROUP_HELP
};

static const char *const when_words[] = {"auto", "yes", "no", NULL};
static const char *const flush_words[] = {"yes", "no", NULL};
static const char *const engine_words[] = {"devices", "oclgrind", NULL};
static const char *const math_words[] = {"default", "strict", "fast", NULL};

/* Keys of options without a letter follow from the place in the table: KEY_BASE + row. */
#define KEY_BASE 256

static const struct option_row option_rows[] = {
	{"backend", 0, "NAME", false, ON_DEVICES, GROUP_WHERE,
		GPU_BACKEND_WORDS
		"or all (PMPP_BACKEND). If the backend is not available, exit with status 2; never "
		"fall back to another one",
		option_set_text, AT(backend)},
	{"device", 0, "SPEC", false, ON_DEVICES, GROUP_WHERE,
		"cuda:0, opencl:1.0, a number of `devices`, uuid:..., pci:..., part of a name, cpu, "
		"gpu, all (PMPP_DEVICE)",
		option_set_text, AT(device)},
	{"engine", 0, "NAME", false, CMD_VERIFY, GROUP_WHERE,
		"devices, or oclgrind: all OpenCL kernels at small sizes in Oclgrind, which "
		"reports accesses out of bounds, data races, divergent barriers and "
		"uninitialised data",
		option_set_choice, AT(engine), .choices = engine_words},
	{"size", 0, "SPEC", false, TASKS | CMD_DRAM | CMD_BOUNDARY, GROUP_WHAT,
		"1024, 1024x512x768, m=7,n=5,k=3; lists 256,512; ranges 2^10:2^26:*4, 1:9:+2",
		option_set_size},
	{"set", 0, "NAME=VALUE[,VALUE...]", false, TASKS | CMD_SHOW, GROUP_WHAT,
		"Tunables; several values sweep (names and choices: pmpp-run list)",
		option_set_tunable},
	{"dtype", 0, "TYPE", false, TASKS | CMD_SHOW, GROUP_WHAT,
		"Element type where the family has several: f32, f16, i32, u32, u8",
		option_set_text, AT(dtype)},
	{"op", 0, "NAME", false, TASKS | CMD_SHOW, GROUP_WHAT,
		"Operation where the family has several: sum, max, min", option_set_text, AT(op)},
	{"data", 0, "NAME", false, TASKS | CMD_SHOW, GROUP_WHAT,
		"Kind of data where the family has several (pmpp-run list names them)",
		option_set_text, AT(data)},
	{"in", 0, "NAME=FILE.npy", false, CMD_RUN, GROUP_WHAT,
		"An input; all inputs are given, and their shapes are the size. A picture may be "
		"a binary .ppm (P6)",
		option_set_file, AT(in)},
	{"out", 0, "NAME=FILE.npy", false, CMD_RUN, GROUP_WHAT,
		"Where to write the verified output of exactly one variant", option_set_file,
		AT(out)},
	{"seed", 0, "N", false, TASKS, GROUP_WHAT, "Of the random inputs (1)", option_set_seed},
	{"shard", 0, "I/N", false, CMD_VERIFY | CMD_EXPLAIN, GROUP_WHAT,
		"Only the I-th of N parts of the work", option_set_shard},
	{"ptx", 0, NULL, false, CMD_SHOW, GROUP_WHAT,
		"Instead of the sources, the PTX that NVRTC makes of the CUDA file (no GPU needed) "
		"and NVIDIA's OpenCL of the other one",
		option_set_flag, AT(ptx)},
	{"diff", 0, NULL, false, CMD_SHOW | CMD_EXPLAIN, GROUP_WHAT,
		"show: the two sources as one unified diff; with --ptx, how often each instruction "
		"stands in the two texts. explain: two variants side by side",
		option_set_flag, AT(diff)},
	{"arch", 0, "sm_NN", false, CMD_SHOW, GROUP_WHAT,
		"Architecture of CUDA's PTX (that of the first NVIDIA device, else sm_90)",
		option_set_text, AT(arch)},
	{"blocks", 0, "all|N[,N...]", false, CMD_EXPLAIN, GROUP_WHAT,
		"Blocks to trace, x fastest (all where that is quick, else first, middle, last)",
		option_set_blocks},
	{"step-limit", 0, "N", false, CMD_EXPLAIN, GROUP_WHAT,
		"Give a launch up that enters so many basic blocks, all threads together",
		option_set_count, AT(step_limit), .least = 1, .most = 1e15},
	{"threads", 0, "N", false, CMD_OCCUPANCY, GROUP_MODEL, "Threads of a block",
		option_set_count, AT(model.threads), .least = 1, .most = 1024},
	{"registers", 0, "N", false, CMD_OCCUPANCY, GROUP_MODEL,
		"Registers of a thread (-v of run prints them); left out, they set no limit",
		option_set_count, AT(model.registers), .least = 1, .most = 255},
	{"shared", 0, "BYTES", false, CMD_OCCUPANCY, GROUP_MODEL, "Shared memory of a block (0)",
		option_set_count, AT(model.shared_bytes), .least = 0, .most = 1e9},
	{"cc", 0, "X.Y", false, CMD_OCCUPANCY | CMD_EXPLAIN, GROUP_MODEL,
		"Compute capability: 7.5, 8.0, 8.6, 8.9, 9.0, 10.0, 12.0 (of explain: the "
		"device's, else 9.0)",
		option_set_text, AT(model.cc)},
	{"threads-per-sm", 0, "N", false, CMD_OCCUPANCY, GROUP_MODEL,
		"Given hardware, in place of --cc: threads of a multiprocessor", option_set_count,
		AT(model.threads_per_sm), .least = 1, .most = 1e6},
	{"blocks-per-sm", 0, "N", false, CMD_OCCUPANCY, GROUP_MODEL,
		"Given hardware: blocks of a multiprocessor", option_set_count,
		AT(model.blocks_per_sm), .least = 1, .most = 1e6},
	{"regs-per-sm", 0, "N", false, CMD_OCCUPANCY, GROUP_MODEL,
		"Given hardware: registers of a multiprocessor", option_set_count,
		AT(model.registers_per_sm), .least = 1, .most = 1e9},
	{"shared-per-sm", 0, "BYTES", false, CMD_OCCUPANCY, GROUP_MODEL,
		"Given hardware: shared memory of a multiprocessor", option_set_count,
		AT(model.shared_per_sm_bytes), .least = 1, .most = 1e9},
	{"latency-ratio", 0, "R", false, CMD_DRAM, GROUP_MODEL,
		"Time in which a bank reads a burst, in times that sending it takes",
		option_set_double, AT(model.latency_ratio), .least = 0, .most = 1e6},
	{"channels", 0, "N", false, CMD_DRAM, GROUP_MODEL, "Channels (1; for a product, 4)",
		option_set_count, AT(model.channels), .least = 1, .most = DRAM_MOST_CHANNELS},
	{"banks", 0, "N", false, CMD_DRAM, GROUP_MODEL,
		"Banks of a channel (as many as keep its bus busy; for a product, 2)",
		option_set_count, AT(model.banks), .least = 1, .most = 1e6},
	{"burst", 0, "BYTES", false, CMD_DRAM, GROUP_MODEL,
		"Bytes of a burst of the product's matrices (8)", option_set_count,
		AT(model.burst_bytes), .least = 1, .most = 65536},
	{"block", 0, "X[xY]", false, CMD_DRAM | CMD_BOUNDARY, GROUP_MODEL,
		"Threads of a block; for a product, of a tile", option_set_block, AT(model.block),
		.most = 1024},
	{"math", 0, "MODE", false, TASKS | CMD_SHOW, GROUP_HOW,
		"default, strict or fast: freedom of the compilers in floating point",
		option_set_choice, AT(math), .choices = math_words},
	{"min-time", 0, "MS", false, TIMES, GROUP_HOW, "Sample each variant at least so long (50)",
		option_set_double, AT(min_time_ms), .least = 0, .most = 3.6e6},
	{"min-samples", 0, "N", false, TIMES, GROUP_HOW, "Least count of samples (10)",
		option_set_count, AT(min_samples), .least = 1, .most = 1e6},
	{"max-samples", 0, "N", false, TIMES, GROUP_HOW, "Most samples (200)", option_set_count,
		AT(max_samples), .least = 1, .most = 1e6},
	{"timeout", 0, "S", false, TASKS, GROUP_HOW,
		"Give a variant up after so many seconds (120): row `timeout`", option_set_double,
		AT(timeout_s), .least = 0.1, .most = 1e6},
	{"flush", 0, "yes|no", false, TIMES, GROUP_HOW,
		"Flush the last-level cache before cold samples (yes)", option_set_choice,
		AT(flush), .choices = flush_words},
	{"no-isolate", 0, NULL, false, TASKS, GROUP_HOW,
		"Run in this process: a crash ends it, and --timeout cannot be kept",
		option_set_flag, AT(no_isolate)},
	{"kernel-dir", 0, "DIR", false, TASKS | CMD_SHOW, GROUP_HOW,
		"Read kernels below DIR (a checkout) instead of the built-in ones", option_set_text,
		AT(kernel_dir)},
	{"json", 0, "FILE", true, TASKS | CMD_LIST | CMD_DEVICES | CMD_ROOFLINE | MODELS,
		GROUP_OUTPUT, "Write JSON; without FILE or with -, to stdout and only that there",
		option_set_output, AT(json)},
	{"csv", 0, "FILE", true, JOBS, GROUP_OUTPUT, "The same as comma-separated values",
		option_set_output, AT(csv)},
	{"md", 0, "FILE", true, JOBS, GROUP_OUTPUT, "The same as a Markdown table",
		option_set_output, AT(markdown)},
	{"progress", 0, "WHEN", false, ON_DEVICES, GROUP_OUTPUT,
		"auto (on a terminal), yes or no: what is being done, on stderr", option_set_choice,
		AT(progress), .choices = when_words},
	{"color", 0, "WHEN", false, EVERY, GROUP_OUTPUT,
		"auto (on a terminal, unless NO_COLOR is set), yes or no", option_set_choice,
		AT(colour), .choices = when_words},
	{"quiet", 'q', NULL, false, EVERY, GROUP_OUTPUT, "No table and no notes: errors only",
		option_set_flag, AT(quiet)},
	{"verbose", 'v', NULL, false, EVERY, GROUP_OUTPUT,
		"Also build options, resources, samples and flags; of explain, every line",
		option_set_flag, AT(verbose)},
	{"help", 'h', NULL, false, EVERY, GROUP_HELP, "This text; COMMAND --help for one command",
		option_set_flag, AT(help)},
	{"version", 0, NULL, false, EVERY, GROUP_HELP, "Version, git revision, compiler",
		option_set_flag, AT(version)},
};

#define OPTION_COUNT (sizeof option_rows / sizeof *option_rows)
_Static_assert(OPTION_COUNT <= 64, "cli_options.given has 64 bits");

static int row_key(size_t row)
{
	return option_rows[row].key ? option_rows[row].key : KEY_BASE + (int)row;
}

/* ---- Errors -------------------------------------------------------------------------------- */

struct parse {
	struct cli_options *options;
	struct pmpp_error *error;
	enum pmpp_status status;
};

/* Rows whose name begins with the first length bytes of text; an exact one counts alone. */
static size_t matching_rows(const char *text, size_t length, size_t *ret_row)
{
	size_t count = 0;

	for (size_t i = 0; i < OPTION_COUNT; i++) {
		if (strncmp(option_rows[i].name, text, length) != 0)
			continue;
		*ret_row = i;
		if (option_rows[i].name[length] == '\0')
			return 1;
		count++;
	}
	return count;
}

static enum pmpp_status long_option_error(const char *word, struct pmpp_error *error)
{
	const char *names[OPTION_COUNT];
	char name[64];
	char near[160];
	char marked[200] = "";
	size_t row = 0;
	size_t length = strcspn(word, "=");

	snprintf(name, sizeof name, "%.*s", (int)length, word);
	size_t count = matching_rows(word, length, &row);
	if (count == 1 && option_rows[row].arg && word[length] != '=')
		return PMPP_FAIL(error, PMPP_USAGE, "--%s needs a value: --%s=%s",
			option_rows[row].name, option_rows[row].name, option_rows[row].arg);
	if (count == 1)
		return PMPP_FAIL(error, PMPP_USAGE, "--%s takes no value", option_rows[row].name);
	for (size_t i = 0; i < OPTION_COUNT; i++)
		names[i] = option_rows[i].name;
	nearest_names(name, names, OPTION_COUNT, near, sizeof near);
	/* nearest_names separates by ", ": each name gets its dashes. */
	for (char *next = near, *save; (next = strtok_r(next, ", ", &save)); next = NULL)
		snprintf(marked + strlen(marked), sizeof marked - strlen(marked), "%s--%s",
			*marked ? ", " : "", next);
	return PMPP_FAIL(error, PMPP_USAGE, "%s option '--%s'%s%s%s; see pmpp-run --help",
		count > 1 ? "ambiguous" : "unknown", name, *marked ? " (did you mean " : "", marked,
		*marked ? "?)" : "");
}

/* argp tells only how far it came: the word behind is the bad one, or, inside a cluster of
 * letters, the word ahead. */
static enum pmpp_status bad_option(const struct argp_state *state, struct pmpp_error *error)
{
	const char *behind = state->next > 0 ? state->argv[state->next - 1] : "";
	const char *ahead = state->next < state->argc ? state->argv[state->next] : "";

	if (behind[0] == '-' && behind[1] == '-')
		return long_option_error(behind + 2, error);
	const char *letters = behind[0] == '-' ? behind : ahead;
	for (const char *letter = letters + (*letters == '-'); *letter; letter++)
		if (!strchr("qvh?", *letter))
			return PMPP_FAIL(error, PMPP_USAGE,
				"unknown option '-%c'; see pmpp-run --help", *letter);
	return PMPP_FAIL(error, PMPP_USAGE, "bad option '%s'; see pmpp-run --help", letters);
}

/* ---- argp ---------------------------------------------------------------------------------- */

static error_t parse_key(int key, char *text, struct argp_state *state)
{
	struct parse *parse = state->input;
	struct cli_options *options = parse->options;

	if (key == ARGP_KEY_ARG) {
		if (options->argument_count == CLI_MOST_WORDS) {
			parse->status = PMPP_FAIL(
				parse->error, PMPP_USAGE, "more than %d arguments", CLI_MOST_WORDS);
			return EINVAL;
		}
		options->arguments[options->argument_count++] = text;
		return 0;
	}
	if (key == ARGP_KEY_ERROR && parse->status == PMPP_OK)
		parse->status = bad_option(state, parse->error);
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		if (row_key(i) != key)
			continue;
		options->given |= (uint64_t)1 << i;
		parse->status = option_rows[i].set(&option_rows[i], text, options, parse->error);
		return parse->status == PMPP_OK ? 0 : EINVAL;
	}
	return ARGP_ERR_UNKNOWN;
}

/* The table's rows for the commands as argp wants them, ended by zeros. */
static void argp_rows(unsigned for_commands, struct argp_option ret_rows[OPTION_COUNT + 1])
{
	size_t count = 0;

	for (size_t i = 0; i < OPTION_COUNT; i++)
		if (option_rows[i].commands & for_commands)
			ret_rows[count++] = (struct argp_option){.name = option_rows[i].name,
				.key = row_key(i),
				.arg = option_rows[i].arg,
				.flags = option_rows[i].arg_optional ? OPTION_ARG_OPTIONAL : 0,
				.doc = option_rows[i].doc,
				.group = option_rows[i].group};
	ret_rows[count] = (struct argp_option){0};
}

/* ---- Command ------------------------------------------------------------------------------- */

/* "model dram, model boundary": the commands of two words that begin with this one. */
static void commands_of(const char *word, char *text, size_t size)
{
	size_t length = strlen(word);

	*text = '\0';
	for (size_t i = 0; i < command_count; i++)
		if (strncmp(commands[i].name, word, length) == 0 && commands[i].name[length] == ' ')
			snprintf(text + strlen(text), size - strlen(text), "%s%s",
				*text ? ", " : "", commands[i].name);
}

static enum pmpp_status unknown_word(const char *word, struct pmpp_error *error)
{
	const char *names[64];
	size_t count = 0;
	char near[160];

	commands_of(word, near, sizeof near);
	if (*near)
		return PMPP_FAIL(error, PMPP_USAGE,
			"'%s' alone is no command: it is one of %s; see pmpp-run --help", word,
			near);
	for (size_t i = 0; i < command_count; i++)
		names[count++] = commands[i].name;
	for (size_t i = 0; i < family_count && count < 64; i++)
		if (!families[i]->internal)
			names[count++] = families[i]->name;
	nearest_names(word, names, count, near, sizeof near);
	return PMPP_FAIL(error, PMPP_USAGE,
		"'%s' is neither a command nor a family%s%s%s; see pmpp-run --help", word,
		*near ? " (did you mean " : "", near, *near ? "?)" : "");
}

static bool names_family(const char *word)
{
	char name[64];

	snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "/"), word);
	const struct family *family = family_find(name);
	return strcmp(word, "all") == 0 || (family && !family->internal);
}

/* How many of the arguments are the command's name; 0 where they name another. */
static size_t words_of_name(const struct command *command, const struct cli_options *options)
{
	const char *rest = command->name;
	size_t count = 0;

	while (*rest) {
		size_t length = strcspn(rest, " ");
		const char *word = count < options->argument_count ? options->arguments[count] : "";
		if (strlen(word) != length || strncmp(word, rest, length) != 0)
			return 0;
		rest += length + (rest[length] == ' ');
		count++;
	}
	return count;
}

/* `occupancy` is a family. With an option of the model that `run` has not, it is the model. */
static bool means_model(const struct command *command, const struct cli_options *options)
{
	if (command->bit != CMD_OCCUPANCY || strcmp(options->arguments[0], "occupancy") != 0)
		return false;
	for (size_t i = 0; i < OPTION_COUNT; i++)
		if ((options->given >> i & 1) &&
			(option_rows[i].commands & (CMD_OCCUPANCY | CMD_RUN)) == CMD_OCCUPANCY)
			return true;
	return false;
}

/* The first words are a command, or the first is a family of `run`. */
static enum pmpp_status find_command(struct cli_options *options, struct pmpp_error *error)
{
	if (options->argument_count == 0)
		return PMPP_OK;
	for (size_t i = 0; i < command_count; i++) {
		size_t words = words_of_name(&commands[i], options);
		if (words == 0)
			words = means_model(&commands[i], options);
		if (words == 0)
			continue;
		options->command = &commands[i];
		options->argument_count -= words;
		memmove(options->arguments, options->arguments + words,
			options->argument_count * sizeof *options->arguments);
		return PMPP_OK;
	}
	if (!names_family(options->arguments[0])) {
		char near[160];
		commands_of(options->arguments[0], near, sizeof near);
		/* `model --help` is the help of all. */
		if (*near && options->help)
			return PMPP_OK;
		return unknown_word(options->arguments[0], error);
	}
	options->command = &commands[0];
	return PMPP_OK;
}

static enum pmpp_status check_command(const struct cli_options *options, struct pmpp_error *error)
{
	const struct command *command = options->command;

	if (!command)
		return PMPP_FAIL(error, PMPP_USAGE,
			"nothing to do: try `pmpp-run matmul`, or see pmpp-run --help");
	for (size_t i = 0; i < OPTION_COUNT; i++)
		if ((options->given >> i & 1) && !(option_rows[i].commands & command->bit))
			return PMPP_FAIL(error, PMPP_USAGE,
				"option --%s is not one of `%s`; see pmpp-run %s --help",
				option_rows[i].name, command->name, command->name);
	if (options->argument_count < command->least_arguments)
		return PMPP_FAIL(error, PMPP_USAGE, "%s: missing %s; see pmpp-run %s --help",
			command->name, command->arguments, command->name);
	if (options->argument_count > command->most_arguments)
		return PMPP_FAIL(error, PMPP_USAGE, "%s: '%s' is one argument too many",
			command->name, options->arguments[command->most_arguments]);
	return PMPP_OK;
}

static bool is_given(const struct cli_options *options, const char *name)
{
	for (size_t i = 0; i < OPTION_COUNT; i++)
		if (strcmp(option_rows[i].name, name) == 0)
			return options->given >> i & 1;
	return false;
}

static enum pmpp_status check_values(const struct cli_options *options, struct pmpp_error *error)
{
	const char *const outputs[] = {options->json, options->csv, options->markdown};
	int on_stdout = 0;

	for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
		on_stdout += outputs[i] && strcmp(outputs[i], "-") == 0;
	if (on_stdout > 1)
		return PMPP_FAIL(error, PMPP_USAGE,
			"only one of --json, --csv and --md can go to stdout: give the others a "
			"FILE");
	if (options->engine != ENGINE_DEVICES &&
		(is_given(options, "backend") || is_given(options, "device")))
		return PMPP_FAIL(error, PMPP_USAGE,
			"--engine=%s is a device of its own: leave --backend and --device out",
			engine_words[options->engine]);
	if (options->engine != ENGINE_DEVICES && options->no_isolate)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--engine=%s needs a new process after every report: leave --no-isolate "
			"out",
			engine_words[options->engine]);
	if (options->min_samples > options->max_samples)
		return PMPP_FAIL(error, PMPP_USAGE, "--min-samples=%zu is above --max-samples=%zu",
			options->min_samples, options->max_samples);
	return PMPP_OK;
}

/* ---- Public -------------------------------------------------------------------------------- */

static void set_defaults(int argc, char **argv, struct cli_options *options)
{
	struct suite_options suite = SUITE_OPTIONS_DEFAULT;

	*options = (struct cli_options){
		.argc = argc,
		.argv = argv,
		.backend = getenv("PMPP_BACKEND"),
		.device = getenv("PMPP_DEVICE"),
		.seed = 1,
		.min_time_ms = suite.min_time_ms,
		.min_samples = suite.min_samples,
		.max_samples = suite.max_samples,
		.timeout_s = 120,
		.shard_index = 1,
		.shard_count = 1,
		.model.latency_ratio = -1,
	};
	if (options->backend && !*options->backend)
		options->backend = NULL;
	if (options->device && !*options->device)
		options->device = NULL;
}

enum pmpp_status cli_options_parse(
	int argc, char **argv, struct cli_options *ret_options, struct pmpp_error *error)
{
	struct argp_option rows[OPTION_COUNT + 1];
	struct argp argp = {.options = rows, .parser = parse_key};
	struct parse parse = {.options = ret_options, .error = error};

	set_defaults(argc, argv, ret_options);
	argp_rows(EVERY, rows);
	/* argp moves options before arguments: the original order stays for the result file. */
	char **shuffled = malloc(((size_t)argc + 1) * sizeof *shuffled);
	if (!shuffled)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the command line");
	memcpy(shuffled, argv, ((size_t)argc + 1) * sizeof *shuffled);
	error_t failed = argp_parse(
		&argp, argc, shuffled, ARGP_NO_EXIT | ARGP_NO_ERRS | ARGP_NO_HELP, NULL, &parse);
	free(shuffled);
	if (parse.status != PMPP_OK)
		return parse.status;
	if (failed)
		return PMPP_FAIL(error, PMPP_USAGE, "the command line: %s", strerror(failed));
	if (ret_options->version)
		return PMPP_OK;
	enum pmpp_status status = find_command(ret_options, error);
	if (status != PMPP_OK || ret_options->help)
		return status;
	status = check_command(ret_options, error);
	return status == PMPP_OK ? check_values(ret_options, error) : status;
}

void cli_options_finish(struct cli_options *options)
{
	sizes_finish(&options->sizes);
}

/* ---- Help ---------------------------------------------------------------------------------- */

/* argp fills paragraphs to 79 columns, but leaves lines that begin with blanks if they fit. */
static const char help_examples[] =
	"Examples:\n"
	"  pmpp-run matmul                the ladder on the first GPU, else the CPU\n"
	"  pmpp-run --backend=cuda matmul/tiled32 --size=1000,2048\n"
	"  pmpp-run matmul/registers --set TILE_M=64,128 --json=r.json\n"
	"  pmpp-run matmul/tiled16 --in A=a.npy --in B=b.npy --out C=c.npy\n"
	"  pmpp-run verify all            every kernel of every backend, untimed\n"
	"  pmpp-run parity matmul         OpenCL against CUDA on one card\n"
	"  pmpp-run doctor                what works here, and what to do if not\n"
	"  pmpp-run model boundary --size=76x62 --block=16x16\n"
	"\n"
	"Without --backend or --device, run and roofline take the first GPU (through CUDA where "
	"both backends see it), else an OpenCL CPU; cuda-emu only when asked for. verify takes "
	"a device of every backend that is present.\n"
	"\n"
	"Tables and data go to stdout, everything else to stderr. Units are decimal "
	"(GB = 10^9 bytes).\n"
	"\n";

static const char help_exits[] =
	"Exit status: 0 ok; 1 usage; 2 backend or device unavailable; 3 verification failed; 5 "
	"build or launch error, timeout, crash; 77 everything was skipped; 130 interrupted.";

/* malloc'ed text before the options; NULL for lack of memory. */
static char *help_head(const struct command *command)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (command) {
		fprintf(out, "%s: %s.\n", command->name, command->summary);
		if (command->note)
			fprintf(out, "\n%s\n", command->note);
	} else {
		fputs("Optimisation ladders of GPU kernels, each step proved right, then timed, in "
		      "OpenCL and in CUDA.\n\nCommands:\n",
			out);
		for (size_t i = 0; i < command_count; i++)
			fprintf(out, "  %-15s %-21s %s\n", commands[i].name, commands[i].arguments,
				commands[i].summary);
		fputs("\nFAMILY[/VARIANT]... alone is short for `run FAMILY[/VARIANT]...`; `all` "
		      "names every family. `occupancy` with --cc or --threads is short for "
		      "`model occupancy`, alone it is the family.\n",
			out);
	}
	fprintf(out, "\v%s%s", command ? "" : help_examples, help_exits);
	fclose(out);
	return text;
}

void cli_help(const struct cli_options *options, FILE *out)
{
	static char program[] = "pmpp-run";
	struct argp_option rows[OPTION_COUNT + 1];
	const struct command *command = options->command;
	char words[80] = "COMMAND [ARGUMENT...]\nFAMILY[/VARIANT]...";
	char *head = help_head(command);

	if (command)
		snprintf(words, sizeof words, "%s %s", command->name, command->arguments);
	argp_rows(command ? (unsigned)command->bit : EVERY, rows);
	struct argp argp = {.options = rows, .args_doc = words, .doc = head};
	argp_help(&argp, out, ARGP_HELP_LONG | ARGP_HELP_USAGE | ARGP_HELP_DOC, program);
	free(head);
}
