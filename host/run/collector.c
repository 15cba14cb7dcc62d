#include "host/run/collector.h"

#include <stdlib.h>
#include <string.h>

#include "common/family.h"
#include "common/model/parity.h"
#include "host/report/tables.h"
#include "host/results/file.h"
#include "host/run/ladder.h"

/* ---- Rows ---------------------------------------------------------------------------------- */

static void count_row(struct collector *collector, const json_t *row)
{
	const char *reason = row_text(row, "reason");
	enum outcome_status status;

	if (!outcome_status_find(row_text(row, "status"), &status))
		return;
	collector->counts[outcome_class_of(status)]++;
	if (outcome_class_of(status) == OUTCOME_CLASS_SKIPPED && *reason) {
		json_t *old = json_object_get(collector->skip_counts, reason);
		json_object_set_new(
			collector->skip_counts, reason, json_integer(json_integer_value(old) + 1));
	}
}

static void add_row(struct collector *collector, json_t *row)
{
	ladder_add(row, collector->group_rows, collector->gpu);
	collector->claims_not_applied |=
		!collector->gpu && json_is_object(json_object_get(row, "claim"));
	json_array_append(collector->group_rows, row);
	json_array_append(json_object_get(collector->document, "results"), row);
	count_row(collector, row);
}

/* ---- Events -------------------------------------------------------------------------------- */

/* Once each: a new worker says again what the one before it said. */
static void note_once(struct collector *collector, const char *message)
{
	if (json_object_get(collector->notes, message))
		return;
	json_object_set_new(collector->notes, message, json_true());
	console_note(&collector->console, message);
}

static void on_note(struct collector *collector, json_t *event)
{
	note_once(collector, row_text(event, "message"));
}

static bool explains(const struct collector *collector)
{
	return collector->options->command->bit == CMD_EXPLAIN;
}

static void on_device(struct collector *collector, json_t *event)
{
	if (!explains(collector))
		result_add_device(collector->document, json_object_get(event, "device"));
	console_device(&collector->console, event);
}

static void on_group(struct collector *collector, json_t *event)
{
	const json_t *old = json_object_get(collector->console.group, "group");

	if (!json_equal(old, json_object_get(event, "group")))
		json_array_clear(collector->group_rows);
	collector->gpu = json_is_true(json_object_get(event, "gpu"));
	console_group(&collector->console, event);
}

static void on_start(struct collector *collector, json_t *event)
{
	console_start(&collector->console, event);
}

static void on_progress(struct collector *collector, json_t *event)
{
	console_progress(&collector->console, row_text(event, "text"));
}

static void on_tick(struct collector *collector, json_t *event)
{
	(void)event;
	console_tick(&collector->console);
}

static void on_result(struct collector *collector, json_t *event)
{
	json_t *row = json_object_get(event, "row");

	if (explains(collector)) {
		collector_lost_page(collector, event);
		return;
	}
	add_row(collector, row);
	console_row(&collector->console, row_text(event, "label"), row);
	/* Right, but untimed: emulated, or the device could not be calibrated. Said in the end. */
	if (collector->options->command->bit == CMD_RUN && *row_text(row, "reason") &&
		strcmp(row_text(row, "status"), "ok") == 0)
		json_object_set_new(collector->notes, row_text(row, "reason"), json_false());
}

static bool breaks_promise(
	const struct collector *collector, const json_t *rows, const json_t *parity)
{
	struct parity_side sides[2] = {{OUTCOME_UNVERIFIED, false}, {OUTCOME_UNVERIFIED, false}};

	for (size_t i = 0; i < 2; i++) {
		const json_t *row = json_array_get(rows, i);
		outcome_status_find(row_text(row, "status"), &sides[i].status);
		sides[i].promises_bits =
			strcmp(row_text(row, "repro"), reproducibility_name(REPRO_BITWISE)) == 0;
	}
	return parity_breaks_promise(sides, collector->options->math == GPU_MATH_FAST,
		json_is_true(json_object_get(parity, "bit_identical")));
}

static void on_parity(struct collector *collector, json_t *event)
{
	json_t *rows = json_object_get(event, "rows");
	json_t *parity = json_object_get(event, "parity");
	json_t *row;
	size_t i;

	json_array_foreach(rows, i, row) add_row(collector, row);
	json_array_append(json_object_get(collector->document, "parity"), parity);
	console_parity(&collector->console, row_text(event, "label"), parity, rows);
	if (breaks_promise(collector, rows, parity)) {
		collector->counts[OUTCOME_CLASS_FAILED]++;
		console_warn(&collector->console,
			"the outputs differ, though the variant promises the same bits on every "
			"engine");
	}
}

static void on_misfit(struct collector *collector, json_t *event)
{
	json_array_append(collector->misfits, event);
	console_warn(&collector->console, row_text(event, "message"));
}

static const struct {
	const char *name;
	void (*handle)(struct collector *collector, json_t *event);
} handlers[] = {
	{"note", on_note},
	{"device", on_device},
	{"group", on_group},
	{"start", on_start},
	{"progress", on_progress},
	{"tick", on_tick},
	{"result", on_result},
	{"parity", on_parity},
	{"misfit", on_misfit},
	{"explanation", collector_explanation},
};

void collector_emit(void *context, json_t *event)
{
	const char *name = row_text(event, "event");

	for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++)
		if (strcmp(handlers[i].name, name) == 0)
			handlers[i].handle(context, event);
}

