#include "host/cli/cmd.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/change_points.h"
#include "common/model/exit_code.h"
#include "common/model/noise_floor.h"
#include "host/cli/stored.h"
#include "host/compare/compare.h"
#include "host/record/document.h"
#include "host/record/history.h"
#include "host/record/identity.h"
#include "host/record/provenance.h"
#include "host/report/table.h"
#include "host/report/terminal.h"
#include "host/report/wrap.h"

/* Half-width of a 95 % interval / standard deviation, for a normal distribution. */
#define HALF_WIDTH_SDS 1.96

static void begin_history(
	struct history_document *ret_history, const char *family, const char *variant)
{
	record_init(&history_document_type, ret_history);
	text_set(&ret_history->schema, HISTORY_SCHEMA);
	text_set(&ret_history->family, family);
	text_set(&ret_history->variant, variant);
}

/* ---- Series -------------------------------------------------------------------------------- */

/* Fills in the members that all points of a series share. Adds no points. */
static enum pmpp_status make_series(const struct result_document *document,
	const struct result_row *row, struct history_series *ret_series)
{
	const struct device_record *device = device_list_find(&document->devices, row->device);
	char *title = device ? device_record_title(device) : NULL;
	bool whole;

	record_init(&history_series_type, ret_series);
	text_set(&ret_series->backend, row->backend);
	text_set(&ret_series->device_name, device ? title : row->device);
	text_set(&ret_series->device, row->device);
	if (device) {
		free(ret_series->device);
		ret_series->device = device_identity(device, document);
		text_set(&ret_series->device_type, device->type);
	}
	free(title);
	text_set(&ret_series->dtype, row->dtype);
	text_set_known(&ret_series->op, text_or_empty(row->op));
	text_set(&ret_series->data, row->data);
	text_set_known(&ret_series->math, text_or_empty(row->build.math));
	text_set_known(&ret_series->contract, text_or_empty(row->timing.contract));
	whole = named_list_append(&row->problem, &ret_series->problem) &&
		named_list_append(&row->macros, &ret_series->macros);
	ret_series->own_kernel = row->own_kernel;
	ret_series->noise_sd = noise_floor_default(device ? device->type : NULL).sd;
	return whole ? PMPP_OK : PMPP_OUT_OF_MEMORY;
}

/* An unknown text (NULL) matches every text. */
static bool text_fits(const char *a, const char *b)
{
	return !a || !b || strcmp(a, b) == 0;
}

static bool series_fits(const struct history_series *a, const struct history_series *b)
{
	return a->own_kernel == b->own_kernel && text_equal(a->backend, b->backend) &&
	       text_equal(a->device, b->device) && text_equal(a->dtype, b->dtype) &&
	       text_equal(a->op, b->op) && text_equal(a->data, b->data) &&
	       named_list_equal(&a->problem, &b->problem) &&
	       named_list_equal(&a->macros, &b->macros) && text_fits(a->math, b->math) &&
	       text_fits(a->contract, b->contract);
}

/* Returns the series that matches of_row; adds it if there is none. NULL if there is no memory.
 * Finishes of_row. */
static struct history_series *join_series(
	struct history_document *history, struct history_series *of_row)
{
	struct history_series_list *list = &history->series;
	struct history_series *series = NULL;

	for (size_t i = 0; i < list->count && !series; i++)
		if (series_fits(&list->items[i], of_row))
			series = &list->items[i];
	if (!series) {
		series = record_list_add(&history_series_type, list);
		if (series)
			record_move(&history_series_type, of_row, series);
	} else {
		if (!series->math)
			text_set_known(&series->math, text_or_empty(of_row->math));
		if (!series->contract)
			text_set_known(&series->contract, text_or_empty(of_row->contract));
		series->noise_sd = of_row->noise_sd;
	}
	record_finish(&history_series_type, of_row);
	return series;
}

