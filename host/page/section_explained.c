#include "host/page/annotated_source.h"
#include "host/page/lane_drawing.h"
#include "host/page/section.h"
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

typedef bool group_fn(struct page *page, const struct group *group, unsigned number, void *context);

/* Calls `call` for each variant of all files, with numbers from 1. */
static bool each_group(struct page *page, group_fn *call, void *context)
{
	unsigned number = 0;

	for (size_t i = 0; i < page->input->explanation_count; i++) {
		const struct explanation_list *list = &page->input->explanations[i].explanations;
		struct group group;
		for (size_t at = 0; at < list->count; at += group.count) {
			group = first_group(&list->items[at], list->count - at);
			if (!call(page, &group, ++number, context))
				return false;
		}
	}
	return true;
}

static void put_name(FILE *out, const struct explanation_record *entry)
{
	char name[160], text[TEXT_BYTES];

	explain_text_head(entry, name, sizeof name, text, sizeof text);
	html_name(out, name);
}

/* ---- Introduction ---------------------------------------------------------------------------- */

/* Returns the access model of all entries. NULL: they differ, or a file has impossible values. The
 * model refers to the entries. */
static const struct access_model *common_model(
	const struct page *page, struct access_model *ret_model)
{
	const struct access_model *common = NULL;

	for (size_t i = 0; i < page->input->explanation_count; i++) {
		const struct explanation_list *list = &page->input->explanations[i].explanations;
		for (size_t k = 0; k < list->count; k++) {
			struct access_model own;
			const struct access_model *model =
				access_model_record_read(&list->items[k].model, &own);
			if (!model || (common && !access_model_equal(common, model)))
				return NULL;
			if (common)
				continue;
			*ret_model = *model;
			common = ret_model;
		}
	}
	return common;
}

static void put_key(FILE *out)
{
	static const struct {
		enum lane_mark mark;
		const char *text;
	} rows[] = {
		{MARK_REQUESTED,
			"An active lane, and the memory that it requests. The number is that of "
			"the lane; \"4×\" means four lanes at the same place."},
		{MARK_INACTIVE, "An inactive lane, or memory that is not transferred."},
		{MARK_SECTOR, "Global memory: the rest of a sector. It is transferred, but no lane "
			      "requests it."},
		{MARK_EXTRA_PASS,
			"Shared memory: an additional pass, because another word of the same "
			"bank is served first."},
		{MARK_WAITS, "Divergent branch: the lane waits while the other lanes run."},
	};

	html_markup(out, "<ul class=\"marks\">\n");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		html_markup(out, "<li>");
		lane_drawing_mark(out, rows[i].mark);
		html_text(out, " ");
		html_text(out, rows[i].text);
		html_markup(out, "</li>\n");
	}
	html_markup(out, "</ul>\n");
}

static bool put_link(struct page *page, const struct group *group, unsigned number, void *context)
{
	(void)context;
	fprintf(page->out, "<li><a href=\"#explained-%u\">", number);
	put_name(page->out, group->entries);
	html_markup(page->out, "</a></li>\n");
	return true;
}

/* model NULL: the entries have several models. */
static void put_warps(FILE *out, const struct access_model *model)
{
	html_markup(out, "<p>An emulator ran each kernel with warps ");
	if (model)
		html_format(out, "of %u threads ", model->lanes);
	html_markup(out, "in lockstep. The threads of a warp are its <em>lanes</em>. ");
	if (!model)
		html_format(out,
			"The line \"model\" of a kernel has their number; without this line it is "
			"%u. ",
			access_model_default()->lanes);
	html_markup(out,
		"Beside each source line are the number of times that a warp executed it, and the "
		"average share of its lanes that were active. Below a line are its memory accesses and "
		"divergent branches. Entries that cost more than necessary are open. A drawing shows one "
		"request: one access by one warp.</p>\n");
}

static void put_shared_memory(FILE *out, const struct access_model *model)
{
	if (model && !model->banks) {
		html_format(out,
			"<p>Shared memory: the banks of %s are unknown, so its passes are not "
			"counted.</p>\n",
			model->name);
		return;
	}
	html_markup(out, "<p>Shared memory: a column is one of the ");
	if (model)
		html_format(out, "%u ", model->banks);
	html_markup(out, "banks, and a row is one pass. In a pass each bank serves one word");
	if (model)
		html_format(out, " of %u bytes", model->bank_bytes);
	html_markup(out, ". Each additional pass takes additional time.</p>\n");
}

