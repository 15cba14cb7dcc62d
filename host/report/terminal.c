#include "host/report/terminal.h"

#include "host/io/clock.h"
#include "host/report/format.h"
#include "host/report/wrap.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define DEFAULT_WIDTH 80
#define MIN_WIDTH 40 /* narrower tables have no columns */

/* ---- Init and finish ------------------------------------------------------------------------ */

/* A terminal with TERM=dumb, or without TERM, prints escape sequences as text. */
static bool takes_escapes(FILE *stream)
{
	const char *term = getenv("TERM");

	return isatty(fileno(stream)) && term && *term && strcmp(term, "dumb") != 0;
}

bool terminal_wants_colour(enum when colour, FILE *stream)
{
	const char *no_colour = getenv("NO_COLOR");

	if (colour != WHEN_AUTO)
		return colour == WHEN_YES;
	return takes_escapes(stream) && !(no_colour && *no_colour);
}

int terminal_width(FILE *stream)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size = {0};
	bool is_terminal = isatty(fileno(stream));
	int width = is_terminal ? DEFAULT_WIDTH : 0;

	if (is_terminal && ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		width = size.ws_col;
	else if (columns && strtol(columns, NULL, 10) > 0 && strtol(columns, NULL, 10) < INT_MAX)
		width = (int)strtol(columns, NULL, 10);
	return width > 0 && width < MIN_WIDTH ? MIN_WIDTH : width;
}

struct page_style terminal_page_style(const struct terminal_options *options, FILE *stream)
{
	return (struct page_style){.colour = terminal_wants_colour(options->colour, stream),
		.width = terminal_width(stream)};
}

void terminal_print(FILE *stream, const char *format, ...)
{
	struct wrap wrap;
	FILE *out = wrap_begin(&wrap, stream, terminal_width(stream));
	va_list arguments;

	va_start(arguments, format);
	vfprintf(out, format, arguments);
	va_end(arguments);
	wrap_end(&wrap);
}

void terminal_init(struct terminal *terminal, const struct terminal_options *options)
{
	FILE *out = options->stdout_taken ? stderr : stdout;
	bool progress = options->progress == WHEN_YES ||
			(options->progress == WHEN_AUTO && takes_escapes(stderr));

	*terminal = (struct terminal){
		.out = options->quiet ? NULL : out,
		.style = terminal_page_style(options, out),
		.error_colour = terminal_wants_colour(options->colour, stderr),
		.error_width = terminal_width(stderr),
		.progress = progress && !options->quiet,
		.quiet = options->quiet,
	};
	terminal->style.verbose = options->verbose;
	terminal->style.map = options->map;
	terminal->style.wrong = options->wrong;
}

void terminal_finish(struct terminal *terminal)
{
	terminal_wipe(terminal);
	free(terminal->last_log);
	terminal->last_log = NULL;
}

/* ---- Progress ------------------------------------------------------------------------------ */

void terminal_wipe(struct terminal *terminal)
{
	if (!terminal->progress_shown)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	terminal->progress_shown = false;
}

void terminal_tick(struct terminal *terminal)
{
	if (!terminal->progress || !terminal->stage[0])
		return;
	char text[sizeof terminal->stage + sizeof terminal->place + 32], shown[sizeof text];

	/* A line that the terminal breaks cannot be wiped. */
	snprintf(text, sizeof text, "%s%s, %.1f s", terminal->place, terminal->stage,
		1e-9 * host_clock_ns() - terminal->started_s);
	wrap_cut(text, terminal->error_width ? terminal->error_width - 1 : (int)sizeof text, shown,
		sizeof shown);
	fprintf(stderr, "\r\033[K%s%s%s", style_code(terminal->error_colour, STYLE_DIM), shown,
		style_code(terminal->error_colour, STYLE_PLAIN));
	fflush(stderr);
	terminal->progress_shown = true;
}

void terminal_progress(struct terminal *terminal, const char *stage)
{
	if (terminal->started_s == 0)
		terminal->started_s = 1e-9 * host_clock_ns();
	snprintf(terminal->stage, sizeof terminal->stage, "%s", stage);
	terminal_tick(terminal);
}

/* "40 s", "3 min", "2.5 h": one or two digits, because it is an estimate. */
static void format_left(double seconds, char *text, size_t size)
{
	if (seconds < 90)
		snprintf(text, size, "%.0f s", fmax(10 * ceil(seconds / 10), 10));
	else if (seconds < 90 * 60)
		snprintf(text, size, "%.0f min", ceil(seconds / 60));
	else
		snprintf(text, size, "%.1f h", seconds / 3600);
}

#define FIRST_ESTIMATE 3 /* tasks before the first estimate of the time left */

void terminal_start(struct terminal *terminal, const char *task, int64_t position, int64_t total)
{
	char left[24], about[48] = "";

	terminal->started_s = 1e-9 * host_clock_ns();
	*terminal->place = '\0';
	if (total > 0 && !terminal->first) {
		terminal->first = position;
		terminal->first_s = terminal->started_s;
	}
	int64_t done = position - terminal->first;
	if (total > 0 && done >= FIRST_ESTIMATE) {
		format_left((terminal->started_s - terminal->first_s) / (double)done *
				    (double)(total - position + 1),
			left, sizeof left);
		snprintf(about, sizeof about, ", about %s left", left);
	}
	if (total > 0)
		snprintf(terminal->place, sizeof terminal->place,
			"%lld of %lld%s: ", (long long)position, (long long)total, about);
	terminal_progress(terminal, task);
}

void terminal_idle(struct terminal *terminal)
{
	terminal_wipe(terminal);
	terminal->stage[0] = terminal->place[0] = '\0';
}

/* ---- Lines --------------------------------------------------------------------------------- */

void terminal_note(struct terminal *terminal, const char *message)
{
	if (terminal->quiet)
		return;
	terminal_wipe(terminal);
	terminal_print(stderr, "note: %s\n", message);
}

void terminal_warn(struct terminal *terminal, const char *message)
{
	terminal_wipe(terminal);
	terminal_print(stderr, "pmpp-run: %s\n", message);
}

void terminal_origin(struct terminal *terminal, const struct error_record *error)
{
	struct pmpp_error origin = PMPP_ERROR_INIT;
	char text[PMPP_ERROR_DETAILS_BYTES];

	if (!terminal->style.verbose || !error->record.present)
		return;
	terminal_wipe(terminal);
	error_record_get(error, &origin);
	terminal_print(stderr, "    %s\n", pmpp_error_details(&origin, text));
	pmpp_error_clear(&origin);
}

/* Lines of a compiler are not broken: a caret below a line marks a column. */
static void put_lines(const char *prefix, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");
		fprintf(stderr, "    %s%.*s\n", prefix, (int)length, text);
		text += length + (text[length] == '\n');
	}
}

void terminal_log(struct terminal *terminal, const char *log)
{
	if (!log || terminal->quiet || (terminal->last_log && strcmp(terminal->last_log, log) == 0))
		return;
	free(terminal->last_log);
	terminal->last_log = strdup(log);
	put_lines("", log);
}

void terminal_driver_text(struct terminal *terminal, const char *text)
{
	if (!text || !terminal->style.verbose)
		return;
	terminal_wipe(terminal);
	put_lines("driver: ", text);
}
