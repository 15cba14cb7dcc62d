#include "host/report/console.h"

#include <math.h>
#include <string.h>

/* A line for each (backend, variant, point): its sizes are rows of one group. */

void verify_begin(struct console *console)
{
	console->sizes_ok = console->sizes_seen = 0;
	console->worst_ratio = 0;
	json_decref(console->worst_row);
	console->worst_row = NULL;
}

void verify_row(struct console *console, json_t *row)
{
	const char *status = row_text(row, "status");
	double ratio = row_number(row, "verify", "max_ratio");
	bool skipped = strcmp(status, "skipped") == 0 || strcmp(status, "unsupported") == 0;

	console->sizes_seen++;
	if (strcmp(status, "ok") == 0) {
		console->sizes_ok++;
		console->worst_ratio = fmax(console->worst_ratio, ratio);
	} else if (!console->worst_row ||
		   (!skipped && word_style(row_text(console->worst_row, "status")) == STYLE_DIM)) {
		/* A failure is shown before a skip, and the first one of its kind. */
		json_decref(console->worst_row);
		console->worst_row = json_incref(row);
	}
}

/* "m=37 n=41 k=43" from the row's dimensions. */
static void put_problem(FILE *out, const json_t *row)
{
	const char *name;
	json_t *value;

	json_object_foreach(json_object_get(row, "problem"), name, value)
		fprintf(out, " %s=%lld", name, (long long)json_integer_value(value));
	fprintf(out, " %s %s %s", row_text(row, "dtype"), row_text(row, "op"),
		row_text(row, "data"));
}

void verify_end(struct console *console)
{
	const json_t *group = console->group;
	const json_t *bad = console->worst_row;
	const json_t *first = json_array_get(json_object_get(group, "rows"), 0);
	const char *status = row_text(bad, "status");
	bool skipped = bad && word_style(status) == STYLE_DIM;
	FILE *out = console->out;
	char name[160];
	char words[32];

	if (!out || (!bad && console->sizes_ok == 0))
		return;
	put_padded(out, row_text(group, "device"), 12);
	snprintf(name, sizeof name, "%s/%s", row_text(group, "family"), row_text(first, "label"));
	fputs("  ", out);
	put_padded(out, name, 30);
	if (!bad)
		fprintf(out, "  %zu size%s ok %.2f", console->sizes_ok,
			console->sizes_ok == 1 ? "" : "s", console->worst_ratio);
	else if (console->sizes_ok)
		fprintf(out, "  %zu of %zu sizes ok %.2f", console->sizes_ok, console->sizes_seen,
			console->worst_ratio);
	if (bad) {
		status_words(status, words, sizeof words);
		fprintf(out, "  %s%s", style_code(console->colour, word_style(status)), words);
		if (!skipped)
			put_problem(out, bad);
		fprintf(out, ": %s%s", row_text(bad, "reason"),
			style_code(console->colour, STYLE_PLAIN));
	}
	fputc('\n', out);
	fflush(out);
}
