#include "host/page/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/page/figure.h"
#include "host/page/gnuplot.h"
#include "host/page/parts.h"
#include "host/page/style.h"

/* The sections in their order. */
static section_fn *const sections[] = {section_devices, section_against, section_ladders,
	section_rooflines, section_parity, section_sweeps, section_claims, section_explained,
	section_skipped};

/* ---- Head ------------------------------------------------------------------------------------ */

static size_t count_devices(const struct page *page)
{
	size_t count = 0;

	for (size_t i = 0; i < page->side_count; i++) {
		bool first = true;
		for (size_t j = 0; j < i; j++)
			first &= page->sides[i].device_index != page->sides[j].device_index;
		count += first;
	}
	return count;
}

/* "NVIDIA H200, NVIDIA H100", or "5 devices". */
static void put_device_names(const struct page *page, FILE *out)
{
	const size_t count = count_devices(page);
	const char *before = "";

	if (count > 3) {
		html_format(out, "%zu devices", count);
		return;
	}
	for (size_t i = 0; i < page->side_count; i++) {
		bool first = true;
		for (size_t j = 0; j < i; j++)
			first &= page->sides[i].device_index != page->sides[j].device_index;
		if (!first)
			continue;
		html_markup(out, before);
		html_text(out, page->sides[i].device_name);
		before = ", ";
	}
}

static void put_head(const struct page *page, FILE *out)
{
	html_markup(out,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"style-src 'sha256-");
	html_markup(out, page_style_hash);
	html_markup(out,
		"'; base-uri 'none'; form-action 'none'\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n"
		"<meta name=\"referrer\" content=\"no-referrer\">\n<title>GPU kernels: ");
	put_device_names(page, out);
	html_markup(out, page->side_count ? "</title>\n<style>" : "explained</title>\n<style>");
	html_markup(out, page_style);
	html_markup(out, "</style>\n</head>\n");
}

/* Writes how to read the page. */
static void put_reading(FILE *out)
{
	html_markup(out,
		"<p>This page shows how fast kernels run. Each problem (a <em>family</em>) is "
		"solved by several kernels (<em>variants</em>); each variant adds one technique. All "
		"results of a timed variant were checked against a reference.</p>\n"
		"<p>In the charts, the colour of a mark is the device and its shape is the "
		"<em>backend</em> (CUDA or OpenCL). One device through one backend is a "
		"<em>side</em>. A mark is the median of the samples. A line through a "
		"mark is its 95&nbsp;% interval. If there is no line, the interval is inside the mark. The "
		"figures of each chart are in the table below it.</p>\n"
		"<p>An axis is logarithmic if its figures differ much. On such an axis equal "
		"distances are equal factors, for example from 100 to 1000 and from 1000 to "
		"10&nbsp;000. All other axes are linear.</p>\n");
}

static void put_introduction(const struct page *page, FILE *out, const char *problem)
{
	html_markup(out, "<header>\n<h1>GPU kernels");
	if (page->side_count) {
		html_markup(out, " on ");
		put_device_names(page, out);
	}
	html_markup(out, "</h1>\n");
	if (page->side_count)
		put_reading(out);
	else
		html_markup(out,
			"<p>This page explains why kernels are fast or slow: which memory their "
			"threads access, line by line.</p>\n");
	if (problem) {
		html_markup(out, "<p class=\"warning\">This page has no charts: ");
		html_text(out, problem);
		html_markup(out, ".</p>\n");
	}
	html_markup(out, "</header>\n");
}

static void put_contents(const struct page_parts *parts, FILE *out)
{
	html_markup(out, "<nav aria-label=\"Contents\">\n<ul>\n");
	for (size_t i = 0; i < parts->heading_count; i++) {
		char *target = NULL;
		if (asprintf(&target, "#%s", parts->headings[i].id) < 0)
			target = NULL;
		html_markup(out, "<li><a");
		html_attribute(out, "href", text_or_empty(target));
		html_markup(out, ">");
		html_text(out, parts->headings[i].text);
		html_markup(out, "</a></li>\n");
		free(target);
	}
	html_markup(out, "</ul>\n</nav>\n");
}

/* ---- Assembly -------------------------------------------------------------------------------- */

/* drawings: one per chart; NULL: the page has no charts. */
static void put_sections(const struct page_parts *parts, char *const *drawings, FILE *out)
{
	size_t done = 0;

	for (size_t i = 0; i < parts->place_count; i++) {
		const struct page_place *place = &parts->places[i];
		fwrite(parts->text + done, 1, place->offset - done, out);
		done = place->offset;
		if (place->kind == PLACE_OPEN && !drawings)
			html_markup(out, " open");
		if (place->kind == PLACE_CHART && drawings && drawings[place->chart])
			figure_put(&parts->charts[place->chart], drawings[place->chart], out);
	}
	fwrite(parts->text + done, 1, parts->length - done, out);
}

/* Writes a word of the command line without folders. Folders can contain the name of a user, and
 * pages are sent to other people. */
