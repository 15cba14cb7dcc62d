#include "host/cli/cmd.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/model/boundary.h"
#include "common/model/dram.h"
#include "common/model/occupancy.h"
#include "common/model/warp.h"
#include "common/text.h"
#include "host/record/document.h"
#include "host/record/model.h"
#include "host/report/table.h"
#include "host/report/terminal.h"
#include "host/report/wrap.h"

/* ---- Threads of a warp, and of the rounds of a reduction ---------------------------------------- */

#define LANES_DIMS 3 /* x, y, z */

/* A warp of a block: consecutive threads, x fastest, then y, then z. */
struct lanes_warp {
	int64_t first[LANES_DIMS],
		last[LANES_DIMS]; /* threadIdx of the first and the last thread */
	int64_t threads;          /* 1 to the width */
};

/* One round of the reduction of n elements by n threads. */
struct tree_round {
	int64_t threads;   /* that add */
	int64_t warps;     /* with a thread that adds */
	int64_t diverging; /* of them: with a thread that does not add */
};

static void thread_index(const int64_t block[LANES_DIMS], int64_t thread, int64_t index[LANES_DIMS])
{
	for (int i = 0; i < LANES_DIMS; thread /= block[i++])
		index[i] = thread % block[i];
}

/* block: threads in x, y and z, each >= 1. width: lanes of a warp. 0 <= warp < warps of the block. */
static struct lanes_warp lanes_warp_of(const int64_t block[LANES_DIMS], int64_t width, int64_t warp)
{
	int64_t all = block[0] * block[1] * block[2];
	int64_t first = warp * width;
	struct lanes_warp found = {.threads = all - first < width ? all - first : width};

	thread_index(block, first, found.first);
	thread_index(block, first + found.threads - 1, found.last);
	return found;
}

/* ceil(log2(n)). 1 <= n <= 2^62. */
static int64_t tree_rounds(int64_t n)
{
	int64_t rounds = 0;

	while ((int64_t)1 << rounds < n)
		rounds++;
	return rounds;
}

/* Whether the partner of a thread may be missing, because n need not be a power of two. */
static int adds(enum tree_order order, int64_t n, int64_t round, int64_t thread)
{
	int64_t distance = (int64_t)1
			   << (order == TREE_INTERLEAVED ? round : tree_rounds(n) - 1 - round);
	int first = order == TREE_INTERLEAVED ? thread % (2 * distance) == 0 : thread < distance;

	return first && thread + distance < n;
}

/* round: from 0. Takes n steps. */
static struct tree_round tree_round_of(
	enum tree_order order, int64_t n, int64_t width, int64_t round)
{
	struct tree_round found = {0};

	for (int64_t first = 0; first < n; first += width) {
		int64_t lanes = n - first < width ? n - first : width;
		int64_t adding = 0;
		for (int64_t thread = first; thread < first + lanes; thread++)
			adding += adds(order, n, round, thread);
		found.threads += adding;
		found.warps += adding > 0;
		found.diverging += adding > 0 && adding < lanes;
	}
	return found;
}

/* ---- Occupancy: hardware ------------------------------------------------------------------------------ */

static enum pmpp_status unknown_capability(const char *name, struct pmpp_error *error)
{
	char names[128];

	occupancy_unit_names(true, names, sizeof names);
	return PMPP_FAIL(error, PMPP_USAGE,
		"--cc=%s: give one of %s; for other hardware give --model or --threads-per-sm",
		name, names);
}

static enum pmpp_status unknown_model(const char *name, struct pmpp_error *error)
{
	char names[400];

	occupancy_unit_names(false, names, sizeof names);
	return PMPP_FAIL(error, PMPP_USAGE, "--model=%s: give one of %s", name, names);
}

static enum pmpp_status bad_width(
	const struct occupancy_unit *unit, size_t width, struct pmpp_error *error)
{
	char widths[40] = "";

	for (uint32_t lanes = 1; lanes <= unit->widths; lanes *= 2)
		if (unit->widths & lanes)
			text_append(widths, sizeof widths, "%s%u", *widths ? ", " : "", lanes);
	return PMPP_FAIL(error, PMPP_USAGE, "--width=%zu: %s has %s", width, unit->name, widths);
}

/* The options that belong to one vendor. */
static enum pmpp_status check_vendor(const struct model_options *model,
	const struct occupancy_unit *unit, struct pmpp_error *error)
{
	const struct {
		bool given;
		const char *option;
		const struct occupancy_rules *rules;
		const char *vendor;
	} rows[] = {
		{model->scalars, "--sgprs", &occupancy_amd, "AMD"},
		{model->acc_registers, "--accvgprs", &occupancy_amd, "AMD"},
		{model->barrier, "--barrier", &occupancy_intel, "Intel"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].given && rows[i].rules != unit->rules)
			return PMPP_FAIL(error, PMPP_USAGE, "%s is for models of %s: give --model",
				rows[i].option, rows[i].vendor);
	return PMPP_OK;
}

