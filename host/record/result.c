#include "host/record/result.h"
#include "host/record/document.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Parts of a row ------------------------------------------------------------------------ */

static const char *const status_words[] = {
#define XX(name, text) [PMPP_##name] = text,
	PMPP_STATUS_MAP(XX)
#undef XX
		NULL};

void error_record_set(struct error_record *record, const struct pmpp_error *error)
{
	record->record.present = true;
	record->status = (int)error->status;
	text_set(&record->message, error->message);
	text_set_known(&record->call, error->call);
	record->code = error->code;
	text_set_known(&record->symbol, error->symbol);
	text_set_known(&record->file, error->file);
	record->line = error->line;
	text_set(&record->log, error->log);
}

void error_record_get(const struct error_record *record, struct pmpp_error *ret_error)
{
	enum pmpp_status status =
		record->status >= 0 ? (enum pmpp_status)record->status : PMPP_INTERNAL;

	pmpp_error_set(ret_error, status, text_or_empty(record->file), (int)record->line, "%s",
		text_or_empty(record->message));
	snprintf(ret_error->call, sizeof ret_error->call, "%s", text_or_empty(record->call));
	snprintf(ret_error->symbol, sizeof ret_error->symbol, "%s", text_or_empty(record->symbol));
	ret_error->code = (long)record->code;
	ret_error->log = record->log ? strdup(record->log) : NULL;
}

enum claim_verdict claim_record_verdict(const struct claim_record *claim)
{
	return claim->verdict >= 0 ? (enum claim_verdict)claim->verdict : CLAIM_NOT_APPLICABLE;
}

const struct peer_record *peer_list_fastest(const struct peer_list *list)
{
	const struct peer_record *fastest = NULL;

	for (size_t i = 0; i < list->count; i++)
		if (isfinite(list->items[i].ratio) && list->items[i].ratio > 0 &&
			(!fastest || list->items[i].ratio < fastest->ratio))
			fastest = &list->items[i];
	return fastest;
}

/* ---- Rows ---------------------------------------------------------------------------------- */

void result_row_end(struct result_row *row, enum outcome_status status, const char *reason)
{
	static const char *const names[] = {
		"launches", "build", "resources", "verify", "timing", "work", "derived", "peer"};

	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		record_set_absent(&result_row_type, row, names[i], true);
	row->status = (int)status;
	text_set_known(&row->reason, reason);
}

static void mark_comparisons(struct result_row *row, bool absent)
{
	static const char *const names[] = {"step", "total", "step_ci95", "step_paired"};

	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		record_set_absent(&derived_type, &row->derived, names[i], absent);
	record_set_absent(&result_row_type, row, "claim", absent);
}

void result_row_drop_comparisons(struct result_row *row)
{
	struct derived_record *derived = &row->derived;

	derived->step = derived->total = derived->step_ci95[0] = derived->step_ci95[1] = NAN;
	derived->step_paired = TRUTH_UNKNOWN;
	record_finish(&claim_type, &row->claim);
	row->claim.record.present = false;
	record_list_clear(&peer_type, &row->peers);
	mark_comparisons(row, true);
}

void result_row_keep_comparisons(struct result_row *row)
{
	mark_comparisons(row, false);
}

void result_row_put_name(const struct result_row *row, FILE *out, const char *after)
{
	fprintf(out, "%s/%s (%s, ", text_or_empty(row->family), text_or_empty(row->variant),
		text_or_empty(row->backend));
	record_put_value(&result_row_type, row, "problem", out);
	fprintf(out, ")%s", after);
}

bool result_row_is_too_large(const struct result_row *row)
{
	return row->status == OUTCOME_UNSUPPORTED && row->error.record.present &&
	       row->error.status == PMPP_TOO_LARGE;
}

/* NULL: no samples, or a kind of samples of a newer version. */
static const struct samples_record *primary_samples(const struct result_row *row)
{
	const struct samples_record *samples = timing_record_primary(&row->timing);

	return row->timing.record.present && samples->record.present &&
			       row->timing.primary != WORD_UNKNOWN
		       ? samples
		       : NULL;
}

