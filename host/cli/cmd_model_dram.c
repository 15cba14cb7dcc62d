#include "host/cli/cmd.h"

#include <stdio.h>
#include <string.h>

#include "common/model/dram.h"
#include "common/model/exit_code.h"
#include "host/record/document.h"
#include "host/record/model.h"
#include "host/report/table.h"
#include "host/report/terminal.h"
#include "host/report/wrap.h"

/* ---- Utilisation --------------------------------------------------------------------------- */

static void put_utilisation(FILE *out, double ratio, int64_t banks)
{
	fprintf(out, "%6lld  %5.1f %%\n", (long long)banks, 100 * dram_utilisation(ratio, banks));
}

/* Banks of the option, else enough banks to keep the bus busy. */
static int64_t banks_of(const struct model_options *model)
{
	return model->banks ? (int64_t)model->banks : dram_banks_needed(model->latency_ratio);
}

static int64_t channels_of(const struct model_options *model)
{
	return model->channels ? (int64_t)model->channels : 1;
}

static void put_bus(FILE *out, const struct model_options *model)
{
	double ratio = model->latency_ratio;
	double busy = dram_utilisation(ratio, banks_of(model));
	int64_t needed = dram_banks_needed(ratio);

	fprintf(out,
		"The access time of a bank is %g times the time to transfer one burst.\n"
		"Banks that keep the bus of a channel busy: %lld.\n"
		"With %lld banks per channel, the bus is busy %.1f %% of the time.\n"
		"Channels: %lld; total rate %.2f times the rate of one bus that is always busy.\n"
		"\n banks     busy\n",
		ratio, (long long)needed, (long long)banks_of(model), 100 * busy,
		(long long)channels_of(model), (double)channels_of(model) * busy);
	for (int64_t banks = 1; banks < needed; banks *= 2)
		put_utilisation(out, ratio, banks);
	put_utilisation(out, ratio, needed);
}

static void fill_bus(const struct model_options *model, struct bus_record *bus)
{
	bus->record.present = true;
	bus->latency_ratio = model->latency_ratio;
	bus->banks_needed = dram_banks_needed(model->latency_ratio);
	bus->banks = banks_of(model);
	bus->channels = channels_of(model);
	bus->busy = dram_utilisation(model->latency_ratio, banks_of(model));
}

/* ---- Tiled product ------------------------------------------------------------------------- */

static void add_load(struct table *table, const struct dram *dram, int64_t phase,
	const char *matrix, const struct dram_load *load)
{
	char channels[8 * DRAM_MAX_CHANNELS];
	size_t used = (size_t)snprintf(channels, sizeof channels,
		"%d of %lld:", __builtin_popcountll(load->channels), (long long)dram->channels);

	for (int i = 0; i < DRAM_MAX_CHANNELS; i++)
		if (load->channels >> i & 1)
			used += (size_t)snprintf(channels + used, sizeof channels - used, " %d", i);
	table_row(table, STYLE_PLAIN);
	table_format(table, "%lld", (long long)phase);
	table_text(table, matrix);
	table_format(table, "%lld", (long long)load->bursts);
	table_format(table, "%lld", (long long)load->banks);
	table_format(table, "%lld", (long long)load->conflicts);
	table_text(table, channels);
}

static const struct table_column load_columns[] = {{.title = "phase", .align = TABLE_RIGHT},
	{.title = "matrix"}, {.title = "bursts", .align = TABLE_RIGHT},
	{.title = "banks", .align = TABLE_RIGHT}, {.title = "conflicts", .align = TABLE_RIGHT},
	{.title = "channels", .align = TABLE_REST}};

static enum pmpp_status tiles(FILE *out, const struct cli_options *options, bool print,
	struct model_document *document, struct pmpp_error *error)
{
	const struct model_options *model = &options->model;
	const struct size *size = options->job.sizes.items;
	struct dram dram = {
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
	/* Phase 0 is always computed: dram_tiles() checks the options. */
	struct table table;
	table_init(&table, load_columns, ARRAY_COUNT(load_columns));
	for (int64_t phase = 0; status == PMPP_OK && (phase == 0 || phase < n / tile); phase++) {
		status = dram_tiles(
			&dram, n, tile, phase, &loads[MATRIX_LEFT], &loads[MATRIX_RIGHT], error);
		for (int i = 0; i < MATRIX_COUNT && status == PMPP_OK; i++) {
			add_load(&table, &dram, phase, model_matrix_words[i], &loads[i]);
			status = model_add_tile(document, phase, i, &loads[i], error);
		}
	}
	if (print && status == PMPP_OK) {
		fprintf(out,
			"Product of %lld x %lld f32 matrices in tiles of %lld x %lld. "
			"Bursts of %lld bytes, %lld channels, %lld banks per channel.\n\n",
			(long long)n, (long long)n, (long long)tile, (long long)tile,
			(long long)dram.burst_bytes, (long long)dram.channels,
			(long long)dram.banks);
		table_put(&table, out, &(struct page_style){0});
	}
	table_finish(&table);
	return status;
}

/* ---- Command ------------------------------------------------------------------------------- */

enum pmpp_status cmd_model_dram(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	const struct model_options *model = &options->model;
	bool has_ratio = model->latency_ratio >= 0;
	bool has_tiles = options->job.sizes.count > 0 || model->block[0] > 0;
	bool print =
		!options->terminal.quiet && !(options->json && strcmp(options->json, "-") == 0);
	struct model_document document;
	struct wrap wrap;
	FILE *out = wrap_begin(&wrap, stdout, terminal_width(stdout));
	enum pmpp_status status =
		options->json ? document_check_path(options->json, error) : PMPP_OK;

	model_document_init(MODEL_DRAM, &document);
	if (status == PMPP_OK && !has_ratio && !has_tiles)
		status = PMPP_FAIL(error, PMPP_USAGE,
			"model dram needs --latency-ratio=R, or --size=N and --block=T; see "
			"pmpp-run model dram --help");
	if (status == PMPP_OK && !has_tiles && model->burst_bytes)
		status = PMPP_FAIL(error, PMPP_USAGE,
			"--burst is for the tiled product: also give --size=N and --block=T");
	if (status == PMPP_OK && has_tiles)
		status = tiles(out, options, print, &document, error);
	if (status == PMPP_OK && has_ratio && print) {
		fputs(has_tiles ? "\n" : "", out);
		put_bus(out, model);
	}
	wrap_end(&wrap);
	if (status == PMPP_OK && has_ratio)
		fill_bus(model, &document.bus);
	if (status == PMPP_OK && options->json)
		status = document_save(&model_document_type, &document, options->json, error);
	record_finish(&model_document_type, &document);
	*ret_exit = EXIT_CODE_OK;
	return status;
}