/* A row of the table with the width and the mode of the options. */
static enum pmpp_status choose_row(const struct cli_options *options,
	const struct occupancy_unit *row, struct occupancy_unit *ret_unit, struct pmpp_error *error)
{
	size_t width = options->job.width;

	*ret_unit = *row;
	if (width && !occupancy_unit_set_width(ret_unit, (int64_t)width))
		return bad_width(row, width, error);
	if (options->model.cu_mode && !occupancy_unit_halve(ret_unit))
		return PMPP_FAIL(error, PMPP_USAGE,
			"--cu-mode: a %s of %s is not a pair of compute units", row->unit,
			row->name);
	return check_vendor(&options->model, ret_unit, error);
}

static enum pmpp_status choose_given(const struct cli_options *options,
	struct occupancy_unit *ret_unit, struct pmpp_error *error)
{
	const struct model_options *model = &options->model;

	if (!model->threads_per_sm)
		return PMPP_FAIL(error, PMPP_USAGE,
			"the hardware is missing: give --model (such as --model=gfx942), --cc (such as "
			"--cc=9.0) or --threads-per-sm");
	if (model->registers && !model->registers_per_sm)
		return PMPP_FAIL(
			error, PMPP_USAGE, "--registers needs --regs-per-sm, --model or --cc");
	if (options->job.tunables.shared_bytes && !model->shared_per_sm_bytes)
		return PMPP_FAIL(
			error, PMPP_USAGE, "--shared needs --shared-per-sm, --model or --cc");
	if (options->job.width || model->cu_mode)
		return PMPP_FAIL(error, PMPP_USAGE, "--width and --cu-mode need --model");
	*ret_unit =
		occupancy_unit_given((int64_t)model->threads_per_sm, (int64_t)model->blocks_per_sm,
			(int64_t)model->registers_per_sm, (int64_t)model->shared_per_sm_bytes);
	return check_vendor(model, ret_unit, error);
}

static enum pmpp_status choose_hardware(const struct cli_options *options,
	struct occupancy_unit *ret_unit, struct pmpp_error *error)
{
	const struct model_options *model = &options->model;
	const char *name = options->job.model;
	const struct occupancy_unit *row = NULL;
	bool figures = model->threads_per_sm || model->blocks_per_sm || model->registers_per_sm ||
		       model->shared_per_sm_bytes;

	/* --regs is short for --regs-per-sm. */
	if (model->registers_per_sm && !model->threads_per_sm)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--regs-per-sm is the registers of a multiprocessor and needs --threads-per-sm%s "
			"(did you mean --registers, the registers of a thread?)",
			model->cc || name ? "; give only one of it, --model and --cc" : "");
	if ((model->cc != NULL) + (name != NULL) + figures > 1)
		return PMPP_FAIL(error, PMPP_USAGE,
			"give only one of --model, --cc, and --threads-per-sm with other limits of the "
			"hardware");
	if (model->cc && !(row = occupancy_unit_of_cc(model->cc)))
		return unknown_capability(model->cc, error);
	if (name && !(row = occupancy_unit_find(name)))
		return unknown_model(name, error);
	return row ? choose_row(options, row, ret_unit, error)
		   : choose_given(options, ret_unit, error);
}

/* ---- Occupancy: text ---------------------------------------------------------------------------------- */

static void limits_text(unsigned limited_by, char *text, size_t size)
{
	*text = '\0';
	for (int i = 0; i < OCCUPANCY_LIMIT_COUNT; i++)
		if (limited_by >> i & 1)
			text_append(
				text, size, "%s%s", *text ? ", " : "", occupancy_limit_words[i]);
}

/* "Compute capability 9.0"; "gfx942, compute units with waves of 64 lanes" */
static void put_hardware(FILE *out, const struct occupancy_unit *unit)
{
	if (unit->cc)
		fprintf(out, "Compute capability %s", unit->cc);
	else if (unit->name)
		fprintf(out, "%s, %ss with %s of %lld lanes", unit->name, unit->unit,
			unit->rules->warps, (long long)unit->lanes);
	else
		fputs("Hardware of the options", out);
}

static void put_kernel(FILE *out, const struct occupancy_unit *unit, const struct kernel_use *use)
{
	const char *owner = unit->rules == &occupancy_intel ? unit->rules->warp : "thread";

	fprintf(out, ": blocks of %lld threads", (long long)use->threads);
	if (use->registers)
		fprintf(out, ", %lld registers per %s", (long long)use->registers, owner);
	if (use->acc_registers)
		fprintf(out, ", %lld AccVGPRs per thread", (long long)use->acc_registers);
	if (use->scalars)
		fprintf(out, ", %lld scalar registers per wave", (long long)use->scalars);
	fprintf(out, ", %lld bytes of shared memory.\n", (long long)use->shared_bytes);
}

