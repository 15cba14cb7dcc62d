#include "host/cli/explain_text.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* ---- Columns ------------------------------------------------------------------------------- */

static bool is_continuation(char byte)
{
	return (byte & 0xc0) == 0x80;
}

int text_wrap(const char **text, int columns, const char **ret_line)
{
	const char *start = *text + strspn(*text, " ");
	const char *blank = NULL;
	const char *end = start;

	for (int used = 0; *end; end++) {
		used += !is_continuation(*end);
		if (*end == ' ')
			blank = end;
		if (used > columns)
			break;
	}
	if (*end && blank)
		end = blank;
	*ret_line = start;
	*text = end;
	return (int)(end - start);
}

void text_cut(const char *text, int columns, char *ret_text, size_t size)
{
	size_t used = 0;
	size_t last = 0; /* where the last column that leaves room for an ellipsis ends */
	int column = 0;

	for (text += strspn(text, " \t"); *text && used + sizeof "…" < size; text++) {
		if (!is_continuation(*text) && ++column > columns)
			break;
		ret_text[used++] = *text == '\t' ? ' ' : *text;
		if (column < columns)
			last = used;
	}
	ret_text[used] = '\0';
	if (*text)
		snprintf(ret_text + last, size - last, "…");
}

void put_fact(FILE *out, const struct page_style *style, enum style text_style, const char *name,
	const char *text)
{
	const char *line;
	int length;

	for (; (length = text_wrap(&text, PAGE_COLUMNS - NAME_COLUMNS, &line)) > 0; name = "") {
		fputs(style_code(style->colour, STYLE_DIM), out);
		put_padded(out, name, NAME_COLUMNS);
		fputs(style_code(style->colour, STYLE_PLAIN), out);
		fprintf(out, "%s%.*s%s\n", style_code(style->colour, text_style), length, line,
			style_code(style->colour, STYLE_PLAIN));
	}
}

/* ---- Pieces -------------------------------------------------------------------------------- */

/* Adds to the text; what does not fit is cut. */
static void __attribute__((format(printf, 3, 4)))
add(char *text, size_t size, const char *format, ...)
{
	size_t used = strlen(text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text + used, size - used, format, arguments);
	va_end(arguments);
}