static bool add_result(struct history_series *series, const struct result_document *document,
	const struct result_row *row)
{
	const struct device_record *device = device_list_find(&document->devices, row->device);
	const struct view_record *view = device_view(device, row->backend);
	struct history_point *point = record_list_add(&history_point_type, &series->points);

	if (!point)
		return false;
	text_set(&point->run, document->run.id);
	text_set(&point->started_utc, document->run.started_utc);
	text_set(&point->host_id, document->run.host_id);
	text_set(&point->label, document->run.label);
	text_set(&point->driver, view ? view->driver : NULL);
	text_set(&point->git, document->tool.git);
	point->status = row->status;
	text_set(&point->reason, row->reason);
	point->median_ns = result_row_median_ns(row);
	point->half_width = result_row_half_width(row);
	return true;
}

/* Adds the result rows of a document. Call it in the order of the documents' times. A row joins the
 * series with the same backend, device, element type, operation, data, problem, macros, math and
 * timing contract. device_identity() identifies devices, so an update of the driver does not begin
 * a new series. In a row that was not built or not timed, some of these values are unknown. It
 * joins the first series that has its known values. */
static enum pmpp_status add_rows(struct history_document *history,
	const struct result_document *document, struct pmpp_error *error)
{
	for (size_t i = 0; i < document->results.count; i++) {
		const struct result_row *row = &document->results.items[i];
		struct history_series of_row;
		enum pmpp_status status = make_series(document, row, &of_row);
		struct history_series *series = join_series(history, &of_row);
		if (status != PMPP_OK || !series || !add_result(series, document, row))
			return PMPP_NO_MEMORY(error, "the history");
	}
	return PMPP_OK;
}

/* ---- Changes ------------------------------------------------------------------------------- */

/* Returns false if there is no memory. */
static bool find_changes(struct history_series *series)
{
	size_t max = series->points.count, n = 0;
	double *logs = calloc(3 * max + 1, sizeof *logs), *sd = logs + max;
	size_t *points = calloc(max + 1, sizeof *points); /* index of the point of each value */
	struct change_point *changes = calloc(max + 1, sizeof *changes);
	bool whole = logs && points && changes;

	for (size_t i = 0; i < max && whole; i++) {
		const struct history_point *point = &series->points.items[i];
		if (point->status != OUTCOME_OK || !(point->median_ns > 0))
			continue;
		logs[n] = log(point->median_ns);
		sd[n] = fmax(series->noise_sd,
			isfinite(point->half_width) ? point->half_width / HALF_WIDTH_SDS : 0);
		points[n++] = i;
	}
	size_t count = whole ? change_points_find(logs, sd, n, sd + max, changes) : 0;
	for (size_t i = 0; i < count && whole; i++) {
		struct history_change *change =
			record_list_add(&history_change_type, &series->changes);
		whole = change;
		if (change) {
			change->point = (int64_t)points[changes[i].index];
			change->ratio = changes[i].ratio;
		}
	}
	free(logs);
	free(points);
	free(changes);
	return whole;
}

/* Finds the changes of all series. Uses only points with the status ok and a median. */
static enum pmpp_status find_all_changes(struct history_document *history, struct pmpp_error *error)
{
	for (size_t i = 0; i < history->series.count; i++)
		if (!find_changes(&history->series.items[i]))
			return PMPP_NO_MEMORY(error, "the history");
	return PMPP_OK;
}

struct chosen {
	const struct size_list *sizes; /* none: any size */
	struct history_document history;
	enum pmpp_status status;
	struct pmpp_error *error;
};

/* ---- Reading ------------------------------------------------------------------------------- */

static bool has_dims(const struct result_row *row, const struct family *family, const int64_t *dims)
{
	for (size_t i = 0; i < family->dim_count; i++)
		if (named_list_get(&row->problem, family->dim_names[i], -1) != dims[i])
			return false;
	return true;
}

/* The same for a family that is not known, such as a problem file: by the names that the row has. */
static bool has_names(const struct result_row *row, const struct size *size)
{
	bool same = size->named || size->count == 1 || size->count == row->problem.count;

	for (size_t i = 0; i < size->count && size->named; i++)
		same = same && named_list_get(&row->problem, size->name[i], -1) == size->value[i];
	for (size_t i = 0; i < row->problem.count && !size->named && same; i++)
		same = row->problem.items[i].value == size->value[size->count == 1 ? 0 : i];
	return same;
}