/* "Each SIMD holds at most 5 of 8 waves. LLVM would print: Occupancy 6." */
static void put_simd(FILE *out, const struct occupancy_unit *unit, const struct occupancy *found)
{
	if (!unit->rules->simd)
		return;
	fprintf(out, "Each %s holds at most %lld of %lld %s.", unit->rules->simd,
		(long long)found->simd_warps, (long long)unit->simd_warps, unit->rules->warps);
	if (found->compiler_warps > 0)
		fprintf(out, " LLVM would print: Occupancy %lld.",
			(long long)found->compiler_warps);
	fputc('\n', out);
}

static void put_summary(FILE *out, const struct occupancy_unit *unit, const struct kernel_use *use,
	const struct occupancy *found)
{
	char limits[80];

	limits_text(found->limited_by, limits, sizeof limits);
	put_hardware(out, unit);
	put_kernel(out, unit, use);
	if (found->blocks == 0)
		fprintf(out, "No block fits: too many %s.\n", limits);
	else
		fprintf(out,
			"Resident: %lld block%s, %lld of %lld threads, %lld %s. Occupancy %.1f %%, "
			"limited by %s.\n",
			(long long)found->blocks, found->blocks == 1 ? "" : "s",
			(long long)found->threads, (long long)occupancy_unit_threads(unit),
			(long long)found->warps, unit->rules->warps, 100 * found->occupancy,
			limits);
	put_simd(out, unit, found);
	fputs("Blocks that each resource allows:", out);
	for (int i = 0; i < OCCUPANCY_LIMIT_COUNT; i++)
		if (found->allowed[i] != INT64_MAX)
			fprintf(out, "%s %s %lld", i ? "," : "", occupancy_limit_words[i],
				(long long)found->allowed[i]);
	fputs(".\n", out);
	if (found->cliff_registers > 0)
		fprintf(out, "With %lld registers per %s, only %lld block%s.\n",
			(long long)found->cliff_registers,
			unit->rules == &occupancy_intel ? unit->rules->warp : "thread",
			(long long)found->cliff_blocks,
			found->cliff_blocks == 1 ? " fits" : "s fit");
}

static void table_make(struct table *table, const struct occupancy_unit *unit)
{
	const struct table_column columns[] = {{.title = ""},
		{.title = "threads", .align = TABLE_RIGHT},
		{.title = "blocks", .align = TABLE_RIGHT},
		{.title = "resident", .align = TABLE_RIGHT},
		{.title = unit->rules->warps, .align = TABLE_RIGHT},
		{.title = "occupancy", .unit = "%", .align = TABLE_RIGHT}, {.title = "limited by"},
		{.title = "with more registers", .priority = 1}, {.title = ""}};

	table_init(table, columns, ARRAY_COUNT(columns));
}

/* asked: the row of --threads */
static void add_row(struct table *table, const struct kernel_use *use,
	const struct occupancy *found, bool asked)
{
	char limits[64];

	limits_text(found->limited_by, limits, sizeof limits);
	table_row(table, STYLE_PLAIN);
	table_text(table, asked ? ">" : "");
	table_format(table, "%lld", (long long)use->threads);
	table_format(table, "%lld", (long long)found->blocks);
	table_format(table, "%lld", (long long)found->threads);
	table_format(table, "%lld", (long long)found->warps);
	table_format(table, "%.1f %%", 100 * found->occupancy);
	table_text(table, limits);
	if (found->cliff_registers > 0)
		table_format(table, "%lld registers: %lld block%s",
			(long long)found->cliff_registers, (long long)found->cliff_blocks,
			found->cliff_blocks == 1 ? "" : "s");
	else
		table_text(table, "");
	if (found->cliff_registers == use->registers + 1)
		table_text(table, "cliff")->style = STYLE_YELLOW;
}

/* The same kernel in blocks of every usable size. out: NULL = do not print. */
static enum pmpp_status block_sizes(FILE *out, const struct occupancy_unit *unit,
	const struct kernel_use *use, const struct page_style *style,
	struct model_document *document, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;
	struct kernel_use other = *use;
	struct occupancy found;
	struct table table;
	int64_t step = unit->lanes > WARP_THREADS ? unit->lanes : WARP_THREADS;

	table_make(&table, unit);
	for (other.threads = step; other.threads <= unit->block_threads && status == PMPP_OK;
		other.threads += step) {
		status = occupancy_of(unit, &other, &found, error);
		if (status == PMPP_OK)
			status = record_list_add_copy(
				&occupancy_row_type, &document->table, &found, error);
		if (status == PMPP_OK)
			add_row(&table, &other, &found, other.threads == use->threads);
	}
	if (out && status == PMPP_OK) {
		fputc('\n', out);
		table_put(&table, out, style);
	}
	table_finish(&table);
	return status;
}

static void describe(struct model_document *document, const struct occupancy_unit *unit,
	const struct kernel_use *use)
{
	text_set(&document->cc, unit->cc);
	document->registers = use->registers;
	document->shared_bytes = use->shared_bytes;
	if (unit->name) {
		text_set(&document->hardware, unit->name);
		text_set(&document->unit, unit->unit);
		document->width = unit->lanes;
	}
	if (unit->rules == &occupancy_amd) {
		document->sgprs = use->scalars;
		document->accvgprs = use->acc_registers;
	}
}

