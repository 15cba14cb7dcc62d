#include "host/page/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/page/assets.h"
#include "host/page/data.h"
#include "host/page/model.h"
#include "host/page/parity.h"
#include "host/page/sections.h"
#include "host/page/sides.h"

/* The sections in their order. section_devices is also on a page with explanations only. */
static const struct {
	section_fn *write;
	const char *id, *heading;
} sections[] = {
	{section_overview, "overview", "Overview"},
	{section_ladders, "ladders", "Ladders"},
	{section_rooflines, "rooflines", "Rooflines"},
	{section_parity, "parity", "OpenCL against CUDA"},
	{section_sweeps, "sweeps", "Rate by problem size"},
	{section_claims, "claims", "Claims of the book"},
	{section_explained, "explained", "Explained kernels"},
	{section_skipped, "skipped", "Without a time"},
	{section_devices, "devices", "Devices and files"},
};

#define SECTIONS (sizeof sections / sizeof *sections)

/* ---- Head ------------------------------------------------------------------------------------ */

/* "NVIDIA H200, NVIDIA H100", or "5 devices". */
static void put_device_names(const struct page *page, FILE *out)
{
	if (page->device_count > 3)
		html_format(out, "%zu devices", page->device_count);
	for (size_t i = 0; i < page->device_count && page->device_count <= 3; i++) {
		html_markup(out, i ? ", " : "");
		html_text(out, page_device_name(page, i));
	}
}

static void put_head(const struct page *page, FILE *out)
{
	html_markup(out,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ");
	fprintf(out, "style-src 'sha256-%s'; script-src 'sha256-%s'", page_style_hash,
		page_script_hash);
	html_markup(out,
		"; base-uri 'none'; form-action 'none'\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n"
		"<meta name=\"referrer\" content=\"no-referrer\">\n<title>GPU kernels: ");
	put_device_names(page, out);
	html_markup(out, page->side_count ? "</title>\n<style>" : "explained</title>\n<style>");
	html_markup(out, page_style);
	html_markup(out, "</style>\n</head>\n");
}

/* Writes how to read the page. */
static void put_introduction(const struct page *page, FILE *out)
{
	html_markup(out, "<header>\n<h1>GPU kernels");
	if (page->side_count) {
		html_markup(out, " on ");
		put_device_names(page, out);
		html_markup(out,
			"</h1>\n<p>Each problem (a <em>family</em>) is solved by several kernels "
			"(<em>variants</em>); each variant adds one technique. All results of a timed "
			"variant were checked against a reference. A time is the median of the samples; "
			"a thin line through a mark is its 95&nbsp;% interval. Point at a mark, or move "
			"to it with the arrow keys, to read all its figures.</p>\n");
	} else {
		html_markup(out,
			"</h1>\n<p>This page explains why kernels are fast or slow: which memory their "
			"threads access, line by line.</p>\n");
	}
	html_markup(out,
		"<noscript><p class=\"note\">Charts need the script of this page. The tables have the "
		"same figures.</p></noscript>\n</header>\n");
}

static void put_contents(const bool *written, FILE *out)
{
	html_markup(out, "<nav aria-label=\"Contents\">\n<ul>\n");
	for (size_t i = 0; i < SECTIONS; i++)
		if (written[i])
			fprintf(out, "<li><a href=\"#%s\">%s</a></li>\n", sections[i].id,
				sections[i].heading);
	html_markup(out, "</ul>\n</nav>\n");
}

/* Writes a word of the command line without folders. Folders can contain the name of a user, and
 * pages are sent to other people. */
static void put_word(const char *word, FILE *out)
{
	const char *value = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;
	const char *path = value ? value + 1 : word;
	const char *folder = strrchr(path, '/');
	char *option = strndup(word, (size_t)(path - word));

	html_format(out, "%s%.200s", option, folder ? folder + 1 : path);
	free(option);
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

/* ---- Making ---------------------------------------------------------------------------------- */

/* Returns the sections as text; malloc'ed. written: whether a section has data. */
static char *write_sections(struct page *page, bool *written)
{
	char *text = NULL;
	size_t length = 0;

	page->out = open_memstream(&text, &length);
	for (size_t i = 0; page->out && i < SECTIONS; i++) {
		char *body = NULL;
		size_t size = 0;
		FILE *out = page->out;
		page->out = open_memstream(&body, &size);
		if (page->out) {
			sections[i].write(page);
			fclose(page->out);
		}
		written[i] = size > 0;
		if (written[i])
			fprintf(out, "<section id=\"%s\">\n<h2>%s</h2>\n%s</section>\n",
				sections[i].id, sections[i].heading, body);
		page->failed |= !page->out || !body;
		page->out = out;
		free(body);
	}
	page->failed |= !page->out || ferror(page->out) || fclose(page->out) != 0;
	return text;
}

static void assemble(struct page *page, FILE *out)
{
	bool written[SECTIONS];
	char *text = write_sections(page, written);

	put_head(page, out);
	html_markup(out, "<body>\n<a class=\"skip\" href=\"#content\">Skip to the results</a>\n");
	put_introduction(page, out);
	put_contents(written, out);
	html_markup(out, "<main id=\"content\">\n");
	html_markup(out, text_or_empty(text));
	html_markup(out, "</main>\n");
	put_footer(page, out);
	html_markup(out, "<script type=\"application/json\" id=\"data\">");
	page->failed |= !text || !data_put(page, out);
	html_markup(out, "</script>\n<script>");
	html_markup(out, page_script);
	html_markup(out, "</script>\n</body>\n</html>\n");
	free(text);
}

static enum pmpp_status no_memory(struct pmpp_error *error)
{
	return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the page");
}

/* A page with only explanations has no rows. */
static enum pmpp_status make_rows(struct page *page, struct pmpp_error *error)
{
	const struct compare_options options = {
		.by = "device,backend", .tolerance = NAN, .separate = true};
	enum pmpp_status status = PMPP_OK;

	record_init(&comparison_document_type, &page->comparison);
	if (page->input->file_count)
		status = compare_files(page->input->files, page->input->file_count, &options,
			&page->comparison, error);
	if (status != PMPP_OK)
		return status;
	bool ok = sides_make_page(page) && model_make(page) && parity_pairs_make(page) &&
		  data_make(page);
	return ok ? PMPP_OK : no_memory(error);
}

enum pmpp_status page_make(const struct page_input *input, char **ret_text, size_t *ret_length,
	struct pmpp_error *error)
{
	struct page page = {.input = input};
	char *text = NULL;
	enum pmpp_status status = make_rows(&page, error);
	FILE *out = status == PMPP_OK ? open_memstream(&text, ret_length) : NULL;

	if (out) {
		assemble(&page, out);
		page.failed |= ferror(out) != 0;
		page.failed |= fclose(out) != 0;
	}
	if (status == PMPP_OK && (!out || page.failed)) {
		free(text);
		text = NULL;
		status = no_memory(error);
	}
	data_free(&page);
	parity_pairs_free(page.pairs);
	model_finish(&page);
	sides_finish_page(&page);
	record_finish(&comparison_document_type, &page.comparison);
	*ret_text = text;
	return status;
}
