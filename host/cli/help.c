#include "host/cli/help.h"

#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "host/cli/cmd.h"
#include "host/cli/option_table.h"
#include "host/record/shipped.h"

#define WIDTH 79
#define TEXT_COLUMN 26    /* of phrases beside options */
#define COMMAND_COLUMN 35 /* of summaries beside commands */
#define MAX_SHIPPED_LINES 2

const char help_description[] =
	"Ladders of GPU kernels in OpenCL and CUDA: checked, then timed and explained.";

const struct help_entry help_exits[] = {
	{"0", "ok", "All results are as they should be."},
	{"1", "usage, a rejected output path, or a too large problem",
		"Wrong command line, input file or path of an output, or a problem that is too large for "
		"the memory."},
	{"2", "backend or device unavailable", "A backend or a device is not available."},
	{"3", "wrong result or time",
		"A variant failed its verification, its time is too short for its work, explain "
		"found a defect, or selftest found that a kernel was judged mistakenly."},
	{"4", "regression, slow rank",
		"compare --fail-on found a confirmed regression, or compare --fleet a confirmed "
		"straggler."},
	{"5", "build or launch error, timeout, crash, or a write error",
		"A variant could not be built or launched, took too long or crashed, or an output "
		"cannot be written. If the path of an output is rejected before the command "
		"begins, "
		"the status is 1."},
	{"77", "no variant was verified",
		"No variant was verified: all were skipped, unsupported or unverified."},
	{"130", "interrupted", "A signal interrupted the command. Finished results are written."},
	{"141", "the reader closed the pipe",
		"The reader of stdout or stderr closed the pipe, as `| head` does. A job ends and "
		"writes its finished results."},
};
const size_t help_exit_count = sizeof help_exits / sizeof *help_exits;

const struct help_entry help_environment[] = {
	{"PMPP_BACKEND", "default of --backend", "Default of --backend."},
	{"PMPP_DEVICE", "default of --device", "Default of --device."},
	{"PMPP_STORE", "file of the store",
		"File of the store. Default: $XDG_DATA_HOME/pmpp/results.db, else "
		"~/.local/share/pmpp/results.db."},
	{SHIPPED_VARIABLE, "shipped devices",
		"Folder of the result files of shipped devices. Default: share/pmpp/devices of the "
		"installation."},
	{"NO_COLOR", NULL, "If it is set and not empty, --color=auto uses no colours."},
	{"TERM", NULL,
		"If it is dumb or not set, --color=auto uses no colours and --progress=auto shows "
		"no progress line."},
	{"PMPP_NO_CACHE", NULL, "If it is set to 1, compiled kernels are not cached."},
	{"PMPP_EMU_TIMEOUT_S", NULL, "Time limit of one launch of the emulator, in seconds (60)."},
	{"PMPP_EMU_WORKERS", NULL, "Number of threads of the emulator, 1 to 16 (one per CPU)."},
	{"CXX", NULL, "C++ compiler of the CUDA emulator (c++)."},
	{"CLANG", NULL,
		"clang command of the OpenCL emulator, version 14 or later (default: clang, else "
		"the newest clang-N)."},
	{"CUDA_HOME, CUDA_PATH", NULL,
		"Folder of a CUDA Toolkit with NVRTC. This folder is searched first."},
	{"XDG_CACHE_HOME", NULL, "Folder of caches (~/.cache)."},
	{"TMPDIR", NULL, "Folder of temporary files (/tmp)."},
};
const size_t help_environment_count = sizeof help_environment / sizeof *help_environment;

static const char main_examples[] =
	"Examples:\n"
	"  pmpp-run matmul               The ladder on the first GPU, else on the CPU\n"
	"  pmpp-run verify all           All kernels on all backends, without times\n";

/* ---- Lines ----------------------------------------------------------------------------------- */

/* Prints words from `column` on. Lines after the first begin at `indent`. Returns the column of the
 * end of the text, which is not a new line. */
static int put_words(FILE *out, const char *text, int column, int indent)
{
	bool first = true;

	while (*text) {
		int length = (int)strcspn(text, " ");
		if (!first && column + 1 + length > WIDTH) {
			fprintf(out, "\n%*s", indent, "");
			column = indent;
		} else if (!first) {
			fputc(' ', out);
			column++;
		}
		column += fprintf(out, "%.*s", length, text);
		text += length;
		text += *text == ' ';
		first = false;
	}
	return column;
}

