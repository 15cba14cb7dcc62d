#include "host/page/annotated_source.h"
#include "host/record/trace_example.h"
#include "host/report/explain_text.h"

#include <string.h>

#define TEXT_BYTES 900
#define CAPTION_BYTES 240

/* ---- Groups ---------------------------------------------------------------------------------- */

/* The entries of one variant: one for each launch. */
struct group {
	const struct explanation_record *entries;
	size_t count;
};

/* Returns the first group of the entries. */
static struct group first_group(const struct explanation_record *entries, size_t count)
{
	struct group group = {entries, 1};

	while (group.count < count) {
		const struct explanation_record *next = &entries[group.count];
		if (next->launch.index <= next[-1].launch.index ||
			!text_equal(next->family, entries->family) ||
			!text_equal(next->variant, entries->variant))
			break;
		group.count++;
	}
	return group;
}

typedef void group_fn(struct page *page, const struct group *group, unsigned number);

/* Calls `call` for each variant of all files, with numbers from 1. */
static void each_group(struct page *page, group_fn *call)
{
	unsigned number = 0;

	for (size_t i = 0; i < page->input->explanation_count; i++) {
		const struct explanation_list *list = &page->input->explanations[i].explanations;
		struct group group;
		for (size_t at = 0; at < list->count; at += group.count) {
			group = first_group(&list->items[at], list->count - at);
			call(page, &group, ++number);
		}
	}
}

static void put_name(FILE *out, const struct explanation_record *entry)
{
	char name[160], text[TEXT_BYTES];

	explain_text_head(entry, name, sizeof name, text, sizeof text);
	html_name(out, name);
}

/* ---- Introduction ---------------------------------------------------------------------------- */

static void put_key(FILE *out)
{
	static const struct {
		const char *mark, *text;
	} rows[] = {
		{"requested",
			"An active lane, and the memory that it requests. The number is that of the "
			"lane; \"4\u00d7\" means four lanes at the same place."},
		{"inactive", "An inactive lane, or memory that is not transferred."},
		{"sector",
			"Global memory: the rest of a sector. It is transferred, but no lane requests "
			"it."},
		{"extra",
			"Shared memory: an additional pass, because another word of the same bank is "
			"served first."},
		{"waits", "Divergent branch: the lane waits while the other lanes run."},
	};

	html_markup(out, "<ul class=\"marks\">\n");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		fprintf(out, "<li><span class=\"key %s\"></span> %s</li>\n", rows[i].mark,
			rows[i].text);
	html_markup(out, "</ul>\n");
}

static void put_link(struct page *page, const struct group *group, unsigned number)
{
	fprintf(page->out, "<li><a href=\"#explained-%u\">", number);
	put_name(page->out, group->entries);
	html_markup(page->out, "</a></li>\n");
}

static void put_introduction(struct page *page)
{
	const struct access_model *model = access_model_default();

	html_markup(page->out,
		"<p>An emulator ran each kernel with its warps in lockstep. The threads of a warp are its "
		"<em>lanes</em>. ");
	html_format(page->out,
		"A warp has %u lanes, a line of global memory %u bytes, a sector %u bytes, and shared "
		"memory %u banks of %u bytes, unless the line \"model\" of a kernel has other numbers. ",
		model->lanes, model->line_bytes, model->sector_bytes, model->banks,
		model->bank_bytes);
	html_markup(page->out,
		"Beside each source line are the number of times that a warp executed it, and the average "
		"share of its lanes that were active. Below a line are its memory accesses and divergent "
		"branches. Entries that cost more than necessary are open. A drawing shows one request: "
		"one access by one warp. For global memory, a row is a line with its sectors. For shared "
		"memory, a column is a bank and a row is a pass, in which each bank serves one word.</p>\n");
	put_key(page->out);
	html_markup(page->out, "<ul>\n");
	each_group(page, put_link);
	html_markup(page->out, "</ul>\n");
}

/* ---- Figures below the source ---------------------------------------------------------------- */

/* Writes "reduce/interleaved, launch 2: totals". Captions must be different, because screen readers
 * list tables by their captions. */
static void caption_of(const struct explanation_record *entry, bool of_launch, const char *what,
	char *ret_text, size_t size)
{
	const struct launch_record *launch = &entry->launch;
	char number[40] = "";

	if (of_launch && launch->count > 1)
		snprintf(number, sizeof number, ", launch %lld", (long long)launch->index);
	snprintf(ret_text, size, "%.60s/%.60s%s: %s", text_or_empty(entry->family),
		text_or_empty(entry->variant), number, what);
}