static enum pmpp_status occupancy(const struct cli_options *options, FILE *out,
	struct model_document *document, struct pmpp_error *error)
{
	const struct model_options *model = &options->model;
	const struct page_style style = terminal_page_style(&options->terminal, stdout);
	struct kernel_use use = {.threads = (int64_t)model->threads,
		.registers = (int64_t)model->registers,
		.shared_bytes = (int64_t)options->job.tunables.shared_bytes,
		.scalars = (int64_t)model->scalars,
		.acc_registers = (int64_t)model->acc_registers,
		.barrier = model->barrier};
	struct occupancy_unit unit;
	struct occupancy found;
	enum pmpp_status status = choose_hardware(options, &unit, error);

	if (status == PMPP_OK && !model->threads)
		status = PMPP_FAIL(error, PMPP_USAGE,
			"model occupancy needs --threads, the number of threads per block");
	if (status == PMPP_OK)
		status = occupancy_of(&unit, &use, &found, error);
	if (status != PMPP_OK)
		return status;
	describe(document, &unit, &use);
	document->result = found;
	if (out)
		put_summary(out, &unit, &use, &found);
	return block_sizes(out, &unit, &use, &style, document, error);
}

/* ---- DRAM: utilisation --------------------------------------------------------------------------- */

/* With the banks of the option, else enough banks to keep the bus busy. */
static struct dram_bus bus_of(const struct model_options *model)
{
	return dram_bus_of(model->latency_ratio, (int64_t)model->banks);
}

static double gbps_of(const struct model_options *model)
{
	const double bus_bytes = 8, transfers_per_cycle = 2, ghz = 1; /* of a DDR bus of 64 bits */

	return model->bus_gbps > 0 ? model->bus_gbps : bus_bytes * transfers_per_cycle * ghz;
}

static void put_utilisation(FILE *out, const struct model_options *model, int64_t banks)
{
	const struct dram_bus bus = dram_bus_of(model->latency_ratio, banks);

	fprintf(out, "%6lld  %5.1f %%  %6.2f  %12.1f %%\n", (long long)banks, 100 * bus.busy,
		gbps_of(model) * bus.busy, 100 * bus.busy_random);
}

static int64_t channels_of(const struct model_options *model)
{
	return model->channels ? (int64_t)model->channels : 1;
}

static void put_bus(FILE *out, const struct model_options *model)
{
	const struct dram_bus bus = bus_of(model);
	double ratio = model->latency_ratio;
	double gbps = gbps_of(model);

	fprintf(out,
		"The access time of a bank is %g times the time to transfer one burst.\n"
		"Banks that keep the bus of a channel busy: %lld.\n"
		"With %lld banks per channel, the bus is busy %.1f %% of the time.\n"
		"Channels: %lld; total rate %.2f times the rate of one bus that is always busy: %.2f "
		"GB/s.\n",
		ratio, (long long)bus.banks_needed, (long long)bus.banks, 100 * bus.busy,
		(long long)channels_of(model), (double)channels_of(model) * bus.busy,
		(double)channels_of(model) * bus.busy * gbps);
	fprintf(out, "A bus that is always busy: %g GB/s%s.\n", gbps,
		model->bus_gbps > 0 ? "" : " (8 bytes x 2 transfers per cycle x 1 GHz)");
	fputs("\n banks     busy    GB/s  random banks\n", out);
	for (int64_t banks = 1; banks < bus.banks_needed; banks *= 2)
		put_utilisation(out, model, banks);
	for (int64_t times = 1; times <= 16; times *= 2)
		put_utilisation(out, model, times * bus.banks_needed);
	fputs("\nThe column busy: the bursts use all banks in turn. Random banks: each burst is in a random "
	      "bank, and waits if this bank is busy.\n",
		out);
}

static void fill_bus(const struct model_options *model, struct bus_record *record)
{
	const struct dram_bus bus = bus_of(model);

	record->record.present = true;
	record->latency_ratio = model->latency_ratio;
	record->banks_needed = bus.banks_needed;
	record->banks = bus.banks;
	record->channels = channels_of(model);
	record->busy = bus.busy;
	record->busy_random = bus.busy_random;
	record->bus_gbps = gbps_of(model);
}

/* ---- DRAM: tiled product ------------------------------------------------------------------------- */

static void add_load(struct table *table, const struct dram *dram, int64_t phase,
	const char *matrix, const struct dram_load *load)
{
	char channels[8 * DRAM_MAX_CHANNELS];

	snprintf(channels, sizeof channels, "%d of %lld:", __builtin_popcountll(load->channels),
		(long long)dram->channels);

	for (int i = 0; i < DRAM_MAX_CHANNELS; i++)
		if (load->channels >> i & 1)
			text_append(channels, sizeof channels, " %d", i);
	table_row(table, STYLE_PLAIN);
	table_format(table, "%lld", (long long)phase);
	table_text(table, matrix);
	table_format(table, "%lld", (long long)load->bursts);
	table_format(table, "%lld", (long long)load->banks);
	table_format(table, "%lld", (long long)load->conflicts);
	table_text(table, channels);
}

