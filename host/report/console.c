#include "host/report/console.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/capability.h"
#include "common/family.h"
#include "common/model/parity.h"
#include "host/compare/compare.h"
#include "host/gpu/gpu.h"
#include "host/report/explain_page.h"
#include "host/report/explain_table.h"
#include "host/report/flag_marks.h"
#include "host/report/row_details.h"
#include "host/report/wrap.h"

/* ---- Roofs of a device ----------------------------------------------------------------------- */

/* Prints "measured 12 min ago", or "measured" if the age is 0 (in this run). Prints no line end. */
static void put_age(FILE *out, double age_s)
{
	fputs("measured", out);
	if (age_s >= 86400)
		fprintf(out, " %.0f days ago", age_s / 86400);
	else if (age_s >= 60)
		fprintf(out, " %.0f min ago", age_s / 60);
	else if (age_s > 0)
		fprintf(out, " %.0f s ago", ceil(age_s));
}

struct roof_line {
	const char *title;
	double value;
	const char *unit;
	bool on_cpu;           /* OpenCL on a CPU has a kernel for this rate */
	unsigned needs;        /* bits of capabilities that the kernel needs; 0 = none */
	const char *otherwise; /* why a device without these capabilities has no rate */
};

/* Why the rate of the line is unknown. */
static const char *reason_of(const struct roof_line *line, const struct device_record *device)
{
	bool cpu = text_equal(device->type, gpu_device_type_name(GPU_TYPE_CPU));
	bool mma = true, opencl = true; /* mma.sync reaches the rate of tensor cores; only OpenCL */
	unsigned capabilities = 0;

	for (size_t i = 0; i < device->views.count; i++) {
		const struct view_record *view = &device->views.items[i];
		capabilities |= (unsigned)view->capabilities;
		mma &= pmpp_mma_reaches_rate(text_or_empty(view->arch));
		opencl &= text_equal(view->backend, "opencl");
	}
	if (cpu && !line->on_cpu)
		return "no kernel for OpenCL on a CPU";
	if (line->needs & ~capabilities)
		return line->otherwise;
	if (line->needs & PMPP_CAP_TENSOR && !mma && !(capabilities & PMPP_CAP_WGMMA))
		return "mma.sync does not reach this rate, and wgmma is not available";
	if (line->needs & PMPP_CAP_FP16 && opencl && capabilities & PMPP_CAP_NVIDIA_PTX)
		return "no kernel reaches this rate through NVIDIA's OpenCL";
	return "not measured: the kernel did not run or its result is wrong";
}

static void add_fact(struct table *table, const char *name, const char *value, const char *more)
{
	table_row(table, STYLE_PLAIN);
	table_text(table, name);
	table_text(table, value);
	table_text(table, more);
}

static void add_rates(struct table *table, const struct device_record *device)
{
	static const char tensor[] = "needs NVIDIA tensor cores, compute capability 8.0 or more";
	const struct roofs_record *roofs = &device->roofs;
	const unsigned mma = PMPP_CAP_NVIDIA_PTX | PMPP_CAP_TENSOR;
	const struct roof_line lines[] = {
		{"copy (read + write)", roofs->copy_gbps, "GB/s", true, 0, NULL},
		{"read", roofs->read_gbps, "GB/s", true, 0, NULL},
		{"second-level cache", roofs->l2_gbps, "GB/s", false, 0, NULL},
		{"shared memory", roofs->shared_gbps, "GB/s", true, 0, NULL},
		{"fma, f32", roofs->fma_gflops.f32, "GFLOP/s", true, 0, NULL},
		{"fma, f16", roofs->fma_gflops.f16, "GFLOP/s", false, PMPP_CAP_FP16,
			"the device has no f16"},
		{"fma, f64", roofs->fma_gflops.f64, "GFLOP/s", true, PMPP_CAP_FP64,
			"the device has no f64"},
		{"integers, 32 bits", roofs->integer_gops, "GOP/s", false, 0, NULL},
		{"special functions", roofs->special_gops, "GOP/s", false, 0, NULL},
		{"tensor cores, f16", roofs->tensor_gflops.f16, "GFLOP/s", false, mma, tensor},
		{"tensor cores, TF32", roofs->tensor_gflops.tf32, "GFLOP/s", false, mma, tensor},
		{"host to device", roofs->h2d_gbps, "GB/s", true, 0, NULL},
		{"device to host", roofs->d2h_gbps, "GB/s", true, 0, NULL},
	};

	for (size_t i = 0; i < ARRAY_COUNT(lines); i++)
		add_fact(table, lines[i].title, as_text(format_number, lines[i].value).text,
			isnan(lines[i].value) ? reason_of(&lines[i], device) : lines[i].unit);
}

/* Prints one line for each roof: its rate, or why the rate is unknown. Then prints the timer, the
 * age and the flags. label: the device as in options, "cuda:0". */
static void put_roofs_of(FILE *out, const char *label, const struct device_record *device,
	const struct page_style *style)
{
	static const struct table_column columns[] = {{.title = "roof", .width = 20},
		{.title = "value", .align = TABLE_RIGHT, .width = 8},
		{.title = "unit", .align = TABLE_REST}};
	const struct roofs_record *roofs = &device->roofs;
	char *title = device_record_title(device);
	struct table table;

	fprintf(out, "%s%s %s%s\n", style_code(style->colour, STYLE_BOLD), label,
		text_or_empty(title), style_code(style->colour, STYLE_PLAIN));
	free(title);
	table_init(&table, columns, ARRAY_COUNT(columns));
	table.indent = 2;
	table.untitled = true;
	add_rates(&table, device);
	add_fact(&table, "measured resolution",
		as_text(format_ns, device->timer.timer_resolution_ns).text, "");
	add_fact(
		&table, "empty kernel", as_text(format_ns, device->timer.empty_launch_ns).text, "");
	table_put(&table, out, style);
	table_finish(&table);
	fprintf(out, "  age: %s", roofs->age_s > 0 ? "the oldest roof was " : "");
	put_age(out, roofs->age_s);
	fputs(roofs->age_s > 0 ? "\n" : " in this run\n", out);
	for (size_t i = 0; timing_flag_words[i]; i++)
		if (roofs->flags & 1u << i)
			fprintf(out, "  flag: %s\n", timing_flag_words[i]);
}

/* ---- Details of a row (-v) ------------------------------------------------------------------- */