static void put_word(const char *word, FILE *out)
{
	const char *value = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;
	const char *path = value ? value + 1 : word;
	const char *folder = strrchr(path, '/');

	html_format(out, "%.*s%.200s", (int)(path - word), word, folder ? folder + 1 : path);
}

static void put_footer(const struct page *page, FILE *out)
{
	const struct tool_record *tool = page->input->tool;

	html_markup(out, "<footer>\n<p>Made by ");
	html_format(out, "%s %s", text_or_empty(tool->name), text_or_empty(tool->version));
	if (tool->git)
		html_format(out, " (%s)", tool->git);
	html_markup(out, " with <code>");
	for (size_t i = 0; i < tool->argv.count; i++) {
		html_markup(out, i ? " " : "");
		put_word(tool->argv.items[i], out);
	}
	html_markup(out, "</code></p>\n</footer>\n");
}

/* Returns the whole page. drawings: as in put_sections(). problem: reason why there are no
 * charts. */
static char *assemble(
	const struct page *page, char *const *drawings, const char *problem, size_t *ret_length)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, ret_length);

	if (!out)
		return NULL;
	put_head(page, out);
	html_markup(out, "<body>\n<a class=\"skip\" href=\"#content\">Skip to the results</a>\n");
	put_introduction(page, out, problem);
	put_contents(page->parts, out);
	html_markup(out, "<main id=\"content\">\n");
	put_sections(page->parts, drawings, out);
	html_markup(out, "</main>\n");
	put_footer(page, out);
	html_markup(out, "</body>\n</html>\n");
	bool failed = ferror(out) != 0;
	if (fclose(out) != 0 || failed) {
		free(text);
		return NULL;
	}
	return text;
}

/* ---- Making ---------------------------------------------------------------------------------- */

static enum pmpp_status no_memory(struct pmpp_error *error)
{
	return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the page");
}

/* Joins the rows. A page with only explanations has no rows. */
static enum pmpp_status join_rows(struct page *page, struct pmpp_error *error)
{
	const struct compare_options options = {
		.by = "device,backend", .tolerance = NAN, .separate = true};

	record_init(&comparison_document_type, &page->comparison);
	if (page->input->file_count == 0)
		return PMPP_OK;
	enum pmpp_status status = compare_files(
		page->input->files, page->input->file_count, &options, &page->comparison, error);
	if (status != PMPP_OK)
		return status;
	page->problems = comparison_sections_make(&page->comparison);
	return page->problems.order && page_make_sides(page) ? PMPP_OK : no_memory(error);
}

static enum pmpp_status write_sections(struct page *page, struct pmpp_error *error)
{
	struct page_parts *parts = page->parts;
	bool ok = true;

	page->out = open_memstream(&parts->text, &parts->length);
	if (!page->out)
		return no_memory(error);
	for (size_t i = 0; i < sizeof sections / sizeof *sections && ok; i++)
		ok = sections[i](page);
	ok = !ferror(page->out) && ok;
	ok = fclose(page->out) == 0 && ok && !parts->failed;
	page->out = NULL;
	return ok ? PMPP_OK : no_memory(error);
}

/* A page without charts is complete: its tables have all figures. */
static enum pmpp_status draw_and_assemble(
	const struct page *page, struct page_output *ret_output, struct pmpp_error *error)
{
	const struct page_parts *parts = page->parts;
	struct pmpp_error drawing_error = PMPP_ERROR_INIT;
	char **drawings = calloc(parts->chart_count + 1, sizeof *drawings);
	struct page_output output = {0};

	if (drawings && gnuplot_draw(parts->charts, parts->chart_count, drawings, &drawing_error) !=
				PMPP_OK)
		output.warning = strdup(drawing_error.message);
	bool drawn = drawing_error.status == PMPP_OK;
	if (drawings)
		output.text =
			assemble(page, drawn ? drawings : NULL, output.warning, &output.length);
	for (size_t i = 0; drawings && i < parts->chart_count; i++) {
		output.chart_count += drawings[i] != NULL;
		free(drawings[i]);
	}
	free(drawings);
	pmpp_error_clear(&drawing_error);
	if (!output.text || (!drawn && !output.warning)) {
		page_output_finish(&output);
		return no_memory(error);
	}
	*ret_output = output;
	return PMPP_OK;
}

void page_output_finish(struct page_output *output)
{
	free(output->text);
	free(output->warning);
	*output = (struct page_output){0};
}

enum pmpp_status page_make(
	const struct page_input *input, struct page_output *ret_output, struct pmpp_error *error)
{
	struct page_parts parts = {0};
	struct page page = {.input = input, .parts = &parts};
	enum pmpp_status status = join_rows(&page, error);

	if (status == PMPP_OK)
		status = write_sections(&page, error);
	if (status == PMPP_OK)
		status = draw_and_assemble(&page, ret_output, error);
	page_free_sides(&page);
	comparison_sections_finish(&page.problems);
	record_finish(&comparison_document_type, &page.comparison);
	page_parts_finish(&parts);
	return status;
}
