#include "host/report/console.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- Formatting ---------------------------------------------------------------------------- */

enum style word_style(const char *status)
{
	static const struct {
		const char *status;
		enum style style;
	} styles[] = {
		{"failed", STYLE_RED},
		{"build_error", STYLE_YELLOW},
		{"launch_error", STYLE_YELLOW},
		{"timeout", STYLE_YELLOW},
		{"crashed", STYLE_YELLOW},
	};

	for (size_t i = 0; i < sizeof styles / sizeof *styles; i++)
		if (strcmp(styles[i].status, status) == 0)
			return styles[i].style;
	return STYLE_DIM;
}

void status_words(const char *status, char *text, size_t size)
{
	snprintf(text, size, "%s", status);
	for (char *c = text; *c; c++)
		if (*c == '_')
			*c = ' ';
}

/* ---- Rows ---------------------------------------------------------------------------------- */

static double number_of(const json_t *value)
{
	return json_is_number(value) ? json_number_value(value) : NAN;
}

double row_number(const json_t *row, const char *object, const char *field)
{
	return number_of(json_object_get(json_object_get(row, object), field));
}

static const json_t *primary_samples(const json_t *row)
{
	const json_t *timing = json_object_get(row, "timing");
	const char *primary = json_string_value(json_object_get(timing, "primary"));

	return primary ? json_object_get(timing, primary) : NULL;
}

double row_median_ns(const json_t *row)
{
	return number_of(json_object_get(primary_samples(row), "median"));
}

double row_notch(const json_t *row)
{
	return number_of(json_object_get(primary_samples(row), "notch"));
}

const char *row_text(const json_t *row, const char *field)
{
	const char *text = json_string_value(json_object_get(row, field));

	return text ? text : "";
}

/* ---- Life ---------------------------------------------------------------------------------- */

bool console_wants_colour(const struct cli_options *options, FILE *stream)
{
	const char *no_colour = getenv("NO_COLOR");

	if (options->colour != WHEN_AUTO)
		return options->colour == WHEN_YES;
	return isatty(fileno(stream)) && !(no_colour && *no_colour);
}

