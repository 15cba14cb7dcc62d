/* What the collector makes of the events of `explain`: document and exit code. */
#include "host/run/collector.h"
#include "host/cli/commands.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#define PAGE(fields)                                                                            \
	"{'event': 'explanation', 'task': 0, 'entries': [{'family': 'f', 'variant': 'v'" fields \
	"}]}"
#define LOST(status)                                                            \
	"{'event': 'result', 'task': 0, 'row': {'family': 'f', 'variant': 'v'," \
	" 'status': '" status "', 'reason': 'because'}}"
#define DEFECT(kind) ", 'defects': [{'kind': '" kind "', 'line': 3, 'text': 'x'}]"
#define MEASURED(status) ", 'measured': {'status': '" status "'}"

static const struct row {
	const char *name;
	const char *events[3]; /* ended by NULL */
	enum exit_code want;
	size_t explanations;
} rows[] = {
	{"nothing", {NULL}, EXIT_CODE_OK, 0},
	{"a page", {PAGE("")}, EXIT_CODE_OK, 1},
	{"no trace", {PAGE(", 'no_trace': 'no C++ compiler'")}, EXIT_CODE_OK, 1},
	{"a race", {PAGE(DEFECT("race"))}, EXIT_CODE_FAILED, 1},
	{"a barrier", {PAGE(DEFECT("barrier"))}, EXIT_CODE_FAILED, 1},
	{"a runaway", {PAGE(DEFECT("runaway"))}, EXIT_CODE_BROKEN, 1},
	{"a fault", {PAGE(DEFECT("fault"))}, EXIT_CODE_BROKEN, 1},
	{"a race before a runaway", {PAGE(DEFECT("runaway")), PAGE(DEFECT("race"))},
		EXIT_CODE_FAILED, 2},
	{"measured", {PAGE(MEASURED("ok"))}, EXIT_CODE_OK, 1},
	{"measured: skipped", {PAGE(MEASURED("skipped"))}, EXIT_CODE_OK, 1},
	{"measured: wrong", {PAGE(MEASURED("failed"))}, EXIT_CODE_FAILED, 1},
	{"measured: does not build", {PAGE(MEASURED("build_error"))}, EXIT_CODE_BROKEN, 1},
	{"a crash", {LOST("crashed")}, EXIT_CODE_BROKEN, 1},
	{"a timeout, then a page", {LOST("timeout"), PAGE("")}, EXIT_CODE_BROKEN, 2},
	{"an infeasible point", {LOST("unsupported")}, EXIT_CODE_OK, 1},
	{"a size that does not fit", {"{'event': 'misfit', 'task': 0, 'row': {}, 'message': 'x'}"},
		EXIT_CODE_USAGE, 0},
};

static json_t *parse(const char *text)
{
	char *copy = strdup(text);

	for (char *c = copy; *c; c++)
		if (*c == '\'')
			*c = '"';
	json_t *json = json_loads(copy, 0, NULL);
	if (!json)
		test_fail("no JSON: %s", copy);
	free(copy);
	return json;
}

static const struct command *find_explain(void)
{
	for (size_t i = 0; i < command_count; i++)
		if (commands[i].bit == CMD_EXPLAIN)
			return &commands[i];
	test_fail("no command explain");
}

static void events(const void *context)
{
	const struct row *row = context;
	static char name[] = "pmpp-run";
	char *arguments[] = {name, NULL};
	struct cli_options options = {
		.argc = 1, .argv = arguments, .command = find_explain(), .quiet = true};
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct collector collector;

	test_ok(collector_init(&collector, &options, &error), &error);
	for (size_t i = 0; i < 3 && row->events[i]; i++) {
		json_t *event = parse(row->events[i]);
		collector_emit(&collector, event);
		json_decref(event);
	}
	collector_close(&collector);
	assert_int_equal(collector_exit_code(&collector), row->want);
	const json_t *schema = json_object_get(collector.document, "schema");
	assert_string_equal(json_string_value(schema), "pmpp-explain/1");
	const json_t *explanations = json_object_get(collector.document, "explanations");
	assert_int_equal(json_array_size(explanations), row->explanations);
	collector_finish(&collector);
}

/* A page that is lost stays in the document, with its reason. */
static void lost_entry(const void *context)
{
	static char name[] = "pmpp-run";
	char *arguments[] = {name, NULL};
	struct cli_options options = {
		.argc = 1, .argv = arguments, .command = find_explain(), .quiet = true};
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct collector collector;

	(void)context;
	test_ok(collector_init(&collector, &options, &error), &error);
	json_t *event = parse(LOST("crashed"));
	collector_emit(&collector, event);
	json_decref(event);
	const json_t *entry =
		json_array_get(json_object_get(collector.document, "explanations"), 0);
	assert_string_equal(row_text(entry, "status"), "crashed");
	assert_string_equal(row_text(entry, "no_trace"), "because");
	collector_finish(&collector);
}

int main(int argc, char **argv)
{
	struct test_list list = {0};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		test_add(&list, events, &rows[i], "%s", rows[i].name);
	test_add(&list, lost_entry, NULL, "a lost page in the document");
	return test_run(&list, argc, argv);
}
