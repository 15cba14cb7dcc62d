/* The collector's part of `explain`: pages as they come, or both at the end for --diff. */
#include "host/run/collector.h"

#include <stdlib.h>
#include <string.h>

#include "common/model/trace.h"
#include "host/record/event.h"
#include "host/record/json.h"
#include "host/report/explain_page.h"

/* ---- Exit code ----------------------------------------------------------------------------- */

/* Only what is wrong counts. */
static void count_class(struct collector *collector, enum outcome_class class)
{
	collector->counts[class] += class == OUTCOME_CLASS_FAILED || class == OUTCOME_CLASS_BROKEN;
}

static void count_status(struct collector *collector, const char *text)
{
	enum outcome_status status;

	if (outcome_status_find(text, &status))
		count_class(collector, outcome_class_of(status));
}

static void count_entry(struct collector *collector, const json_t *entry)
{
	const json_t *defect;
	size_t i;

	json_array_foreach(json_object_get(entry, "defects"), i, defect)
	{
		enum trace_defect_kind kind;
		if (trace_defect_find(row_text(defect, "kind"), &kind))
			count_class(collector, trace_defect_class(kind));
	}
	count_status(collector, row_text(json_object_get(entry, "measured"), "status"));
}

/* ---- Pages --------------------------------------------------------------------------------- */

static struct page_style page_style(const struct console *console)
{
	return (struct page_style){.colour = console->colour, .verbose = console->verbose};
}

/* Which side of --diff a variant is: the order is that of the command line. */
static size_t side_of(const struct collector *collector, const json_t *entry)
{
	char name[160];

	snprintf(name, sizeof name, "%s/%s", row_text(entry, "family"), row_text(entry, "variant"));
	return strcmp(name, collector->options->arguments[0]) == 0 ? 0 : 1;
}

/* The records of an array of entries. */
static void read_entries(const json_t *entries, struct event *ret_event)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	json_t *event = json_pack("{s:s, s:O}", "kind", "explanation", "explanations", entries);
	char *text = json_dumps(event, JSON_COMPACT);

	record_init(&event_type, ret_event);
	if (text && record_read(&event_type, text, strlen(text), "explain", ret_event, &error) !=
			    PMPP_OK)
		fprintf(stderr, "%s\n", error.message);
	pmpp_error_clear(&error);
	free(text);
	json_decref(event);
}

static void put_page(struct collector *collector, const json_t *entries)
{
	struct page_style style = page_style(&collector->console);
	FILE *out = console_begin_page(&collector->console);
	struct event event;

	if (!out)
		return;
	read_entries(entries, &event);
	const struct explanation_list *list = &event.explanations;
	if (list->count && list->items[0].status >= 0)
		explain_lost_page(out, &list->items[0], &style);
	else if (list->count)
		explain_page(out, list->items, list->count, &style);
	fflush(out);
	record_finish(&event_type, &event);
}

/* entries: of one variant. */
static void take_page(struct collector *collector, json_t *entries)
{
	json_t *entry;
	size_t i;

	if (json_array_size(entries) == 0)
		return;
	json_array_foreach(entries, i, entry) count_entry(collector, entry);
	json_array_extend(json_object_get(collector->document, "explanations"), entries);
	if (collector->options->diff)
		collector->sides[side_of(collector, json_array_get(entries, 0))] =
			json_incref(entries);
	else
		put_page(collector, entries);
}

void collector_explanation(struct collector *collector, json_t *event)
{
	take_page(collector, json_object_get(event, "entries"));
}

void collector_lost_page(struct collector *collector, json_t *event)
{
	json_t *row = json_object_get(event, "row");
	json_t *entries = json_pack("[O]", row);

	count_status(collector, row_text(row, "status"));
	json_object_set(row, "no_trace", json_object_get(row, "reason"));
	take_page(collector, entries);
	console_log(&collector->console, row);
	json_decref(entries);
}

void collector_put_sides(struct collector *collector)
{
	json_t *const *sides = collector->sides;
	struct page_style style = page_style(&collector->console);
	bool lost = false;

	for (size_t i = 0; i < 2; i++)
		lost |= !sides[i] || *row_text(json_array_get(sides[i], 0), "status");
	for (size_t i = 0; i < 2 && lost; i++)
		if (sides[i])
			put_page(collector, sides[i]);
	if (lost)
		return;
	FILE *out = console_begin_page(&collector->console);
	if (!out)
		return;
	struct event events[2];
	for (size_t i = 0; i < 2; i++)
		read_entries(sides[i], &events[i]);
	explain_diff(out, events[0].explanations.items, events[0].explanations.count,
		events[1].explanations.items, events[1].explanations.count, &style);
	fflush(out);
	for (size_t i = 0; i < 2; i++)
		record_finish(&event_type, &events[i]);
}