/* Writes the known fields as a line, "    NAME: registers 32, spill_bytes 0", or nothing. */
static void put_fields(FILE *out, const char *name, const struct record_type *type,
	const void *record, const char *keys)
{
	char *fields = row_details_fields(type, record, keys);

	if (fields)
		fprintf(out, "    %s: %s\n", name, fields);
	free(fields);
}

/* A line has the known fields of one member of the row, with their keys in files. */
static const struct detail_line {
	const char *member, *keys;
} detail_lines[] = {
	{"build", "options compile_ms cache"},
	{"resources", "registers shared_bytes spill_bytes"},
	{"verify", "coverage"},
	{"timing", "primary flushed_bytes flags"},
	{"derived", "step step_ci95 step_paired"},
	{"claim", "expected at_most verdict reason observed ci95 paired"},
	{"device_state", "sm_clock_mhz memory_clock_mhz temperature_c power_limit_w "
			 "throttle_reasons other_processes load_average"},
};

/* Prints the details of -v for a row: build options, resources, samples, flags, the step and the
 * claim with their intervals, the state of the device. Prints nothing for a row without a build. */
static void put_details(FILE *out, const struct result_row *row)
{
	if (!row->build.record.present)
		return;
	put_fields(out, "row", &result_row_type, row, "fallback peer");
	const struct samples_record *samples = timing_record_primary(&row->timing);
	for (size_t i = 0; i < ARRAY_COUNT(detail_lines); i++) {
		size_t index = record_field_index(&result_row_type, detail_lines[i].member);
		const struct record_field *field = &result_row_type.fields()[index];
		const struct record *record = (const void *)((const char *)row + field->offset);
		if (record->present)
			put_fields(out, detail_lines[i].member, field->type, record,
				detail_lines[i].keys);
	}
	if (samples->record.present)
		put_fields(out, "samples", &samples_type, samples, "n min q1 median q3");
	for (size_t i = 0; i < row->peers.count; i++)
		put_fields(out, "peer", &peer_type, &row->peers.items[i],
			"variant library version ratio ci95");
}

/* ---- Ladders ------------------------------------------------------------------------------- */

enum {
	LADDER_LABEL,
	LADDER_TECHNIQUE,
	LADDER_ULPS = 3,
	LADDER_MEDIAN,
	LADDER_RATE = 6,
	LADDER_METRIC,
	LADDER_PEER = 10,
	LADDER_CLAIM = 15
};

/* The order of add_ladder_row(). 80 columns have the columns with the smallest priorities. */
static const struct table_column ladder_columns[] = {
	{.key = "variant", .title = "variant"},
	{.key = "technique", .title = "technique", .priority = 1, .cut = 12},
	{.key = "check", .title = "check", .width = 7},
	TABLE_NUMBER("ulps", "ulp", NULL, 10, 6),
	TABLE_NUMBER("median", "median", "ns", 0, 8),
	TABLE_NUMBER("half_width", "±", "%", 11, 5),
	TABLE_NUMBER("gflops", "GFLOP/s", "GFLOP/s", 7, 7),
	TABLE_NUMBER("metric", "", NULL, 6, 7),
	TABLE_NUMBER("pct_roof", "%roof", "%", 8, 6),
	{.key = "limited_by", .title = "limited by", .priority = 9, .width = 23, .cut = 10},
	TABLE_NUMBER("peer_ratio", "x peer", "1", 3, 6),
	{.key = "peer_ci95", .title = "95 %", .priority = 5, .width = 14},
	{.key = "peer", .title = "peer", .priority = 14, .width = 12},
	TABLE_NUMBER("step", "step", "1", 4, 6),
	TABLE_NUMBER("total", "total", "1", 12, 6),
	{.key = "claim", .title = "claim", .priority = 2, .width = 13},
};

#define SWEEP_COLUMNS 20         /* for the sizes of a row */
#define CLAIM_PRIORITY_ON_CPU 15 /* the last column to add: claims do not apply to CPUs */

static bool is_about_memory(const char *name)
{
	const struct family *family = family_find(text_or_empty(name));

	return family && family_is_about_memory(family);
}

static void ladder_init(struct table *table, const struct group_record *group)
{
	const struct family *family = family_find(text_or_empty(group->family));
	struct table_column columns[ARRAY_COUNT(ladder_columns)];

	memcpy(columns, ladder_columns, sizeof columns);
	if (group->sweep) {
		columns[LADDER_LABEL].title = "size";
		columns[LADDER_LABEL].width = SWEEP_COLUMNS;
		columns[LADDER_TECHNIQUE].absent = true;
	}
	columns[LADDER_ULPS].absent = !family || !family->shows_ulps;
	columns[LADDER_METRIC].absent = !family || !family->metric.name;
	if (family && family->metric.name)
		columns[LADDER_METRIC].title = family->metric.name;
	if (is_about_memory(group->family)) {
		columns[LADDER_RATE].key = "gbps";
		columns[LADDER_RATE].title = columns[LADDER_RATE].unit = "GB/s";
	}
	for (size_t i = 0; i < 3; i++)
		columns[LADDER_PEER + i].absent = !group->peers;
	if (!group->gpu)
		columns[LADDER_CLAIM].priority = CLAIM_PRIORITY_ON_CPU;
	table_init(table, columns, ARRAY_COUNT(columns));
}

/* The status and the reason: "skipped: needs inline PTX". */
static void add_status(struct table *table, const struct result_row *row)
{
	char *text = NULL;

	text_format(&text, "%s%s%s", format_status(row->status).text, row->reason ? ": " : "",
		text_or_empty(row->reason));
	table_span(table, text);
	free(text);
}

static void add_median(struct table *table, const struct result_row *row)
{
	flag_marks_format(flag_marks_of_row(row),
		table_number(table, format_ns, result_row_median_ns(row))->marks);
}

/* "[0.981, 0.995]"; empty if the interval is unknown. */
static void add_interval(struct table *table, const double ci95[2])
{
	if (isfinite(ci95[0]) && isfinite(ci95[1]))
		table_format(table, "[%.3f, %.3f]", ci95[0], ci95[1]);
	else
		table_text(table, "");
}

/* The ratio to the fastest peer. */
static void add_peer(struct table *table, const struct result_row *row)
{
	static const double unknown[2] = {NAN, NAN};
	const struct peer_record *peer = peer_list_fastest(&row->peers);

	if (peer)
		table_number(table, format_ratio, peer->ratio);
	else
		table_text(table, row->peer ? "" : "-");
	add_interval(table, peer ? peer->ci95 : unknown);
	table_text(table, peer ? peer->variant : NULL);
}