/* Returns whether a row has one of the sizes. A record_keep_fn. */
static bool has_size(void *context, const void *record)
{
	struct chosen *chosen = context;
	const struct result_row *row = record;
	const struct family *family = family_find(row->family);
	int64_t dims[PMPP_MAX_DIMS];
	bool keep = chosen->sizes->count == 0;

	for (size_t i = 0; i < chosen->sizes->count && !family && !keep; i++)
		keep = has_names(row, &chosen->sizes->items[i]);
	for (size_t i = 0; i < chosen->sizes->count && family && chosen->status == PMPP_OK && !keep;
		i++) {
		chosen->status = size_dims(&chosen->sizes->items[i], family, dims, chosen->error);
		keep = chosen->status == PMPP_OK && has_dims(row, family, dims);
	}
	return keep;
}

static enum pmpp_status take_document(
	void *context, struct result_document *document, struct pmpp_error *error)
{
	struct chosen *chosen = context;

	chosen->error = error;
	record_list_keep(&result_row_type, &document->results, has_size, chosen);
	return chosen->status == PMPP_OK ? add_rows(&chosen->history, document, error)
					 : chosen->status;
}

/* A name is wrong only if nothing is stored: a variant of a newer version may be in the store. */
static enum pmpp_status check_name(const char *word, struct pmpp_error *error)
{
	struct target_list targets = {0};
	enum pmpp_status status = targets_parse(&word, 1, &targets, error);

	targets_finish(&targets);
	return status;
}

/* word: FAMILY/VARIANT */
static enum pmpp_status choose(const char *word, const struct cli_options *options,
	struct chosen *chosen, struct pmpp_error *error)
{
	struct pmpp_error unknown = PMPP_ERROR_INIT;
	struct store_filter filter = stored_filter(options);
	char path[STORE_PATH_BYTES];

	filter.family = chosen->history.family;
	filter.variant = chosen->history.variant;
	enum pmpp_status status = stored_each(&filter, take_document, chosen, path, error);
	if (status == PMPP_OK && chosen->history.series.count == 0)
		status = stored_none(path, &filter, options->job.sizes.count > 0, error);
	if (status != PMPP_OK && check_name(word, &unknown) != PMPP_OK) {
		pmpp_error_move(error, &unknown);
		status = PMPP_USAGE;
	}
	pmpp_error_clear(&unknown);
	return status == PMPP_OK ? find_all_changes(&chosen->history, error) : status;
}

/* ---- Table --------------------------------------------------------------------------------- */

/* The order of add_point(). */
static const struct table_column columns[] = {
	{.title = "started (UTC)", .width = 19},
	{.title = "median", .align = TABLE_RIGHT, .width = 8},
	{.title = "±", .align = TABLE_RIGHT, .priority = 2, .width = 5},
	{.title = "change", .priority = 1},
	{.title = "driver", .priority = 4},
	{.title = "host", .priority = 5, .width = 8},
	{.title = "git", .priority = 6},
	{.title = "label", .priority = 3},
};

static double change_at(const struct history_series *series, size_t point)
{
	for (size_t i = 0; i < series->changes.count; i++)
		if (series->changes.items[i].point == (int64_t)point)
			return series->changes.items[i].ratio;
	return NAN;
}

/* change: NaN if the level does not change at this point. */
static void add_point(struct table *table, const struct history_point *point, double change)
{
	const char *started = text_or_empty(point->started_utc);
	bool ok = point->status == OUTCOME_OK, changed = isfinite(change);
	char text[128];

	table_row(table, !ok       ? format_status_style(point->status)
			 : changed ? STYLE_YELLOW
				   : STYLE_PLAIN);
	/* "2026-11-22 19:31:25" for "2026-11-22T19:31:25Z" */
	table_format(table, "%.10s%s%.8s", started, strlen(started) > 11 ? " " : "",
		strlen(started) > 11 ? started + 11 : "");
	if (ok) {
		table_number(table, format_ns, point->median_ns);
		table_number(table, format_percent, 100 * point->half_width);
	} else {
		table_text(table, format_status(point->status).text);
		table_text(table, "");
		table_below(table, text_or_empty(point->reason));
	}
	format_factor(change > 1 ? change : 1 / change, text, sizeof text);
	table_format(table, "%s%s", changed ? text : "",
		!changed     ? ""
		: change > 1 ? " slower"
			     : " faster");
	format_driver(NULL, text_or_empty(point->driver), text, sizeof text);
	table_text(table, text);
	table_format(table, "%.8s", text_or_empty(point->host_id));
	table_format(table, "%.13s", text_or_empty(point->git));
	table_text(table, point->label);
}

