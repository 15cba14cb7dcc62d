#include "tools/manual.h"

#include <stdlib.h>
#include <string.h>

static const char *kind_of(const struct option_row *row)
{
	static const char *const kinds[WORDS_COUNT] = {
		[WORDS_FILES] = "files", [WORDS_FOLDERS] = "folders"};

	return kinds[row->words] ? kinds[row->words] : "words";
}

static const char *argument_kind_of(const struct command *command)
{
	static const char *const kinds[ARGUMENTS_COUNT] = {
		[ARGUMENTS_NONE] = "none",
		[ARGUMENTS_VARIANTS] = "variants",
		[ARGUMENTS_FILES] = "files",
	};

	return kinds[command->words];
}

/* " 'NAME:TEXT'": a line of the function `described`. */
static void put_described(FILE *out, const char *name, int length, const char *text)
{
	fprintf(out, " \\\n\t\t'%.*s:", length, name);
	for (; *text; text++)
		fprintf(out, *text == '\'' ? "'\\''" : "%c", *text);
	fputc('\'', out);
}

/* Length of the first word of a command of two words; 0 = one word. */
static size_t first_word_length(const struct command *command)
{
	size_t length = strcspn(command->name, " ");

	return command->name[length] ? length : 0;
}

/* Whether the command before has the same first word of two. */
static bool repeats_word(size_t i)
{
	size_t length = first_word_length(&commands.items[i]);

	return length && i > 0 &&
	       strncmp(commands.items[i].name, commands.items[i - 1].name, length + 1) == 0;
}

/* "occupancy, dram, boundary", beginning with the command of number `first`. */
static void second_words(size_t first, char *ret_text, size_t size)
{
	size_t length = first_word_length(&commands.items[first]);

	*ret_text = '\0';
	for (size_t i = first; i < commands.count && (i == first || repeats_word(i)); i++) {
		size_t used = strlen(ret_text);
		snprintf(ret_text + used, size - used, "%s%s", used ? ", " : "",
			commands.items[i].name + length + 1);
	}
}

/* The first words of all commands, each once. */
static void put_first_words(FILE *out)
{
	fputs("\t'') printf '%s\\n'", out);
	for (size_t i = 0; i < commands.count; i++) {
		const struct command *command = &commands.items[i];
		size_t length = first_word_length(command);
		char seconds[120];
		if (repeats_word(i))
			continue;
		if (length)
			second_words(i, seconds, sizeof seconds);
		put_described(out, command->name, length ? (int)length : (int)strlen(command->name),
			length ? seconds : command->summary);
	}
	fputs(" ;;\n", out);
}

/* The second words of the commands with a first word. */
static void put_second_words(FILE *out, size_t first)
{
	size_t length = first_word_length(&commands.items[first]);

	fprintf(out, "\t'%.*s') printf '%%s\\n'", (int)length, commands.items[first].name);
	for (size_t i = first; i < commands.count && (i == first || repeats_word(i)); i++) {
		const char *name = commands.items[i].name + length + 1;
		put_described(out, name, (int)strlen(name), commands.items[i].summary);
	}
	fputs(" ;;\n", out);
}

/* The options of a command: "--size=" takes a value, "--json" and "--json=" may take one. */
static void put_options(FILE *out, const struct command *command)
{
	fprintf(out, "\t'%s') printf '%%s\\n'", command->name);
	for (size_t i = 0; i < option_count; i++) {
		const struct option_row *row = &option_rows[i];
		const char *help = option_help(row, (unsigned)command->bit);
		char name[64];
		if (!(row->commands & command->bit))
			continue;
		help = help ? help : row->text;
		snprintf(name, sizeof name, "--%s=", row->name);
		int length = (int)strlen(name);
		if (!row->arg || row->arg_optional)
			put_described(out, name, length - 1, help);
		if (row->arg)
			put_described(out, name, length, help);
		snprintf(name, sizeof name, "-%c", row->key);
		if (row->key)
			put_described(out, name, 2, help);
	}
	fputs(" ;;\n", out);
}

/* ---- Functions ----------------------------------------------------------------------------- */

/* A function that prints the case of its argument. */
static void begin_function(FILE *out, const char *name, const char *comment)
{
	fprintf(out, "# %s\n_pmpp_run_%s() {\n\tcase $1 in\n", comment, name);
}

static void end_function(FILE *out)
{
	fputs("\tesac\n}\n\n", out);
}

static void put_command_functions(FILE *out)
{
	begin_function(out, "described",
		"WORD:TEXT lines: of a command its options, of `model` and `store` the second "
		"words, of '' the commands.");
	put_first_words(out);
	for (size_t i = 0; i < commands.count; i++)
		if (first_word_length(&commands.items[i]) && !repeats_word(i))
			put_second_words(out, i);
	for (size_t i = 0; i < commands.count; i++)
		put_options(out, &commands.items[i]);
	end_function(out);
	begin_function(out, "arguments", "Kind of a command's arguments.");
	for (size_t i = 0; i < commands.count; i++)
		fprintf(out, "\t'%s') echo %s ;;\n", commands.items[i].name,
			argument_kind_of(&commands.items[i]));
	end_function(out);
}

/* The words of an option; NULL for lack of memory. */
static char *words_of(const struct option_row *row, unsigned of_commands)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	option_words_put(row, of_commands, out);
	fclose(out);
	return text;
}

/* A line for each command that takes other words than all commands together, and a line for the
 * other commands and for a command line that has no command yet. */
static void put_values_of(FILE *out, const struct option_row *row)
{
	char *all = words_of(row, row->commands);

	for (size_t i = 0; i < commands.count; i++) {
		unsigned bit = (unsigned)commands.items[i].bit;
		char *words = row->commands & bit ? words_of(row, bit) : NULL;
		if (all && words && strcmp(all, words) != 0)
			fprintf(out, "\t'--%s %s') echo '%s' ;;\n", row->name,
				commands.items[i].name, words);
		free(words);
	}
	if (all)
		fprintf(out, "\t'--%s '*) echo '%s' ;;\n", row->name, all);
	free(all);
}

static void put_values(FILE *out)
{
	fputs("# Words that an option of a command takes.\n_pmpp_run_values() {\n"
	      "\tcase \"$1 $2\" in\n",
		out);
	for (size_t i = 0; i < option_count; i++)
		if (option_rows[i].words != WORDS_NONE && option_rows[i].words < WORDS_FILES)
			put_values_of(out, &option_rows[i]);
	end_function(out);
}

static void put_option_functions(FILE *out)
{
	begin_function(out, "kind", "Kind of an option's value; nothing if it takes none.");
	for (size_t i = 0; i < option_count; i++) {
		const struct option_row *row = &option_rows[i];
		if (!row->arg)
			continue;
		fputc('\t', out);
		if (row->key)
			fprintf(out, "-%c | ", row->key);
		fprintf(out, "--%s) echo %s%s ;;\n", row->name,
			row->arg_optional ? "optional-" : "", kind_of(row));
	}
	end_function(out);
	put_values(out);
	fputs("_pmpp_run_families='", out);
	family_words_put(false, out);
	fputs(" all'\n_pmpp_run_variants='", out);
	family_words_put(true, out);
	fputs(" all'\n", out);
}

void completion_functions_put(FILE *out)
{
	put_command_functions(out);
	put_option_functions(out);
}