static enum pmpp_status stored_or_not(bool stored, struct pmpp_error *error)
{
	return stored ? PMPP_OK : PMPP_NO_MEMORY(error, "the model");
}

/* Appends a row to the document. */
static enum pmpp_status add_tile(struct model_document *document, int64_t phase,
	enum model_matrix matrix, const struct dram_load *load, struct pmpp_error *error)
{
	struct tile_row *row = record_list_add(&tile_type, &document->tiles);
	bool stored = row != NULL;

	if (stored) {
		row->phase = phase;
		row->matrix = matrix;
		row->bursts = load->bursts;
		row->banks = load->banks;
		row->conflicts = load->conflicts;
	}
	for (int i = 0; i < DRAM_MAX_CHANNELS && stored; i++)
		if (load->channels >> i & 1)
			stored = integer_list_add(&row->channels, i);
	return stored_or_not(stored, error);
}

/* Appends the numbers of the bits to the list and to the text. */
static bool add_bits(struct integer_list *list, uint64_t bits, char *text, size_t size)
{
	bool stored = true;

	*text = '\0';
	for (int i = 0; i < DRAM_MAX_MAP && stored; i++)
		if (bits >> i & 1) {
			text_append(text, size, "%s%d", *text ? " " : "", i);
			stored = integer_list_add(list, i);
		}
	return stored;
}

static enum pmpp_status add_burst(struct model_document *document, struct table *table,
	const struct dram_burst *burst, struct pmpp_error *error)
{
	struct burst_row *row = record_list_add(&burst_type, &document->map);
	char rows[3 * DRAM_MAX_MAP], columns[3 * DRAM_MAX_MAP];

	if (!row || !add_bits(&row->tile_rows, burst->tile_rows, rows, sizeof rows) ||
		!add_bits(&row->tile_columns, burst->tile_columns, columns, sizeof columns))
		return stored_or_not(false, error);
	row->first = burst->first;
	row->last = burst->last;
	row->channel = burst->channel;
	row->bank = burst->bank;
	table_row(table, STYLE_PLAIN);
	table_format(table, "M[%lld..%lld]", (long long)burst->first, (long long)burst->last);
	table_format(table, "%lld", (long long)burst->channel);
	table_format(table, "%lld", (long long)burst->bank);
	table_text(table, columns);
	table_format(table, "%s,*", rows);
	table_text(table, rows);
	table_format(table, "*,%s", columns);
	return PMPP_OK;
}

static const struct table_column map_columns[] = {{.title = "elements"},
	{.title = "channel", .align = TABLE_RIGHT}, {.title = "bank", .align = TABLE_RIGHT},
	{.title = "left: phase"}, {.title = "blocks"}, {.title = "right: phase"},
	{.title = "blocks"}};

/* dram_tiles() accepted the options. */
static enum pmpp_status put_map(FILE *out, const struct dram *memory, int64_t n, int64_t tile,
	struct model_document *document, struct pmpp_error *error)
{
	int64_t bytes = n * n * (int64_t)sizeof(float);
	enum pmpp_status status = PMPP_OK;
	struct dram_burst burst;
	struct table table;

	table_init(&table, map_columns, ARRAY_COUNT(map_columns));
	for (int64_t i = 0; i * memory->burst_bytes < bytes && status == PMPP_OK; i++) {
		status = dram_burst_of(memory, n, tile, i, &burst, error);
		if (status == PMPP_OK)
			status = add_burst(document, &table, &burst, error);
	}
	if (out && status == PMPP_OK) {
		fputs("\nBlocks are row,column; * is every number.\n\n", out);
		table_put(&table, out, &(struct page_style){0});
	}
	table_finish(&table);
	return status;
}

static const struct table_column load_columns[] = {{.title = "phase", .align = TABLE_RIGHT},
	{.title = "matrix"}, {.title = "bursts", .align = TABLE_RIGHT},
	{.title = "banks", .align = TABLE_RIGHT}, {.title = "conflicts", .align = TABLE_RIGHT},
	{.title = "channels", .align = TABLE_REST}};

static enum pmpp_status tiles(FILE *out, const struct cli_options *options,
	struct model_document *document, struct pmpp_error *error)
{
	const struct model_options *model = &options->model;
	const struct size *size = options->job.sizes.items;
	struct dram memory = {
		.burst_bytes = model->burst_bytes ? (int64_t)model->burst_bytes : 8,
		.channels = model->channels ? (int64_t)model->channels : 4,
		.banks = model->banks ? (int64_t)model->banks : 2,
	};
	struct dram_load loads[MATRIX_COUNT];
	enum pmpp_status status = PMPP_OK;

