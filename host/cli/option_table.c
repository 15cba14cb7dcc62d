#include "host/cli/option_table.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/access_model.h"
#include "common/model/chip.h"
#include "common/model/dram.h"
#include "common/nearest.h"
#include "common/text.h"
#include "host/gpu/backends.h"
#include "host/run/engine.h"

/* ---- Values --------------------------------------------------------------------------------- */

/* Setters of option values: they write the text of an option to a field of struct cli_options. */

#define FIELD(type, given) (*(type *)((char *)(given)->options + (given)->row->offset))

static enum pmpp_status set_flag(const struct given_option *given, struct pmpp_error *error)
{
	(void)error;
	FIELD(bool, given) = true;
	return PMPP_OK;
}

static enum pmpp_status set_text(const struct given_option *given, struct pmpp_error *error)
{
	if (!*given->text)
		return PMPP_FAIL(
			error, PMPP_USAGE, "--%s is empty: give a value", given->row->name);
	FIELD(const char *, given) = given->text;
	return PMPP_OK;
}

/* Replaces the name of a product by that of its model. */
static enum pmpp_status set_model(const struct given_option *given, struct pmpp_error *error)
{
	struct given_option named = *given;
	const char *model =
		access_model_find(given->text) ? NULL : chip_model_of_product(given->text);

	named.text = model ? model : given->text;
	return set_text(&named, error);
}

/* "-" without a value. */
static enum pmpp_status set_output(const struct given_option *given, struct pmpp_error *error)
{
	struct given_option output = *given;

	/* Renaming over /dev/stdout would replace the target of the redirection. */
	if (!output.text || strcmp(output.text, "/dev/stdout") == 0)
		output.text = "-";
	return set_text(&output, error);
}

static enum pmpp_status find_choice(
	const struct given_option *given, int *ret_index, struct pmpp_error *error)
{
	const char *const *choices = given->row->choices;
	char all[NAMES_TEXT_BYTES], hint[NAMES_TEXT_BYTES];
	size_t count = 0;

	for (; choices[count]; count++)
		if (strcmp(choices[count], given->text) == 0) {
			*ret_index = (int)count;
			return PMPP_OK;
		}
	return PMPP_FAIL(error, PMPP_USAGE, "--%s=%s: give one of %s%s", given->row->name,
		given->text, names_text(choices, count, all),
		nearest_hint(given->text, choices, count, hint));
}

/* An enum in the order of the choices. */
static enum pmpp_status set_choice(const struct given_option *given, struct pmpp_error *error)
{
	return find_choice(given, &FIELD(int, given), error);
}

/* true for the first of two choices. */
static enum pmpp_status set_yes_no(const struct given_option *given, struct pmpp_error *error)
{
	int index = 0;
	enum pmpp_status status = find_choice(given, &index, error);

	FIELD(bool, given) = index == 0;
	return status;
}

static enum pmpp_status set_double(const struct given_option *given, struct pmpp_error *error)
{
	const struct option_row *row = given->row;
	char *end;
	double value = strtod(given->text, &end);

	/* This condition also rejects NaN. */
	if (end == given->text || *end || !(value >= row->min && value <= row->max))
		return PMPP_FAIL(error, PMPP_USAGE,
			"--%s=%s: give a number from %.10g to %.10g%s%s", row->name, given->text,
			row->min, row->max, row->unit ? " " : "", row->unit ? row->unit : "");
	FIELD(double, given) = value;
	return PMPP_OK;
}

static bool parse_unsigned(const char *text, uint64_t *ret_value)
{
	char *end;

	errno = 0;
	unsigned long long value = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno)
		return false;
	*ret_value = value;
	return true;
}

static enum pmpp_status set_count(const struct given_option *given, struct pmpp_error *error)
{
	const struct option_row *row = given->row;
	uint64_t value;

	if (!parse_unsigned(given->text, &value) || (double)value < row->min ||
		(double)value > row->max)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--%s=%s: give a whole number from %.10g to %.10g", row->name, given->text,
			row->min, row->max);
	FIELD(size_t, given) = (size_t)value;
	return PMPP_OK;
}

/* Result files store seeds as JSON integers, which have 63 bits here. */
static enum pmpp_status set_seed(const struct given_option *given, struct pmpp_error *error)
{
	uint64_t *seed = &given->options->job.seed;

	if (!parse_unsigned(given->text, seed) || *seed > INT64_MAX)
		return PMPP_FAIL(error, PMPP_USAGE, "--%s=%s: give a whole number from 0 to 2^63-1",
			given->row->name, given->text);
	return PMPP_OK;
}

static enum pmpp_status set_size(const struct given_option *given, struct pmpp_error *error)
{
	return sizes_parse(given->text, &given->options->job.sizes, error);
}

static struct tunable *find_or_add(struct tunable_list *list, const char *name, size_t length)
{
	for (size_t i = 0; i < list->count; i++)
		if (strlen(list->items[i].name) == length &&
			strncmp(list->items[i].name, name, length) == 0)
			return &list->items[i];
	if (list->count == TUNABLE_MAX_COUNT || length >= sizeof list->items[0].name)
		return NULL;
	struct tunable *tunable = &list->items[list->count++];
	memcpy(tunable->name, name, length);
	return tunable;
}

/* Ignores a duplicate value. */
static void add_value(struct tunable *tunable, int value)
{
	for (size_t i = 0; i < tunable->value_count; i++)
		if (tunable->values[i] == value)
			return;
	tunable->values[tunable->value_count++] = value;
}

/* Adds NAME=VALUE[,VALUE...]. If the list has the name, the values are added to it. */
static enum pmpp_status set_tunable(const struct given_option *given, struct pmpp_error *error)
{
	const char *text = given->text;
	size_t length = strcspn(text, "=");

