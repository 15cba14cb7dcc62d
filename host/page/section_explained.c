#include "host/page/annotated_source.h"
#include "host/record/explanation.h"
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
		"each bank serves one word.</p>\n",
		model->lanes, model->line_bytes, model->sector_bytes, model->banks,
		model->bank_bytes);
	put_key(page->out);
	put_links(page);
}

/* ---- Variants -------------------------------------------------------------------------------- */

/* Writes a paragraph unless the text is empty. Frees the text. */
static void put_fact(FILE *out, const char *class, const char *name, char *text)
{
	if (*text_or_empty(text))
		html_format(
			out, "<p class=\"%s\"><strong>%s:</strong> %s</p>\n", class, name, text);
	free(text);
}

static void put_facts(FILE *out, const struct explanation_record *entry, const struct fact *facts)
{
	for (; facts->name; facts++)
		put_fact(out, "fact", facts->name, explain_text(facts->put, entry));
}

static void put_checklist(FILE *out, const struct explanation_record *entry)
{
	if (entry->checklist.count)
		html_markup(
			out, "<p>Checklist of optimisations (open: can still help):</p>\n<ul>\n");
	for (size_t i = 0; i < entry->checklist.count; i++) {
		const struct check_record *check = &entry->checklist.items[i];
		html_format(out, "<li>%s, <strong>%s</strong>%s%s</li>\n",
			word_text(check_item_words, check->item),
			word_text(check_state_words, check->state), check->text ? ": " : "",
			text_or_empty(check->text));
	}
	html_markup(out, entry->checklist.count ? "</ul>\n" : "");
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
	const struct launch_record *launch = &entry->launch;
	char *name = NULL;

	put_facts(page->out, entry, launch_facts);
	/* Names must be different, because screen readers list tables by their names. */
	text_format(&name, "%.60s/%.60s, launch %lld: annotated source",
		text_or_empty(entry->family), text_or_empty(entry->variant),
		launch->record.present ? (long long)launch->index : 1);
	annotated_source(page, entry, text_or_empty(name));
	put_facts(page->out, entry, traced_facts);
	free(name);
}

/* first: the first entry of the variant; last: there is no other entry. */
static void put_entry(struct page *page, const struct explanation_record *entry,
	const struct explanation_record *first, bool last)
{
	FILE *out = page->out;
	char words[40], *reason = NULL;

	put_fact(out, "defect", "Defect", explain_text(explain_put_defects, entry));
	if (entry->status >= 0) {
		format_status(entry->status, words, sizeof words);
		text_set(&reason, entry->reason);
		put_fact(out, "defect", words, reason);
	} else {
		put_launch(page, entry);
	}
	if (last && first->status < 0) {
		put_facts(out, first, variant_facts);
		put_checklist(out, first);
	}
	html_markup(out, last ? "</article>\n" : "");
}

void section_explained(struct page *page)
{
	const struct explanation_record *first = NULL;
	unsigned number = 0;

	for (size_t d = 0; d < page->input->explanation_count; d++) {
		const struct explanation_list *list = &page->input->explanations[d].explanations;
		for (size_t i = 0; i < list->count; i++) {
			if (!number)
				put_introduction(page);
			if (begins_variant(list, i)) {
				first = &list->items[i];
				put_head(page->out, first, ++number);
			}
			put_entry(page, &list->items[i], first,
				i + 1 == list->count || begins_variant(list, i + 1));
		}
	}
}
