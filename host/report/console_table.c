#include "host/report/console.h"

#include <math.h>
#include <string.h>

/* Negative widths are right-aligned; LABEL and TECHNIQUE grow with what the group holds. */
static const struct {
	const char *title;
	int width;
} columns[COLUMN_COUNT] = {
	[COL_LABEL] = {"variant", 7},
	[COL_TECHNIQUE] = {"technique", 9},
	[COL_CHECK] = {"check", 7},
	[COL_MEDIAN] = {"median", -8},
	[COL_NOTCH] = {"±", -5},
	[COL_RATE] = {"GFLOP/s", -7},
	[COL_METRIC] = {"", 0},
	[COL_ROOF] = {"%roof", -6},
	[COL_LIMIT] = {"limited by", 10},
	[COL_STEP] = {"step", -6},
	[COL_TOTAL] = {"total", -6},
	[COL_CLAIM] = {"claim", 0},
};

static const struct {
	const char *title;
	int width;
} parity_columns[] = {
	{"opencl", -8}, {"cuda", -8}, {"ratio", -6}, {"95 %", 14}, {"verdict", 8}, {"bits", 0}};

static int longer(int width, const char *text)
{
	return (int)strlen(text) > width ? (int)strlen(text) : width;
}

/* ---- Roofs --------------------------------------------------------------------------------- */

static const struct {
	const char *title, *object, *field, *unit;
} roof_lines[] = {
	{"copy (read + write)", "roofs", "copy_gbps", "GB/s"},
	{"read", "roofs", "read_gbps", "GB/s"},
	{"fma, f32", "fma_gflops", "f32", "GFLOP/s"},
	{"shared memory", "roofs", "shared_gbps", "GB/s"},
	{"host to device", "roofs", "h2d_gbps", "GB/s"},
	{"device to host", "roofs", "d2h_gbps", "GB/s"},
};

void table_roofs(struct console *console)
{
	const json_t *device = json_object_get(console->device, "device");
	const json_t *roofs = json_object_get(device, "roofs");
	FILE *out = console->out;
	char text[32];

	fprintf(out, "%s%s %s%s\n", style_code(console->colour, STYLE_BOLD),
		row_text(console->device, "label"), row_text(device, "name"),
		style_code(console->colour, STYLE_PLAIN));
	for (size_t i = 0; i < sizeof roof_lines / sizeof *roof_lines; i++) {
		bool direct = strcmp(roof_lines[i].object, "roofs") == 0;
		format_number(row_number(direct ? device : roofs, roof_lines[i].object,
				      roof_lines[i].field),
			text, sizeof text);
		fprintf(out, "  %-20s %9s %s\n", roof_lines[i].title, text, roof_lines[i].unit);
	}
	format_ns(row_number(device, "timer", "timer_resolution_ns"), text, sizeof text);
	fprintf(out, "  %-20s %s\n", "timer resolution", text);
	format_ns(row_number(device, "timer", "empty_launch_ns"), text, sizeof text);
	fprintf(out, "  %-20s %s\n", "empty kernel", text);
}

/* ---- Header -------------------------------------------------------------------------------- */

static void put_roofs(const struct console *console)
{
	const json_t *device = json_object_get(console->device, "device");
	const json_t *roofs = json_object_get(device, "roofs");
	double fma = row_number(roofs, "fma_gflops", "f32");
	double copy = row_number(device, "roofs", "copy_gbps");
	char copy_text[32];
	char fma_text[32];

	if (!isfinite(fma) && !isfinite(copy))
		return;
	format_number(copy, copy_text, sizeof copy_text);
	format_number(fma, fma_text, sizeof fma_text);
	fprintf(console->out, "      roofs: %s GB/s copy, %s GFLOP/s fma (measured", copy_text,
		fma_text);
	double age_s = row_number(device, "roofs", "age_s");
	if (age_s >= 86400)
		fprintf(console->out, " %.0f days ago", age_s / 86400);
	else if (age_s >= 60)
		fprintf(console->out, " %.0f min ago", age_s / 60);
	fputc(')', console->out);
}

/* "PoCL 3.1+debian" of "3.1+debian, OpenCL 3.0 PoCL 3.1+debian  Linux, RELOC, ...": OpenCL's
 * platform version begins so by its specification, and the rest is for files. */