static void put_facts(struct page *page, const char *caption,
	const struct explanation_record *entry, const struct fact *facts, size_t count)
{
	static const struct table_column columns[] = {{.title = "Figure"}, {.title = "Value"}};
	struct table table;
	char text[TEXT_BYTES];

	table_init(&table, columns, 2);
	for (size_t i = 0; i < count; i++) {
		facts[i].text(entry, text, sizeof text);
		if (!*text)
			continue;
		table_row(&table, STYLE_PLAIN);
		table_text(&table, facts[i].name);
		table_format(&table, "%s", text);
	}
	if (table.row_count)
		page_put_table(page, &table, caption);
	else
		table_finish(&table);
}

static void put_checklist(struct page *page, const struct explanation_record *entry)
{
	static const struct table_column columns[] = {
		{.title = "Item"}, {.title = "State"}, {.title = "Figure that decides"}};
	struct table table;
	char caption[CAPTION_BYTES];

	if (!entry->checklist.count)
		return;
	caption_of(entry, false, "checklist of optimisations; open = can still help", caption,
		sizeof caption);
	table_init(&table, columns, 3);
	for (size_t i = 0; i < entry->checklist.count; i++) {
		const struct check_record *check = &entry->checklist.items[i];
		table_row(&table, STYLE_PLAIN);
		table_text(&table, word_text(check_item_words, check->item));
		table_text(&table, word_text(check_state_words, check->state));
		table_text(&table, check->text);
	}
	page_put_table(page, &table, caption);
}

static void put_defects(FILE *out, const struct explanation_record *entry)
{
	char text[TEXT_BYTES];

	for (size_t i = 0; i < entry->defects.count; i++) {
		explain_text_defect(&entry->defects.items[i], text, sizeof text);
		html_markup(out, "<p class=\"defect\"><strong>Defect:</strong> ");
		html_text(out, text);
		html_markup(out, "</p>\n");
	}
}

/* ---- Variants -------------------------------------------------------------------------------- */

static void put_head(FILE *out, const struct explanation_record *entry, unsigned number)
{
	char name[160], text[TEXT_BYTES];
	const char *technique = text_or_empty(entry->technique);

	explain_text_head(entry, name, sizeof name, text, sizeof text);
	fprintf(out, "<article class=\"explained\">\n<h3 id=\"explained-%u\">", number);
	html_name(out, name);
	html_markup(out, "</h3>\n<p>");
	html_text(out, text);
	html_markup(out, "</p>\n<p>");
	if (*technique && strcmp(technique, "-") != 0) {
		html_name(out, technique);
		html_text(out, ": ");
	}
	html_name(out, entry->idea);
	html_markup(out, "</p>\n");
}

static void put_launch(struct page *page, const struct explanation_record *entry)
{
	FILE *out = page->out;
	char text[TEXT_BYTES], caption[CAPTION_BYTES];

	for (size_t i = 0; i < launch_fact_count; i++) {
		launch_facts[i].text(entry, text, sizeof text);
		if (!*text)
			continue;
		html_markup(out, "<p><strong>");
		html_text(out, launch_facts[i].name);
		html_markup(out, ":</strong> ");
		html_text(out, text);
		html_markup(out, "</p>\n");
	}
	caption_of(entry, true, "annotated source", caption, sizeof caption);
	annotated_source(page, entry, caption);
	caption_of(entry, true, "totals", caption, sizeof caption);
	put_facts(page, caption, entry, traced_facts, traced_fact_count);
}

static void put_variant(struct page *page, const struct group *group, unsigned number)
{
	const struct explanation_record *first = group->entries;
	FILE *out = page->out;
	char words[40], caption[CAPTION_BYTES];

	put_head(out, first, number);
	for (size_t i = 0; i < group->count; i++)
		put_defects(out, &first[i]);
	if (first->status >= 0) {
		format_status(first->status, words, sizeof words);
		html_markup(out, "<p class=\"defect\"><strong>");
		html_text(out, words);
		html_markup(out, ":</strong> ");
		html_name(out, first->reason);
		html_markup(out, "</p>\n");
	} else {
		for (size_t i = 0; i < group->count; i++)
			put_launch(page, &first[i]);
		caption_of(first, false, "models and measurement", caption, sizeof caption);
		put_facts(page, caption, first, variant_facts, variant_fact_count);
		put_checklist(page, first);
	}
	html_markup(out, "</article>\n");
}

void section_explained(struct page *page)
{
	bool any = false;

	for (size_t i = 0; i < page->input->explanation_count; i++)
		any |= page->input->explanations[i].explanations.count > 0;
	if (!any)
		return;
	put_introduction(page);
	each_group(page, put_variant);
}