/* ---- Life ---------------------------------------------------------------------------------- */

enum pmpp_status collector_init(
	struct collector *collector, const struct cli_options *options, struct pmpp_error *error)
{
	*collector = (struct collector){
		.options = options,
		.document = options->command->bit == CMD_EXPLAIN
				    ? explain_document(options->argc, options->argv)
				    : result_document(options->argc, options->argv),
		.group_rows = json_array(),
		.misfits = json_array(),
		.skip_counts = json_object(),
		.notes = json_object(),
	};
	console_init(&collector->console, options);
	if (!collector->document || !collector->group_rows || !collector->misfits ||
		!collector->skip_counts || !collector->notes) {
		collector_finish(collector);
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the results");
	}
	return PMPP_OK;
}

void collector_finish(struct collector *collector)
{
	console_finish(&collector->console);
	json_decref(collector->document);
	json_decref(collector->group_rows);
	json_decref(collector->misfits);
	json_decref(collector->skip_counts);
	json_decref(collector->notes);
	json_decref(collector->sides[0]);
	json_decref(collector->sides[1]);
}

static void put_count(FILE *out, const char **separator, size_t count, const char *what)
{
	if (count == 0)
		return;
	fprintf(out, "%s%zu %s", *separator, count, what);
	*separator = ", ";
}

void collector_close(struct collector *collector)
{
	static const struct {
		enum outcome_class class;
		const char *text;
	} words[] = {
		{OUTCOME_CLASS_OK, "ok"},
		{OUTCOME_CLASS_FAILED, "failed"},
		{OUTCOME_CLASS_BROKEN, "broken (build, launch, timeout, crash)"},
		{OUTCOME_CLASS_UNVERIFIED, "unverified"},
		{OUTCOME_CLASS_SKIPPED, "skipped"},
	};
	size_t rows = 0;
	FILE *out = collector->console.out;
	const char *separator = "";
	const char *reason;
	json_t *count;

	console_group_end(&collector->console);
	if (explains(collector)) {
		if (collector->options->diff)
			collector_put_sides(collector);
		return;
	}
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		rows += collector->counts[words[i].class];
	if (!out || rows == 0)
		return;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		put_count(out, &separator, collector->counts[words[i].class], words[i].text);
	separator = " (";
	json_object_foreach(collector->skip_counts, reason, count)
	{
		fputs(separator, out);
		if (json_object_size(collector->skip_counts) > 1)
			fprintf(out, "%lld: ", (long long)json_integer_value(count));
		fputs(reason, out);
		separator = "; ";
	}
	fputs(json_object_size(collector->skip_counts) ? ")\n" : "\n", out);
	json_object_foreach(collector->notes, reason, count) if (json_is_false(count))
		fprintf(out, "untimed: %s\n", reason);
	if (collector->claims_not_applied && collector->options->command->bit == CMD_RUN)
		fputs("claims are about GPUs: on a CPU or an emulated device they are n/a\n", out);
	fflush(out);
}

/* ---- Outputs ------------------------------------------------------------------------------- */

enum pmpp_status collector_check_outputs(
	const struct cli_options *options, struct pmpp_error *error)
{
	const char *const paths[] = {options->json, options->csv, options->markdown};
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; i < sizeof paths / sizeof *paths && status == PMPP_OK; i++)
		if (paths[i])
			status = output_check(paths[i], error);
	return status;
}

static enum pmpp_status write_table(const char *path, char *(*make)(const json_t *),
	const json_t *document, struct pmpp_error *error)
{
	if (!path)
		return PMPP_OK;
	char *text = make(document);
	enum pmpp_status status =
		text ? output_text(path, text, error)
		     : PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for a table");
	free(text);
	return status;
}

enum pmpp_status collector_write_outputs(
	const struct collector *collector, struct pmpp_error *error)
{
	const struct cli_options *options = collector->options;
	enum pmpp_status status = PMPP_OK;

	if (options->json)
		status = output_json(options->json, collector->document, error);
	if (status == PMPP_OK)
		status = write_table(options->csv, table_csv, collector->document, error);
	if (status == PMPP_OK)
		status = write_table(options->markdown, table_markdown, collector->document, error);
	return status;
}

/* ---- Exit code ----------------------------------------------------------------------------- */

static bool same_field(const json_t *a, const json_t *b, const char *field)
{
	return json_equal(json_object_get(a, field), json_object_get(b, field));
}

/* Whether another device took the problem that a misfit event names. */
static bool fitted_elsewhere(const struct collector *collector, const json_t *misfit)
{
	const json_t *results = json_object_get(collector->document, "results");
	const json_t *wanted = json_object_get(misfit, "row");
	const json_t *row;
	size_t i;

	json_array_foreach(results, i,
		row) if (same_field(row, wanted, "family") && same_field(row, wanted, "problem") &&
			 !(same_field(row, wanted, "backend") &&
				 same_field(row, wanted, "device"))) return true;
	return false;
}

enum exit_code collector_exit_code(const struct collector *collector)
{
	struct exit_counts counts = {
		.needs_rows = !(collector->options->command->bit & (CMD_ROOFLINE | CMD_EXPLAIN))};
	const json_t *misfit;
	size_t i;

	memcpy(counts.of_class, collector->counts, sizeof counts.of_class);
	json_array_foreach(collector->misfits, i, misfit) counts.misfits +=
		!fitted_elsewhere(collector, misfit);
	return exit_code_of_counts(&counts);
}