static void short_driver(const char *driver, char *text, size_t size)
{
	const char *start = strstr(driver, "OpenCL ");

	if (start) {
		start += strlen("OpenCL ");
		start += strspn(start, "0123456789. ");
	}
	if (!start || !*start)
		start = driver;
	const char *blanks = strstr(start, "  ");
	size_t length = strcspn(start, ",");
	if (blanks && (size_t)(blanks - start) < length)
		length = (size_t)(blanks - start);
	snprintf(text, size, "%.*s", (int)length, start);
}

/* A column of its own only for families that have such a figure. */
static bool has_column(const struct console *console, int column)
{
	return column != COL_METRIC || *row_text(console->group, "metric_name");
}

static void put_titles(struct console *console)
{
	bool parity = strcmp(row_text(console->group, "action"), "parity") == 0;
	bool bandwidth = strcmp(row_text(console->group, "metric"), "gbps") == 0;
	FILE *out = console->out;

	fputs(style_code(console->colour, STYLE_BOLD), out);
	put_padded(out, columns[COL_LABEL].title, console->widths[COL_LABEL]);
	if (parity) {
		for (size_t i = 0; i < sizeof parity_columns / sizeof *parity_columns; i++) {
			fputs("  ", out);
			put_padded(out, parity_columns[i].title, parity_columns[i].width);
		}
	} else {
		for (int i = COL_TECHNIQUE; i < COLUMN_COUNT; i++) {
			if (!has_column(console, i))
				continue;
			fputs("  ", out);
			put_padded(out,
				i == COL_METRIC ? row_text(console->group, "metric_name")
				: i == COL_RATE && bandwidth ? "GB/s"
							     : columns[i].title,
				console->widths[i]);
		}
	}
	fprintf(out, "%s\n", style_code(console->colour, STYLE_PLAIN));
}

void table_begin(struct console *console)
{
	const json_t *group = console->group;
	const json_t *row;
	size_t i;
	char driver[64];
	FILE *out = console->out;

	for (int c = 0; c < COLUMN_COUNT; c++)
		console->widths[c] = columns[c].width;
	console->widths[COL_METRIC] = -longer(7, row_text(group, "metric_name"));
	json_array_foreach(json_object_get(group, "rows"), i, row)
	{
		int *widths = console->widths;
		widths[COL_LABEL] = longer(widths[COL_LABEL], row_text(row, "label"));
		widths[COL_TECHNIQUE] = longer(widths[COL_TECHNIQUE], row_text(row, "technique"));
	}
	if (console->table_count++ > 0)
		fputc('\n', out);
	console_wipe(console);
	fprintf(out, "%s  %s  %s  %s      %s", row_text(group, "family"), row_text(group, "title"),
		row_text(group, "choices"), row_text(group, "problem"), row_text(group, "device"));
	if (*row_text(group, "other"))
		fprintf(out, " against %s", row_text(group, "other"));
	short_driver(row_text(group, "driver"), driver, sizeof driver);
	fprintf(out, " %s (%s)", row_text(group, "device_name"), driver);
	put_roofs(console);
	fputc('\n', out);
	put_titles(console);
}

/* ---- Rows ---------------------------------------------------------------------------------- */

typedef char cell_text[64];

static void format_claim(const struct console *console, const json_t *row, char *text, size_t size)
{
	const json_t *claim = json_object_get(row, "claim");
	const json_t *holds = json_object_get(claim, "holds");

	if (!json_is_object(claim))
		snprintf(text, size, "%s", "");
	else if (!json_is_boolean(holds))
		snprintf(text, size, "n/a");
	else
		snprintf(text, size, "%s%s%s",
			style_code(
				console->colour, json_is_true(holds) ? STYLE_GREEN : STYLE_YELLOW),
			json_is_true(holds) ? "holds" : "does not hold",
			style_code(console->colour, STYLE_PLAIN));
}