	if (length == 0 || text[length] != '=')
		return PMPP_FAIL(
			error, PMPP_USAGE, "--set: '%s' is not NAME=VALUE[,VALUE...]", text);
	struct tunable *tunable = find_or_add(&given->options->job.tunables, text, length);
	if (!tunable)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--set: '%.*s': the name is too long, or there are more than %d names",
			(int)length, text, TUNABLE_MAX_COUNT);
	for (const char *next = text + length;;) {
		const char *start = next + 1;
		char *end;
		long value = strtol(start, &end, 10);
		if (end == start || (*end && *end != ',') || value < 1 || value > INT_MAX)
			return PMPP_FAIL(error, PMPP_USAGE,
				"--set %s: '%.*s' is not a whole number from 1 to %d",
				tunable->name, (int)strcspn(start, ","), start, INT_MAX);
		if (tunable->value_count == TUNABLE_MAX_VALUES)
			return PMPP_FAIL(error, PMPP_USAGE, "--set %s: more than %d values",
				tunable->name, TUNABLE_MAX_VALUES);
		add_value(tunable, (int)value);
		if (!*end)
			return PMPP_OK;
		next = end;
	}
}

/* Adds NAME=VALUE to the list of macros; own_kernel_read() checks it. */
static enum pmpp_status set_macro(const struct given_option *given, struct pmpp_error *error)
{
	char *list = given->options->trying.macros;
	const size_t size = sizeof given->options->trying.macros;

	if (!*given->text || strpbrk(given->text, "\r\n") ||
		strlen(list) + strlen(given->text) + sizeof ", " > size)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--%s=%.60s: give NAME=VALUE on one line; all of them have at most %zu "
			"characters",
			given->row->name, given->text, size);
	text_append(list, size, "%s%s", *list ? ", " : "", given->text);
	return PMPP_OK;
}

static enum pmpp_status set_file(const struct given_option *given, struct pmpp_error *error)
{
	struct operand_file_list *list = &FIELD(struct operand_file_list, given);
	const char *name = given->row->name, *text = given->text;
	size_t length = strcspn(text, "=");

	if (length == 0 || text[length] != '=' || !text[length + 1] ||
		length >= sizeof list->items[0].name)
		return PMPP_FAIL(error, PMPP_USAGE, "--%s=%s: give NAME=FILE.npy", name, text);
	for (size_t i = 0; i < list->count; i++)
		if (strlen(list->items[i].name) == length &&
			strncmp(list->items[i].name, text, length) == 0)
			return PMPP_FAIL(error, PMPP_USAGE, "--%s: %s is given twice", name,
				list->items[i].name);
	if (list->count == PMPP_MAX_OPERANDS)
		return PMPP_FAIL(
			error, PMPP_USAGE, "--%s: more than %d files", name, PMPP_MAX_OPERANDS);
	struct operand_file *file = &list->items[list->count++];
	memcpy(file->name, text, length);
	file->path = text + length + 1;
	return PMPP_OK;
}

/* Parses "A", or "A" and "B" with a separator. Returns the number of values; 0 for any other text. */
static int parse_pair(const char *text, const char *separator, uint64_t ret_values[2])
{
	char first[24];
	size_t length = strcspn(text, separator);

	snprintf(first, sizeof first, "%.*s", (int)length, text);
	if (length >= sizeof first || !parse_unsigned(first, &ret_values[0]))
		return 0;
	if (!text[length])
		return 1;
	return parse_unsigned(text + length + 1, &ret_values[1]) ? 2 : 0;
}

static enum pmpp_status set_shard(const struct given_option *given, struct pmpp_error *error)
{
	uint64_t of[2];

	if (parse_pair(given->text, "/", of) != 2 || of[0] < 1 || of[0] > of[1] || of[1] > 1000)
		return PMPP_FAIL(error, PMPP_USAGE, "--%s=%s: give I/N with 1 <= I <= N <= 1000",
			given->row->name, given->text);
	given->options->job.shard_index = of[0];
	given->options->job.shard_count = of[1];
	return PMPP_OK;
}

/* int64_t[3]: N, NxN or NxNxN */
static enum pmpp_status set_block(const struct given_option *given, struct pmpp_error *error)
{
	int64_t *block = &FIELD(int64_t, given);
	double max = given->row->max;
	uint64_t extent[3] = {0};
	const char *cross = strchr(given->text, 'x');
	int count = parse_pair(given->text, "x", extent);
	bool good;

	/* parse_pair() rejects three numbers: parse a number and a pair. */
	if (count == 0 && cross) {
		char first[24];
		snprintf(first, sizeof first, "%.*s", (int)(cross - given->text), given->text);
		if (parse_unsigned(first, extent) && parse_pair(cross + 1, "x", extent + 1) == 2)
			count = 3;
	}
	good = count > 0;
	for (int i = 0; i < count; i++)
		good &= extent[i] >= 1 && (double)extent[i] <= max;
	if (!good)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--%s=%s: give N or NxN, with N from 1 to %.10g", given->row->name,
			given->text, max);
	for (int i = 0; i < 3; i++)
		block[i] = (int64_t)extent[i];
	return PMPP_OK;
}

