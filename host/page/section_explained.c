#include "host/page/annotated_source.h"
#include "host/page/sections.h"
#include "host/record/trace_example.h"
#include "host/report/explain_text.h"

#include <stdlib.h>

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
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		html_format(out, "<li><span class=\"key %s\"></span> %s</li>\n", rows[i].mark,
			rows[i].text);
	html_markup(out, "</ul>\n");
}

static void put_link(struct page *page, const struct group *group, unsigned number)
{
	char *name = explain_text(explain_put_name, group->entries);

	html_format(page->out, "<li><a href=\"#explained-%u\"><bdi>%.200s</bdi></a></li>\n", number,
		name);
	free(name);
}

static void put_introduction(struct page *page)
{
	const struct access_model *model = access_model_default();

	html_format(page->out,
		"<p>An emulator ran each kernel with its warps in lockstep. The threads of a warp are its "
		"<em>lanes</em>. A warp has %u lanes, a line of global memory %u bytes, a sector %u "
		"bytes, and shared memory %u banks of %u bytes, unless the line &quot;model&quot; of a "
		"kernel has other numbers. Beside each source line are the number of times that a warp "
		"executed it, and the average share of its lanes that were active. Below a line are its "
		"memory accesses and divergent branches. Entries that cost more than necessary are open. "
		"A drawing shows one request: one access by one warp. For global memory, a row is a line "
		"with its sectors. For shared memory, a column is a bank and a row is a pass, in which "
		"each bank serves one word.</p>\n",
		model->lanes, model->line_bytes, model->sector_bytes, model->banks,
		model->bank_bytes);
	put_key(page->out);
	html_markup(page->out, "<ul>\n");
	each_group(page, put_link);
	html_markup(page->out, "</ul>\n");
}

/* ---- Figures below the source ---------------------------------------------------------------- */

/* Returns "reduce/interleaved, launch 2: totals"; malloc'ed. Captions must be different, because screen
 * readers list tables by their captions. */
static char *caption_of(const struct explanation_record *entry, bool of_launch, const char *what)
{
	const struct launch_record *launch = &entry->launch;
	char *text = NULL, number[40] = "";

	if (of_launch && launch->count > 1)
		snprintf(number, sizeof number, ", launch %lld", (long long)launch->index);
	text_format(&text, "%.60s/%.60s%s: %s", text_or_empty(entry->family),
		text_or_empty(entry->variant), number, what);
	return text;
}

/* Writes the table and frees the caption. */
static void put_table(struct page *page, struct table *table, char *caption)
{
	if (table->row_count)
		page_put_table(page, table, text_or_empty(caption));
	else
		table_finish(table);
	free(caption);
}

/* caption: owned from now on */
static void put_facts(struct page *page, char *caption, const struct explanation_record *entry,
	const struct fact *facts)
{
	static const struct table_column columns[] = {{.title = "Figure"}, {.title = "Value"}};
	struct table table;

	table_init(&table, columns, ARRAY_COUNT(columns));
	for (; facts->name; facts++) {
		char *text = explain_text(facts->put, entry);
		if (*text_or_empty(text)) {
			table_row(&table, STYLE_PLAIN);
			table_text(&table, facts->name);
			table_text(&table, text);
		}
		free(text);
	}
	put_table(page, &table, caption);
}

static void put_checklist(struct page *page, const struct explanation_record *entry)
{
	static const struct table_column columns[] = {
		{.title = "Item"}, {.title = "State"}, {.title = "Figure that decides"}};
	struct table table;

	table_init(&table, columns, ARRAY_COUNT(columns));
	for (size_t i = 0; i < entry->checklist.count; i++) {
		const struct check_record *check = &entry->checklist.items[i];
		table_row(&table, STYLE_PLAIN);
		table_text(&table, word_text(check_item_words, check->item));
		table_text(&table, word_text(check_state_words, check->state));
		table_text(&table, check->text);
	}
	put_table(page, &table,
		caption_of(entry, false, "checklist of optimisations; open = can still help"));
}

/* ---- Variants -------------------------------------------------------------------------------- */

/* Writes a paragraph unless the text is empty. */
static void put_fact(FILE *out, const char *class, const char *name, const char *text)
{
	if (*text_or_empty(text))
		html_format(
			out, "<p class=\"%s\"><strong>%s:</strong> %s</p>\n", class, name, text);
}

static void put_head(FILE *out, const struct explanation_record *entry, unsigned number)
{
	char *name = explain_text(explain_put_name, entry);
	char *problem = explain_text(explain_put_problem, entry);
	char *technique = explain_text(explain_put_technique, entry);

	html_format(out,
		"<article class=\"explained\">\n<h3 id=\"explained-%u\"><bdi>%.200s</bdi></h3>\n"
		"<p>%s</p>\n<p>%s</p>\n",
		number, name, problem, technique);
	free(name);
	free(problem);
	free(technique);
}

static void put_launch(struct page *page, const struct explanation_record *entry)
{
	for (const struct fact *fact = launch_facts; fact->name; fact++) {
		char *text = explain_text(fact->put, entry);
		put_fact(page->out, "fact", fact->name, text);
		free(text);
	}
	char *caption = caption_of(entry, true, "annotated source");
	annotated_source(page, entry, caption);
	free(caption);
	put_facts(page, caption_of(entry, true, "totals"), entry, traced_facts);
}

static void put_variant(struct page *page, const struct group *group, unsigned number)
{
	const struct explanation_record *first = group->entries;
	char words[40];

	put_head(page->out, first, number);
	for (size_t i = 0; i < group->count; i++) {
		char *defects = explain_text(explain_put_defects, &first[i]);
		put_fact(page->out, "defect", "Defect", defects);
		free(defects);
	}
	format_status(first->status, words, sizeof words);
	if (first->status >= 0)
		put_fact(page->out, "defect", words, first->reason);
	for (size_t i = 0; i < group->count && first->status < 0; i++)
		put_launch(page, &first[i]);
	if (first->status < 0) {
		put_facts(page, caption_of(first, false, "models and measurement"), first,
			variant_facts);
		put_checklist(page, first);
	}
	html_markup(page->out, "</article>\n");
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