	if (options->job.sizes.count != 1 || size->named || size->count != 1 ||
		model->block[0] == 0)
		return PMPP_FAIL(error, PMPP_USAGE,
			"the tiled product needs --size=N and --block=T, for example --size=4 "
			"--block=2");
	int64_t n = size->value[0];
	int64_t tile = model->block[0];
	if (model->block[1] && model->block[1] != tile)
		return PMPP_FAIL(error, PMPP_USAGE,
			"the tile of the product is square: give --block=%lld", (long long)tile);
	struct dram_burst burst;
	if (options->terminal.map) /* before anything is printed */
		status = dram_burst_of(&memory, n, tile, 0, &burst, error);
	/* Phase 0 is always computed: dram_tiles() checks the options. */
	struct table table;
	table_init(&table, load_columns, ARRAY_COUNT(load_columns));
	for (int64_t phase = 0; status == PMPP_OK && (phase == 0 || phase < n / tile); phase++) {
		status = dram_tiles(
			&memory, n, tile, phase, &loads[MATRIX_LEFT], &loads[MATRIX_RIGHT], error);
		for (int i = 0; i < MATRIX_COUNT && status == PMPP_OK; i++) {
			add_load(&table, &memory, phase, model_matrix_words[i], &loads[i]);
			status = add_tile(document, phase, i, &loads[i], error);
		}
	}
	if (out && status == PMPP_OK) {
		fprintf(out,
			"Product of %lld x %lld f32 matrices in tiles of %lld x %lld. "
			"Bursts of %lld bytes, %lld channels, %lld banks per channel.\n\n",
			(long long)n, (long long)n, (long long)tile, (long long)tile,
			(long long)memory.burst_bytes, (long long)memory.channels,
			(long long)memory.banks);
		table_put(&table, out, &(struct page_style){0});
	}
	table_finish(&table);
	return status == PMPP_OK && options->terminal.map
		       ? put_map(out, &memory, n, tile, document, error)
		       : status;
}

static enum pmpp_status dram(const struct cli_options *options, FILE *out,
	struct model_document *document, struct pmpp_error *error)
{
	const struct model_options *model = &options->model;
	bool has_ratio = model->latency_ratio >= 0;
	bool has_tiles = options->job.sizes.count > 0 || model->block[0] > 0;
	enum pmpp_status status = PMPP_OK;

	if (!has_ratio && !has_tiles)
		return PMPP_FAIL(error, PMPP_USAGE,
			"model dram needs --latency-ratio=R, or --size=N and --block=T; see "
			"pmpp-run model dram --help");
	if (!has_tiles && (model->burst_bytes || options->terminal.map))
		return PMPP_FAIL(error, PMPP_USAGE,
			"--%s is for the tiled product: also give --size=N and --block=T",
			options->terminal.map ? "map" : "burst");
	if (has_tiles)
		status = tiles(out, options, document, error);
	if (status == PMPP_OK && has_ratio && out) {
		fputs(has_tiles ? "\n" : "", out);
		put_bus(out, model);
	}
	if (status == PMPP_OK && has_ratio)
		fill_bus(model, &document->bus);
	return status;
}

/* ---- Boundary ------------------------------------------------------------------------------- */

static double percent(int64_t part, int64_t whole)
{
	return 100.0 * (double)part / (double)whole;
}

static void put_boundary(FILE *out, const int64_t extent[BOUNDARY_DIMS],
	const int64_t block[BOUNDARY_DIMS], const struct boundary *found)
{
	static const char *const regions[BOUNDARY_REGIONS] = {
		"  inner blocks", " last column", " last row", " corner"};

	fprintf(out,
		"%lld x %lld in blocks of %lld x %lld: %lld x %lld blocks, %lld warps; divergent %lld "
		"(%.1f %%), completely inside %lld, completely outside %lld\n",
		(long long)extent[0], (long long)extent[1], (long long)block[0],
		(long long)block[1], (long long)found->blocks[0], (long long)found->blocks[1],
		(long long)found->warps, (long long)found->diverging,
		percent(found->diverging, found->warps), (long long)found->on,
		(long long)found->off);
	for (int i = 0; i < BOUNDARY_REGIONS && extent[1] > 1; i++)
		fprintf(out, "%s %lld warps (%lld divergent)%s", regions[i],
			(long long)found->region_warps[i], (long long)found->region_diverging[i],
			i + 1 < BOUNDARY_REGIONS ? "," : "\n");
}

/* Appends a row to the document. */
static enum pmpp_status add_boundary(struct model_document *document,
	const int64_t extent[BOUNDARY_DIMS], const int64_t block[BOUNDARY_DIMS],
	const struct boundary *found, struct pmpp_error *error)
{
	struct boundary_row *row = record_list_add(&boundary_type, &document->rows);
	bool stored = row != NULL;

	if (stored) {
		row->warps = found->warps;
		row->diverging = found->diverging;
		row->on = found->on;
		row->off = found->off;
	}
	for (int i = 0; i < BOUNDARY_DIMS && stored; i++)
		stored = integer_list_add(&row->size, extent[i]) &&
			 integer_list_add(&row->block, block[i]) &&
			 integer_list_add(&row->blocks, found->blocks[i]);
	for (int i = 0; i < BOUNDARY_REGIONS && stored; i++)
		stored = integer_list_add(&row->region_warps, found->region_warps[i]) &&
			 integer_list_add(&row->region_diverging, found->region_diverging[i]);
	return stored_or_not(stored, error);
}