static void add_claim(struct table *table, const struct claim_record *claim)
{
	const enum claim_verdict verdict = claim_record_verdict(claim);
	const char *word = claim_verdict_name(verdict);
	struct table_cell *cell = table_text(table, !claim->record.present ? ""
						    : word                 ? word
									   : "n/a");

	if (claim->record.present && word)
		cell->style = verdict == CLAIM_HOLDS ? STYLE_GREEN : STYLE_YELLOW;
}

/* Adds a row. row: complete, including derived.step and claim. */
static void add_ladder_row(struct table *table, const char *label, const struct result_row *row)
{
	const struct derived_record *derived = &row->derived;
	char limit[64];
	bool ok = row->status == OUTCOME_OK;

	table_row(table, ok ? STYLE_PLAIN : format_status_style(row->status));
	table_text(table, label);
	table_text(table, row->technique);
	if (!ok) {
		add_status(table, row);
		return;
	}
	table_format(table, "ok %.2f", row->verify.max_ratio)->value = row->verify.max_ratio;
	table_number(table, format_number, row->verify.max_ulps);
	add_median(table, row);
	table_number(table, format_percent, 100 * result_row_half_width(row));
	table_number(table, format_number,
		is_about_memory(row->family) ? derived->gbps : derived->gflops);
	table_number(table, format_number, derived->metric);
	table_number(table, format_percent, derived->pct_roof);
	format_limit(derived, limit, sizeof limit);
	table_text(table, limit);
	add_peer(table, row);
	table_number(table, format_factor, derived->step);
	table_number(table, format_factor, derived->total);
	add_claim(table, &row->claim);
	table_below(table, text_or_empty(row->fallback));
}

/* ---- Parity -------------------------------------------------------------------------------- */

static const struct table_column parity_columns[] = {
	{.title = "variant"},
	TABLE_NUMBER(NULL, "opencl", "ns", 0, 8),
	TABLE_NUMBER(NULL, "cuda", "ns", 0, 8),
	TABLE_NUMBER(NULL, "ratio", "1", 0, 6),
	{.key = "ci95", .title = "95 %", .priority = 2, .width = 14},
	TABLE_NUMBER(NULL, "tolerance", "%", 4, 0),
	{.title = "verdict", .priority = 1},
	{.title = "bits", .priority = 3, .width = 9},
};

/* A column of times has the name of its backend: "opencl" of "opencl:0.0 NAME". */
static void parity_init(struct table *table, const struct group_record *group)
{
	const char *const devices[2] = {
		text_or_empty(group->device), group->other ? group->other : "cuda"};
	struct table_column columns[ARRAY_COUNT(parity_columns)];
	char backends[2][32];

	memcpy(columns, parity_columns, sizeof columns);
	for (size_t i = 0; i < 2; i++) {
		snprintf(backends[i], sizeof backends[i], "%.*s", (int)strcspn(devices[i], ": "),
			devices[i]);
		columns[1 + i].title = backends[i];
	}
	for (size_t i = 1; i + 1 < ARRAY_COUNT(columns); i++)
		columns[i].absent = group->results_only;
	table_init(table, columns, ARRAY_COUNT(columns));
}

/* "opencl ok; cuda skipped: REASON" */
static void add_sides(struct table *table, const struct result_row *const rows[2])
{
	char *text = NULL;

	for (size_t i = 0; i < 2; i++) {
		const char *reason =
			rows[i]->status == OUTCOME_OK ? "" : text_or_empty(rows[i]->reason);
		text_format(&text, "%s%s%s %s%s%s", text_or_empty(text), i ? "; " : "",
			text_or_empty(rows[i]->backend), format_status(rows[i]->status).text,
			*reason ? ": " : "", reason);
	}
	table_span(table, text)->style =
		format_status_style(rows[rows[0]->status == OUTCOME_OK]->status);
	free(text);
}

/* rows: the two sides, in the order of parity->backends. */
static void add_parity_row(struct table *table, const char *label, const struct parity_row *parity,
	const struct result_row *const rows[2])
{
	table_row(table, STYLE_PLAIN);
	table_text(table, label);
	if (rows[0]->status != OUTCOME_OK || rows[1]->status != OUTCOME_OK) {
		add_sides(table, rows);
		return;
	}
	add_median(table, rows[0]);
	add_median(table, rows[1]);
	if (isfinite(parity->round_ratio)) {
		table_number(table, format_ratio, parity->round_ratio);
		add_interval(table, parity->ci95);
		table_number(table, format_percent, 100 * parity->tolerance);
		table_text(table, parity_verdict_name((enum parity_verdict)parity->verdict));
	} else {
		for (size_t i = 0; i < 4; i++)
			table_text(table, "-");
	}
	table_text(table, parity->bit_identical == TRUTH_YES  ? "identical"
			  : parity->bit_identical == TRUTH_NO ? "differ"
							      : "");
}

/* ---- Heading ------------------------------------------------------------------------------- */

/* Files of earlier versions have the age and the warnings of all roofs together. */
static void put_roofs(FILE *out, const struct roofs_record *roofs)
{
	double age_s = fmax(roofs->ages_s.copy, roofs->ages_s.fma_f32);
	unsigned flags = roofs->flags;

	if (!isfinite(roofs->fma_gflops.f32) && !isfinite(roofs->copy_gbps))
		return;
	if (roofs->roof_flags.record.present)
		flags = roofs->roof_flags.copy | roofs->roof_flags.fma_f32;
	fprintf(out, "      roofs: %s GB/s copy, %s GFLOP/s fma (",
		as_text(format_number, roofs->copy_gbps).text,
		as_text(format_number, roofs->fma_gflops.f32).text);
	put_age(out, isnan(age_s) ? roofs->age_s : age_s);
	for (size_t i = 0; timing_flag_words[i]; i++)
		if (flags & 1u << i)
			fprintf(out, ", %s", timing_flag_words[i]);
	fputc(')', out);
}

