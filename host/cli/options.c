#include "host/cli/cli_options.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/nearest.h"
#include "common/text.h"
#include "host/cli/cmd.h"
#include "host/cli/option_table.h"
#include "host/run/engine.h"
#include "host/run/targets.h"

/* ---- Words ---------------------------------------------------------------------------------- */

struct parse {
	struct cli_options *options;
	struct pmpp_error *error;
	struct pmpp_error value_error; /* of the first bad value */
	enum pmpp_status value_status;
};

/* Keeps the error of a bad value: the command may not read the option at all. */
static void set_option(struct parse *parse, const struct option_row *row, const char *text)
{
	parse->options->given[row - option_rows] = true;
	if (parse->value_status == PMPP_OK)
		parse->value_status = row->set(
			&(struct given_option){row, text, parse->options}, &parse->value_error);
}

/* word: without the dashes. Such a name is the beginning of no option, or of several ones. */
static enum pmpp_status refuse_name(const char *word, struct pmpp_error *error)
{
	const char *names[OPTION_MAX_COUNT];
	char name[64], near[160], marked[200] = "";
	size_t count = 0;

	snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
	for (size_t i = 0; i < option_count; i++) {
		names[i] = option_rows[i].name;
		count += strncmp(names[i], name, strlen(name)) == 0;
	}
	nearest_names(name, names, option_count, near, sizeof near);
	/* Adds dashes to each name of the list, which is separated by ", ". */
	for (char *next = near, *save; (next = strtok_r(next, ", ", &save)); next = NULL)
		text_append(marked, sizeof marked, "%s--%s", *marked ? ", " : "", next);
	return PMPP_FAIL(error, PMPP_USAGE, "%s option '--%s'%s%s%s; see pmpp-run --help",
		count ? "ambiguous" : "unknown", name, *marked ? " (did you mean " : "", marked,
		*marked ? "?)" : "");
}

/* Values of getopt_long(): the letter of a short form, or FIRST_ROW + the index of a row. */
#define FIRST_ROW 256

static const struct option_row *row_of(int value)
{
	for (size_t i = 0; i < option_count; i++)
		if (value == FIRST_ROW + (int)i || (value && value == option_rows[i].key))
			return &option_rows[i];
	return NULL;
}

/* After an error of getopt_long(). word: the one that it read last */
static enum pmpp_status refuse_option(int key, const char *word, struct pmpp_error *error)
{
	const struct option_row *row = row_of(optopt);

	if (optopt == 0)
		return refuse_name(word + strspn(word, "-"), error);
	if (!row)
		return PMPP_FAIL(
			error, PMPP_USAGE, "unknown option '-%c'; see pmpp-run --help", optopt);
	if (key == '?')
		return PMPP_FAIL(error, PMPP_USAGE, "--%s takes no value", row->name);
	if (optopt < FIRST_ROW)
		return PMPP_FAIL(
			error, PMPP_USAGE, "-%c needs a value: -%c %s", optopt, optopt, row->arg);
	return PMPP_FAIL(
		error, PMPP_USAGE, "--%s needs a value: --%s=%s", row->name, row->name, row->arg);
}

/* words: of the command line; getopt_long() moves the arguments behind the options */
static enum pmpp_status take_options(struct parse *parse, char **words)
{
	struct option rows[OPTION_MAX_COUNT + 1] = {{.name = NULL}};
	char letters[2 * OPTION_MAX_COUNT + 2] = ":";
	int key;

	for (size_t i = 0; i < option_count; i++) {
		const struct option_row *row = &option_rows[i];
		rows[i] = (struct option){row->name,
			!row->arg           ? no_argument
			: row->arg_optional ? optional_argument
					    : required_argument,
			NULL, FIRST_ROW + (int)i};
		if (row->key)
			text_append(letters, sizeof letters, "%c%s", row->key, row->arg ? ":" : "");
	}
	opterr = 0;
	optind = 0; /* a new command line */
	while ((key = getopt_long(parse->options->argc, words, letters, rows, NULL)) != -1) {
		if (key == '?' || key == ':')
			return refuse_option(key, words[optind - 1], parse->error);
		set_option(parse, row_of(key), optarg);
	}
	return PMPP_OK;
}

static enum pmpp_status take_words(struct parse *parse)
{
	struct cli_options *options = parse->options;
	size_t count = (size_t)options->argc;
	char **words = calloc(count + 1, sizeof *words);

