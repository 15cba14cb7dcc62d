#include "host/report/counts_text.h"

#include <math.h>

#include "host/report/table.h"
#include "host/report/wrap.h"

static const struct table_column columns[] = {
	{.key = "kernel", .title = "kernel", .priority = 1, .width = 10},
	TABLE_NUMBER("line", "line", NULL, 0, 4),
	{.key = "place", .title = "place", .priority = 0, .width = 6},
	{.key = "count", .title = "count", .priority = 0, .width = 8},
	TABLE_NUMBER("before", "old", NULL, 0, 6),
	TABLE_NUMBER("after", "new", NULL, 0, 6),
	{.key = "effect", .title = "", .priority = 0, .width = 6},
	{.key = "text", .title = "source", .align = TABLE_REST, .priority = 5, .cut = 20},
};

/* Counts are integers, and a few are means. */
static void format_count(double value, char *text, size_t size)
{
	if (isnan(value))
		snprintf(text, size, "-");
	else
		snprintf(text, size, "%.10g", value);
}

size_t counts_of_effect(const struct count_document *document, enum count_effect effect)
{
	size_t count = 0;

	for (size_t i = 0; i < document->changes.count; i++)
		count += document->changes.items[i].effect == (int)effect;
	return count;
}

static void add_row(struct table *table, const struct count_change_record *change)
{
	bool worse = change->effect == COUNT_WORSE;

	table_row(table, STYLE_PLAIN);
	table_text(table, change->kernel);
	table_number(table, format_count, change->line < 0 ? NAN : (double)change->line);
	table_text(table, change->place);
	table_text(table, change->count);
	table_number(table, format_count, change->before);
	table_number(table, format_count, change->after);
	table_text(table, word_text(count_effect_words, change->effect))->style =
		worse ? STYLE_RED : STYLE_GREEN;
	table_text(table, change->text);
}

static void make_table(const struct count_document *document, bool for_people, struct table *table)
{
	table_init(table, columns, ARRAY_COUNT(columns));
	if (table->column_count)
		table->columns[0].absent = for_people && document->launches == 1;
	for (size_t i = 0; i < document->changes.count; i++)
		add_row(table, &document->changes.items[i]);
}

void counts_text_put(
	FILE *out, const struct count_document *document, const struct page_style *style)
{
	size_t worse = counts_of_effect(document, COUNT_WORSE);
	size_t better = counts_of_effect(document, COUNT_BETTER);
	struct table table;
	struct wrap wrap;

	FILE *text = wrap_begin(&wrap, out, style->width);
	fprintf(text, "%s (old), %s (new): %lld counts of %lld launch%s are compared\n",
		document->base, document->other, (long long)document->counts,
		(long long)document->launches, document->launches == 1 ? "" : "es");
	for (size_t i = 0; i < document->notes.count; i++)
		fprintf(text, "note: %s\n", document->notes.items[i]);
	wrap_end(&wrap);
	if (document->changes.count == 0) {
		fputs("no count differs\n", out);
		return;
	}
	make_table(document, true, &table);
	table_put(&table, out, style);
	table_finish(&table);
	fprintf(out, "%zu worse, %zu better\n", worse, better);
}

char *counts_table(const struct count_document *document, bool markdown)
{
	static const struct page_style style = {.markdown = true};
	struct table table;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	make_table(document, markdown, &table);
	if (markdown)
		table_put(&table, out, &style);
	else
		table_put_csv(&table, out);
	table_finish(&table);
	return fclose(out) == 0 ? text : NULL;
}