/* "matmul  C = A B  f32  m=n=k=512      cuda:0 NVIDIA H200 (580.1)" */
static void put_group(FILE *out, const struct group_record *group)
{
	const struct family *family = family_find(text_or_empty(group->family));
	char driver[128];

	format_driver(group->platform, text_or_empty(group->driver), driver, sizeof driver);
	fprintf(out, "%s%s%s  %s  %s  %s      %s %s (%s)", text_or_empty(group->family),
		group->sweep ? "/" : "",
		group->sweep ? text_or_empty(group->rows.items[0].label) : "",
		family ? family->title : "", text_or_empty(group->choices),
		group->sweep ? "several sizes" : text_or_empty(group->problem),
		text_or_empty(group->device), text_or_empty(group->device_name), driver);
	if (group->other)
		fprintf(out, " against %s", group->other);
}

/* Writes the problem, the device and its roofs: "matmul  C = A B  f32  m=n=k=512      cuda:0 NVIDIA H200
 * (580.1)      roofs: 4265 GB/s copy, 65384 GFLOP/s fma (measured)". Unknown roofs are not finite. */
static void put_heading(FILE *stream, const struct page_style *style,
	const struct group_record *group, const struct roofs_record *roofs)
{
	struct wrap wrap;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return;
	put_group(out, group);
	put_roofs(out, roofs);
	fclose(out);
	if (style->markdown) {
		markdown_text(stream, text_or_empty(text));
		fputs(":\n\n", stream);
	} else {
		fprintf(wrap_begin(&wrap, stream, style->width), "%s\n", text_or_empty(text));
		wrap_end(&wrap);
	}
	free(text);
}

/* ---- Groups -------------------------------------------------------------------------------- */

/* Three marks have room after the times of a table that is printed row by row. */
#define USUAL_MARKS (TIMING_BELOW_RESOLUTION | TIMING_THROTTLED | TIMING_NOISY)

/* Makes the table of a group, a ladder or the table of `parity`, and calls table_begin(). The widths are
 * those of all rows that the group can have. */
static void begin_ladder(struct table *table, FILE *out, const struct page_style *style,
	const struct group_record *group)
{
	bool ladder = group->action != GROUP_PARITY;

	(ladder ? ladder_init : parity_init)(table, group);
	/* Rows that are as wide as those of the group. */
	for (size_t i = 0; i <= group->rows.count; i++) {
		const struct group_row *row = i ? &group->rows.items[i - 1] : NULL;
		table_row(table, STYLE_PLAIN);
		table_text(table, row ? row->label : "");
		for (size_t c = 1; c <= (ladder ? LADDER_MEDIAN : 2); c++) {
			struct table_cell *cell = table_text(table,
				row && ladder && c == LADDER_TECHNIQUE ? row->technique : "");
			if (!ladder || c == LADDER_MEDIAN)
				flag_marks_format(USUAL_MARKS, cell->marks);
		}
	}
	table_begin(table, out, style);
	table_drop_rows(table);
}

/* ---- Lines of verify ------------------------------------------------------------------------- */

static void line_finish(struct verify_line *line)
{
	free(line->worst);
	free(line->coverage);
	free(line->fallback);
	*line = (struct verify_line){.sizes_ok = 0};
}

/* Whether the result is wrong, or missing although the variant ran. */
static bool is_trouble(enum outcome_class class)
{
	return class == OUTCOME_CLASS_FAILED || class == OUTCOME_CLASS_BROKEN;
}

/* Writes " m=37 n=41 k=43 f32 random". */
static void row_put_problem(FILE *out, const struct result_row *row)
{
	const char *const choices[] = {row->dtype, row->op, row->data};

	for (size_t i = 0; i < row->problem.count; i++)
		fprintf(out, " %s=%lld", row->problem.items[i].name,
			(long long)row->problem.items[i].value);
	for (size_t i = 0; i < ARRAY_COUNT(choices); i++)
		if (*text_or_empty(choices[i]))
			fprintf(out, " %s", choices[i]);
}

/* Returns the status and the reason, "failed at n=7 f32 random: REASON"; malloc'ed. */
static char *outcome_text(const struct result_row *row)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs(format_status(row->status).text, out);
	if (is_trouble(result_row_class(row))) {
		fputs(" at", out);
		row_put_problem(out, row);
	}
	fprintf(out, ": %s", text_or_empty(row->reason));
	fclose(out);
	return text;
}

/* Adds a row. The line names the first row that failed, else the first row that was not run. */
static void line_add(struct verify_line *line, const struct result_row *row)
{
	const char *coverage = text_or_empty(row->verify.coverage);
	enum outcome_class class = result_row_class(row);

	line->sizes_seen++;
	line->own_kernel |= row->own_kernel;
	if (row->fallback && !line->fallback)
		text_set(&line->fallback, row->fallback);
	if (row->status == OUTCOME_OK) {
		line->sizes_ok++;
		line->worst_ratio = fmax(line->worst_ratio, row->verify.max_ratio);
		line->coverage_differs |= line->coverage && strcmp(line->coverage, coverage) != 0;
		if (!line->coverage)
			text_set(&line->coverage, coverage);
	} else if (!line->worst || (class != OUTCOME_CLASS_SKIPPED && !is_trouble(line->class))) {
		free(line->worst);
		line->worst = outcome_text(row);
		line->status = row->status;
		line->class = class;
		line->too_large = result_row_is_too_large(row);
	}
}

/* Whether the line is printed: a size passed, or the row that the line names is not too large for
 * the device. */
static bool line_is_shown(const struct verify_line *line)
{
	return line->sizes_ok || (line->worst && !line->too_large);
}

/* The order of add_line(). The widths are those of a table that is printed row by row. */
static const struct table_column verify_columns[] = {
	{.title = "device", .width = 12}, /* "opencl-emu:0" */
	{.title = "variant", .width = 29},
	{.title = "sizes ok", .align = TABLE_RIGHT},
	{.title = "error", .align = TABLE_RIGHT},
	{.title = "checked", .align = TABLE_REST},
};

#define COVERAGE_COLUMN (12 + 29 + 8 + 5 + 4 * 2)