/* A file may have any number. Numbers that cannot be the time of a run are unknown. */
static bool is_time(double ns)
{
	return isfinite(ns) && ns > 0;
}

enum outcome_class result_row_class(const struct result_row *row)
{
	return row->status >= 0 ? outcome_class_of((enum outcome_status)row->status)
				: OUTCOME_CLASS_UNVERIFIED;
}

unsigned result_row_flags(const struct result_row *row)
{
	if (!row->timing.record.present)
		return 0;
	return device_state_is_busy(&row->device_state)
		       ? row->timing.flags & ~(unsigned)TIMING_THROTTLED
		       : row->timing.flags;
}

double result_row_median_ns(const struct result_row *row)
{
	const struct samples_record *samples = primary_samples(row);

	return samples && is_time(samples->median) ? samples->median : NAN;
}

size_t result_row_medians(const struct result_row *row, double **ret_medians)
{
	const struct timing_list *runs = &row->repetitions.runs;
	size_t max = row->repetitions.record.present && runs->count ? runs->count : 1;
	double *medians = row->timing.primary >= 0 ? calloc(max, sizeof *medians) : NULL;
	size_t count = 0;

	*ret_medians = NULL;
	if (!medians)
		return 0;
	for (size_t i = 0; i < max; i++) {
		const struct timing_record *timing = row->repetitions.record.present && runs->count
							     ? &runs->items[i]
							     : &row->timing;
		const struct samples_record *samples = timing_record_primary(timing);
		if (timing->record.present && timing->primary == row->timing.primary &&
			samples->record.present && is_time(samples->median))
			medians[count++] = samples->median;
	}
	if (count)
		*ret_medians = medians;
	else
		free(medians);
	return count;
}

void result_row_interval_ns(const struct result_row *row, double ret_interval[2])
{
	const struct samples_record *samples = primary_samples(row);
	const double *ends = row->repetitions.record.present ? row->repetitions.ci95
			     : samples                       ? samples->ci95
							     : NULL;
	bool known = ends && is_time(ends[0]) && is_time(ends[1]) && ends[0] <= ends[1];

	for (size_t i = 0; i < 2; i++)
		ret_interval[i] = known ? ends[i] : NAN;
}

double result_row_half_width(const struct result_row *row)
{
	const struct samples_record *samples = primary_samples(row);
	double width = !samples                          ? NAN
		       : row->repetitions.record.present ? row->repetitions.half_width
							 : samples->half_width;

	return isfinite(width) && width >= 0 ? width : NAN;
}

double result_row_run_half_width(const struct result_row *row)
{
	const struct samples_record *samples = primary_samples(row);

	if (!row->repetitions.record.present)
		return result_row_half_width(row);
	return samples && samples->half_width >= 0 ? samples->half_width : NAN;
}

#define RECORD_TYPES
#define RECORDS "host/record/result.def"
#include "common/records.inc"

/* ---- Devices ------------------------------------------------------------------------------- */

enum pmpp_status result_document_add_device(struct result_document *document,
	const struct device_record *device, struct pmpp_error *error)
{
	struct device_record *old = device_list_find(&document->devices, device->key);

	return old ? device_record_merge(old, device, error)
		   : record_list_add_copy(&device_type, &document->devices, device, error);
}

const struct result_row *parity_side_row(
	const struct result_document *document, const struct parity_row *parity, size_t side)
{
	for (size_t i = 0; i < document->results.count && side < parity->backends.count; i++) {
		const struct result_row *row = &document->results.items[i];
		if (text_equal(row->backend, parity->backends.items[side]) &&
			text_equal(row->family, parity->family) &&
			text_equal(row->variant, parity->variant) &&
			named_list_equal(&row->problem, &parity->problem) &&
			named_list_equal(&row->macros, &parity->macros))
			return row;
	}
	return NULL;
}
