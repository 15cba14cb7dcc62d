#include "host/run/pages.h"

#include <stdio.h>
#include <string.h>

#include "host/record/provenance.h"
#include "host/report/explain_page.h"

/* ---- Life ---------------------------------------------------------------------------------- */

void pages_init(struct pages *pages, int argc, char *const *argv, const char *left)
{
	*pages = (struct pages){.left = left};
	record_init(&explain_document_type, &pages->document);
	text_set(&pages->document.schema, EXPLAIN_SCHEMA);
	tool_record_set(&pages->document.tool, argc, argv);
}

void pages_finish(struct pages *pages)
{
	record_finish(&explain_document_type, &pages->document);
}

/* ---- Pages --------------------------------------------------------------------------------- */

static void put_page(const struct pages *pages, struct page page, struct console *console)
{
	const struct explanation_record *entries = &pages->document.explanations.items[page.first];
	const struct page_style style = {
		.colour = console->terminal.colour, .verbose = console->terminal.verbose};
	FILE *out = console_begin_page(console);

	if (!out || page.count == 0)
		return;
	if (entries->status >= 0)
		explain_lost_page(out, entries, &style);
	else
		explain_page(out, entries, page.count, &style);
	fflush(out);
}

/* The side of a variant in --diff, 0 or 1: the order of the command line. */
static size_t side_of(const struct pages *pages, const struct explanation_record *entry)
{
	char name[160];

	snprintf(name, sizeof name, "%s/%s", entry->family, entry->variant);
	return strcmp(name, pages->left) == 0 ? 0 : 1;
}

void pages_add(struct pages *pages, struct event *event, struct console *console,
	struct exit_counts *counts)
{
	struct explanation_list *all = &pages->document.explanations;
	struct page page = {.first = all->count};

	for (size_t i = 0; i < event->explanations.count; i++) {
		struct explanation_record *entry = record_list_add(&explanation_type, all);
		if (!entry) {
			terminal_warn(&console->terminal, "no memory for an explanation");
			return;
		}
		record_move(&explanation_type, &event->explanations.items[i], entry);
		explanation_record_count(entry, counts->of_class);
		page.count++;
	}
	if (page.count == 0)
		return;
	const struct explanation_record *first = &all->items[page.first];
	if (pages->left)
		pages->sides[side_of(pages, first)] = page;
	else
		put_page(pages, page, console);
	terminal_origin(&console->terminal, &first->error);
	terminal_log(&console->terminal, first->log);
}

void pages_put_sides(const struct pages *pages, struct console *console)
{
	const struct explanation_record *all = pages->document.explanations.items;
	const struct page *sides = pages->sides;
	bool lost = false;

	for (size_t i = 0; i < 2; i++)
		lost |= sides[i].count == 0 || all[sides[i].first].status >= 0;
	for (size_t i = 0; i < 2 && lost; i++)
		if (sides[i].count)
			put_page(pages, sides[i], console);
	if (lost)
		return;
	const struct page_style style = {
		.colour = console->terminal.colour, .verbose = console->terminal.verbose};
	FILE *out = console_begin_page(console);
	if (!out)
		return;
	explain_diff(out, &all[sides[0].first], sides[0].count, &all[sides[1].first],
		sides[1].count, &style);
	fflush(out);
}