/* Adds the line as a row. A coverage that does not fit `width` columns is shortened; 0 = no limit. */
static void add_line(struct table *table, const struct verify_line *line, const char *device,
	const char *name, int width)
{
	const char *coverage =
		line->coverage_differs ? "differs by size" : text_or_empty(line->coverage);
	/* "all elements; all on integers": the part before the semicolon, if the line would be too
	 * long. */
	bool fits = width == 0 || COVERAGE_COLUMN + wrap_columns(coverage) <= width;
	bool adapted = line->fallback && !(line->worst && line->class == OUTCOME_CLASS_SKIPPED);
	char ratio[32] = "-";

	table_row(table, STYLE_PLAIN);
	table_text(table, device);
	table_text(table, name);
	if (line->sizes_ok == line->sizes_seen || line->sizes_ok == 0)
		table_format(table, "%zu", line->sizes_ok);
	else
		table_format(table, "%zu of %zu", line->sizes_ok, line->sizes_seen);
	if (line->sizes_ok)
		snprintf(ratio, sizeof ratio, "%.2f", line->worst_ratio);
	table_text(table, ratio);
	table_format(table, "%.*s%s%s%s",
		(int)(line->worst || fits ? strlen(line->worst ? line->worst : coverage)
					  : strcspn(coverage, ";")),
		line->worst ? line->worst : coverage, adapted ? "; " : "",
		adapted ? line->fallback : "", line->own_kernel ? "; your kernel" : "")
		->style = line->worst ? format_status_style(line->status) : STYLE_PLAIN;
}

/* ---- Init and finish ------------------------------------------------------------------------ */

void console_init(struct console *console, const struct terminal_options *options, bool shows_roofs)
{
	*console = (struct console){.shows_roofs = shows_roofs};
	terminal_init(&console->terminal, options);
	record_init(&group_type, &console->group);
	console->group.record.present = false;
	record_init(&roofs_type, &console->roofs);
}

void console_finish(struct console *console)
{
	terminal_finish(&console->terminal);
	line_finish(&console->line);
	table_finish(&console->ladder);
	table_finish(&console->verified);
	record_finish(&group_type, &console->group);
	record_finish(&roofs_type, &console->roofs);
}

void console_device(struct console *console, const char *label, const struct device_record *device)
{
	struct terminal *terminal = &console->terminal;
	struct pmpp_error ignored = PMPP_ERROR_INIT;

	record_finish(&roofs_type, &console->roofs);
	/* If memory is not available, the heading shows no roofs. */
	if (record_copy(&roofs_type, &device->roofs, &console->roofs, &ignored) != PMPP_OK)
		pmpp_error_clear(&ignored);
	terminal->started_s = 0;
	if (device->timer.reason)
		terminal_note(terminal, device->timer.reason);
	terminal_wipe(terminal);
	if (console->shows_roofs && terminal->out)
		put_roofs_of(terminal->out, label, device, &terminal->style);
}

/* ---- Groups -------------------------------------------------------------------------------- */

/* Prints "other programs use this CPU (load 10.4 on 2 cores)" and a line end, if
 * device_state_is_busy(). Returns true if it printed the line. */
static bool put_load_text(FILE *out, const struct result_row *row)
{
	char *text = NULL;

	device_state_load_text(&row->device_state, &text);
	if (text)
		fprintf(out, "%s\n", text);
	free(text);
	return device_state_is_busy(&row->device_state);
}

/* Prints once for each table that other programs use the CPU: above the table, or above the first
 * row to which it applies. */
static void put_load(struct console *console, const struct result_row *row)
{
	struct wrap wrap;

	if (console->load_put)
		return;
	FILE *out = wrap_begin(&wrap, console->terminal.out, console->terminal.style.width);
	console->load_put = put_load_text(out, row);
	fputs(console->load_put && console->terminal.style.markdown ? "\n" : "", out);
	wrap_end(&wrap);
}

/* Begins a table after an empty line. */
static void begin_table(struct console *console)
{
	if (console->table_count++ > 0)
		fputc('\n', console->terminal.out);
	terminal_wipe(&console->terminal);
}

/* Prints the heading, at the first row that ran, and the rows so far. row: NULL = no row ran. */
static void begin_group(struct console *console, const struct result_row *row)
{
	if (!console->group_begun) {
		begin_table(console);
		if (row)
			put_load(console, row);
		put_heading(console->terminal.out, &console->terminal.style, &console->group,
			&console->roofs);
	}
	console->group_begun = true;
	if (row && row->timing.flags & TIMING_THROTTLED && !console->terminal.style.markdown)
		put_load(console, row);
	table_flush(&console->ladder);
}

static bool verifies(const struct console *console)
{
	return console->group.record.present && console->group.action == GROUP_VERIFY;
}

/* With -q there is no table. Prints a line on stderr for each row without a right result. */
static void put_trouble(struct console *console, const char *label, const char *device,
	enum outcome_class class, const char *outcome)
{
	char *text = NULL;

	if (!console->terminal.quiet || !is_trouble(class))
		return;
	text_format(&text, "%s/%s on %s: %s", text_or_empty(console->group.family), label, device,
		outcome);
	terminal_warn(&console->terminal, text_or_empty(text));
	free(text);
}

/* Prints the line of a variant of `verify`, and begins the next line. row: the row, if it is a line of
 * its own; NULL = all sizes. */
static void put_verified(struct console *console, const struct result_row *row)
{
	struct terminal *terminal = &console->terminal;
	const struct group_record *group = &console->group;
	const char *label = group->rows.count ? group->rows.items[0].label : "";
	char title[DEVICE_TITLE_BYTES], *device = NULL, *name = NULL;
	size_t size;
	FILE *out = open_memstream(&name, &size);

	if (console->line.worst)
		put_trouble(console, label, text_or_empty(group->device), console->line.class,
			console->line.worst);
	device_title(text_or_empty(group->device_name), group->platform, title, sizeof title);
	text_format(&device, "%s %s", text_or_empty(group->device), title);
	if (out)
		fprintf(out, "%s/%s", group->family, label);
	if (out && row)
		row_put_problem(out, row);
	if (out)
		fclose(out);
	if (terminal->out && (terminal->style.markdown || line_is_shown(&console->line))) {
		if (console->table_count++ == 0) {
			table_init(&console->verified, verify_columns, ARRAY_COUNT(verify_columns));
			table_begin(&console->verified, terminal->out, &terminal->style);
		}
		add_line(&console->verified, &console->line,
			terminal->style.markdown ? text_or_empty(device) : group->device, name,
			terminal->style.width);
		table_flush(&console->verified);
		fflush(terminal->out);
	}
	free(device);
	free(name);
	line_finish(&console->line);
}

void console_group_end(struct console *console)
{
	terminal_wipe(&console->terminal);
	if (verifies(console) && console->line.sizes_seen)
		put_verified(console, NULL);
	if (console->ladder.row_count && console->terminal.out &&
		(!console->too_large || console->terminal.style.markdown))
		begin_group(console, NULL);
	if (console->group_begun)
		table_end(&console->ladder);
	console->group_begun = false;
	table_finish(&console->ladder);
	record_finish(&group_type, &console->group);
	console->group.record.present = false;
}