static void put_memories(FILE *out, const struct access_model *model)
{
	html_markup(out, "<p>Global memory: a row is a line");
	if (model)
		html_format(out, " of %u bytes with its sectors of %u bytes", model->line_bytes,
			model->sector_bytes);
	else
		html_text(out, " with its sectors");
	html_markup(out,
		". The bytes are counted from the first line. A coloured box without a number is "
		"transferred, but no lane requests it.</p>\n");
	put_shared_memory(out, model);
}

static bool put_introduction(struct page *page)
{
	FILE *out = page->out;
	struct access_model own;
	const struct access_model *model = common_model(page, &own);

	put_warps(out, model);
	put_memories(out, model);
	put_key(out);
	html_markup(out, "<ul>\n");
	bool done = each_group(page, put_link, NULL);
	html_markup(out, "</ul>\n");
	return done;
}

/* ---- Figures below the source ---------------------------------------------------------------- */

static const struct html_column fact_columns[] = {
	{"Figure", HTML_LEFT},
	{"Value", HTML_LEFT},
};

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

static void put_facts(FILE *out, const char *caption, const struct explanation_record *entry,
	const struct fact *facts, size_t count)
{
	struct html_table table = {0};
	char text[TEXT_BYTES];

	for (size_t i = 0; i < count; i++) {
		facts[i].text(entry, text, sizeof text);
		if (!*text)
			continue;
		if (!table.out)
			html_table_begin(&table, out, caption, fact_columns,
				sizeof fact_columns / sizeof *fact_columns);
		html_row_begin(&table);
		html_cell(&table, facts[i].name);
		html_cell(&table, text);
		html_row_end(&table);
	}
	if (table.out)
		html_table_end(&table);
}

static void put_checklist(FILE *out, const struct explanation_record *entry)
{
	static const struct html_column columns[] = {
		{"Item", HTML_LEFT},
		{"State", HTML_LEFT},
		{"Figure that decides", HTML_LEFT},
	};
	struct html_table table = {0};
	char caption[CAPTION_BYTES];

	if (!entry->checklist.count)
		return;
	caption_of(entry, false, "checklist of optimisations; open = can still help", caption,
		sizeof caption);
	html_table_begin(&table, out, caption, columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < entry->checklist.count; i++) {
		const struct check_record *check = &entry->checklist.items[i];
		html_row_begin(&table);
		html_cell(&table, word_text(check_item_words, check->item));
		html_cell(&table, word_text(check_state_words, check->state));
		html_cell_name(&table, check->text);
		html_row_end(&table);
	}
	html_table_end(&table);
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

static bool put_launch(FILE *out, const struct explanation_record *entry, unsigned *drawings)
{
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
	if (!annotated_source(out, entry, caption, drawings))
		return false;
	caption_of(entry, true, "totals", caption, sizeof caption);
	put_facts(out, caption, entry, traced_facts, traced_fact_count);
	return true;
}

static bool put_variant(
	struct page *page, const struct group *group, unsigned number, void *context)
{
	const struct explanation_record *first = group->entries;
	FILE *out = page->out;
	bool done = true;
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
		for (size_t i = 0; i < group->count && done; i++)
			done = put_launch(out, &first[i], context);
		caption_of(first, false, "models and measurement", caption, sizeof caption);
		put_facts(out, caption, first, variant_facts, variant_fact_count);
		put_checklist(out, first);
	}
	html_markup(out, "</article>\n");
	return done;
}

static bool any_explanation(const struct page *page)
{
	for (size_t i = 0; i < page->input->explanation_count; i++)
		if (page->input->explanations[i].explanations.count)
			return true;
	return false;
}

bool section_explained(struct page *page)
{
	unsigned drawings = 0;

	if (!any_explanation(page))
		return true;
	page_section_begin(page, "explained", "Explained kernels");
	bool done = put_introduction(page) && each_group(page, put_variant, &drawings);
	page_section_end(page);
	return done;
}