	if (!words)
		return PMPP_NO_MEMORY(parse->error, "the arguments");
	memcpy(words, options->argv, count * sizeof *words);
	enum pmpp_status status = take_options(parse, words);
	for (size_t i = (size_t)optind; i < count && status == PMPP_OK; i++) {
		if (options->argument_count == CLI_MAX_WORDS)
			status = PMPP_FAIL(
				parse->error, PMPP_USAGE, "more than %d arguments", CLI_MAX_WORDS);
		else
			options->arguments[options->argument_count++] = words[i];
	}
	free(words);
	return status;
}

/* ---- Command ------------------------------------------------------------------------------- */

/* "model dram, model boundary": the commands of two words whose first word is `word`. */
static void commands_of(const char *word, char *text, size_t size)
{
	size_t length = strlen(word);

	*text = '\0';
	for (size_t i = 0; i < commands.count; i++)
		if (strncmp(commands.items[i].name, word, length) == 0 &&
			commands.items[i].name[length] == ' ')
			text_append(text, size, "%s%s", *text ? ", " : "", commands.items[i].name);
}

/* The first word begins the names of two-word commands, or it is neither a command nor a family. */
static enum pmpp_status unknown_word(const struct cli_options *options, struct pmpp_error *error)
{
	const char *word = options->arguments[0];
	const char *second = options->argument_count > 1 ? options->arguments[1] : "";
	const char *names[64];
	size_t count = 0;
	char all[NAMES_TEXT_BYTES], hint[NAMES_TEXT_BYTES], whole[120];

	enum pmpp_status status = targets_refuse_file(word, error);
	if (status != PMPP_OK)
		return status;
	for (size_t i = 0; i < commands.count; i++)
		names[count++] = commands.items[i].name;
	for (size_t i = 0; i < family_count && count < ARRAY_COUNT(names); i++)
		if (!families[i]->internal)
			names[count++] = families[i]->name;
	commands_of(word, all, sizeof all);
	if (!*all)
		return PMPP_FAIL(error, PMPP_USAGE,
			"'%s' is neither a command nor a family%s; see pmpp-run --help", word,
			nearest_hint(word, names, count, hint));
	snprintf(whole, sizeof whole, "%.40s%s%.70s", word, *second ? " " : "", second);
	return PMPP_FAIL(error, PMPP_USAGE,
		"'%s' is not a %scommand%s: give one of %s; see pmpp-run --help", whole,
		*second ? "" : "complete ", *second ? nearest_hint(whole, names, count, hint) : "",
		all);
}

/* Number of arguments that are the name of the command; 0 if they are not. */
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

/* `occupancy` is a family. With an option that the model reads and `run` does not, it is the model.
 */
static bool means_model(const struct command *command, const struct cli_options *options)
{
	if (command->bit != CMD_OCCUPANCY || strcmp(options->arguments[0], "occupancy") != 0)
		return false;
	for (size_t i = 0; i < option_count; i++)
		if (options->given[i] &&
			(option_rows[i].commands & (CMD_OCCUPANCY | CMD_RUN)) == CMD_OCCUPANCY)
			return true;
	return false;
}

static void drop_words(struct cli_options *options, size_t count)
{
	options->argument_count -= count;
	memmove(options->arguments, options->arguments + count,
		options->argument_count * sizeof *options->arguments);
}

static bool begins_with(const struct cli_options *options, const char *word)
{
	return options->argument_count && strcmp(options->arguments[0], word) == 0;
}

/* `version` is --version, `help COMMAND` is COMMAND --help, and `help FAMILY` is list FAMILY. */
static enum pmpp_status find_help(struct cli_options *options, struct pmpp_error *error)
{
	if (begins_with(options, "version")) {
		options->version = true;
		return options->argument_count == 1
			       ? PMPP_OK
			       : PMPP_FAIL(error, PMPP_USAGE,
					 "version: '%s' is one argument too many",
					 options->arguments[1]);
	}
	if (!begins_with(options, "help"))
		return PMPP_OK;
	while (begins_with(options, "help"))
		drop_words(options, 1);
	if (begins_with(options, "version"))
		drop_words(options, options->argument_count);
	options->help = options->argument_count == 0 || !targets_begin_with(options->arguments[0]);
	for (size_t i = 0; i < commands.count && !options->help; i++)
		if (commands.items[i].bit == CMD_LIST)
			options->command = &commands.items[i];
	return PMPP_OK;
}

/* Finds the command. If the first word is a family, the command is `run`. */
static enum pmpp_status find_command(struct cli_options *options, struct pmpp_error *error)
{
	enum pmpp_status status = find_help(options, error);
	if (status != PMPP_OK || options->argument_count == 0 || options->version ||
		options->command)
		return status;
	for (size_t i = 0; i < commands.count; i++) {
		size_t words = words_of_name(&commands.items[i], options);
		if (words == 0)
			words = means_model(&commands.items[i], options);
		if (words == 0)
			continue;
		options->command = &commands.items[i];
		drop_words(options, words);
		return PMPP_OK;
	}
	if (!targets_begin_with(options->arguments[0])) {
		char near[160];
		commands_of(options->arguments[0], near, sizeof near);
		if (*near && options->help)
			return PMPP_OK;
		return unknown_word(options, error);
	}
	options->command = &commands.items[0];
	return PMPP_OK;
}