static void put_paragraph(FILE *out, const char *text)
{
	put_words(out, text, 0, 0);
	fputc('\n', out);
}

/* "  NAME   phrase": the phrase begins at text_column, or two blanks after a longer name. A phrase
 * that does not fit there has a line of its own. */
static void put_entry(FILE *out, const char *name, const char *phrase, int text_column)
{
	int column = fprintf(out, "  %s", name);
	int begin = column + 2 > text_column ? column + 2 : text_column;

	if (!*phrase) {
		fputc('\n', out);
		return;
	}
	if (begin > text_column && begin + (int)strlen(phrase) > WIDTH) {
		fprintf(out, "\n%*s", text_column, "");
		begin = text_column;
	} else {
		fprintf(out, "%*s", begin - column, "");
	}
	put_words(out, phrase, begin, text_column);
	fputc('\n', out);
}

/* "0 ok; 1 usage; 2 ..." */
static void put_entries(
	FILE *out, const char *title, const struct help_entry *entries, size_t count)
{
	int column = fprintf(out, "%s:", title);

	for (size_t i = 0; i < count; i++) {
		char text[160];
		if (!entries[i].help)
			continue;
		bool last = i + 1 == count || !entries[i + 1].help;
		snprintf(text, sizeof text, "%s %s%c", entries[i].name, entries[i].help,
			last ? '.' : ';');
		int length = (int)strcspn(text, " ");
		/* put_words() breaks lines between words, but not before the first word. */
		if (column + 1 + length > WIDTH)
			column = fprintf(out, "\n ") - 1;
		fputc(' ', out);
		column = put_words(out, text, column + 1, 2);
	}
	fputc('\n', out);
}

/* ---- Options --------------------------------------------------------------------------------- */

static bool is_shown(const struct option_row *row, const struct command *command)
{
	return command ? (row->commands & command->bit) && row->group != GROUP_GENERAL
		       : row->common;
}

/* The options of one line: a row, and the rows that share its line. Returns the next row. */
static size_t put_option(FILE *out, size_t first, const struct command *command)
{
	const char *help = option_help(&option_rows[first], command ? (unsigned)command->bit : ~0u);
	char names[120] = "";
	size_t i = first;

	do {
		char name[60];
		if (is_shown(&option_rows[i], command)) {
			option_spelling(&option_rows[i], name, sizeof name);
			text_append(names, sizeof names, "%s%s", *names ? ", " : "", name);
		}
		i++;
	} while (i < option_count && !option_rows[i].help);
	if (*names)
		put_entry(out, names, help, TEXT_COLUMN);
	return i;
}

static void put_group(FILE *out, int group, const struct command *command)
{
	bool titled = false;

	for (size_t i = 0; i < option_count;) {
		const struct option_row *row = &option_rows[i];
		if (row->group != group || !is_shown(row, command)) {
			i++;
			continue;
		}
		if (!titled)
			fprintf(out, "%s:\n", option_group_title(group));
		titled = true;
		i = put_option(out, i, command);
	}
}

/* "General: --color=WHEN, -q, -v, -h, --version": pmpp-run --help describes them. */
static void put_general(FILE *out, const struct command *command)
{
	const char *separator = ":";

	fputs(option_group_title(GROUP_GENERAL), out);
	for (size_t i = 0; i < option_count; i++) {
		const struct option_row *row = &option_rows[i];
		char name[40];
		if (row->group != GROUP_GENERAL || !(row->commands & command->bit))
			continue;
		option_spelling(row, name, sizeof name);
		/* Only the letter of "-q, --quiet". */
		fprintf(out, "%s %.*s", separator, row->key ? 2 : (int)sizeof name, name);
		separator = ",";
	}
	fputc('\n', out);
}

/* ---- Commands -------------------------------------------------------------------------------- */

