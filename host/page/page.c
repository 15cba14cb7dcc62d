#include "host/page/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/page/assets.h"
#include "host/page/data.h"
#include "host/page/section.h"
#include "host/record/provenance.h"

/* The sections in their order. section_devices is also on a page with explanations only. */
static const struct {
	section_fn *write;
	const char *id, *heading, *introduction; /* HTML */
} sections[] = {
	{section_overview, "overview", "Overview",
		"<p>Each problem (a <em>family</em>) is solved by several kernels (<em>variants</em>); each "
		"variant adds one technique. All results of a timed variant were checked against a reference. "
		"A time is the median of the samples; a thin line through a mark is its 95&nbsp;% interval. "
		"Point at a mark, tap it, or move to it with the arrow keys, to read its figures.</p>\n"},
	{section_ladders, "ladders", "Ladders",
		"<p>Read a chart from top to bottom: each variant adds the technique behind its name. A bar is "
		"the rate on one device. The factor after the rate is the step: the time of the variant that this "
		"one improves / its own time. The small triangle is the rate that the book's claim promises. "
		"The claim holds (&#10003;), does not hold (&#10007;), or is undecided (?), because its interval "
		"contains the limit or the samples are noisy. A factor after <em>claim</em> is the ratio of the "
		"claim, if it differs from the step. "
		"<em>Another problem</em>: the variant rounds its inputs or has another layout, so it is no "
		"answer to the problem of the family. Variants without a time have a section of their "
		"own.</p>\n"
		"<p>Tables: click a title to sort. The interval after &plusmn; includes the noise between "
		"runs. A step and a claim have less noise, because their two variants were timed in turn. "
		"<em>floor</em>: the least time that the busiest resource needs for the work, at the measured "
		"rates, in percent of the time; slightly more than 100&nbsp;% is a measurement error of the rates. "
		"<em>limited by</em>: this resource if it needs at least half of the time; else cache, latency or unknown. "
		"<em>library</em>: time of a library / time of the variant.</p>\n"},
	{section_rooflines, "rooflines", "Rooflines",
		"<p>Higher is faster. A point near a line uses most of what the device can do: the sloping line "
		"is the measured bandwidth of its memory, a horizontal line its measured rate of one type of "
		"operations. Farther right means more operations per byte of compulsory traffic (each input "
		"read once, each output written once). The name of a family is at its fastest variant. The "
		"dash above such a point is its <em>floor</em>: the rate if the variant took only the time "
		"that its busiest resource needs. The second chart has the same floors as a part of the time, "
		"for all variants.</p>\n"},
	{section_parity, "parity", "OpenCL against CUDA",
		"<p>Each kernel exists in OpenCL and in CUDA, as the same algorithm. A mark is the time of "
		"OpenCL divided by the time of CUDA on one device: right of 1, OpenCL is slower. SAME: the "
		"whole 95&nbsp;% interval is within the tolerance. FAST or SLOW: OpenCL differs by more than "
		"the tolerance. AMBG: the interval contains a limit of the tolerance. Ratios from separate "
		"runs are less exact than those of <code>pmpp-run parity</code>, which times both backends in "
		"turn.</p>\n"},
	{section_sweeps, "sweeps", "Rate by problem size",
		"<p>How the rate of a variant depends on the size of its operands. Each line is a variant. "
		"Small problems are slow, because a launch takes some time and the device has too little "
		"work. Left of a dashed line all operands fit in the cache.</p>\n"},
	{section_claims, "claims", "Claims of the book",
		"<p>The book <em>Programming Massively Parallel Processors</em> and this program state what each "
		"technique gains, for example &ldquo;tiled &gt;= 1.2 x naive&rdquo;. The ratio is the time of "
		"the variant that the claim compares with (naive) divided by the time of the variant (tiled). "
		"A claim holds if the whole 95&nbsp;% interval of the ratio is within its limits, and does "
		"not hold if the whole interval is outside. Otherwise, or if the samples are noisy, it is "
		"undecided. The tables of the ladders have all claims. Claims are about GPUs, so CPUs are "
		"left out.</p>\n"},
	{section_explained, "explained", "Explained kernels",
		"<p>This section explains why kernels are fast or slow: which memory their threads access, "
		"line by line.</p>\n"},
	{section_skipped, "skipped", "Without a time",
		"<p>A variant has a time only if the device can run it and its result is correct. "
		"&ldquo;Skipped&rdquo; and &ldquo;unsupported&rdquo; are not errors: the device lacks "
		"something that the variant needs, or the problem does not fit. &ldquo;Not timed&rdquo; means "
		"that the variant was only checked. All other statuses are errors.</p>\n"},
	{section_devices, "devices", "Devices and files", ""},
};

