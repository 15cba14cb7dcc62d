#include "host/run/explanations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/record/provenance.h"
#include "host/report/explain_page.h"
#include "host/report/format.h"

/* ---- Life ---------------------------------------------------------------------------------- */

void explanations_init(struct explanations *explanations, int argc, char *const *argv,
	const char *left, bool twins)
{
	*explanations = (struct explanations){.left = left, .twins = twins};
	record_init(&explain_document_type, &explanations->document);
	text_set(&explanations->document.schema, EXPLAIN_SCHEMA);
	tool_record_set(&explanations->document.tool, argc, argv);
}

void explanations_finish(struct explanations *explanations)
{
	record_finish(&explain_document_type, &explanations->document);
}

/* ---- Pages --------------------------------------------------------------------------------- */

/* Prints one variant, or two side by side. */
static void put_page(const struct explanations *explanations, const struct explained *ranges,
	size_t count, struct console *console)
{
	const struct explanation_record *all = explanations->document.explanations.items;
	const struct page_style style = terminal_style(&console->terminal);
	struct explained_variant variants[2];
	FILE *out = console_begin_page(console);

	for (size_t i = 0; i < count; i++)
		variants[i] = (struct explained_variant){&all[ranges[i].first], ranges[i].count};
	if (!out)
		return;
	explain_page(out, variants, count, &style);
	fflush(out);
}

/* The side in --diff, 0 or 1. Two variants: the order of the command line. Twins: CUDA is 0, OpenCL
 * is 1. */
static size_t side_of(
	const struct explanations *explanations, const struct explanation_record *entry)
{
	char name[160];

	if (explanations->twins)
		return explanations->sides[0].count ? 1 : 0;
	snprintf(name, sizeof name, "%s/%s", entry->family, entry->variant);
	return strcmp(name, explanations->left) == 0 ? 0 : 1;
}

/* With -q there is no page. Prints a line on stderr for each entry with a failure. */
static void put_trouble(const struct explanation_record *entry, struct console *console)
{
	size_t counts[OUTCOME_CLASS_COUNT] = {0};
	const char *reason = entry->defects.count ? entry->defects.items[0].text : entry->reason;
	int status = entry->status >= 0 ? entry->status : entry->measured.status;
	char words[40];
	char *text = NULL;

	explanation_record_count(entry, counts);
	if (!console->terminal.quiet ||
		counts[OUTCOME_CLASS_FAILED] + counts[OUTCOME_CLASS_BROKEN] == 0)
		return;
	format_status(status, words, sizeof words);
	text_format(&text, "%s/%s: %s", entry->family, entry->variant, reason ? reason : words);
	terminal_warn(&console->terminal, text_or_empty(text));
	free(text);
}

void explanations_add(struct explanations *explanations, struct event *event,
	struct console *console, struct exit_counts *counts)
{
	struct explanation_list *all = &explanations->document.explanations;
	struct explained range = {.first = all->count};

	for (size_t i = 0; i < event->explanations.count; i++) {
		struct explanation_record *entry = record_list_add(&explanation_type, all);
		if (!entry) {
			terminal_warn(&console->terminal, "no memory for an explanation");
			return;
		}
		record_move(&explanation_type, &event->explanations.items[i], entry);
		explanation_record_count(entry, counts->of_class);
		put_trouble(entry, console);
		range.count++;
	}
	if (range.count == 0)
		return;
	const struct explanation_record *first = &all->items[range.first];
	if (explanations->left)
		explanations->sides[side_of(explanations, first)] = range;
	else
		put_page(explanations, &range, 1, console);
	terminal_origin(&console->terminal, &first->error);
	terminal_log(&console->terminal, first->log);
}

void explanations_put_sides(const struct explanations *explanations, struct console *console)
{
	const struct explanation_record *all = explanations->document.explanations.items;
	const struct explained *sides = explanations->sides;
	bool lost = false;

	for (size_t i = 0; i < 2; i++)
		lost |= sides[i].count == 0 || all[sides[i].first].status >= 0;
	for (size_t i = 0; i < 2 && lost; i++)
		if (sides[i].count)
			put_page(explanations, &sides[i], 1, console);
	if (!lost)
		put_page(explanations, sides, 2, console);
}
