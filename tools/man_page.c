#include "tools/manual.h"

#include "host/cli/help.h"

#include <string.h>

/* ---- roff ---------------------------------------------------------------------------------- */

/* Text in which `x` is bold and '\n' ends a line. A sentence begins on a new line, so that roff
 * sets its own blanks. */
static void put_text(FILE *out, const char *text)
{
	bool bold = false, line_begins = true;

	for (; *text; text++) {
		if (line_begins && (*text == '.' || *text == '\''))
			fputs("\\&", out);
		line_begins = false;
		if (*text == '`') {
			fputs(bold ? "\\fR" : "\\fB", out);
			bold = !bold;
		} else if (*text == '\n') {
			fputs("\n.br\n", out);
			line_begins = true;
		} else if (*text == '-') {
			fputs("\\-", out);
		} else if (*text == '\\') {
			fputs("\\e", out);
		} else if (*text == '~' || *text == '^') {
			fputs(*text == '~' ? "\\(ti" : "\\(ha", out);
		} else if (*text == ' ' && text[-1] == '.' && !bold &&
			   strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ", text[1])) {
			fputc('\n', out);
			line_begins = true;
		} else {
			fputc(*text, out);
		}
	}
}

static void put_line(FILE *out, const char *text)
{
	put_text(out, text);
	fputc('\n', out);
}

static void put_section(FILE *out, const char *title)
{
	fprintf(out, ".SH %s\n", title);
}

/* The tag of a paragraph, in bold. */
static void put_tag(FILE *out, const char *tag)
{
	fputs(".TP\n\\fB", out);
	put_text(out, tag);
	fputs("\\fR\n", out);
}

/* ---- Commands ------------------------------------------------------------------------------ */

static void put_command_options(FILE *out, const struct command *command)
{
	const char *separator = "Options: ";

	for (size_t i = 0; i < option_count; i++) {
		char name[80];
		if (!(option_rows[i].commands & command->bit) ||
			option_rows[i].group == GROUP_GENERAL)
			continue;
		fputs(separator, out);
		snprintf(name, sizeof name, "--%s", option_rows[i].name);
		put_text(out, name);
		separator = ", ";
	}
	fputs(*separator == ',' ? ".\n.br\n" : "", out);
}

static void put_command(FILE *out, const struct command *command)
{
	char text[160];

	snprintf(text, sizeof text, "%s%s%s", command->name, *command->arguments ? " " : "",
		command->arguments);
	put_tag(out, text);
	snprintf(text, sizeof text, "%s.", command->summary);
	put_line(out, text);
	if (command->note)
		put_line(out, command->note);
	if (command->text)
		put_line(out, command->text);
	fputs(".br\n", out);
	put_command_options(out, command);
	fputs("Examples:\n", out);
	for (size_t i = 0; i < sizeof command->examples / sizeof *command->examples; i++) {
		if (!command->examples[i])
			break;
		fputs(".br\n\\fBpmpp\\-run ", out);
		put_text(out, command->examples[i]);
		fputs("\\fR\n", out);
	}
}

static void put_commands(FILE *out)
{
	put_section(out, "COMMANDS");
	for (size_t i = 0; i < commands.count; i++) {
		const struct command *command = &commands.items[i];
		if (i == 0 || command->group != command[-1].group)
			fprintf(out, ".SS %s\n", command_group_title(command->group));
		put_command(out, command);
	}
}

/* ---- Options ------------------------------------------------------------------------------- */

/* "Read by run, verify." */
static void put_readers(FILE *out, const struct option_row *row)
{
	const char *separator = "Read by ";

	if (row->group == GROUP_GENERAL)
		return;
	fputs(".br\n", out);
	for (size_t i = 0; i < commands.count; i++)
		if (row->commands & commands.items[i].bit) {
			fprintf(out, "%s%s", separator, commands.items[i].name);
			separator = ", ";
		}
	fputs(".\n", out);
}

static void put_options(FILE *out)
{
	put_section(out, "OPTIONS");
	put_line(out,
		"Options may stand anywhere on the command line. An option that a command does not "
		"read is an error.");
	for (size_t i = 0; i < option_count; i++) {
		const struct option_row *row = &option_rows[i];
		char spelling[80], sentence[200];
		if (i == 0 || row->group != row[-1].group)
			fprintf(out, ".SS %s\n", option_group_title(row->group));
		option_spelling(row, spelling, sizeof spelling);
		put_tag(out, spelling);
		snprintf(sentence, sizeof sentence, "%s.", row->text ? "" : row->help);
		put_line(out, row->text ? row->text : sentence);
		put_readers(out, row);
	}
}

/* ---- Page ---------------------------------------------------------------------------------- */

static void put_entries(
	FILE *out, const char *title, const struct help_entry *entries, size_t count)
{
	put_section(out, title);
	for (size_t i = 0; i < count; i++) {
		put_tag(out, entries[i].name);
		put_line(out, entries[i].text);
	}
}

static void put_head(FILE *out)
{
	fputs(".\\\" Made by the build (tools/manual.c) from the tables of host/cli.\n"
	      ".TH PMPP\\-RUN 1 \"\" \"pmpp " MANUAL_VERSION "\" \"User Commands\"\n"
	      ".nh\n.ad l\n",
		out);
	put_section(out, "NAME");
	fputs("pmpp\\-run \\- check, time and compare GPU kernels in OpenCL and CUDA\n", out);
	put_section(out, "SYNOPSIS");
	fputs("\\fBpmpp\\-run\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIARGUMENT\\fR...]\n.br\n"
	      "\\fBpmpp\\-run\\fR [\\fIOPTION\\fR...] \\fIFAMILY\\fR[/\\fIVARIANT\\fR]...\n",
		out);
	put_section(out, "DESCRIPTION");
	put_line(out, help_description);
	put_line(out,
		"A family is one problem, such as matmul. Its variants solve the problem; each "
		"variant adds one technique to an earlier one. `pmpp-run list` shows all families "
		"and variants, and `all` names every family. The second form is short for "
		"`pmpp-run run`.");
	put_line(out,
		"Tables and data go to stdout, everything else goes to stderr. Units are decimal: 1 GB "
		"is 10^9 bytes.");
}

static void put_end(FILE *out)
{
	put_section(out, "SEE ALSO");
	put_line(out, "The documentation of pmpp in share/doc/pmpp of the installation:");
	for (size_t i = 0; i < commands.count; i++) {
		const char *page = commands.items[i].page;
		bool known = !page;
		for (size_t k = 0; k < i && page && !known; k++)
			known = commands.items[k].page && strcmp(commands.items[k].page, page) == 0;
		if (known)
			continue;
		fputs(".br\n", out);
		put_line(out, page);
	}
}

void man_page_put(FILE *out)
{
	put_head(out);
	put_commands(out);
	put_options(out);
	put_entries(out, "EXIT STATUS", help_exits, help_exit_count);
	put_entries(out, "ENVIRONMENT", help_environment, help_environment_count);
	put_end(out);
}