/* ---- Head ------------------------------------------------------------------------------------ */

/* "Kernels: NVIDIA H200, NVIDIA H100", or "Kernels: 5 devices". */
static void put_title(const struct page *page, FILE *out)
{
	html_markup(out, page->side_count ? "Kernels: " : "Kernels explained");
	if (page->device_count > 3)
		html_format(out, "%zu devices", page->device_count);
	for (size_t i = 0; i < page->device_count && page->device_count <= 3; i++) {
		html_markup(out, i ? ", " : "");
		html_text(out, page_device_name(page, i));
	}
}

static void put_head(const struct page *page, FILE *out)
{
	fprintf(out,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"style-src 'sha256-%s'; script-src 'sha256-%s'; base-uri 'none'; form-action 'none'\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n"
		"<meta name=\"referrer\" content=\"no-referrer\">\n<title>",
		page_style_hash, page_script_hash);
	put_title(page, out);
	fprintf(out, "</title>\n<style>%s</style>\n</head>\n<body>\n", page_style);
	html_markup(
		out, "<a class=\"skip\" href=\"#content\">Skip to the results</a>\n<header>\n<h1>");
	put_title(page, out);
	html_markup(out,
		"</h1>\n<noscript><p class=\"note\">Charts need the script of this page. The tables have "
		"the same figures.</p></noscript>\n</header>\n");
}

/* ---- Making ---------------------------------------------------------------------------------- */

/* Writes the sections that have data, and links to them. */
static void write_sections(struct page *page, FILE *contents, FILE *out)
{
	for (size_t i = 0; i < ARRAY_COUNT(sections); i++) {
		char *body = NULL;
		size_t size = 0;
		page->out = open_memstream(&body, &size);
		if (page->out) {
			sections[i].write(page);
			page->failed |= fclose(page->out) != 0;
		}
		page->failed |= !page->out;
		if (size > 0) {
			fprintf(contents, "<li><a href=\"#%s\">%s</a></li>\n", sections[i].id,
				sections[i].heading);
			fprintf(out, "<section id=\"%s\">\n<h2>%s</h2>\n%s%s</section>\n",
				sections[i].id, sections[i].heading, sections[i].introduction,
				text_or_empty(body));
		}
		free(body);
	}
}

static void assemble(struct page *page, FILE *out)
{
	char *contents = NULL, *text = NULL;
	size_t sizes[2];
	FILE *streams[] = {open_memstream(&contents, &sizes[0]), open_memstream(&text, &sizes[1])};

	if (streams[0] && streams[1])
		write_sections(page, streams[0], streams[1]);
	for (size_t i = 0; i < 2; i++)
		page->failed |= !streams[i] || fclose(streams[i]) != 0;
	put_head(page, out);
	fprintf(out, "<nav aria-label=\"Contents\">\n<ul>\n%s</ul>\n</nav>\n",
		text_or_empty(contents));
	fprintf(out, "<main id=\"content\">\n%s</main>\n<footer>\n<p>Made by ",
		text_or_empty(text));
	html_text(out, tool_version_text());
	html_markup(out, "</p>\n</footer>\n<script type=\"application/json\" id=\"data\">");
	page->failed |= !data_put(page, out);
	fprintf(out, "</script>\n<script>%s</script>\n</body>\n</html>\n", page_script);
	free(contents);
	free(text);
}

/* A page with only explanations has no rows. */
enum pmpp_status page_make(const struct result_files *input, char **ret_text, size_t *ret_length,
	struct pmpp_error *error)
{
	const struct compare_options options = {
		.by = "device,backend", .tolerance = NAN, .separate = true};
	struct page page = {.input = input};
	enum pmpp_status status = PMPP_OK;
	FILE *out = NULL;

	*ret_text = NULL;
	record_init(&comparison_document_type, &page.comparison);
	if (input->count)
		status = compare_files(
			input->items, input->count, &options, &page.comparison, error);
	if (status == PMPP_OK && page_fill(&page) && data_make(&page))
		out = open_memstream(ret_text, ret_length);
	if (out) {
		assemble(&page, out);
		page.failed |= ferror(out) != 0;
		page.failed |= fclose(out) != 0;
	}
	if (status == PMPP_OK && (!out || page.failed)) {
		free(*ret_text);
		*ret_text = NULL;
		status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the page");
	}
	data_free(&page);
	page_finish(&page);
	record_finish(&comparison_document_type, &page.comparison);
	return status;
}