/* "run, verify and parity read it" */
static void readers_of(const struct option_row *row, char *ret_text, size_t size)
{
	size_t total = 0, count = 0;

	for (size_t i = 0; i < commands.count; i++)
		total += (row->commands & commands.items[i].bit) != 0;
	*ret_text = '\0';
	for (size_t i = 0; i < commands.count; i++) {
		if (!(row->commands & commands.items[i].bit))
			continue;
		text_append(ret_text, size, "%s%s",
			count == 0           ? ""
			: count + 1 == total ? " and "
					     : ", ",
			commands.items[i].name);
		count++;
	}
	text_append(ret_text, size, " read%s it", total == 1 ? "s" : "");
}

static enum pmpp_status check_options(const struct cli_options *options, struct pmpp_error *error)
{
	const struct command *command = options->command;
	char readers[400];

	for (size_t i = 0; i < option_count; i++) {
		const struct option_row *row = &option_rows[i];
		if (!options->given[i] || (row->commands & command->bit))
			continue;
		readers_of(row, readers, sizeof readers);
		return PMPP_FAIL(error, PMPP_USAGE,
			"--%s is not an option of %s; %s (pmpp-run %s --help)", row->name,
			command->name, readers, command->name);
	}
	if (options->model.block[2] && command->bit != CMD_WARPS)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--block has three numbers: only model warps takes them; give N or NxN");
	return PMPP_OK;
}

/* Reports a bad value, or the option if the command does not read it. */
static enum pmpp_status bad_value(struct parse *parse, struct pmpp_error *error)
{
	struct cli_options *options = parse->options;
	struct pmpp_error other = PMPP_ERROR_INIT;
	bool other_command = find_command(options, &other) == PMPP_OK && options->command &&
			     check_options(options, &other) != PMPP_OK;

	pmpp_error_move(error, other_command ? &other : &parse->value_error);
	pmpp_error_clear(&other);
	return other_command ? PMPP_USAGE : parse->value_status;
}

/* Returns the first option that is followed by the name of a family; NULL: none. */
static const char *option_with_family(const struct cli_options *options)
{
	for (int i = 1; i + 1 < options->argc; i++)
		if (options->argv[i][0] == '-' && targets_begin_with(options->argv[i + 1]))
			return options->argv[i];
	return NULL;
}

static enum pmpp_status check_command(const struct cli_options *options, struct pmpp_error *error)
{
	const struct command *command = options->command;

	if (!command)
		return PMPP_FAIL(error, PMPP_USAGE,
			"no command and no family: try `pmpp-run matmul`, or see pmpp-run --help");
	const char *taker = option_with_family(options);
	if (options->argument_count < command->min_arguments && taker)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: missing %s: %s takes the next word as its value: give %s a value before "
			"the family",
			command->name, command->arguments, taker, taker);
	if (options->argument_count < command->min_arguments)
		return PMPP_FAIL(error, PMPP_USAGE, "%s: missing %s; see pmpp-run %s --help",
			command->name, command->arguments, command->name);
	if (options->argument_count > command->max_arguments)
		return PMPP_FAIL(error, PMPP_USAGE, "%s: '%s' is one argument too many",
			command->name, options->arguments[command->max_arguments]);
	return PMPP_OK;
}

static bool is_given(const struct cli_options *options, const char *name)
{
	for (size_t i = 0; i < option_count; i++)
		if (strcmp(option_rows[i].name, name) == 0)
			return options->given[i];
	return false;
}

/* Whether the option chooses what a run does. */
static bool is_of_run(const struct option_row *row)
{
	return row->commands & CMD_RUN && (row->group == GROUP_WHAT || row->group == GROUP_HOW);
}

/* --fleet prints a table, and writes no files. */
static enum pmpp_status check_comparing(const struct cli_options *options, struct pmpp_error *error)
{
	if (options->argument_count == 0 && !options->comparing.with)
		return PMPP_FAIL(error, PMPP_USAGE,
			"compare: missing %s; see pmpp-run compare --help",
			options->command->arguments);
	for (size_t i = 0; i < option_count && options->fleet; i++) {
		const struct option_row *row = &option_rows[i];
		if (options->given[i] &&
			(row->group == GROUP_COMPARE || row->group == GROUP_OUTPUT))
			return PMPP_FAIL(error, PMPP_USAGE,
				"--%s is not possible with --fleet, which only prints a table: leave "
				"one of them out",
				row->name);
	}
	return PMPP_OK;
}

