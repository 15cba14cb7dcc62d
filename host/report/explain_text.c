#include "host/report/explain_text.h"

#include "host/report/flag_marks.h"

#include <math.h>
#include <string.h>

/* ---- Columns ------------------------------------------------------------------------------- */

int explain_text_columns(const struct page_style *style)
{
	if (style->width == 0)
		return PAGE_COLUMNS;
	return style->width > PAGE_MAX_COLUMNS ? PAGE_MAX_COLUMNS : style->width;
}

int explain_text_name_columns(const char *name)
{
	int columns = wrap_columns(name);

	return columns < NAME_COLUMNS ? NAME_COLUMNS : columns + 2;
}

void explain_text_put_name(FILE *out, const struct page_style *style, const char *name)
{
	fputs(style_code(style->colour, STYLE_DIM), out);
	if (wrap_columns(name) < NAME_COLUMNS)
		format_put_padded(out, name, NAME_COLUMNS);
	else
		fprintf(out, "%s: ", name);
	fputs(style_code(style->colour, STYLE_PLAIN), out);
}

void explain_text_put_fact(FILE *out, const struct page_style *style, enum style text_style,
	const char *name, const char *text)
{
	const char *line;
	int length;

	for (;; name = "") {
		int columns = explain_text_columns(style) - explain_text_name_columns(name);
		if ((length = wrap_next(&text, columns, &line)) == 0)
			return;
		explain_text_put_name(out, style, name);
		fprintf(out, "%s%.*s%s\n", style_code(style->colour, text_style), length, line,
			style_code(style->colour, STYLE_PLAIN));
	}
}

/* ---- Appending ----------------------------------------------------------------------------- */

/* Appends `before`, the number and `after`. Appends nothing if the number is not finite (unknown).
 */
static void add_number(char *text, size_t size, const char *before, double value, const char *after)
{
	char number[32];

	if (!isfinite(value))
		return;
	format_number(value, number, sizeof number);
	format_append(text, size, "%s%s%s", before, number, after);
}

/* As add_number(), for a count. A negative count is unknown. */
static void add_count(char *text, size_t size, const char *before, int64_t count, const char *after)
{
	if (count >= 0)
		format_append(text, size, "%s%lld%s", before, (long long)count, after);
}

/* Appends "32 x 8": without trailing extents of 1. */
static void add_extent(char *text, size_t size, const int64_t extent[3])
{
	size_t count = 3;

	while (count > 1 && extent[count - 1] == 1)
		count--;
	for (size_t i = 0; i < count; i++)
		format_append(text, size, "%s%lld", i ? " x " : "", (long long)extent[i]);
}

static bool is_known(const char *text)
{
	return text && *text;
}

void explain_text_head(const struct explanation_record *entry, char *ret_name, size_t name_size,
	char *ret_text, size_t text_size)
{
	const char *const parts[] = {entry->title, entry->problem_text, entry->choices};

	snprintf(ret_name, name_size, "%s/%s", text_or_empty(entry->family),
		is_known(entry->label) ? entry->label : text_or_empty(entry->variant));
	*ret_text = '\0';
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (is_known(parts[i]))
			format_append(ret_text, text_size, "%s%s", *ret_text ? ", " : "", parts[i]);
	for (size_t i = 0; i < entry->macros.count; i++)
		format_append(ret_text, text_size, "%s%s=%lld", *ret_text ? ", " : "",
			entry->macros.items[i].name, (long long)entry->macros.items[i].value);
	if (entry->fallback)
		format_append(ret_text, text_size, "; %s", entry->fallback);
}

void explain_text_file(const struct explanation_record *entry, char *ret_text, size_t size)
{
	static const struct {
		const char *ending, *words;
	} languages[] = {{".cl", "OpenCL kernel "}, {".cu", "CUDA kernel "}};
	const char *file = text_or_empty(entry->file);
	const char *ending = strrchr(file, '.');
	const char *words = "";

	for (size_t i = 0; i < sizeof languages / sizeof *languages; i++)
		if (ending && strcmp(ending, languages[i].ending) == 0)
			words = languages[i].words;
	snprintf(ret_text, size, "%s%s", words, file);
}

void explain_text_defect(const struct defect_record *defect, char *ret_text, size_t size)
{
	long long line = defect->line;
	long long other = defect->other_line;

	snprintf(ret_text, size, "%s", word_text(trace_defect_words, defect->kind));
	if (line > 0 && other > 0 && line != other)
		format_append(ret_text, size, ", lines %lld and %lld", line, other);
	else if (line > 0)
		format_append(ret_text, size, ", line %lld", line);
	format_append(ret_text, size, ": %s", text_or_empty(defect->text));
}