static double number_of(const json_t *object, const char *field)
{
	const json_t *value = json_object_get(object, field);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Adds "before", the number and "behind"; nothing where there is none. */
static void add_number(
	char *text, size_t size, const char *before, double value, const char *behind)
{
	char number[32];

	if (!isfinite(value))
		return;
	format_number(value, number, sizeof number);
	add(text, size, "%s%s%s", before, number, behind);
}

static void add_count(char *text, size_t size, const char *before, double value, const char *behind)
{
	if (isfinite(value))
		add(text, size, "%s%.0f%s", before, value, behind);
}

/* "32 x 8": without the ones behind. */
static void add_extent(char *text, size_t size, const json_t *extent)
{
	size_t count = json_array_size(extent);

	while (count > 1 && json_integer_value(json_array_get(extent, count - 1)) == 1)
		count--;
	for (size_t i = 0; i < count; i++)
		add(text, size, "%s%lld", i ? " x " : "",
			(long long)json_integer_value(json_array_get(extent, i)));
}

void explain_head(
	const json_t *entry, char *ret_name, size_t name_size, char *ret_text, size_t text_size)
{
	const char *const parts[] = {"title", "problem_text", "choices"};
	json_t *macros = json_object_get(entry, "macros");
	const char *macro;
	json_t *value;

	snprintf(ret_name, name_size, "%s/%s", row_text(entry, "family"),
		*row_text(entry, "label") ? row_text(entry, "label") : row_text(entry, "variant"));
	*ret_text = '\0';
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (*row_text(entry, parts[i]))
			add(ret_text, text_size, "%s%s", *ret_text ? ", " : "",
				row_text(entry, parts[i]));
	json_object_foreach(macros, macro, value) add(ret_text, text_size, "%s%s=%lld",
		*ret_text ? ", " : "", macro, (long long)json_integer_value(value));
}

void defect_text(const json_t *defect, char *ret_text, size_t size)
{
	double line = number_of(defect, "line");
	double other = number_of(defect, "other_line");

	snprintf(ret_text, size, "%s", row_text(defect, "kind"));
	if (line > 0 && other > 0 && line != other)
		add(ret_text, size, ", lines %.0f and %.0f", line, other);
	else if (line > 0)
		add(ret_text, size, ", line %.0f", line);
	add(ret_text, size, ": %s", row_text(defect, "text"));
}

/* ---- Facts of a launch --------------------------------------------------------------------- */

static void launch_text(const json_t *entry, char *text, size_t size)
{
	const json_t *launch = json_object_get(entry, "launch");
	const json_t *sampled = json_object_get(entry, "sampled");

	*text = '\0';
	if (!json_is_object(launch))
		return;
	if (number_of(launch, "count") > 1)
		add(text, size, "%.0f of %.0f: ", number_of(launch, "index"),
			number_of(launch, "count"));
	add(text, size, "%s, grid ", row_text(launch, "kernel"));
	add_extent(text, size, json_object_get(launch, "grid"));
	add(text, size, ", block ");
	add_extent(text, size, json_object_get(launch, "block"));
	if (number_of(launch, "shared_bytes") > 0)
		add_count(text, size, ", ", number_of(launch, "shared_bytes"),
			" bytes of dynamic shared memory");
	if (json_is_object(sampled) && json_is_true(json_object_get(entry, "estimated")))
		add(text, size, "; %.0f of %.0f blocks traced: totals are estimates",
			number_of(sampled, "blocks"), number_of(sampled, "total"));
	else if (json_is_object(sampled) && number_of(sampled, "total") == 1)
		add(text, size, "; traced");
	else if (json_is_object(sampled))
		add(text, size, "; all %.0f blocks traced", number_of(sampled, "total"));
}

/* Of the variant: it stands below its first launch. */
static void no_trace_text(const json_t *entry, char *text, size_t size)
{
	double index = number_of(json_object_get(entry, "launch"), "index");

	snprintf(text, size, "%s", index > 1 ? "" : row_text(entry, "no_trace"));
}

static void divergence_text(const json_t *entry, char *text, size_t size)
{
	*text = '\0';
	if (!(number_of(entry, "warps") > 0))
		return;
	add(text, size, "%.0f of %.0f warps diverge", number_of(entry, "divergent_warps"),
		number_of(entry, "warps"));
	if (isfinite(number_of(entry, "simt_efficiency")))
		add(text, size, "; SIMT efficiency %.1f %%",
			100 * number_of(entry, "simt_efficiency"));
}

/* Of the access that waits longest: wavefronts over those that it could do with. */
static void banks_text(const json_t *entry, char *text, size_t size)
{
	const json_t *access;
	const json_t *worst = NULL;
	double most = 0;
	size_t conflicts = 0;
	char taken[32];
	size_t i;

	*text = '\0';
	json_array_foreach(json_object_get(entry, "accesses"), i, access)
	{
		if (!(number_of(access, "ways") > 1))
			continue;
		double waits =
			number_of(access, "requests") * number_of(access, "wavefronts_per_request");
		conflicts++;
		if (waits > most) {
			most = waits;
			worst = access;
		}
	}
	if (!worst)
		return;
	format_short(number_of(worst, "wavefronts_per_request"), taken, sizeof taken);
	add(text, size, "up to %.0f lanes wait for one bank: %s wavefronts a request at line %.0f",
		number_of(worst, "ways"), taken, number_of(worst, "line"));
	if (conflicts > 1)
		add(text, size, ", and %zu more", conflicts - 1);
}

static void bytes_text(const json_t *entry, char *text, size_t size)
{
	static const struct {
		const char *name, *requested, *moved;
	} ways[] = {
		{"loads", "bytes_loaded_requested", "bytes_loaded_moved"},
		{"stores", "bytes_stored_requested", "bytes_stored_moved"},
		{"atomics", "bytes_atomic_requested", "bytes_atomic_moved"},
	};
	const json_t *totals = json_object_get(entry, "totals");
	char moved[40];
	char asked[40];

	*text = '\0';
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		if (!(number_of(totals, ways[i].moved) > 0))
			continue;
		format_bytes(number_of(totals, ways[i].moved), moved, sizeof moved);
		format_bytes(number_of(totals, ways[i].requested), asked, sizeof asked);
		add(text, size, "%s%s move %s for %s", *text ? ", " : "", ways[i].name, moved,
			asked);
	}
	if (!(number_of(totals, "bytes_compulsory") > 0))
		return;
	format_bytes(number_of(totals, "bytes_compulsory"), moved, sizeof moved);
	add(text, size, "%s%s compulsory", *text ? "; " : "", moved);
	if (json_is_true(json_object_get(totals, "estimated")))
		add(text, size, " (estimates)");
}

static void resources_text(const json_t *entry, char *text, size_t size)
{
	const json_t *resources = json_object_get(entry, "resources");

	*text = '\0';
	if (!json_is_object(resources)) {
		if (*row_text(entry, "no_resources"))
			add(text, size, "unknown: %s", row_text(entry, "no_resources"));
		return;
	}
	add_count(text, size, "", number_of(resources, "registers"), " registers");
	add_count(text, size, *text ? ", " : "", number_of(resources, "shared_bytes"),
		" bytes shared");
	if (number_of(resources, "spill_bytes") > 0)
		add_count(text, size, ", ", number_of(resources, "spill_bytes"), " bytes spilled");
	add_count(text, size, ", blocks of up to ", number_of(resources, "max_block"), " threads");
	if (*row_text(resources, "source"))
		add(text, size, " (%s)", row_text(resources, "source"));
}

