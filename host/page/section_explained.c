#include "host/page/annotated_source.h"
#include "host/report/explain_text.h"

#include <stdlib.h>

/* Whether the entry of this index begins a variant. A variant has an entry for each launch. */
static bool begins_variant(const struct explanation_list *list, size_t i)
{
	const struct explanation_record *entry = &list->items[i], *before = entry - 1;

	return i == 0 || entry->launch.index <= before->launch.index ||
	       !text_equal(entry->family, before->family) ||
	       !text_equal(entry->variant, before->variant);
}

/* ---- Introduction ---------------------------------------------------------------------------- */

static void put_key(FILE *out)
{
	html_markup(out,
		"<ul class=\"marks\">\n"
		"<li><span class=\"key requested\"></span> An active lane, and the memory that it requests. "
		"The number is that of the lane; \"4\u00d7\" means four lanes at the same place.</li>\n"
		"<li><span class=\"key inactive\"></span> An inactive lane, or memory that is not "
		"transferred.</li>\n"
		"<li><span class=\"key sector\"></span> Global memory: the rest of a sector. It is "
		"transferred, but no lane requests it.</li>\n"
		"<li><span class=\"key extra\"></span> Shared memory: an additional pass, because another "
		"word of the same bank is served first.</li>\n"
		"<li><span class=\"key waits\"></span> Divergent branch: the lane waits while the other "
		"lanes run.</li>\n</ul>\n");
}

/* Writes a link for each variant; their numbers begin at 1. */
static void put_links(struct page *page)
{
	unsigned number = 0;

	html_markup(page->out, "<ul>\n");
	for (size_t d = 0; d < page->input->explanation_count; d++) {
		const struct explanation_list *list = &page->input->explanations[d].explanations;
		for (size_t i = 0; i < list->count; i++) {
			if (!begins_variant(list, i))
				continue;
			char *name = explain_text(explain_put_name, &list->items[i]);
			html_format(page->out,
				"<li><a href=\"#explained-%u\"><bdi>%.200s</bdi></a></li>\n",
				++number, name);
			free(name);
		}
	}
	html_markup(page->out, "</ul>\n");
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
		"each bank serves one word. Open items of the checklist of optimisations can still "
		"help.</p>\n",
		model->lanes, model->line_bytes, model->sector_bytes, model->banks,
		model->bank_bytes);
	put_key(page->out);
	put_links(page);
}

/* ---- Variants -------------------------------------------------------------------------------- */

static void put_fact(void *context, const char *name, const char *text, enum style style)
{
	const struct page *page = context;

	if (*name || *text)
		html_format(page->out, "<p class=\"%s\"><strong>%s%s</strong>%s</p>\n",
			style == STYLE_RED ? "defect" : "fact", name, *name ? ": " : "", text);
}

static void put_variant(
	struct page *page, const struct explanation_record *entries, size_t count, unsigned number)
{
	const struct explain_writer writer = {page, put_fact, annotated_source};
	char *name = explain_text(explain_put_name, entries);
	char *problem = explain_text(explain_put_problem, entries);

	html_format(page->out,
		"<article class=\"explained\">\n<h3 id=\"explained-%u\"><bdi>%.200s</bdi></h3>\n"
		"<p>%s</p>\n",
		number, name, problem);
	explain_put(&writer, entries, count, true);
	html_markup(page->out, "</article>\n");
	free(name);
	free(problem);
}

void section_explained(struct page *page)
{
	unsigned number = 0;

	for (size_t d = 0; d < page->input->explanation_count; d++) {
		const struct explanation_list *list = &page->input->explanations[d].explanations;
		for (size_t i = 0, end; i < list->count; i = end) {
			for (end = i + 1; end < list->count && !begins_variant(list, end);)
				end++;
			if (!number)
				put_introduction(page);
			put_variant(page, &list->items[i], end - i, ++number);
		}
	}
}
