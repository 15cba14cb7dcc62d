#include "host/run/interim.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/record/document.h"
#include "host/record/json.h"
#include "host/run/complete.h"

/* Adds and completes the rows, as the collector does at the end. false for lack of memory. */
static bool add_rows(struct result_row_list *rows, struct event *events, size_t count)
{
	const struct group_record *group = NULL;
	size_t first = 0;

	for (size_t i = 0; i < count; i++) {
		if (events[i].kind == EVENT_GROUP) {
			const struct group_record *next = &events[i].group;
			if (!group || group->number != next->number ||
				!text_equal(group->problem, next->problem))
				first = rows->count;
			group = next;
			continue;
		}
		struct result_row *row = record_list_add(&result_row_type, rows);
		if (!row)
			return false;
		record_move(&result_row_type, &events[i].row, row);
		complete_row(
			row, &rows->items[first], rows->count - 1 - first, group && group->gpu);
	}
	return true;
}

static bool can_be_rewritten(const char *path)
{
	struct stat properties;

	if (!path || strcmp(path, "-") == 0)
		return false;
	return stat(path, &properties) != 0 || S_ISREG(properties.st_mode);
}

/* The size of the document's file in bytes if each timed row had this number of runs, 0 or 1. The
 * rows have no repetitions. 0 for lack of memory. */
static double bytes_with(struct result_document *document, size_t runs)
{
	struct result_row_list *rows = &document->results;
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	char *text = NULL;

	for (size_t i = 0; i < rows->count; i++) {
		struct result_row *row = &rows->items[i];
		row->repetitions.record.present = row->timing.record.present;
		row->repetitions.runs = (struct timing_list){&row->timing, runs};
	}
	record_write(&result_document_type, document, RECORD_INDENTED, &text, &ignored);
	for (size_t i = 0; i < rows->count; i++) {
		rows->items[i].repetitions.record.present = false;
		rows->items[i].repetitions.runs = (struct timing_list){0};
	}
	double bytes = (double)strlen(text_or_empty(text));
	free(text);
	pmpp_error_clear(&ignored);
	return bytes;
}

double interim_expected_bytes(struct result_document *document, size_t run_count)
{
	double none = bytes_with(document, 0);
	double one = bytes_with(document, 1);

	return none > 0 && one > none ? none + (double)run_count * (one - none) : 0;
}

static void warn_size(struct result_document *document, const char *path, size_t run_count,
	struct terminal *terminal)
{
	double bytes = interim_expected_bytes(document, run_count);
	char *warning = NULL;

	if (!(bytes > DOCUMENT_MAX_BYTES))
		return;
	text_format(&warning,
		"%s will have about %.0f MB after %zu runs; pmpp reads files up to %.0f MB: run "
		"fewer variants or sizes for each file, or set a smaller --max-samples",
		path, bytes / 1e6, run_count, DOCUMENT_MAX_BYTES / 1e6);
	terminal_warn(terminal, text_or_empty(warning));
	free(warning);
}

static void write_json(
	const struct result_document *document, const char *path, struct terminal *terminal)
{
	struct pmpp_error error = PMPP_ERROR_INIT;

	if (document_save(&result_document_type, document, path, &error) != PMPP_OK) {
		pmpp_error_prefix(&error, "not written yet");
		terminal_warn(terminal, error.message);
	}
	pmpp_error_clear(&error);
}

void interim_save(const struct result_document *head, const struct interim_events *interim,
	struct saver *saver, const char *json, struct terminal *terminal)
{
	struct result_document document = *head;

	/* A copy of the head without its rows: they must not be freed here. */
	document.results = (struct result_row_list){0};
	document.parity = (struct parity_row_list){0};
	if (add_rows(&document.results, interim->events, interim->count)) {
		saver_interim(saver, &document, terminal);
		document.run.interrupted = true; /* until the last run is complete */
		bool rewrites = can_be_rewritten(json);
		if (rewrites)
			write_json(&document, json, terminal);
		if (rewrites && interim->run == 0)
			warn_size(&document, json, interim->run_count, terminal);
	}
	for (size_t i = 0; i < document.results.count; i++)
		record_finish(&result_row_type, &document.results.items[i]);
	free(document.results.items);
}