/* ---- Facts of a launch --------------------------------------------------------------------- */

static void launch_text(const struct explanation_record *entry, char *text, size_t size)
{
	const struct launch_record *launch = &entry->launch;
	const struct sampled_record *sampled = &entry->sampled;

	*text = '\0';
	if (!launch->record.present)
		return;
	if (launch->count > 1)
		format_append(text, size, "%lld of %lld: ", (long long)launch->index,
			(long long)launch->count);
	format_append(text, size, "%s, grid ", text_or_empty(launch->kernel));
	add_extent(text, size, launch->grid);
	format_append(text, size, ", block ");
	add_extent(text, size, launch->block);
	if (launch->shared_bytes > 0)
		add_count(
			text, size, ", ", launch->shared_bytes, " bytes of dynamic shared memory");
	if (!sampled->record.present)
		return;
	if (entry->defects.count > 0)
		format_append(text, size, "; %lld of %lld blocks traced, up to the defect",
			(long long)sampled->blocks, (long long)sampled->total);
	else if (sampled->in_part && sampled->total == 1)
		format_append(text, size, "; sampled in part: no totals");
	else if (sampled->in_part)
		format_append(text, size,
			"; %lld of %lld blocks traced, sampled in part: no totals",
			(long long)sampled->blocks, (long long)sampled->total);
	else if (entry->estimated)
		format_append(text, size, "; %lld of %lld blocks traced: totals are estimates",
			(long long)sampled->blocks, (long long)sampled->total);
	else if (sampled->total == 1)
		format_append(text, size, "; traced");
	else
		format_append(text, size, "; all %lld blocks traced", (long long)sampled->total);
}

/* The model is the same for all launches, so only the first launch has it. */
static void model_text(const struct explanation_record *entry, char *text, size_t size)
{
	const struct access_model_record *model = &entry->model;

	*text = '\0';
	if (!model->record.present || entry->launch.index > 1)
		return;
	format_append(text, size, "%s, %lld lanes; sectors of %lld bytes, lines of %lld bytes, ",
		text_or_empty(model->name), (long long)model->width, (long long)model->sector_bytes,
		(long long)model->line_bytes);
	if (model->banks)
		format_append(text, size, "%lld banks of %lld bytes", (long long)model->banks,
			(long long)model->bank_bytes);
	else
		format_append(text, size, "banks unknown");
}

/* The reason is the same for all launches, so only the first launch has it. */
static void no_trace_text(const struct explanation_record *entry, char *text, size_t size)
{
	snprintf(text, size, "%s", entry->launch.index > 1 ? "" : text_or_empty(entry->no_trace));
}

static void divergence_text(const struct explanation_record *entry, char *text, size_t size)
{
	*text = '\0';
	if (entry->warps <= 0)
		return;
	format_append(text, size, "%lld of %lld warps diverge", (long long)entry->divergent_warps,
		(long long)entry->warps);
	if (isfinite(entry->simt_efficiency))
		format_append(
			text, size, "; SIMT efficiency %.1f %%", 100 * entry->simt_efficiency);
}

/* Describes the access with bank conflicts that has the most wavefronts in total. */
static void banks_text(const struct explanation_record *entry, char *text, size_t size)
{
	const struct access_record *worst = NULL;
	double max = 0;
	size_t conflicts = 0;
	bool unknown = false;
	char number[32];

	*text = '\0';
	for (size_t i = 0; i < entry->accesses.count; i++) {
		const struct access_record *access = &entry->accesses.items[i];
		unknown |= access->space == TRACE_SHARED && access->ways < 0;
		if (access->ways <= 1)
			continue;
		double wavefronts = (double)access->requests * access->wavefronts_per_request;
		conflicts++;
		if (wavefronts > max) {
			max = wavefronts;
			worst = access;
		}
	}
	if (unknown)
		format_append(text, size, "unknown: no figure for the banks of %s",
			text_or_empty(entry->model.name));
	if (!worst)
		return;
	format_short(worst->wavefronts_per_request, number, sizeof number);
	format_append(text, size,
		"up to %lld lanes wait for one bank: %s wavefronts per request at line %lld",
		(long long)worst->ways, number, (long long)worst->line);
	if (conflicts > 1)
		format_append(text, size, "; %zu other access%s conflicts", conflicts - 1,
			conflicts == 2 ? " has" : "es have");
}