/* `contribute` runs families, reads files or checks files. Options of a run are only for a run. */
static enum pmpp_status check_contributing(
	const struct cli_options *options, struct pmpp_error *error)
{
	if (options->check && options->argument_count == 0)
		return PMPP_FAIL(
			error, PMPP_USAGE, "--check needs files: contribute --check FILE...");
	if (options->check && options->output)
		return PMPP_FAIL(error, PMPP_USAGE, "--check writes no file: leave out --output");
	for (size_t i = 0; i < option_count && options->argument_count; i++)
		if (options->given[i] && is_of_run(&option_rows[i]))
			return PMPP_FAIL(error, PMPP_USAGE,
				"--%s is only for a run: leave it out, or leave out the files",
				option_rows[i].name);
	return PMPP_OK;
}

static enum pmpp_status check_values(struct cli_options *options, struct pmpp_error *error)
{
	const char *const outputs[] = {options->json, options->csv, options->markdown};
	const struct engine *engine = engines[options->job.engine];
	int on_stdout = 0;

	for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
		on_stdout += outputs[i] && strcmp(outputs[i], "-") == 0;
	options->terminal.stdout_taken = on_stdout > 0;
	if (on_stdout > 1)
		return PMPP_FAIL(error, PMPP_USAGE,
			"only one of --json, --csv and --md can go to stdout: give the others a "
			"FILE");
	if (engine->backend && (is_given(options, "backend") || is_given(options, "device")))
		return PMPP_FAIL(error, PMPP_USAGE,
			"--engine=%s does not use --backend and --device: leave them out",
			engine->name);
	enum pmpp_status status =
		options->command->bit == CMD_COMPARE      ? check_comparing(options, error)
		: options->command->bit == CMD_CONTRIBUTE ? check_contributing(options, error)
							  : PMPP_OK;
	if (status != PMPP_OK)
		return status;
	if (options->rank && !options->fleet)
		return PMPP_FAIL(error, PMPP_USAGE, "--rank needs --fleet");
	if (options->job.repetitions > 1 && options->job.no_isolate)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--repeat starts a new process for each run: leave out --no-isolate");
	if (engine->renews && options->job.no_isolate)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--engine=%s starts a new process after each report: leave out "
			"--no-isolate",
			engine->name);
	if (options->job.suite.min_samples > options->job.suite.max_samples)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--min-samples=%zu is larger than --max-samples=%zu",
			options->job.suite.min_samples, options->job.suite.max_samples);
	return PMPP_OK;
}

/* ---- Public -------------------------------------------------------------------------------- */

static void set_defaults(int argc, char **argv, struct cli_options *options)
{
	*options = (struct cli_options){
		.argc = argc,
		.argv = argv,
		.job = {.backend = getenv("PMPP_BACKEND"),
			.device = getenv("PMPP_DEVICE"),
			.backend_from = "PMPP_BACKEND",
			.device_from = "PMPP_DEVICE",
			.seed = 1,
			.suite = SUITE_OPTIONS_DEFAULT,
			.repetitions = 1,
			.tolerance = NAN,
			.timeout_s = 120,
			.shard_index = 1,
			.shard_count = 1},
		.model.latency_ratio = -1,
	};
	if (options->job.backend && !*options->job.backend)
		options->job.backend = NULL;
	if (options->job.device && !*options->job.device)
		options->job.device = NULL;
}

enum pmpp_status cli_options_parse(
	int argc, char **argv, struct cli_options *ret_options, struct pmpp_error *error)
{
	struct parse parse = {.options = ret_options, .error = error};

	set_defaults(argc, argv, ret_options);
	enum pmpp_status status = take_words(&parse);
	if (status == PMPP_OK && parse.value_status != PMPP_OK)
		status = bad_value(&parse, error);
	pmpp_error_clear(&parse.value_error);
	if (status != PMPP_OK)
		return status;
	if (ret_options->version)
		return PMPP_OK;
	status = find_command(ret_options, error);
	if (status != PMPP_OK || ret_options->help || ret_options->version)
		return status;
	if (is_given(ret_options, "backend"))
		ret_options->job.backend_from = "--backend";
	if (is_given(ret_options, "device"))
		ret_options->job.device_from = "--device";
	if (ret_options->command)
		status = check_options(ret_options, error);
	if (status == PMPP_OK)
		status = check_command(ret_options, error);
	return status == PMPP_OK ? check_values(ret_options, error) : status;
}