static bool is_stdout(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

void console_init(struct console *console, const struct cli_options *options)
{
	bool stdout_taken =
		is_stdout(options->json) || is_stdout(options->csv) || is_stdout(options->markdown);
	FILE *out = stdout_taken ? stderr : stdout;
	bool progress = options->progress == WHEN_YES ||
			(options->progress == WHEN_AUTO && isatty(STDERR_FILENO));

	*console = (struct console){
		.out = options->quiet ? NULL : out,
		.colour = console_wants_colour(options, out),
		.error_colour = console_wants_colour(options, stderr),
		.progress = progress && !options->quiet,
		.verbose = options->verbose,
		.quiet = options->quiet,
		.roofline = options->command->bit == CMD_ROOFLINE,
	};
}

void console_finish(struct console *console)
{
	console_wipe(console);
	json_decref(console->group);
	json_decref(console->device);
	json_decref(console->worst_row);
	json_decref(console->last_log);
	console->group = console->device = console->worst_row = console->last_log = NULL;
}

/* ---- Progress ------------------------------------------------------------------------------ */

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void console_wipe(struct console *console)
{
	if (!console->progress_shown)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	console->progress_shown = false;
}

void console_tick(struct console *console)
{
	if (!console->progress || !console->stage[0])
		return;
	fprintf(stderr, "\r\033[K%s%s, %.1f s%s", style_code(console->error_colour, STYLE_DIM),
		console->stage, now_s() - console->started_s,
		style_code(console->error_colour, STYLE_PLAIN));
	fflush(stderr);
	console->progress_shown = true;
}

void console_progress(struct console *console, const char *stage)
{
	if (console->started_s == 0)
		console->started_s = now_s();
	snprintf(console->stage, sizeof console->stage, "%s", stage);
	console_tick(console);
}

void console_start(struct console *console, const json_t *event)
{
	console->started_s = now_s();
	console_progress(console, row_text(event, "label"));
}

/* ---- Lines --------------------------------------------------------------------------------- */

void console_note(struct console *console, const char *message)
{
	if (console->quiet)
		return;
	console_wipe(console);
	fprintf(stderr, "note: %s\n", message);
}

void console_warn(struct console *console, const char *message)
{
	console_wipe(console);
	fprintf(stderr, "pmpp-run: %s\n", message);
}

void console_device(struct console *console, json_t *event)
{
	const json_t *device = json_object_get(event, "device");
	const json_t *timer = json_object_get(device, "timer");

	json_decref(console->device);
	console->device = json_incref(event);
	console->started_s = 0;
	if (*row_text(timer, "reason"))
		console_note(console, row_text(timer, "reason"));
	console_wipe(console);
	if (console->roofline && console->out)
		table_roofs(console);
}

static bool is_action(const struct console *console, const char *action)
{
	return strcmp(row_text(console->group, "action"), action) == 0;
}

void console_group_end(struct console *console)
{
	console_wipe(console);
	if (console->group && is_action(console, "verify"))
		verify_end(console);
	json_decref(console->group);
	console->group = NULL;
}

void console_group(struct console *console, json_t *event)
{
	/* A new worker tells the group again in which it goes on. */
	if (json_equal(json_object_get(console->group, "group"), json_object_get(event, "group")))
		return;
	console_group_end(console);
	console->group = json_incref(event);
	console->group_begun = false;
	if (is_action(console, "verify"))
		verify_begin(console);
}

/* Not before a row: a problem that does not fit has none. */
static void begin_group(struct console *console)
{
	if (!console->group_begun)
		table_begin(console);
	console->group_begun = true;
}

/* Build options, resources, samples: what -v adds below a row. */
static void put_details(const json_t *row)
{
	static const struct {
		const char *field, *what;
	} resources[] = {{"registers", "registers"}, {"shared_bytes", "bytes shared"},
		{"spill_bytes", "bytes spilled"}};
	const json_t *build = json_object_get(row, "build");
	const json_t *flags = json_object_get(json_object_get(row, "timing"), "flags");
	const json_t *flag;
	size_t i;

	if (!build)
		return;
	fprintf(stderr, "    build: %s; %.0f ms, cache %s\n", row_text(build, "options"),
		row_number(row, "build", "compile_ms"), row_text(build, "cache"));
	for (size_t r = 0; r < sizeof resources / sizeof *resources; r++) {
		double value = row_number(row, "resources", resources[r].field);
		if (isfinite(value))
			fprintf(stderr, "%s%.0f %s", r ? ", " : "    ", value, resources[r].what);
		else
			fprintf(stderr, "%s%s unknown", r ? ", " : "    ", resources[r].what);
	}
	fprintf(stderr, "; checked: %s", row_text(json_object_get(row, "verify"), "coverage"));
	if (primary_samples(row))
		fprintf(stderr, "; %.0f samples (%s)",
			number_of(json_object_get(primary_samples(row), "n")),
			row_text(json_object_get(row, "timing"), "primary"));
	json_array_foreach(flags, i, flag)
		fprintf(stderr, "%s%s", i ? ", " : "; ", json_string_value(flag));
	fputc('\n', stderr);
}

/* Indented, so that it stands apart from the table; the same log once in a row. */
void console_log(struct console *console, const json_t *row)
{
	json_t *log = json_object_get(row, "log");

	if (!log || console->quiet || json_equal(log, console->last_log))
		return;
	json_decref(console->last_log);
	console->last_log = json_incref(log);
	for (const char *line = json_string_value(log); *line;) {
		size_t length = strcspn(line, "\n");
		fprintf(stderr, "    %.*s\n", (int)length, line);
		line += length + (line[length] == '\n');
	}
}

void console_row(struct console *console, const char *label, json_t *row)
{
	console_wipe(console);
	console->stage[0] = '\0';
	if (is_action(console, "verify"))
		verify_row(console, row);
	else if (console->out) {
		begin_group(console);
		table_row(console, label, row);
	}
	if (console->out)
		fflush(console->out);
	console_log(console, row);
	if (console->verbose)
		put_details(row);
}

void console_parity(
	struct console *console, const char *label, const json_t *parity, const json_t *rows)
{
	const json_t *row;
	size_t i;

	console_wipe(console);
	console->stage[0] = '\0';
	if (console->out) {
		begin_group(console);
		table_parity(console, label, parity, rows);
		fflush(console->out);
	}
	json_array_foreach(rows, i, row)
	{
		console_log(console, row);
		if (console->verbose)
			put_details(row);
	}
}

FILE *console_begin_page(struct console *console)
{
	console_wipe(console);
	console->stage[0] = '\0';
	if (console->out && console->table_count++)
		fputc('\n', console->out);
	return console->out;
}