static void bytes_text(const struct explanation_record *entry, char *text, size_t size)
{
	const struct totals_record *totals = &entry->totals;
	const struct {
		const char *name;
		double requested, moved;
	} ways[] = {
		{"loads", totals->bytes_loaded_requested, totals->bytes_loaded_moved},
		{"stores", totals->bytes_stored_requested, totals->bytes_stored_moved},
		{"atomics", totals->bytes_atomic_requested, totals->bytes_atomic_moved},
	};
	char moved[40];
	char requested[40];

	*text = '\0';
	if (!totals->record.present)
		return;
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		if (!(ways[i].moved > 0))
			continue;
		format_bytes(ways[i].moved, moved, sizeof moved);
		format_bytes(ways[i].requested, requested, sizeof requested);
		format_append(text, size, "%s%s transfer %s for %s requested", *text ? ", " : "",
			ways[i].name, moved, requested);
	}
	if (!(totals->bytes_compulsory > 0))
		return;
	format_bytes(totals->bytes_compulsory, moved, sizeof moved);
	format_append(text, size, "%s%s compulsory", *text ? "; " : "", moved);
	if (totals->estimated)
		format_append(text, size, " (estimates)");
}

static void resources_text(const struct explanation_record *entry, char *text, size_t size)
{
	const struct resources_record *resources = &entry->resources;

	*text = '\0';
	if (!resources->record.present) {
		if (is_known(entry->no_resources))
			format_append(text, size, "unknown: %s", entry->no_resources);
		return;
	}
	add_count(text, size, "", resources->registers, " registers");
	add_count(text, size, *text ? ", " : "", resources->shared_bytes, " bytes shared");
	add_count(text, size, ", ", resources->sgprs, " scalar registers");
	add_count(text, size, ", ", resources->accvgprs, " AccVGPRs");
	if (resources->spill_bytes > 0)
		add_count(text, size, ", ", resources->spill_bytes, " bytes spilled");
	add_count(text, size, ", blocks of up to ", resources->max_block, " threads");
	if (is_known(resources->source))
		format_append(text, size, " (%s)", resources->source);
}

static void occupancy_text(const struct explanation_record *entry, char *text, size_t size)
{
	const struct occupancy_record *occupancy = &entry->occupancy;
	const char *before = "; limited by ";

	*text = '\0';
	if (!occupancy->record.present)
		return;
	format_append(text, size, "%.1f %%: %lld block%s, %lld threads, %lld warps per %s",
		100 * occupancy->ratio, (long long)occupancy->blocks,
		occupancy->blocks == 1 ? "" : "s", (long long)occupancy->threads,
		(long long)occupancy->warps,
		is_known(occupancy->unit) ? occupancy->unit : "multiprocessor");
	if (occupancy->simd_warps >= 0)
		format_append(text, size, ", up to %lld on each %s",
			(long long)occupancy->simd_warps, text_or_empty(occupancy->simd));
	for (int i = 0; i < OCCUPANCY_LIMIT_COUNT; i++) {
		if (!(occupancy->limited_by >> i & 1))
			continue;
		format_append(text, size, "%s%s", before, occupancy_limit_words[i]);
		before = ", ";
	}
	if (is_known(occupancy->target))
		format_append(text, size, " (%s)", occupancy->target);
}

const struct fact launch_facts[] = {
	{"launch", launch_text},
	{"model", model_text},
	{"no trace", no_trace_text},
};
const size_t launch_fact_count = sizeof launch_facts / sizeof *launch_facts;

const struct fact traced_facts[] = {
	{"divergence", divergence_text},
	{"banks", banks_text},
	{"bytes", bytes_text},
	{"resources", resources_text},
	{"occupancy", occupancy_text},
};
const size_t traced_fact_count = sizeof traced_facts / sizeof *traced_facts;

/* ---- Facts of a variant -------------------------------------------------------------------- */

static void intensity_text(const struct explanation_record *entry, char *text, size_t size)
{
	const struct intensity_record *intensity = &entry->intensity;

	*text = '\0';
	if (intensity->compulsory == 0) {
		format_append(text, size, "no arithmetic");
		return;
	}
	add_number(text, size, "compulsory ", intensity->compulsory, "");
	add_number(text, size, ", issued ", intensity->issued, "");
	add_number(text, size, ", traced ", intensity->requested, "");
	add_number(text, size, " (of global loads ", intensity->loads, ")");
	add_number(text, size, ", in sectors ", intensity->moved, "");
	if (*text)
		format_append(text, size, " FLOP per byte");
	add_number(text, size, "; ridge ", entry->roofs.ridge, "");
}