/* ---- Series -------------------------------------------------------------------------------- */

static void put_named(FILE *out, const struct named_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		fprintf(out, "%s%s=%lld", i ? " " : "  ", list->items[i].name,
			(long long)list->items[i].value);
}

/* " (uuid:1234abcd)": two cards of one model have the same name. */
static void put_identity(FILE *out, const char *identity)
{
	if (strncmp(identity, "uuid:", 5) == 0)
		fprintf(out, " (%.13s)", identity);
	else if (strncmp(identity, "pci:", 4) == 0)
		fprintf(out, " (%.*s)", (int)strcspn(identity, " "), identity);
}

static void put_title(
	FILE *out, const struct history_document *history, const struct history_series *series)
{
	fprintf(out, "%s/%s  %s%s%s", history->family, history->variant, series->dtype,
		series->op ? " " : "", text_or_empty(series->op));
	if (strcmp(series->data, "random") != 0)
		fprintf(out, " %s", series->data);
	put_named(out, &series->problem);
	put_named(out, &series->macros);
	fprintf(out, "  %s  %s", series->backend, series->device_name);
	put_identity(out, series->device);
	if (series->math && strcmp(series->math, "default") != 0)
		fprintf(out, "  --math=%s", series->math);
	if (series->contract)
		fprintf(out, "  %s", series->contract);
	if (series->own_kernel)
		fputs("  your kernel", out);
	fputc('\n', out);
}

static void put_series(
	FILE *out, const struct history_series *series, const struct page_style *style)
{
	size_t points = series->points.count, changes = series->changes.count;
	struct table table;

	table_init(&table, columns, ARRAY_COUNT(columns));
	for (size_t i = 0; i < points; i++)
		add_point(&table, &series->points.items[i], change_at(series, i));
	table_put(&table, out, style);
	table_finish(&table);
	fprintf(out, "  %zu result%s, ", points, points == 1 ? "" : "s");
	fprintf(out, changes ? "%zu change%s" : "no change", changes, changes == 1 ? "" : "s");
	fprintf(out, " (floor of noise %.1f %%)\n", 100 * series->noise_sd);
}

/* ---- Command ------------------------------------------------------------------------------- */

static void put_history(const struct cli_options *options, const struct history_document *history)
{
	const struct page_style style = terminal_page_style(&options->terminal, stdout);
	struct wrap wrap;
	FILE *out = wrap_begin(&wrap, stdout, style.width);

	for (size_t i = 0; i < history->series.count; i++) {
		fputs(i ? "\n" : "", out);
		put_title(out, history, &history->series.items[i]);
		put_series(out, &history->series.items[i], &style);
	}
	wrap_end(&wrap);
}

enum pmpp_status cmd_history(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	const char *word = options->arguments[0];
	const char *slash = strchr(word, '/');
	struct chosen chosen = {.sizes = &options->job.sizes};
	char family[64];
	enum pmpp_status status = document_check_path(options->json, error);

	if (status == PMPP_OK)
		status = stored_check_output(options->json, error);
	*ret_exit = EXIT_CODE_OK;
	if (status == PMPP_OK && (!slash || !slash[1] || slash == word))
		status = PMPP_FAIL(error, PMPP_USAGE,
			"history: '%s' is not FAMILY/VARIANT: give one of `pmpp-run list`, for "
			"example matmul/tiled32",
			word);
	if (status != PMPP_OK)
		return status;
	snprintf(family, sizeof family, "%.*s", (int)(slash - word), word);
	begin_history(&chosen.history, family, slash + 1);
	tool_record_set(&chosen.history.tool, options->argc, options->argv);
	status = choose(word, options, &chosen, error);
	if (status == PMPP_OK && !options->terminal.stdout_taken && !options->terminal.quiet)
		put_history(options, &chosen.history);
	if (status == PMPP_OK)
		status = document_save(
			&history_document_type, &chosen.history, options->json, NULL, error);
	record_finish(&history_document_type, &chosen.history);
	return status;
}