/* The devices that --with can name; two lines at most. */
static void put_shipped(FILE *out)
{
	static const char more[] = "... (pmpp-run devices lists all)";
	char *names = shipped_names_text();
	int column = fprintf(out, "Devices that ship with pmpp (--with):");
	int room = MAX_SHIPPED_LINES * WIDTH - column - (int)sizeof more - 20;

	if (names && (int)strlen(names) > room) {
		char *end = names + room;
		while (end > names && *end != ' ')
			end--;
		*end = '\0';
		fputc(' ', out);
		column = put_words(out, names, column + 1, 2);
		fputc(' ', out);
		put_words(out, more, column + 1, 2);
	} else {
		fputc(' ', out);
		put_words(out, names && *names ? names : "none are installed", column + 1, 2);
	}
	fputc('\n', out);
	free(names);
}

static void put_examples(FILE *out, const struct command *command)
{
	const char *begin = "Examples:";

	for (size_t i = 0; i < sizeof command->examples / sizeof *command->examples; i++) {
		if (!command->examples[i])
			break;
		fprintf(out, "%-9s pmpp-run %s\n", begin, command->examples[i]);
		begin = "";
	}
}

static void command_help(FILE *out, const struct command *command)
{
	char summary[120];

	fprintf(out, "Usage: pmpp-run %s [OPTION...]%s%s\n", command->name,
		*command->arguments ? " " : "", command->arguments);
	snprintf(summary, sizeof summary, "%s.", command->summary);
	put_paragraph(out, summary);
	if (command->note)
		put_paragraph(out, command->note);
	fputc('\n', out);
	for (int group = 0; group < GROUP_GENERAL; group++)
		put_group(out, group, command);
	put_general(out, command);
	fputc('\n', out);
	put_examples(out, command);
	if (command->takes_shipped)
		put_shipped(out);
	fputs("More: man pmpp-run; general options and exit status: pmpp-run --help", out);
	fprintf(out, command->page ? "\n      %s\n" : "%s\n", command->page ? command->page : "");
}

/* Lists the commands with this first word and a second one, such as `store list`. NULL: all commands. */
static void put_commands(FILE *out, const char *word)
{
	int group = -1;

	for (size_t i = 0; i < commands.count; i++) {
		const struct command *command = &commands.items[i];
		size_t length = word ? strlen(word) : 0;
		char name[60];
		if (word && !(strncmp(command->name, word, length) == 0 &&
				    command->name[length] == ' '))
			continue;
		if ((int)command->group != group)
			fprintf(out, "%s:\n", command_group_title(command->group));
		group = (int)command->group;
		snprintf(name, sizeof name, "%s%s%s", command->name, *command->arguments ? " " : "",
			command->arguments);
		put_entry(out, name, command->summary, COMMAND_COLUMN);
	}
}

static void main_help(FILE *out)
{
	fputs("Usage: pmpp-run COMMAND [OPTION...] [ARGUMENT...]\n"
	      "   or: pmpp-run [OPTION...] FAMILY[/VARIANT]...   (short for `pmpp-run run`)\n",
		out);
	put_paragraph(out, help_description);
	fputc('\n', out);
	put_commands(out, NULL);
	fputs("\n`all` names every family. `occupancy --cc=...` is short for `model occupancy`.\n"
	      "`help COMMAND` is short for `COMMAND --help`, `help FAMILY` for `list FAMILY`.\n\n"
	      "Common options:\n",
		out);
	for (size_t i = 0; i < option_count;)
		i = put_option(out, i, NULL);
	fputs("All options: pmpp-run COMMAND --help, man pmpp-run. Short forms: --prog=no\n\n",
		out);
	fputs(main_examples, out);
	fputc('\n', out);
	put_entries(out, "Exit status", help_exits, help_exit_count);
	put_entries(out, "Environment", help_environment, help_environment_count);
}

/* Help of the commands that begin with a word: `store --help` */
static void first_word_help(FILE *out, const char *word)
{
	fprintf(out, "Usage: pmpp-run %s COMMAND [OPTION...] [ARGUMENT...]\n\n", word);
	put_commands(out, word);
	fprintf(out, "\nMore: pmpp-run %s COMMAND --help\n", word);
}

void cli_help(const struct cli_options *options, FILE *out)
{
	if (options->command)
		command_help(out, options->command);
	else if (options->argument_count)
		first_word_help(out, options->arguments[0]);
	else
		main_help(out);
}