static void fill_cells(
	const struct console *console, const json_t *row, cell_text cells[COLUMN_COUNT])
{
	bool bandwidth = strcmp(row_text(console->group, "metric"), "gbps") == 0;
	const char *limit = row_text(json_object_get(row, "derived"), "limited_by");
	size_t size = sizeof(cell_text);

	snprintf(cells[COL_CHECK], size, "ok %.2f", row_number(row, "verify", "max_ratio"));
	format_ns(row_median_ns(row), cells[COL_MEDIAN], size);
	format_percent(100 * row_notch(row), cells[COL_NOTCH], size);
	format_number(
		row_number(row, "derived", bandwidth ? "gbps" : "gflops"), cells[COL_RATE], size);
	format_number(row_number(row, "derived", "metric"), cells[COL_METRIC], size);
	format_percent(row_number(row, "derived", "pct_roof"), cells[COL_ROOF], size);
	snprintf(cells[COL_LIMIT], size, "%s", *limit ? limit : "-");
	format_factor(row_number(row, "derived", "step"), cells[COL_STEP], size);
	format_factor(row_number(row, "derived", "total"), cells[COL_TOTAL], size);
	format_claim(console, row, cells[COL_CLAIM], size);
}

static void put_status(struct console *console, const json_t *row, bool styled)
{
	const char *status = row_text(row, "status");
	const char *reason = strcmp(status, "ok") == 0 ? "" : row_text(row, "reason");
	char words[32];

	status_words(status, words, sizeof words);
	if (styled)
		fputs(style_code(console->colour, word_style(status)), console->out);
	fprintf(console->out, "%s%s%s", words, *reason ? ": " : "", reason);
	if (styled)
		fputs(style_code(console->colour, STYLE_PLAIN), console->out);
}

void table_row(struct console *console, const char *label, const json_t *row)
{
	cell_text cells[COLUMN_COUNT] = {{0}};
	bool ok = strcmp(row_text(row, "status"), "ok") == 0;
	FILE *out = console->out;
	enum style style = ok ? STYLE_PLAIN : word_style(row_text(row, "status"));

	if (!ok)
		fputs(style_code(console->colour, style), out);
	put_padded(out, label, console->widths[COL_LABEL]);
	fputs("  ", out);
	put_padded(out, row_text(row, "technique"), console->widths[COL_TECHNIQUE]);
	fputs("  ", out);
	if (!ok) {
		put_status(console, row, false);
		fprintf(out, "%s\n", style_code(console->colour, STYLE_PLAIN));
		return;
	}
	fill_cells(console, row, cells);
	/* The last column with text is not padded: no blanks at the end of a line. */
	int last = COLUMN_COUNT - 1;
	while (!cells[last][0])
		last--;
	for (int i = COL_CHECK; i <= last; i++) {
		if (!has_column(console, i))
			continue;
		fputs(i == COL_CHECK ? "" : "  ", out);
		put_padded(out, cells[i],
			i == last && console->widths[i] > 0 ? 0 : console->widths[i]);
	}
	fputc('\n', out);
}

/* ---- Parity -------------------------------------------------------------------------------- */

static void put_sides(struct console *console, const json_t *rows)
{
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		fprintf(console->out, "%s%s ", i ? "; " : "  ", row_text(row, "backend"));
		put_status(console, row, true);
	}
	fputc('\n', console->out);
}

void table_parity(
	struct console *console, const char *label, const json_t *parity, const json_t *rows)
{
	const json_t *a = json_array_get(rows, 0);
	const json_t *b = json_array_get(rows, 1);
	bool ok = strcmp(row_text(a, "status"), "ok") == 0 &&
		  strcmp(row_text(b, "status"), "ok") == 0;
	cell_text cells[sizeof parity_columns / sizeof *parity_columns] = {{0}};
	const json_t *interval = json_object_get(parity, "ci95");
	double ratio = json_number_value(json_object_get(parity, "ratio"));

	put_padded(console->out, label, console->widths[COL_LABEL]);
	if (!ok) {
		put_sides(console, rows);
		return;
	}
	bool timed = json_is_number(json_object_get(parity, "ratio"));
	format_ns(row_median_ns(a), cells[0], sizeof *cells);
	format_ns(row_median_ns(b), cells[1], sizeof *cells);
	snprintf(cells[2], sizeof *cells, timed ? "%.3f" : "-", ratio);
	snprintf(cells[3], sizeof *cells, timed ? "[%.3f, %.3f]" : "-",
		json_number_value(json_array_get(interval, 0)),
		json_number_value(json_array_get(interval, 1)));
	snprintf(cells[4], sizeof *cells, "%s", timed ? row_text(parity, "verdict") : "-");
	snprintf(cells[5], sizeof *cells, "%s",
		json_is_true(json_object_get(parity, "bit_identical")) ? "identical" : "differ");
	for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
		fputs("  ", console->out);
		put_padded(console->out, cells[i], parity_columns[i].width);
	}
	fputc('\n', console->out);
}