static enum pmpp_status one_size(FILE *out, const struct cli_options *options,
	const struct size *size, struct model_document *document, struct pmpp_error *error)
{
	const int64_t *given = options->model.block;
	int64_t extent[BOUNDARY_DIMS] = {size->value[0], size->count > 1 ? size->value[1] : 1};
	int64_t block[BOUNDARY_DIMS] = {given[0], given[1] ? given[1] : 1};
	struct boundary found;

	if (size->named || size->count > BOUNDARY_DIMS)
		return PMPP_FAIL(error, PMPP_USAGE,
			"model boundary needs --size=N or --size=WIDTHxHEIGHT, for example "
			"--size=76x62");
	if (size->count == 1 && block[1] > 1)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--block=%lldx%lld has two dimensions: give --size=WIDTHxHEIGHT",
			(long long)block[0], (long long)block[1]);
	enum pmpp_status status = boundary_count(extent, block, &found, error);
	if (status == PMPP_OK)
		status = add_boundary(document, extent, block, &found, error);
	if (status == PMPP_OK && out)
		put_boundary(out, extent, block, &found);
	return status;
}

static enum pmpp_status boundary(const struct cli_options *options, FILE *out,
	struct model_document *document, struct pmpp_error *error)
{
	const struct size_list *sizes = &options->job.sizes;
	enum pmpp_status status = PMPP_OK;

	if (sizes->count == 0 || options->model.block[0] == 0)
		return PMPP_FAIL(error, PMPP_USAGE,
			"model boundary needs --size and --block, for example --size=76x62 "
			"--block=16x16");
	for (size_t i = 0; i < sizes->count && status == PMPP_OK; i++)
		status = one_size(out, options, &sizes->items[i], document, error);
	return status;
}

/* ---- Warps and rounds ----------------------------------------------------------------------- */

static int64_t width_of(const struct cli_options *options)
{
	return options->job.width ? (int64_t)options->job.width : WARP_THREADS;
}

static enum pmpp_status add_warp(struct model_document *document, struct table *table,
	const struct lanes_warp *warp, int64_t width, struct pmpp_error *error)
{
	int64_t number = (int64_t)document->warps.count;
	struct warp_row *row = record_list_add(&warp_map_type, &document->warps);
	bool stored = row != NULL;

	for (int i = 0; i < LANES_DIMS && stored; i++)
		stored = integer_list_add(&row->first, warp->first[i]) &&
			 integer_list_add(&row->last, warp->last[i]);
	if (!stored)
		return stored_or_not(false, error);
	row->threads = warp->threads;
	table_row(table, STYLE_PLAIN);
	table_format(table, "%lld", (long long)number);
	table_format(table, "%lld to %lld", (long long)(number * width),
		(long long)(number * width + warp->threads - 1));
	table_format(table, "(%lld,%lld,%lld) to (%lld,%lld,%lld)", (long long)warp->first[0],
		(long long)warp->first[1], (long long)warp->first[2], (long long)warp->last[0],
		(long long)warp->last[1], (long long)warp->last[2]);
	table_format(table, "%lld", (long long)(width - warp->threads));
	return PMPP_OK;
}

static enum pmpp_status warps(const struct cli_options *options, FILE *out,
	struct model_document *document, struct pmpp_error *error)
{
	static const struct table_column columns[] = {{.title = "warp", .align = TABLE_RIGHT},
		{.title = "threads"}, {.title = "threadIdx (x,y,z)"},
		{.title = "idle lanes", .align = TABLE_RIGHT}};
	const int64_t *given = options->model.block;
	const int64_t block[LANES_DIMS] = {
		given[0], given[1] ? given[1] : 1, given[2] ? given[2] : 1};
	int64_t width = width_of(options), threads = block[0] * block[1] * block[2];
	int64_t count = (threads + width - 1) / width;
	enum pmpp_status status = PMPP_OK;
	struct table table;

	if (threads < 1 || threads > BOUNDARY_MAX_THREADS)
		return PMPP_FAIL(error, PMPP_USAGE,
			"model warps needs --block with 1 to %d threads in total, for example --block=8x8",
			BOUNDARY_MAX_THREADS);
	document->width = width;
	table_init(&table, columns, ARRAY_COUNT(columns));
	for (int64_t i = 0; i < count && status == PMPP_OK; i++) {
		const struct lanes_warp warp = lanes_warp_of(block, width, i);
		status = add_warp(document, &table, &warp, width, error);
	}
	if (out && status == PMPP_OK) {
		fprintf(out,
			"Block of %lld x %lld x %lld threads: %lld warp%s of %lld lanes, %lld of "
			"%lld lanes idle.\n\n",
			(long long)block[0], (long long)block[1], (long long)block[2],
			(long long)count, count == 1 ? "" : "s", (long long)width,
			(long long)(count * width - threads), (long long)(count * width));
		table_put(&table, out, &(struct page_style){0});
	}
	table_finish(&table);
	return status;
}