/* The next size of a variant on the same device. */
static bool continues_sweep(const struct group_record *last, const struct group_record *group)
{
	return last->record.present && last->sweep && group->sweep &&
	       text_equal(last->family, group->family) && text_equal(last->device, group->device) &&
	       last->rows.count == 1 && group->rows.count == 1 &&
	       text_equal(last->rows.items[0].label, group->rows.items[0].label);
}

bool console_group(struct console *console, const struct group_record *group)
{
	struct pmpp_error ignored = PMPP_ERROR_INIT;

	if (console->group.record.present && console->group.number == group->number &&
		text_equal(console->group.problem, group->problem))
		return false;
	if (continues_sweep(&console->group, group)) {
		text_set(&console->group.problem, group->problem);
		console->group.number = group->number;
		return true;
	}
	console_group_end(console);
	/* If memory is not available, the rows are only in the result file. */
	if (record_copy(&group_type, group, &console->group, &ignored) != PMPP_OK) {
		pmpp_error_clear(&ignored);
		console->group.record.present = false;
	}
	begin_ladder(&console->ladder, console->terminal.out, &console->terminal.style, group);
	console->load_put = console->too_large = false;
	return true;
}

/* ---- Results ---------------------------------------------------------------------------------- */

static void end_row(struct console *console, const char *label, const char *device,
	const struct result_row *row)
{
	struct wrap wrap;

	if (console->terminal.style.markdown)
		return;
	if (!verifies(console)) {
		char *outcome = outcome_text(row);
		put_trouble(console, label, device, result_row_class(row), text_or_empty(outcome));
		free(outcome);
	}
	if (console->terminal.out)
		fflush(console->terminal.out);
	terminal_origin(&console->terminal, &row->error);
	terminal_log(&console->terminal, row->log);
	if (!console->terminal.style.verbose)
		return;
	put_details(wrap_begin(&wrap, stderr, console->terminal.error_width), row);
	wrap_end(&wrap);
}

/* Prints the rows so far, unless all of them were skipped: they stay in the table until a row runs. */
static void put_rows(struct console *console, const struct result_row *row, bool ran)
{
	bool printed = console->terminal.out && console->group.record.present;

	if (!printed)
		table_drop_rows(&console->ladder);
	else if (console->group_begun || ran)
		begin_group(console, row);
}

void console_row(struct console *console, const char *label, const struct result_row *row)
{
	bool ran = result_row_class(row) != OUTCOME_CLASS_SKIPPED;

	terminal_idle(&console->terminal);
	if (verifies(console)) {
		line_add(&console->line, row);
		if (console->terminal.style.verbose)
			put_verified(console, row);
	} else {
		char sizes[160];
		format_sizes(&row->problem, sizes, sizeof sizes);
		console->too_large |= result_row_is_too_large(row);
		add_ladder_row(&console->ladder, console->group.sweep ? sizes : label, row);
		put_rows(console, row, ran);
	}
	end_row(console, label, text_or_empty(console->group.device), row);
}

void console_parity(struct console *console, const char *label, const struct parity_row *parity,
	const struct result_row *const rows[2])
{
	bool too_large = result_row_is_too_large(rows[0]) || result_row_is_too_large(rows[1]);

	terminal_idle(&console->terminal);
	if (console->group_begun || !too_large || console->terminal.style.markdown) {
		add_parity_row(&console->ladder, label, parity, rows);
		put_rows(console, rows[!device_state_is_busy(&rows[0]->device_state)], true);
	}
	for (size_t i = 0; i < 2; i++)
		end_row(console, label, text_or_empty(rows[i]->backend), rows[i]);
}

void console_explained(
	struct console *console, const struct explanation_record *entries, size_t count)
{
	if (!console->terminal.out)
		return;
	begin_table(console);
	explain_table_put(console->terminal.out, entries, count, &console->terminal.style);
}

void console_page(struct console *console, const struct explanation_record *entries, size_t count)
{
	FILE *out = console->terminal.out;

	terminal_idle(&console->terminal);
	if (!out)
		return;
	begin_table(console);
	explain_page(out, entries, count, &console->terminal.style);
	fflush(out);
}

/* ---- The end of a job ------------------------------------------------------------------------ */

void device_summary_put_counts(const size_t of_class[OUTCOME_CLASS_COUNT], FILE *out)
{
	static const struct {
		enum outcome_class class;
		const char *words;
	} order[] = {{OUTCOME_CLASS_OK, "ok"}, {OUTCOME_CLASS_FAILED, "failed"},
		{OUTCOME_CLASS_BROKEN, "broken (build, launch, timeout, crash)"},
		{OUTCOME_CLASS_UNVERIFIED, "unverified"}, {OUTCOME_CLASS_SKIPPED, "skipped"}};
	const char *separator = "";

	for (size_t i = 0; i < ARRAY_COUNT(order); i++) {
		size_t count = of_class[order[i].class];
		if (count == 0)
			continue;
		fprintf(out, "%s%zu %s", separator, count, order[i].words);
		separator = ", ";
	}
}

/* ---- Devices ------------------------------------------------------------------------------- */

static bool same_device(const struct result_row *a, const struct result_row *b)
{
	return text_equal(a->device, b->device) && text_equal(a->backend, b->backend);
}

/* The rows of a device and backend. */
struct device_counts {
	const struct result_row *first;
	size_t of_class[OUTCOME_CLASS_COUNT];
};

static void put_device(
	FILE *out, const struct result_document *document, const struct device_counts *device)
{
	const struct view_record *view =
		device_view(device_list_find(&document->devices, device->first->device),
			device->first->backend);
	char title[DEVICE_TITLE_BYTES] = "";

	if (view)
		device_title(view->name, view->platform, title, sizeof title);
	fprintf(out, "    %s:%s %s: ", text_or_empty(device->first->backend),
		view ? view->index : "", title);
	device_summary_put_counts(device->of_class, out);
	fputc('\n', out);
}

static void put_devices(FILE *out, const struct result_document *document)
{
	const struct result_row_list *rows = &document->results;
	struct device_counts *devices = calloc(rows->count + 1, sizeof *devices);
	size_t count = 0;

	for (size_t i = 0; i < rows->count && devices; i++) {
		size_t d = 0;
		while (d < count && !same_device(devices[d].first, &rows->items[i]))
			d++;
		if (d == count)
			devices[count++].first = &rows->items[i];
		devices[d].of_class[result_row_class(&rows->items[i])]++;
	}
	for (size_t d = 0; d < count && count > 1; d++)
		put_device(out, document, &devices[d]);
	free(devices);
}

