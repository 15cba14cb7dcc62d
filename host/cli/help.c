#include "host/cli/help.h"

#include <stdlib.h>

#include "host/cli/option_table.h"
#include "host/record/shipped.h"

/* argp fills paragraphs to 79 columns, but leaves lines that begin with blanks if they fit. */
static const char help_examples[] =
	"Examples:\n"
	"  pmpp-run matmul                the ladder on the first GPU, else the CPU\n"
	"  pmpp-run --backend=cuda matmul/tiled32 --size=1000,2048\n"
	"  pmpp-run matmul/registers --set TILE_M=64,128 --json=r.json\n"
	"  pmpp-run matmul/tiled16 --in A=a.npy --in B=b.npy --out C=c.npy\n"
	"  pmpp-run verify all            every kernel of every backend, untimed\n"
	"  pmpp-run parity matmul         OpenCL against CUDA on one card\n"
	"  pmpp-run compare old.json new.json --fail-on=slow\n"
	"  pmpp-run doctor                what works here, and what to do if not\n"
	"  pmpp-run model boundary --size=76x62 --block=16x16\n"
	"\n"
	"Without --backend or --device, run and roofline take the first GPU (through CUDA where "
	"both backends see it), else an OpenCL CPU; cuda-emu is used only if it is "
	"named. verify takes a device of every available backend.\n"
	"\n"
	"Tables and data go to stdout, everything else to stderr. Units are decimal "
	"(GB = 10^9 bytes).\n"
	"\n";

static const char help_exits[] =
	"Exit status: 0 ok; 1 usage, or a problem that is too large for the memory; 2 backend or "
	"device unavailable; 3 verification failed; 4 confirmed regression (compare --fail-on); 5 "
	"build or launch error, timeout, crash, or an output that cannot be written (but 1 if the "
	"path of an output is rejected before the command begins); 77 no variant was verified "
	"(skipped, unsupported or unverified); 130 interrupted.";

/* The devices that --with can name. */
static void put_shipped(FILE *out)
{
	char *names = shipped_names_text();

	fprintf(out, "\n\nDevices that ship with pmpp (--with): %s",
		names && *names ? names : "none are installed");
	free(names);
}

/* malloc'ed text before the options; NULL for lack of memory. */
static char *help_head(const struct command_list *commands, const struct command *command)
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
		fputs("Optimisation ladders of GPU kernels in OpenCL and CUDA. Each step is checked "
		      "against a reference, then timed.\n\nCommands:\n",
			out);
		for (size_t i = 0; i < commands->count; i++)
			fprintf(out, "  %-15s %-21s %s\n", commands->items[i].name,
				commands->items[i].arguments, commands->items[i].summary);
		fputs("\nFAMILY[/VARIANT]... alone is short for `run FAMILY[/VARIANT]...`; `all` "
		      "names every family. `occupancy` with --cc or --threads is short for "
		      "`model occupancy`; without them it names the family.\n",
			out);
	}
	fprintf(out, "\v%s%s", command ? "" : help_examples, help_exits);
	if (command && command->takes_shipped)
		put_shipped(out);
	if (command && command->page)
		fprintf(out, "\n\n%s", command->page);
	fclose(out);
	return text;
}

void cli_help(const struct command_list *commands, const struct cli_options *options, FILE *out)
{
	static char program[] = "pmpp-run";
	struct argp_option rows[OPTION_MAX_COUNT + 1];
	const struct command *command = options->command;
	char words[80] = "COMMAND [ARGUMENT...]\nFAMILY[/VARIANT]...";
	char *head = help_head(commands, command);

	if (command)
		snprintf(words, sizeof words, "%s %s", command->name, command->arguments);
	option_argp_rows(command ? (unsigned)command->bit : ~0u, rows);
	struct argp argp = {.options = rows, .args_doc = words, .doc = head};
	argp_help(&argp, out, ARGP_HELP_LONG | ARGP_HELP_USAGE | ARGP_HELP_DOC, program);
	free(head);
}