static void occupancy_text(const json_t *entry, char *text, size_t size)
{
	const json_t *occupancy = json_object_get(entry, "occupancy");
	const json_t *limit;
	size_t i;

	*text = '\0';
	if (!json_is_object(occupancy))
		return;
	double blocks = number_of(occupancy, "blocks");
	add(text, size, "%.1f %%: %.0f block%s, %.0f threads, %.0f warps a multiprocessor",
		100 * number_of(occupancy, "ratio"), blocks, blocks == 1 ? "" : "s",
		number_of(occupancy, "threads"), number_of(occupancy, "warps"));
	json_array_foreach(json_object_get(occupancy, "limited_by"), i, limit)
		add(text, size, "%s%s", i ? ", " : "; limited by ", json_string_value(limit));
	if (*row_text(occupancy, "target"))
		add(text, size, " (%s)", row_text(occupancy, "target"));
}

const struct fact launch_facts[] = {
	{"launch", launch_text},
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

static void intensity_text(const json_t *entry, char *text, size_t size)
{
	const json_t *intensity = json_object_get(entry, "intensity");

	*text = '\0';
	if (number_of(intensity, "compulsory") == 0) {
		add(text, size, "no arithmetic");
		return;
	}
	add_number(text, size, "compulsory ", number_of(intensity, "compulsory"), "");
	add_number(text, size, ", issued ", number_of(intensity, "issued"), "");
	add_number(text, size, ", traced ", number_of(intensity, "requested"), "");
	add_number(text, size, " (of global loads ", number_of(intensity, "loads"), ")");
	add_number(text, size, ", in sectors ", number_of(intensity, "moved"), "");
	if (*text)
		add(text, size, " FLOP a byte");
	add_number(text, size, "; ridge ", number_of(json_object_get(entry, "roofs"), "ridge"), "");
}

static void limit_text(const json_t *entry, char *text, size_t size)
{
	const json_t *roofs = json_object_get(entry, "roofs");

	*text = '\0';
	if (!*row_text(entry, "limited_by"))
		return;
	add(text, size, "%s: %s", row_text(entry, "limited_by"), row_text(entry, "limit_text"));
	if (*row_text(roofs, "name"))
		add(text, size, " (roofs of %s%s)", row_text(roofs, "name"),
			json_is_true(json_object_get(roofs, "measured")) ? "" : ", for reference");
}

/* "3210 of 4234 GB/s attainable": only what counts something. */
static void add_rate(char *text, size_t size, const json_t *measured, const char *got,
	const char *attainable, const char *unit)
{
	if (!(number_of(measured, got) > 0))
		return;
	add_number(text, size, ", ", number_of(measured, got), "");
	add_number(text, size, " of ", number_of(measured, attainable), "");
	add(text, size, " %s", unit);
}

static void measured_text(const json_t *entry, char *text, size_t size)
{
	const json_t *measured = json_object_get(entry, "measured");
	char ns[40];

	*text = '\0';
	if (!json_is_object(measured)) {
		if (*row_text(entry, "no_measurement"))
			add(text, size, "nothing: %s", row_text(entry, "no_measurement"));
		return;
	}
	if (strcmp(row_text(measured, "status"), "ok") != 0) {
		status_words(row_text(measured, "status"), ns, sizeof ns);
		add(text, size, "%s", ns);
	} else {
		format_ns(number_of(measured, "ns"), ns, sizeof ns);
		add(text, size, "%s", ns);
		add_rate(text, size, measured, "gbps", "attainable_gbps", "GB/s");
		add_rate(text, size, measured, "gflops", "attainable_gflops", "GFLOP/s");
		if (isfinite(number_of(measured, "fraction_of_roof")))
			add(text, size, ", %.0f %% of the roof",
				100 * number_of(measured, "fraction_of_roof"));
	}
	add(text, size, " at %s on %s (%s)", row_text(measured, "problem_text"),
		row_text(measured, "device_name"), row_text(measured, "backend"));
}

static void next_text(const json_t *entry, char *text, size_t size)
{
	const json_t *next = json_object_get(entry, "next");

	*text = '\0';
	if (!json_is_object(next))
		return;
	add(text, size, "%s (%s): %s", row_text(next, "variant"), row_text(next, "technique"),
		row_text(next, "idea"));
	if (*row_text(next, "claim"))
		add(text, size, "; claim: %s", row_text(next, "claim"));
}

const struct fact variant_facts[] = {
	{"intensity", intensity_text},
	{"limited by", limit_text},
	{"measured", measured_text},
	{"next rung", next_text},
};
const size_t variant_fact_count = sizeof variant_facts / sizeof *variant_facts;

/* ---- Checklist ----------------------------------------------------------------------------- */

void checklist_names(const json_t *entry, const char *state, char *ret_text, size_t size)
{
	const json_t *check;
	size_t i;

	*ret_text = '\0';
	json_array_foreach(json_object_get(entry, "checklist"), i, check)
	{
		if (strcmp(row_text(check, "state"), state) == 0)
			add(ret_text, size, "%s%s", *ret_text ? ", " : "", row_text(check, "item"));
	}
}