#define TREE_MAX_ELEMENTS (1 << 20)

static enum pmpp_status add_round(struct model_document *document, struct table *table,
	enum tree_order order, int64_t round, const struct tree_round *found,
	struct pmpp_error *error)
{
	struct round_row *row = record_list_add(&round_type, &document->rounds);

	if (!row)
		return stored_or_not(false, error);
	row->order = order;
	row->round = round + 1;
	row->threads = found->threads;
	row->warps = found->warps;
	row->diverging = found->diverging;
	if (order == TREE_INTERLEAVED) {
		table_row(table, STYLE_PLAIN);
		table_format(table, "%lld", (long long)round + 1);
	}
	table_format(table, "%lld", (long long)found->threads);
	table_format(table, "%lld", (long long)found->warps);
	table_format(table, "%lld", (long long)found->diverging);
	return PMPP_OK;
}

static enum pmpp_status reduce(const struct cli_options *options, FILE *out,
	struct model_document *document, struct pmpp_error *error)
{
	static const struct table_column columns[] = {{.title = "round", .align = TABLE_RIGHT},
		{.title = "interleaved: threads", .align = TABLE_RIGHT},
		{.title = "warps", .align = TABLE_RIGHT},
		{.title = "divergent", .align = TABLE_RIGHT},
		{.title = "sequential: threads", .align = TABLE_RIGHT},
		{.title = "warps", .align = TABLE_RIGHT},
		{.title = "divergent", .align = TABLE_RIGHT}};
	const struct size_list *sizes = &options->job.sizes;
	int64_t n = sizes->count == 1 && sizes->items->count == 1 ? sizes->items->value[0] : 0;
	int64_t diverging[TREE_ORDER_COUNT] = {0};
	enum pmpp_status status = PMPP_OK;
	struct table table;

	if (n < 1 || n > TREE_MAX_ELEMENTS)
		return PMPP_FAIL(error, PMPP_USAGE,
			"model reduce needs --size=N, N from 1 to %d, for example --size=512",
			TREE_MAX_ELEMENTS);
	document->width = width_of(options);
	table_init(&table, columns, ARRAY_COUNT(columns));
	for (int64_t i = 0; i < TREE_ORDER_COUNT * tree_rounds(n) && status == PMPP_OK; i++) {
		enum tree_order order = (enum tree_order)(i % TREE_ORDER_COUNT);
		int64_t round = i / TREE_ORDER_COUNT;
		const struct tree_round found = tree_round_of(order, n, document->width, round);
		diverging[order] += found.diverging > 0;
		status = add_round(document, &table, order, round, &found, error);
	}
	if (out && status == PMPP_OK) {
		fprintf(out,
			"%lld elements, as many threads: %lld rounds, %lld additions. Rounds with a "
			"divergent warp: interleaved %lld, sequential %lld.\n\n",
			(long long)n, (long long)tree_rounds(n), (long long)(n - 1),
			(long long)diverging[TREE_INTERLEAVED],
			(long long)diverging[TREE_SEQUENTIAL]);
		table_put(&table, out, &(struct page_style){0});
	}
	table_finish(&table);
	return status;
}

/* ---- Command -------------------------------------------------------------------------------- */

enum pmpp_status cmd_model(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	static const struct {
		enum command_bit command;
		enum model_kind kind;
		/* out: NULL = do not print */
		enum pmpp_status (*compute)(const struct cli_options *options, FILE *out,
			struct model_document *document, struct pmpp_error *error);
	} models[] = {
		{CMD_OCCUPANCY, MODEL_OCCUPANCY, occupancy},
		{CMD_DRAM, MODEL_DRAM, dram},
		{CMD_BOUNDARY, MODEL_BOUNDARY, boundary},
		{CMD_WARPS, MODEL_WARPS, warps},
		{CMD_TREE, MODEL_REDUCE, reduce},
	};
	struct model_document document;
	struct wrap wrap;
	FILE *out = wrap_begin(&wrap, stdout, terminal_width(stdout));
	size_t i = 0;
	enum pmpp_status status = document_check_path(options->json, error);

	(void)ret_exit;
	while (models[i].command != options->command->bit)
		i++;
	record_init(&model_document_type, &document);
	text_set(&document.schema, MODEL_SCHEMA);
	document.model = models[i].kind;
	if (status == PMPP_OK)
		status = models[i].compute(
			options, cli_prints(options) ? out : NULL, &document, error);
	wrap_end(&wrap);
	if (status == PMPP_OK)
		status = document_save(&model_document_type, &document, options->json, NULL, error);
	record_finish(&model_document_type, &document);
	return status;
}