static void limit_text(const struct explanation_record *entry, char *text, size_t size)
{
	const char *limit = limited_by_name((enum limited_by)entry->limited_by);

	*text = '\0';
	if (limit && entry->limit_predicted)
		format_append(
			text, size, "predicted: %s; %s", limit, text_or_empty(entry->limit_text));
	else if (limit || is_known(entry->limit_text))
		format_append(text, size, "%s: %s", limit ? limit : "unknown",
			text_or_empty(entry->limit_text));
}

/* Appends ", 3210 of 4234 GB/s", where the second number is the attainable rate. Appends nothing
 * for a rate of 0. */
static void add_rate(char *text, size_t size, double rate, double attainable, const char *unit)
{
	if (!(rate > 0))
		return;
	add_number(text, size, ", ", rate, "");
	add_number(text, size, " of ", attainable, "");
	format_append(text, size, " %s", unit);
}

static void measured_text(const struct explanation_record *entry, char *text, size_t size)
{
	const struct measured_record *measured = &entry->measured;
	char marks[FLAG_MARKS_BYTES];
	char words[40];

	*text = '\0';
	if (!measured->record.present)
		return;
	if (measured->status != OUTCOME_OK) {
		format_status(measured->status, words, sizeof words);
		format_append(text, size, "%s", words);
	} else {
		format_ns(measured->ns, words, sizeof words);
		flag_marks_format(measured->flags, marks);
		format_append(text, size, "%s%s", words, marks);
		add_rate(text, size, measured->gbps, measured->attainable_gbps, "GB/s");
		add_rate(text, size, measured->gflops, measured->attainable_gflops, "GFLOP/s");
		if (isfinite(measured->fraction_of_roof))
			format_append(text, size, ", %.0f %% of the roof",
				100 * measured->fraction_of_roof);
	}
	format_append(text, size, " at %s on %s (%s)", text_or_empty(measured->problem_text),
		text_or_empty(measured->device_name), text_or_empty(measured->backend));
}

static void not_measured_text(const struct explanation_record *entry, char *text, size_t size)
{
	snprintf(text, size, "%s",
		entry->measured.record.present ? "" : text_or_empty(entry->no_measurement));
}

/* "! throttled: ...; ~ noisy: ...": the marks of the measured time. */
static void flags_text(const struct explanation_record *entry, char *text, size_t size)
{
	const struct measured_record *measured = &entry->measured;

	snprintf(text, size, "%s", measured->record.present ? text_or_empty(measured->load) : "");
	for (unsigned i = 0; i < FLAG_MARK_COUNT && measured->record.present; i++)
		if (measured->flags >> i & 1)
			format_append(text, size, "%s%s %s: %s", *text ? "; " : "",
				flag_marks[i].mark, flag_marks[i].name, flag_marks[i].meaning);
}

static void next_text(const struct explanation_record *entry, char *text, size_t size)
{
	const struct next_record *next = &entry->next;

	*text = '\0';
	if (!next->record.present)
		return;
	format_append(text, size, "%s (%s): %s", text_or_empty(next->variant),
		text_or_empty(next->technique), text_or_empty(next->idea));
	if (is_known(next->claim))
		format_append(text, size, "; claim (speed): %s", next->claim);
}

const struct fact variant_facts[] = {
	{"intensity", intensity_text},
	{"limited by", limit_text},
	{"measured", measured_text},
	{"not measured", not_measured_text},
	{"flags", flags_text},
	{"next rung", next_text},
};
const size_t variant_fact_count = sizeof variant_facts / sizeof *variant_facts;

/* ---- Checklist ----------------------------------------------------------------------------- */

void explain_text_checklist(
	const struct explanation_record *entry, enum check_state state, char *ret_text, size_t size)
{
	*ret_text = '\0';
	for (size_t i = 0; i < entry->checklist.count; i++) {
		const struct check_record *check = &entry->checklist.items[i];
		if (check->state == (int)state)
			format_append(ret_text, size, "%s%s", *ret_text ? ", " : "",
				word_text(check_item_words, check->item));
	}
}
