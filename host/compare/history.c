#include "host/compare/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/change_points.h"
#include "common/model/noise_floor.h"
#include "host/compare/compare.h"

/* Half-width of a 95 % interval / standard deviation, for a normal distribution. */
#define HALF_WIDTH_SDS 1.96

void history_init(struct history_document *ret_history, const char *family, const char *variant)
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
	const struct device_record *device = device_of_key(document, row->device);
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
	whole = copy_named(&row->problem, &ret_series->problem) &&
		copy_named(&row->macros, &ret_series->macros);
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

static bool add_point(struct history_series *series, const struct result_document *document,
	const struct result_row *row)
{
	const struct device_record *device = device_of_key(document, row->device);
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

enum pmpp_status history_add(struct history_document *history,
	const struct result_document *document, struct pmpp_error *error)
{
	for (size_t i = 0; i < document->results.count; i++) {
		const struct result_row *row = &document->results.items[i];
		struct history_series of_row;
		enum pmpp_status status = make_series(document, row, &of_row);
		struct history_series *series = join_series(history, &of_row);
		if (status != PMPP_OK || !series || !add_point(series, document, row))
			return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the history");
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

enum pmpp_status history_find_changes(struct history_document *history, struct pmpp_error *error)
{
	for (size_t i = 0; i < history->series.count; i++)
		if (!find_changes(&history->series.items[i]))
			return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the history");
	return PMPP_OK;
}
