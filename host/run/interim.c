#include "host/run/interim.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/record/document.h"
#include "host/run/complete.h"

/* Adds and completes the rows, as the collector does at the end. false for lack of memory. */
static bool add_rows(struct result_list *rows, struct event *events, size_t count)
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

void interim_save(const struct result_document *head, struct event *events, size_t count,
	struct saver *saver, const char *json, struct terminal *terminal)
{
	struct result_document document = *head;

	/* The head keeps its own rows. */
	document.results = (struct result_list){0};
	document.parity = (struct parity_list){0};
	if (add_rows(&document.results, events, count)) {
		saver_interim(saver, &document, terminal);
		if (can_be_rewritten(json))
			write_json(&document, json, terminal);
	}
	for (size_t i = 0; i < document.results.count; i++)
		record_finish(&result_row_type, &document.results.items[i]);
	free(document.results.items);
}