static int compare_numbers(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void sort_blocks(struct block_choice *blocks)
{
	size_t kept = 0;

	qsort(blocks->numbers, blocks->count, sizeof *blocks->numbers, compare_numbers);
	for (size_t i = 0; i < blocks->count; i++)
		if (kept == 0 || blocks->numbers[kept - 1] != blocks->numbers[i])
			blocks->numbers[kept++] = blocks->numbers[i];
	blocks->count = kept;
}

static enum pmpp_status set_blocks(const struct given_option *given, struct pmpp_error *error)
{
	struct block_choice blocks = {.which = TRACE_BLOCKS_LISTED};
	char number[24];

	if (strcmp(given->text, "all") == 0) {
		given->options->job.blocks = (struct block_choice){.which = TRACE_BLOCKS_ALL};
		return PMPP_OK;
	}
	for (const char *next = given->text;; next++) {
		size_t length = strcspn(next, ",");
		if (blocks.count == JOB_MAX_BLOCKS)
			return PMPP_FAIL(error, PMPP_USAGE, "--%s: more than %d blocks: give `all`",
				given->row->name, JOB_MAX_BLOCKS);
		snprintf(number, sizeof number, "%.*s", (int)length, next);
		if (length >= sizeof number ||
			!parse_unsigned(number, &blocks.numbers[blocks.count++]))
			return PMPP_FAIL(error, PMPP_USAGE,
				"--%s=%s: give `all`, or numbers of blocks from 0: N,N,...",
				given->row->name, given->text);
		next += length;
		if (!*next)
			break;
	}
	sort_blocks(&blocks);
	given->options->job.blocks = blocks;
	return PMPP_OK;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

#define JOBS (CMD_RUN | CMD_VERIFY | CMD_PARITY)
#define TASKS (JOBS | CMD_EXPLAIN)
#define TIMES (CMD_RUN | CMD_PARITY | CMD_EXPLAIN)
#define ON_DEVICES (TASKS | CMD_ROOFLINE | CMD_SELFTEST | CMD_TRY)
#define MODELS (CMD_OCCUPANCY | CMD_DRAM | CMD_BOUNDARY | CMD_WARPS | CMD_TREE)
#define STORED (CMD_HISTORY | CMD_STORE_EXPORT | CMD_STORE_LIST)
#define JSON_ONLY (CMD_EXPLAIN | CMD_HISTORY | CMD_LIST | CMD_DEVICES | CMD_ROOFLINE | MODELS)
#define EVERY (~0u)

#define AT(field) .offset = offsetof(struct cli_options, field)
#define WORDS(list) .choices = (list), .words = WORDS_CHOICES

static const char *const fail_on_words[] = {"nothing", "slow", "missing", "counts", NULL};
static const char *const annotate_words[] = {"no", "github", NULL};
static const char *const when_words[] = {"auto", "yes", "no", NULL};
static const char *const flush_words[] = {"yes", "no", NULL};
static const char *const math_words[] = {"default", "strict", "fast", NULL};

/* A phrase of help of up to 53 characters fits on one line beside the option. */
const struct option_row option_rows[] = {
	{"by", 0, "FIELD[,FIELD]", false, CMD_COMPARE | CMD_REPORT, GROUP_COMPARE,
		"Compare by: device, backend, driver, run, label, ...",
		"compare: the fields to compare by: device, backend, driver, run, label, host, "
		"math or macros. Default: the first of device, backend, driver and run that "
		"differs between the files.\n"
		"report: `device` (default) shows each GPU with its own marks; `model` shows all "
		"GPUs of the same name as one.",
		set_text, AT(comparing.by), .words = WORDS_FIELDS,
		.command_help = {{CMD_REPORT,
			"device (default), or model: join GPUs of one name"}}},
	{"with", 0, "NAME[,NAME]|all", false, CMD_COMPARE | CMD_REPORT, GROUP_COMPARE,
		"Add the results of shipped devices",
		"Add the results of shipped devices. `pmpp-run devices` lists their names. "
		"PMPP_DEVICES_DIR names another folder of result files.",
		set_text, AT(comparing.with), .words = WORDS_SHIPPED},
	{"tolerance", 0, "FRACTION", false, CMD_PARITY | CMD_COMPARE | CMD_VERIFY | CMD_TRY,
		GROUP_COMPARE, "Largest difference that counts as the same speed",
		"parity, compare: largest distance of the time ratio from 1 that counts as the same "
		"speed, 0 to 1. Default of parity: from the noise of the samples, 0.01 to 0.1. "
		"Default of compare: 0.0175 on GPUs, 0.15 on CPUs.\n"
		"verify, try: the tolerance of a problem file, in place of the one in its comment.",
		set_double, AT(job.tolerance), .min = 0, .max = 1,
		.command_help = {{CMD_VERIFY | CMD_TRY, "Tolerance of a problem file"}}},
	{"fail-on", 0, "WHAT", false, CMD_COMPARE, GROUP_COMPARE,
		"Exit status 4 on: nothing (default), slow, missing, counts",
		"slow: exit with status 4 on a confirmed regression.\n"
		"missing: also exit with status 4 if a timed row of the base has no comparable "
		"time in a new side.\n"
		"counts: exit with status 4 if a count of a new explain file is worse.\n"
		"Default: nothing.",
		set_choice, AT(comparing.fail_on), WORDS(fail_on_words)},
	{"backend", 0, "NAME", false, ON_DEVICES | STORED | CMD_CONTRIBUTE | CMD_NEW, GROUP_WHAT,
		"Backend: " GPU_BACKEND_WORDS "or all",
		"Use this backend: " GPU_BACKEND_WORDS
		"or all. If the backend is not available, exit with status 2; never fall back to "
		"another one. Default: the value of PMPP_BACKEND.\n"
		"parity: the backend to compare: cuda, cuda-emu or opencl-emu (default: cuda, "
		"else cuda-emu). cuda and cuda-emu are compared with OpenCL, opencl-emu with "
		"CUDA.\n"
		"explain: the backend that measures, opencl or cuda. Its kernel is traced. An "
		"emulator only traces.\n"
		"contribute: opencl or cuda (default: every backend of the device).\n"
		"new: its language is that of the file.\n"
		"history, store export, store list: choose the results of this backend.",
		set_text, AT(job.backend), .words = WORDS_BACKENDS, .common = true,
		.command_help = {{CMD_PARITY, "Backend to compare: cuda, cuda-emu or opencl-emu"},
			{CMD_EXPLAIN, "Backend that measures, or emulator that only traces"},
			{CMD_CONTRIBUTE, "opencl or cuda (default: all that the device has)"},
			{CMD_SELFTEST, "Backend: opencl, cuda, cuda-emu or opencl-emu"},
			{STORED, "Only results of this backend"},
			{CMD_NEW, "Write a file in the language of this backend"}}},
	{"device", 0, "SPEC", false, ON_DEVICES | STORED | CMD_CONTRIBUTE, GROUP_WHAT,
		"Device: cuda:0, part of a name, cpu, gpu, all",
		"Use this device: `cuda:0` or `opencl:1.0`, an index of `pmpp-run devices`, "
		"`uuid:...`, `pci:...`, part of a name or of an OpenCL platform (`pocl`, `intel`), "
		"`cpu`, `gpu`, or `all`. The commands parity, explain, contribute and selftest reject `all`. "
		"Default: the value of PMPP_DEVICE.\n"
		"history, store export, store list: choose the results of a device by its type (gpu, cpu) or "
		"by a part of its UUID, PCI address, name or OpenCL platform.",
		set_text, AT(job.device), .words = WORDS_DEVICES, .common = true,
		.command_help = {{CMD_PARITY | CMD_EXPLAIN | CMD_CONTRIBUTE | CMD_SELFTEST,
					 "Device: cuda:0, part of a name, cpu, gpu"},
			{STORED, "Only results of a device: gpu, cpu, part of a name"}}},
	{"problem", 0, "FAMILY", false, TASKS | CMD_TRY, GROUP_WHAT,
		"Problem that the kernel solves: a family, or a C file",
		"Problem that the kernel file solves: a family, or a C file (docs/problem-files.md), which "
		"may also be an argument. Default: the family whose name is in the name of the kernel or of "
		"the file.",
		set_text, AT(trying.problem)},
	{"kernel", 0, "NAME", false, CMD_TRY, GROUP_WHAT, "Kernel of a file with several kernels",
		NULL, set_text, AT(trying.kernel)},
	{"instance", 0, "VALUE[,...]", false, CMD_TRY, GROUP_WHAT, "Arguments of a template",
		"Arguments of a kernel that is a template. Default: those of the launch in the host "
		"code, or the default values of the template.",
		set_text, AT(trying.instance)},
	{"grid", 0, "EXPR[,...]", false, CMD_TRY, GROUP_WHAT, "Blocks of the grid: 'ceil(n/256)'",
		"Blocks of the grid in each dimension, as expressions of sizes, parameters and macros: "
		"`ceil(n/16), ceil(m/16)`. A quotient in ceil() is exact. Default: the launch in the "
		"host code, else one thread for each element.",
		set_text, AT(trying.grid)},
	{"define", 'D', "NAME=VALUE", false, CMD_TRY, GROUP_WHAT, "Define a macro of the kernel",
		"Define a macro before the first line of the kernel's file. The option may be given "
		"several times. Expressions for block and grid have these macros too. A #define of "
		"the same name in the file needs an #ifndef around it.",
		set_macro},
	{"from", 0, "VARIANT", false, CMD_NEW, GROUP_WHAT, "Begin with the kernel of a variant",
		"Begin with the kernel of a variant of the family, as FAMILY/VARIANT does.",
		set_text, AT(from)},
	{"require", 0, "CONDITIONS", false, CMD_TRY | CMD_EXPLAIN, GROUP_WHAT,
		"Exit with status 3 or 4 if a condition fails",
		"Conditions, separated by semicolons, or @FILE: the conditions of a file. Exit status 3: `correct` "
		"or `no defects` fails. Exit status 4: another condition fails. Figures: sectors(OPERAND) "
		"per request, bank_ways, occupancy, registers, spilled_bytes, shared_bytes, divergence, "
		"barriers of a block, floor, floor(VARIANT), step(VARIANT). Example: `correct; occupancy "
		">= 50 %; floor <= 0.5 * floor(naive)`.",
		set_text, AT(require)},
	{"engine", 0, "NAME", false, CMD_VERIFY, GROUP_WHAT,
		"devices, or oclgrind: find memory errors and races",
		"devices (default), or oclgrind: run all OpenCL kernels at small sizes in "
		"Oclgrind, which reports accesses out of bounds, data races, divergent barriers "
		"and uninitialised data.",
		set_choice, AT(job.engine), WORDS(engine_words)},
	{"fleet", 0, NULL, false, CMD_RUN | CMD_VERIFY | CMD_COMPARE, GROUP_WHAT,
		"Run as one of several ranks that a launcher starts",
		"Run as one of several ranks, which a launcher starts: `mpirun -n N pmpp-run run "
		"--fleet ...`, srun, torchrun or GNU parallel. Each rank takes a device of its own, "
		"or waits until another rank has finished, and writes its own files: out.0.json for "
		"--json=out.json.\n"
		"compare: the files of all ranks. Show ranks that are slower than the others, ranks "
		"that failed and ranks that have no file.",
		set_flag, AT(fleet),
		.command_help = {{CMD_COMPARE, "Files of all ranks: show slow and missing ranks"}}},
	{"rank", 0, "I/N", false, CMD_RUN | CMD_VERIFY, GROUP_WHAT, NULL,
		"With --fleet: this process is rank I of N ranks, from 0. Default: the variables "
		"that the launcher sets. --rank needs --label.",
		set_text, AT(rank)},
	{"size", 0, "SPEC", false,
		TASKS | CMD_TRY | CMD_HISTORY | CMD_DRAM | CMD_BOUNDARY | CMD_TREE, GROUP_WHAT,
		"Size: 1024 or 64x32x16; 256,512; 2^10:2^26:*4",
		"Size of the problem: one number (1024, 2^10 or 1.5e9), `1024x512x768`, or named sizes, "
		"`m=7,n=5,k=3`. "
		"Several sizes: a list, `256,512`, or a range, `2^10:2^26:*4` or `1:9:+2`. "
		"Matrices are rows x columns, images are width x height, and matmul is m x n x k.",
		set_size, .common = true,
		.command_help = {{CMD_HISTORY, "Only results of these sizes"},
			{CMD_DRAM, "N, for the product of two N x N matrices"},
			{CMD_BOUNDARY, "N or WIDTHxHEIGHT; also lists and ranges"},
			{CMD_TREE, "N, elements of one block"}}},
	{"like", 0, "FILE|NAME", false, CMD_RUN, GROUP_WHAT,
		"Run the sizes of a result file or a shipped device",
		"Run the problems of FILE, or of a shipped device: its sizes, types, operations and "
		"data, so that `compare` has rows of both. A variant that takes longer than "
		"--timeout, or does not fit in memory, is skipped.",
		set_text, AT(like), .words = WORDS_FILES},
	{"set", 0, "NAME=VALUE[,...]", false, TASKS | CMD_SHOW, GROUP_WHAT,
		"Set tunables; several values: a sweep",
		"Set a tunable of the variants. Several values make a sweep. `pmpp-run list` "
		"shows the names, and `pmpp-run list --json` also shows the choices.",
		set_tunable, .words = WORDS_TUNABLES, .common = true,
		.command_help = {{CMD_SHOW, "Set tunables"}}},
	{"dtype", 0, "TYPE", false, TASKS | CMD_TRY | CMD_SHOW, GROUP_WHAT,
		"Choices of a family (pmpp-run list)",
		"Element type, if the family has several: f32, f16, i32, u32 or u8.", set_text,
		AT(job.choices.of[CHOICE_DTYPE]), .words = WORDS_DTYPES},
	{"op", 0, "NAME", false, TASKS | CMD_TRY | CMD_SHOW, GROUP_WHAT, NULL,
		"Operation, if the family has several: sum, max or min.", set_text,
		AT(job.choices.of[CHOICE_OP]), .words = WORDS_OPERATIONS},
	{"data", 0, "NAME", false, TASKS | CMD_TRY | CMD_SHOW, GROUP_WHAT, NULL,
		"Kind of input data, if the family has several. `pmpp-run list` names them.",
		set_text, AT(job.choices.of[CHOICE_DATA]), .words = WORDS_DATA},
	{"math", 0, "MODE", false, TASKS | CMD_TRY | CMD_SHOW, GROUP_WHAT,
		"Floating point: default, strict or fast",
		"Floating-point mode of the compilers: default, strict (no contraction of a*b+c) "
		"or fast (approximate functions, no denormals). The emulator is always strict.",
		set_choice, AT(job.suite.math), WORDS(math_words)},
	{"seed", 0, "N", false, TASKS | CMD_TRY, GROUP_WHAT,
		"Seed of the random inputs (default 1)", NULL, set_seed},
	{"in", 0, "NAME=FILE.npy", false, CMD_RUN | CMD_VERIFY | CMD_TRY, GROUP_WHAT,
		"All inputs; the expected output",
		"Read an input operand from a file. Give all inputs; their shapes set the "
		"problem size.",
		set_file, AT(job.in), .words = WORDS_FILES,
		.command_help = {{CMD_RUN, "All inputs; the expected and the verified output"}}},
	{"expect", 0, "NAME=FILE.npy", false, CMD_RUN | CMD_VERIFY | CMD_TRY, GROUP_WHAT, NULL,
		"Read the right output for the inputs of --in from a file. For a problem file that has no "
		"function `reference` (docs/problem-files.md).",
		set_file, AT(job.expect), .words = WORDS_FILES},
	{"out", 0, "NAME=FILE.npy", false, CMD_RUN, GROUP_WHAT, NULL,
		"Write the verified output of one variant to a file.", set_file, AT(job.out),
		.words = WORDS_FILES},
	{"shard", 0, "I/N", false, CMD_VERIFY | CMD_EXPLAIN, GROUP_WHAT,
		"Do only part I of N of the work", NULL, set_shard},
	{"label", 0, "TEXT", false, JOBS | STORED | CMD_STORE_REMOVE, GROUP_WHAT,
		"Name of the run in files and store",
		"Name of the run in files and in the store.\n"
		"history, store: choose the runs with this label.",
		set_text, AT(label),
		.command_help = {{STORED | CMD_STORE_REMOVE, "Only runs with this label"}}},
	{"kernel-dir", 0, "DIR", false, TASKS | CMD_SHOW, GROUP_WHAT,
		"Read kernel files from DIR instead of built-in ones",
		"Read kernel files from DIR, such as a checkout, instead of the built-in "
		"kernels. DIR must have the files of all chosen variants.",
		set_text, AT(job.suite.kernel_dir), .words = WORDS_FOLDERS},
	{"bitwise", 0, NULL, false, TASKS | CMD_TRY, GROUP_WHAT,
		"Your kernels: require equal bits; dynamic memory",
		"Kernels of --kernel-dir must give the same bits in each run if their variants "
		"promise equal bits. Default: results within the bound are right.",
		set_flag, AT(job.suite.bitwise)},
	{"shared", 0, "BYTES", false, TASKS | CMD_TRY | CMD_OCCUPANCY, GROUP_WHAT, NULL,
		"Dynamic shared memory per block, in bytes, of kernels in --kernel-dir, if their variants "
		"have less. In CUDA it is `extern __shared__`, in OpenCL the last parameter, a "
		"__local pointer.\n"
		"model occupancy: shared memory per block (default 0).",
		set_count, AT(job.tunables.shared_bytes), .min = 0, .max = 1e9,
		.command_help = {{CMD_OCCUPANCY, "Shared memory per block (default 0)"}}},
	{"diff", 0, NULL, false, CMD_SHOW | CMD_TRY, GROUP_WHAT,
		"Show one diff; with --ptx, count the instructions",
		"show: print the OpenCL and the CUDA source as one unified diff. Two variants: print what the "
		"first changes in the sources of the second. With --ptx: the count "
		"of each instruction in the two texts.\n"
		"try: two files, or a file and a variant: print the traced counters that differ.",
		set_flag, AT(diff),
		.command_help = {{CMD_TRY, "Two files: print the counters that differ"}}},
	{"twins", 0, NULL, false, CMD_EXPLAIN, GROUP_WHAT, "Explain the kernels of both languages",
		"Explain the CUDA kernel of each variant on cuda-emu and its OpenCL kernel on "
		"opencl-emu.",
		set_flag, AT(job.twins)},
	{"map", 0, NULL, false, CMD_EXPLAIN | CMD_TRY | CMD_DRAM, GROUP_WHAT,
		"Draw the sector or bank of each lane",
		"Draw the typical request of each access, with a character for each lane: the number of its "
		"sector, counted from the first sector of the request, or of its bank. Letters continue "
		"the digits: `a` is 10. `.` is an inactive lane.",
		set_flag, AT(terminal.map),
		.command_help = {{CMD_DRAM, "Show channel and bank of each burst of a matrix, and "
					    "the blocks that load it"}}},
	{"results", 0, "NAME[,NAME]|all", false, CMD_SHOW, GROUP_WHAT,
		"Print the ladder of a shipped device",
		"Print the ladder of FAMILY that was measured on a device whose results ship with pmpp, in "
		"place of sources. The backend is CUDA if the device has it.",
		set_text, AT(comparing.with)},
	{"ptx", 0, NULL, false, CMD_SHOW, GROUP_WHAT, "Show PTX instead of the sources",
		"Show PTX instead of the sources. NVRTC compiles the CUDA file and needs no GPU. "
		"NVIDIA's OpenCL driver compiles the OpenCL file.",
		set_flag, AT(ptx)},
	{"arch", 0, "sm_NN", false, CMD_SHOW, GROUP_WHAT, "Architecture of the PTX of CUDA",
		"Architecture of the PTX of CUDA. Default: the architecture of the first NVIDIA "
		"device, else sm_90.",
		set_text, AT(arch)},
	{"blocks", 0, "all|N[,N...]", false, CMD_EXPLAIN, GROUP_WHAT,
		"Blocks to trace (default: all, or a sample)",
		"Blocks to trace; x is the fastest dimension. Default: all blocks if that is "
		"quick, else the first, the middle and the last block.",
		set_blocks},
	{"step-limit", 0, "N", false, CMD_EXPLAIN, GROUP_WHAT, NULL,
		"Trace at most N basic blocks of a launch, summed over all threads (default 134217728). "
		"The block that reaches the limit runs to its end untraced.",
		set_count, AT(job.step_limit), .min = 1, .max = 1e15},
	{"model", 0, "NAME", false, CMD_VERIFY | CMD_EXPLAIN | CMD_OCCUPANCY, GROUP_WHAT,
		"GPU that is emulated: h100, mi300x, gfx1100, ...",
		"verify, explain: GPU that the emulator models: sm_90 (default), gfx942, gfx1100, "
		"xe-hpg and others, or a product: h100, rtx4090, mi300x, rx7900xtx, a770. The model sets the "
		"lanes that run in lockstep, the sectors and "
		"lines of global memory, the banks of shared memory, and the limits of a block: "
		"threads and shared memory. Only for emulated devices.\n"
		"model occupancy: the GPU, in place of --cc. An unknown name prints all names.",
		set_model, AT(job.model), .words = WORDS_MODELS,
		.command_help = {{CMD_OCCUPANCY, "GPU: h100, mi300x, gfx1100, xe-hpg, ..."}}},
	{"width", 0, "8|16|32|64", false,
		CMD_VERIFY | CMD_EXPLAIN | CMD_OCCUPANCY | CMD_WARPS | CMD_TREE, GROUP_WHAT,
		"Lanes that the emulator runs in lockstep",
		"verify, explain: lanes that the emulator runs in lockstep: 8, 16, 32 or 64. They "
		"are a warp (wavefront, sub-group). The default is the width of the model, 32 "
		"without --model. In CUDA, shuffles and votes connect 32 lanes at every width. "
		"Only for emulated devices.\n"
		"model occupancy: lanes of a wave (AMD: 32 or 64) or of a sub-group (Intel: 8, 16 "
		"or 32). Default: 64 for GCN and CDNA, 32 for RDNA, 16 for Intel.\n"
		"model warps, model reduce: lanes of a warp (default 32).",
		set_count, AT(job.width), .min = 8, .max = 64,
		.command_help = {{CMD_OCCUPANCY, "Lanes of a wave or of a sub-group"},
			{CMD_WARPS | CMD_TREE, "Lanes of a warp (default 32)"}}},
	{"threads", 0, "N", false, CMD_OCCUPANCY, GROUP_MODEL, "Threads per block", NULL, set_count,
		AT(model.threads), .min = 1, .max = 1024},
	{"registers", 0, "N", false, CMD_OCCUPANCY, GROUP_MODEL,
		"Registers per thread (default: no limit)",
		"Registers per thread; `run -v` prints them. AMD: VGPRs. Intel: registers (GRF) "
		"of an EU thread. Without this option registers set no limit.",
		set_count, AT(model.registers), .min = 1, .max = 512},
	{"sgprs", 0, "N", false, CMD_OCCUPANCY, GROUP_MODEL,
		"AMD: scalar registers per wave (default: no limit)",
		"AMD: scalar registers per wave, as the compiler prints them (TotalNumSgprs). The "
		"model adds the 16 registers of ROCm's trap handler. From RDNA on they set no "
		"limit. Without this option scalar registers set no limit.",
		set_count, AT(model.scalars), .min = 0, .max = 128},
	{"accvgprs", 0, "N", false, CMD_OCCUPANCY, GROUP_MODEL,
		"AMD: AccVGPRs per thread (default 0)",
		"AMD: accumulation registers (AccVGPRs) per thread, from gfx908 on (default 0).",
		set_count, AT(model.acc_registers), .min = 0, .max = 256},
	{"cu-mode", 0, NULL, false, CMD_OCCUPANCY, GROUP_MODEL,
		"AMD RDNA: a block occupies one compute unit",
		"AMD from RDNA on: a block occupies one compute unit (compiler option -mcumode), "
		"not a work-group processor, which is a pair of them.",
		set_flag, AT(model.cu_mode)},
	{"barrier", 0, NULL, false, CMD_OCCUPANCY, GROUP_MODEL,
		"Intel: the kernel executes a barrier",
		"Intel: the kernel executes a barrier, so each block occupies a barrier register.",
		set_flag, AT(model.barrier)},
	{"cc", 0, "X.Y", false, CMD_OCCUPANCY | CMD_EXPLAIN, GROUP_MODEL,
		"Compute capability, such as 9.0",
		"Compute capability: 7.5, 8.0, 8.6, 8.9, 9.0, 10.0 or 12.0. Default of explain: "
		"the compute capability of the device, else 9.0.",
		set_text, AT(model.cc), .words = WORDS_CAPABILITIES},
	{"threads-per-sm", 0, "N", false, CMD_OCCUPANCY, GROUP_MODEL,
		"Without --cc: threads per multiprocessor", NULL, set_count,
		AT(model.threads_per_sm), .min = 1, .max = 1e6},
	{"blocks-per-sm", 0, "N", false, CMD_OCCUPANCY, GROUP_MODEL,
		"Without --cc: blocks per multiprocessor", NULL, set_count, AT(model.blocks_per_sm),
		.min = 1, .max = 1e6},
	{"regs-per-sm", 0, "N", false, CMD_OCCUPANCY, GROUP_MODEL,
		"Without --cc: registers per multiprocessor", NULL, set_count,
		AT(model.registers_per_sm), .min = 1, .max = 1e9},
	{"shared-per-sm", 0, "BYTES", false, CMD_OCCUPANCY, GROUP_MODEL,
		"Without --cc: shared memory per multiprocessor", NULL, set_count,
		AT(model.shared_per_sm_bytes), .min = 1, .max = 1e9},
	{"latency-ratio", 0, "R", false, CMD_DRAM, GROUP_MODEL,
		"Ratio of a bank's access time to the time to transfer one burst", NULL, set_double,
		AT(model.latency_ratio), .min = 0, .max = 1e6},
	{"channels", 0, "N", false, CMD_DRAM, GROUP_MODEL,
		"Channels (default 1; 4 for the matrix product)", NULL, set_count,
		AT(model.channels), .min = 1, .max = DRAM_MAX_CHANNELS},
	{"banks", 0, "N", false, CMD_DRAM, GROUP_MODEL,
		"Banks per channel (default: enough to keep the bus busy; 2 for the matrix "
		"product)",
		NULL, set_count, AT(model.banks), .min = 1, .max = 1e6},
	{"burst", 0, "BYTES", false, CMD_DRAM, GROUP_MODEL,
		"Bytes per burst, for the matrix product (default 8)", NULL, set_count,
		AT(model.burst_bytes), .min = 1, .max = 65536},
	{"bus-gbps", 0, "N", false, CMD_DRAM, GROUP_MODEL,
		"Rate of the bus of a channel in GB/s (default 16)",
		"Rate of the bus of a channel in GB/s. Default: 16, for 8 bytes, two transfers per cycle and "
		"1 GHz.",
		set_double, AT(model.bus_gbps), .min = 0.001, .max = 1e6, .unit = "GB/s"},
	{"block", 0, "X[xY]", false, CMD_TRY | CMD_DRAM | CMD_BOUNDARY | CMD_WARPS, GROUP_MODEL,
		"Threads per block",
		"model boundary: threads per block. model warps: also XxYxZ.\n"
		"model dram: elements along the edge of a tile of the matrix product.\n"
		"try: threads per block. Default: the launch in the host code, an attribute of the "
		"kernel, or a macro such as TILE_WIDTH.",
		set_block, AT(model.block), .max = 1024,
		.command_help = {{CMD_DRAM, "T, for tiles of T x T elements"},
			{CMD_WARPS, "Threads per block: X, XxY or XxYxZ"}}},
	{"peers", 0, NULL, false, CMD_RUN, GROUP_HOW, "Also time libraries, in turn with variants",
		"Also verify and time libraries that solve the same problem, in turn with the "
		"variants: cuBLAS, CUB (CUDA), CLBlast (OpenCL), OpenBLAS and loops with OpenMP "
		"(OpenCL on a CPU), the driver's copy. The libraries are opened at run time. The "
		"column `x peer` is the time of the fastest library / the time of the variant.",
		set_flag, AT(job.peers)},
	{"min-time", 0, "MS", false, TIMES | CMD_CONTRIBUTE, GROUP_HOW,
		"Sample each variant for MS milliseconds (default 50)",
		"Sample each variant for at least MS milliseconds (default 50), but never take "
		"more than --max-samples samples.",
		set_double, AT(job.suite.min_time_ms), .min = 0, .max = 3.6e6, .unit = "ms"},
	{"min-samples", 0, "N", false, TIMES | CMD_CONTRIBUTE, GROUP_HOW,
		"Limits of the number of samples (20, 200)",
		"Minimum number of samples. Default: 20; 10 if a run takes over 10 ms; 3 if a "
		"run takes over 1 s. Sampling can end at N, 2N, 4N, 8N ... samples.",
		set_count, AT(job.suite.min_samples), .min = 1, .max = 1e6},
	{"max-samples", 0, "N", false, TIMES | CMD_CONTRIBUTE, GROUP_HOW, NULL,
		"Maximum number of samples (default 200). Sampling always ends at this number, "
		"even if --min-time has not passed.",
		set_count, AT(job.suite.max_samples), .min = 1, .max = 1e6},
	{"repeat", 0, "N", false, CMD_RUN | CMD_CONTRIBUTE, GROUP_HOW,
		"Run everything N times, in new processes (default 1)",
		"Run everything N times, each time in a new process. On a CPU there are 4 N "
		"processes with fewer samples each. Times and intervals are over these runs. "
		"Default: 1.",
		set_count, AT(job.repetitions), .min = 1, .max = 1000, .common = true},
	{"timeout", 0, "S", false, TASKS | CMD_TRY | CMD_CONTRIBUTE, GROUP_HOW,
		"Abort a variant after S seconds (default 120)",
		"Abort a variant after S seconds (default 120). The status of its row is "
		"`timeout`.",
		set_double, AT(job.timeout_s), .min = 0.1, .max = 1e6, .unit = "s"},
	{"flush", 0, "yes|no", false, TIMES, GROUP_HOW,
		"Flush the cache before cold samples (default yes)", NULL, set_yes_no,
		AT(job.suite.flush), WORDS(flush_words)},
	{"no-roofs", 0, NULL, false, CMD_RUN, GROUP_HOW,
		"Use stored roofs of the device; do not measure them",
		"Do not measure the roofs of the device. Use the stored roofs of earlier runs, if "
		"there are any. The heading of a table has their age.",
		set_flag, AT(job.suite.no_roofs)},
	{"no-isolate", 0, NULL, false, TASKS | CMD_CONTRIBUTE, GROUP_HOW,
		"Run in this process: a crash of a kernel ends it",
		"Run in this process: a crash of a kernel ends it, and --timeout has no effect.",
		set_flag, AT(job.no_isolate)},
	{"write", 0, NULL, false, CMD_TRY, GROUP_OUTPUT,
		"Add comments to the file in place of these options",
		"Add comments (`//pmpp: block = 16x16`) to the file that make the options of this call "
		"about the kernel unnecessary. Comments with the same key are replaced.",
		set_flag, AT(write)},
	{"check", 0, NULL, false, CMD_CONTRIBUTE, GROUP_OUTPUT,
		"Check contributions, and write no file",
		"Check contributions: only verified rows have times, there are no private data, "
		"and the figures are plausible.",
		set_flag, AT(check)},
	{"output", 'o', "FILE", false, CMD_CONTRIBUTE | CMD_REPORT, GROUP_OUTPUT,
		"File to write; - is stdout",
		"contribute: write the contribution to FILE (default contribution.json).\n"
		"report: write the page to FILE (default report.html).\n"
		"The name `-` means stdout.",
		set_output, AT(output), .words = WORDS_FILES,
		.command_help = {{CMD_CONTRIBUTE, "Contribution (default contribution.json)"},
			{CMD_REPORT, "Page (default report.html); - is stdout"}}},
	{"json", 0, "FILE", true, JOBS | CMD_COMPARE | JSON_ONLY | CMD_TRY, GROUP_OUTPUT,
		"Write results to FILE, or to stdout",
		"Write JSON to FILE. Without FILE or with -, write JSON to stdout, and nothing "
		"else to stdout.\n"
		"try: FILE.json has the rows, and FILE.explain.json the explanations.",
		set_output, AT(json), .words = WORDS_FILES, .common = true,
		.command_help = {{JSON_ONLY, "Write JSON to FILE, or to stdout"},
			{CMD_TRY, "Write rows to FILE, the trace to FILE.explain.json"}}},
	{"csv", 0, "FILE", true, JOBS | CMD_COMPARE, GROUP_OUTPUT, NULL,
		"Write comma-separated values, in the same way as --json.", set_output, AT(csv),
		.words = WORDS_FILES, .common = true},
	{"md", 0, "FILE", true, JOBS | CMD_COMPARE, GROUP_OUTPUT, NULL,
		"Write a Markdown table, in the same way as --json.", set_output, AT(markdown),
		.words = WORDS_FILES, .common = true},
	{"junit", 0, "FILE", false, CMD_TRY, GROUP_OUTPUT, "Write a JUnit file (XML) to FILE",
		"Write a JUnit file (XML): a test case for each check and for each defect.",
		set_text, AT(junit), .words = WORDS_FILES},
	{"annotate", 0, "HOST", false, CMD_TRY, GROUP_OUTPUT,
		"Print annotations of a code host: github",
		"Print a line `::error file=mine.cu,line=14::text` for each failed check and each "
		"defect. GitHub shows it at this line. HOST: no (default) or github.",
		set_choice, AT(annotate), WORDS(annotate_words)},
	{"report", 0, "FILE", false, CMD_RUN | CMD_EXPLAIN | CMD_TRY, GROUP_OUTPUT,
		"Write an HTML page of the run to FILE",
		"Write an HTML page to FILE: the run beside the shipped devices; explain: annotated sources "
		"with drawings. See `pmpp-run report`.",
		set_text, AT(report), .words = WORDS_FILES,
		.command_help = {{CMD_EXPLAIN, "Write an HTML page with drawings to FILE"}}},
	{"save", 0, NULL, false, CMD_RUN | CMD_PARITY, GROUP_OUTPUT,
		"Save each row to the store (see history)",
		"Save each row to the store as soon as it is finished. PMPP_STORE names the file "
		"of the store (default ~/.local/share/pmpp/results.db).",
		set_flag, AT(save), .common = true},
	{"color", 0, "WHEN", false, EVERY, GROUP_GENERAL,
		"Colours, progress: auto (default), yes, no",
		"Use colours: auto (default: on a terminal, unless NO_COLOR is set or TERM is dumb), "
		"yes or no.",
		set_choice, AT(terminal.colour), WORDS(when_words), .common = true},
	{"progress", 0, "WHEN", false, ON_DEVICES | CMD_CONTRIBUTE, GROUP_GENERAL, NULL,
		"Show a progress line on stderr: auto (default: on a terminal, unless TERM is "
		"dumb), yes or no.",
		set_choice, AT(terminal.progress), WORDS(when_words), .common = true},
	{"quiet", 'q', NULL, false, EVERY, GROUP_GENERAL, "Print errors only; print more (-v)",
		"Print only errors and failed rows: no table and no notes.", set_flag,
		AT(terminal.quiet), .common = true},
	{"verbose", 'v', NULL, false, EVERY, GROUP_GENERAL, NULL,
		"Also print build options, resources, samples, flags, and what drivers write to "
		"stderr. explain prints every source line. verify prints a line for each "
		"size. devices prints all figures with their sources.",
		set_flag, AT(terminal.verbose), .common = true},
	{"help", 'h', NULL, false, EVERY, GROUP_GENERAL,
		"Print a help text; print version and compiler",
		"Print a help text: `pmpp-run --help` for all commands, `pmpp-run COMMAND "
		"--help` for one command.",
		set_flag, AT(help), .common = true},
	{"version", 0, NULL, false, EVERY, GROUP_GENERAL, NULL,
		"Print version, git revision and compiler.", set_flag, AT(version), .common = true},
};

const size_t option_count = sizeof option_rows / sizeof *option_rows;
_Static_assert(sizeof option_rows / sizeof *option_rows <= OPTION_MAX_COUNT,
	"cli_options.given has a member for each row");

const char *option_group_title(int group)
{
	static const char *const titles[GROUP_COUNT] = {
		[GROUP_COMPARE] = "Comparison",
		[GROUP_WHAT] = "Selection",
		[GROUP_MODEL] = "Model",
		[GROUP_HOW] = "Measurement",
		[GROUP_OUTPUT] = "Output",
		[GROUP_GENERAL] = "General",
	};

	return titles[group];
}

const char *option_help(const struct option_row *row, unsigned commands)
{
	for (size_t i = 0; i < sizeof row->command_help / sizeof *row->command_help; i++)
		if ((row->command_help[i].command & commands) == commands)
			return row->command_help[i].help;
	return row->help;
}

void option_spelling(const struct option_row *row, char *ret_text, size_t size)
{
	char letter[] = {'-', row->key, ',', ' ', '\0'};

	snprintf(ret_text, size, "%s--%s%s%s%s", row->key ? letter : "", row->name,
		row->arg_optional ? "[" : "", row->arg ? "=" : "", row->arg ? row->arg : "");
	if (row->arg_optional)
		strncat(ret_text, "]", size - strlen(ret_text) - 1);
}