/* Maximum number of rows whose builds are shown. */
#define PARITY_SUMMARY_WORST 3

struct summary {
	const struct result_document *document;
	struct parity_score *scores; /* one for each parity row; owned */
};

/* Returns "matmul/tiled", with sizes and macros if the variant has several rows; malloc'ed. */
static char *name_of(const struct summary *summary, const struct result_row *row)
{
	const struct result_row_list *results = &summary->document->results;
	char sizes[160], macros[160] = "", *text = NULL;
	size_t same = 0;

	for (size_t i = 0; i < results->count; i++)
		same += text_equal(results->items[i].family, row->family) &&
			text_equal(results->items[i].variant, row->variant) &&
			text_equal(results->items[i].backend, row->backend);
	format_sizes(&row->problem, sizes, sizeof sizes);
	format_macros(&row->macros, macros, sizeof macros);
	text_format(&text, "%s/%s%s%s%s", text_or_empty(row->family), text_or_empty(row->variant),
		same > 1 ? " " : "", same > 1 ? sizes : "", same > 1 ? macros : "");
	return text;
}

/* ---- Counts -------------------------------------------------------------------------------- */

/* "parity: 109 of 113 SAME, 2 SLOW, 1 FAST, 1 AMBG; bits identical in 113 of 113; 2 not timed". Sets
 * the scores. Returns the number of timed rows. */
static size_t put_verdicts(FILE *out, const struct summary *summary)
{
	static const enum parity_verdict others[] = {PARITY_SLOW, PARITY_FAST, PARITY_AMBG};
	const struct parity_row_list *list = &summary->document->parity;
	size_t verdicts[PARITY_VERDICT_COUNT] = {0};
	size_t timed = 0, identical = 0, compared = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct parity_row *row = &list->items[i];
		summary->scores[i] = (struct parity_score){.verdict = row->verdict,
			.ratio = isfinite(row->round_ratio) ? row->round_ratio : row->ratio};
		compared += row->bit_identical != TRUTH_UNKNOWN;
		identical += row->bit_identical == TRUTH_YES;
		if (!parity_is_timed(row->verdict))
			continue;
		verdicts[row->verdict]++;
		timed++;
	}
	if (timed)
		fprintf(out, "parity: %zu of %zu %s", verdicts[PARITY_SAME], timed,
			parity_verdict_name(PARITY_SAME));
	else
		fputs("parity: no times", out);
	for (size_t i = 0; i < ARRAY_COUNT(others); i++)
		if (verdicts[others[i]])
			fprintf(out, ", %zu %s", verdicts[others[i]],
				parity_verdict_name(others[i]));
	if (compared)
		fprintf(out, "; bits identical in %zu of %zu", identical, compared);
	if (timed && timed < list->count)
		fprintf(out, "; %zu not timed", list->count - timed);
	fputc('\n', out);
	if (identical < compared)
		fputs("    bits differ, both results are right: sums in another order, or a*b+c as "
		      "one operation (--math)\n",
			out);
	return timed;
}

/* ---- Builds -------------------------------------------------------------------------------- */

/* The count of a side; 0 if the file has no count. */
static long long count_of(const struct integer_list *counts, size_t side)
{
	return side < counts->count ? counts->items[side] : 0;
}

static void put_ptx(FILE *out, const struct ptx_record *ptx)
{
	if (!ptx->record.present)
		return;
	if (ptx->totals.count != 2) {
		fprintf(out, "    PTX instructions not counted: %s\n", text_or_empty(ptx->reason));
		return;
	}
	fprintf(out, "    PTX instructions %lld / %lld", count_of(&ptx->totals, 0),
		count_of(&ptx->totals, 1));
	for (size_t i = 0; i < ptx->instructions.count; i++) {
		const struct instruction_record *instruction = &ptx->instructions.items[i];
		fprintf(out, "%s%s %lld / %lld", i ? ", " : ": ", text_or_empty(instruction->name),
			count_of(&instruction->counts, 0), count_of(&instruction->counts, 1));
	}
	fputs(ptx->instructions.count ? "\n" : ": equal counts\n", out);
}

/* ---- The largest differences --------------------------------------------------------------- */

/* "matmul/f16 SLOW 1.202 [1.198, 1.206]", and the builds. */
static void put_difference(FILE *out, const struct summary *summary, size_t index)
{
	const struct parity_row *parity = &summary->document->parity.items[index];
	const struct result_row *const rows[] = {parity_side_row(summary->document, parity, 0),
		parity_side_row(summary->document, parity, 1)};

	if (!rows[0] || !rows[1])
		return;
	char *name = name_of(summary, rows[0]);
	fprintf(out, "  %s %s %.3f", text_or_empty(name),
		parity_verdict_name((enum parity_verdict)parity->verdict),
		summary->scores[index].ratio);
	if (isfinite(parity->ci95[0]))
		fprintf(out, " [%.3f, %.3f]", parity->ci95[0], parity->ci95[1]);
	fputc('\n', out);
	for (size_t i = 0; i < 2; i++)
		put_fields(out, rows[i]->backend, &resources_type, &rows[i]->resources,
			"registers spill_bytes shared_bytes max_block");
	put_ptx(out, &parity->ptx);
	free(name);
}

static void put_worst(FILE *out, const struct summary *summary)
{
	const struct parity_row_list *list = &summary->document->parity;
	size_t worst[PARITY_SUMMARY_WORST];
	size_t count = parity_worst(summary->scores, list->count, PARITY_SUMMARY_WORST, worst);

	if (count == 0)
		fputs("largest differences: none\n", out);
	else
		fprintf(out, "largest differences, %s / %s:\n",
			list->items[worst[0]].backends.items[0],
			list->items[worst[0]].backends.items[1]);
	for (size_t i = 0; i < count; i++)
		put_difference(out, summary, worst[i]);
}

void parity_summary_put(FILE *out, const struct result_document *document)
{
	struct summary summary = {.document = document,
		.scores = calloc(document->parity.count + 1, sizeof *summary.scores)};

	if (!document->results.count || !summary.scores)
		fputs(summary.scores ? "" : "parity: no memory for the summary\n", out);
	else if (fputc('\n', out) && put_verdicts(out, &summary))
		put_worst(out, &summary);
	free(summary.scores);
}

/* ---- Rows ---------------------------------------------------------------------------------- */

/* Not a time limit or a build error: they say nothing about the answer. */
static bool is_wrong(const struct result_row *row)
{
	return row->status == OUTCOME_FAILED || row->status == OUTCOME_LAUNCH_ERROR ||
	       row->status == OUTCOME_CRASHED;
}

/* Whether two rows have the same variant, macros and device. */
static bool same_kernel(const struct result_row *a, const struct result_row *b)
{
	return text_equal(a->family, b->family) && text_equal(a->variant, b->variant) &&
	       text_equal(a->backend, b->backend) && text_equal(a->device, b->device) &&
	       named_list_equal(&a->macros, &b->macros);
}

/* The rows of one variant, and all rows. */
struct evidence {
	const struct result_row_list *all;
	const struct result_row *first; /* first wrong row of the variant */
};

/* ---- Multiples of the tile ------------------------------------------------------------------ */

/* Whether the dimensions of the mask are multiples of the tile. */
static bool fits_tile(const struct result_row *row, int64_t tile, unsigned mask)
{
	bool fits = true;

	for (size_t d = 0; d < row->problem.count; d++)
		if (mask >> d & 1)
			fits = fits && row->problem.items[d].value % tile == 0;
	return fits;
}

/* Whether the right rows of the variant are those that fit the tile. */
static bool separates(const struct evidence *evidence, int64_t tile, unsigned mask)
{
	size_t right = 0, wrong = 0;

	for (size_t i = 0; i < evidence->all->count; i++) {
		const struct result_row *row = &evidence->all->items[i];
		bool ok = row->status == OUTCOME_OK;
		if (!same_kernel(row, evidence->first) || (!ok && !is_wrong(row)))
			continue;
		if (fits_tile(row, tile, mask) != ok)
			return false;
		right += ok;
		wrong += !ok;
	}
	return right > 0 && wrong > 0;
}

static void put_tile(
	FILE *out, const struct evidence *evidence, const struct named_value *macro, unsigned mask)
{
	const struct named_list *dims = &evidence->first->problem;
	size_t count = 0;

	fputs("right only where ", out);
	for (size_t d = 0; d < dims->count; d++)
		if (mask >> d & 1)
			fprintf(out, "%s%s", count++ ? " and " : "", dims->items[d].name);
	fprintf(out, " %s of %s=%lld. Test the indices against the size",
		count > 1 ? "are multiples" : "is a multiple", macro->name,
		(long long)macro->value);
}

/* Finds the largest macro whose multiples are the sizes with a right result. */
static bool put_tile_cause(FILE *out, const struct evidence *evidence)
{
	const struct result_row *first = evidence->first;
	const struct named_value *best = NULL;
	unsigned best_mask = 0;

	for (size_t m = 0; m < first->macros.count; m++) {
		const struct named_value *macro = &first->macros.items[m];
		if (macro->value < 2 || (best && macro->value <= best->value))
			continue;
		for (unsigned mask = (1u << first->problem.count) - 1; mask > 0; mask--)
			if (separates(evidence, macro->value, mask)) {
				best = macro;
				best_mask = mask;
				break;
			}
	}
	if (best)
		put_tile(out, evidence, best, best_mask);
	return best != NULL;
}

/* ---- A wrong compiler ----------------------------------------------------------------------- */

/* Whether two engines ran one source with one problem. */
static bool same_run(const struct result_row *a, const struct result_row *b)
{
	return text_equal(a->family, b->family) && text_equal(a->variant, b->variant) &&
	       text_equal(a->dtype, b->dtype) && text_equal(a->op, b->op) &&
	       text_equal(a->data, b->data) && named_list_equal(&a->problem, &b->problem) &&
	       *text_or_empty(a->build.source_sha256) &&
	       text_equal(a->build.source_sha256, b->build.source_sha256);
}

static bool put_engine_cause(FILE *out, const struct evidence *evidence)
{
	static const char *const emulators[][2] = {{"opencl", "opencl-emu"}, {"cuda", "cuda-emu"}};
	const struct result_row_list *all = evidence->all;
	const char *emulator = NULL;

	if (evidence->first->status != OUTCOME_FAILED)
		return false;
	for (size_t i = 0; i < ARRAY_COUNT(emulators); i++)
		if (text_equal(evidence->first->backend, emulators[i][0]))
			emulator = emulators[i][1];
	for (size_t i = 0; i < all->count && emulator; i++) {
		const struct result_row *row = &all->items[i];
		if (!text_equal(row->backend, emulator) || row->status != OUTCOME_OK ||
			!same_run(row, evidence->first))
			continue;
		fputs("wrong at", out);
		row_put_problem(out, row);
		fprintf(out,
			", but right on %s with the same source: the compiler of %s is suspected. "
			"docs/vendors.md has known faults of drivers",
			emulator, evidence->first->backend);
		return true;
	}
	return false;
}

/* ---- All ----------------------------------------------------------------------------------- */

static bool (*const cause_finders[])(FILE *out, const struct evidence *evidence) = {
	put_tile_cause, put_engine_cause};

static bool is_first_wrong(const struct result_row_list *all, size_t index)
{
	/* Backwards, because the previous wrong row is usually of the same variant. */
	for (size_t i = index; i-- > 0 && is_wrong(&all->items[index]);)
		if (is_wrong(&all->items[i]) && same_kernel(&all->items[i], &all->items[index]))
			return false;
	return is_wrong(&all->items[index]);
}

static void put_causes(FILE *out, const struct result_document *document)
{
	const struct result_row_list *all = &document->results;

	for (size_t i = 0; i < all->count; i++)
		for (size_t c = 0; is_first_wrong(all, i) && c < ARRAY_COUNT(cause_finders); c++) {
			const struct evidence evidence = {all, &all->items[i]};
			const struct result_row *row = &all->items[i];
			char *text = NULL;
			size_t size;
			FILE *found = open_memstream(&text, &size);
			bool is_cause = found && cause_finders[c](found, &evidence);

			if (found)
				fclose(found);
			if (is_cause)
				fprintf(out, "%s/%s on %s: %s\n", text_or_empty(row->family),
					text_or_empty(row->variant), text_or_empty(row->backend),
					text);
			free(text);
		}
}

void device_summary_put(FILE *out, const struct result_document *document, bool causes)
{
	put_devices(out, document);
	if (causes)
		put_causes(out, document);
}
