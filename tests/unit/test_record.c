/* Records: empty values, copies, JSON both ways, events, devices of a document. */
#include "host/cli/cmd_list.c"
#include "host/record/document.h"
#include "host/record/event.h"
#include "tests/support/records.h"
#include "tests/support/result_example.h"
#include "tests/support/test.h"

/* ---- Rows with everything ------------------------------------------------------------------ */

static void fill_row(struct result_row *row)
{
	static const double samples[] = {3, 1.5, 2};
	struct step_record *step;

	record_init(&result_row_type, row);
	text_set(&row->family, "matmul");
	text_set(&row->variant, "tiled16");
	text_set(&row->technique, "tiling");
	text_set(&row->backend, "opencl");
	text_set(&row->device, "name:x");
	text_set(&row->dtype, "f32");
	text_set(&row->data, "random");
	text_set(&row->repro, "bitwise");
	row->status = OUTCOME_OK;
	row->seed = 1;
	CHECK(IS(named_list_add(&row->problem, "m", 7)), IS(named_list_add(&row->problem, "n", 5)),
		IS(named_list_add(&row->macros, "TILE", 16)));
	text_set(&row->fallback, "TILE=16 instead of 32: a block has 1024 threads");
	step = record_list_add(&step_type, &row->launches);
	SOME(step);
	struct peer_record *peer = record_list_add(&peer_type, &row->peers);
	text_set(&peer->variant, "openblas-f32");
	text_set(&peer->library, "OpenBLAS");
	peer->ratio = 0.5;
	text_set(&step->kernel, "matmul_tiled");
	step->grid[0] = 2;
	row->build.record.present = row->resources.record.present = true;
	row->work.record.present = row->derived.record.present = true;
	text_set(&row->build.code_sha256, "c0de");
	text_set(&row->build.options, "");
	text_set(&row->build.math, "default");
	text_set(&row->build.cache, "none");
	row->symptoms.record.present = row->symptoms.defect.record.present = true;
	row->symptoms.signs = 1u << MISTAKE_ALL_SIGN | 1u << MISTAKE_ORDER_SIGN;
	row->symptoms.from_row = 3;
	row->symptoms.defect.kind = TRACE_RACE;
	row->mistake.record.present = true;
	text_set(&row->mistake.text, "a race");
	row->mistake.line = 7;
	row->timing.record.present = row->timing.cold.record.present = true;
	row->timing.primary = TIMING_COLD;
	row->timing.flags = TIMING_NOISY | TIMING_UNFLUSHED;
	text_set(&row->timing.contract, TIMING_CONTRACT);
	IS(number_list_set(&row->timing.cold.ns, samples, 3));
	row->timing.cold.n = 3;
	row->timing.cold.median = 2;
	row->timing.cold.notch = 0.25;
	row->timing.cold.half_width = 0.125;
}

TEST(round_trip, "row: JSON and back, copy")
{
	FINISHED(result_row_finish) struct result_row row, copy, read;

	fill_row(&row);
	test_ok(record_copy(&result_row_type, &row, &copy, &test_error));
	const char *text = test_record_text(&result_row_type, &row, RECORD_ONE_LINE);
	test_ok(record_read(&result_row_type, text, strlen(text), "row", &read, &test_error));
	CHECK(STRING(text, test_record_text(&result_row_type, &copy, RECORD_ONE_LINE)),
		STRING(text, test_record_text(&result_row_type, &read, RECORD_ONE_LINE)),
		EQUAL(read.status, OUTCOME_OK),
		EQUAL(read.timing.flags, TIMING_NOISY | TIMING_UNFLUSHED),
		EQUAL(read.symptoms.signs, row.symptoms.signs), EQUAL(read.symptoms.from_row, 3),
		EQUAL(read.symptoms.from_column, -1), EQUAL(read.mistake.line, 7),
		EQUAL(read.symptoms.defect.kind, TRACE_RACE),
		EQUAL(named_list_get(&read.problem, "n", -1), 5),
		IS(named_list_equal(&read.problem, &row.problem)), IS(isnan(read.derived.step)),
		EQUAL(read.resources.registers, -1), NOT(read.verify.record.present),
		NOT(read.timing.hot.record.present), NEAR(result_row_median_ns(&read), 2, 0),
		NEAR(result_row_half_width(&read), 0.125, 0));
}

/* A file can have any numbers. A number that cannot be a time is read as unknown. */
struct given_figures {
	const char *name;
	double median, ci95[2], half_width; /* of the file */
	int primary;
	bool median_known, interval_known, width_known;
};

static const struct given_figures given_rows[] = {
	{"as measured", 2, {1, 3}, 0.5, TIMING_COLD, true, true, true},
	{"one value", 2, {2, 2}, 0, TIMING_COLD, true, true, true},
	{"no time", 0, {0, 0}, 0, TIMING_COLD, false, false, true},
	{"negative", -2, {-3, -1}, -0.5, TIMING_COLD, false, false, false},
	{"interval from 0", 2, {0, 3}, 0.5, TIMING_COLD, true, false, true},
	{"interval descends", 2, {3, 1}, 0.5, TIMING_COLD, true, false, true},
	{"unknown", NAN, {NAN, NAN}, NAN, TIMING_COLD, false, false, false},
	{"half of an interval", 2, {1, NAN}, 0.5, TIMING_COLD, true, false, true},
	{"infinite", INFINITY, {1, INFINITY}, INFINITY, TIMING_COLD, false, false, false},
	{"other samples", 2, {1, 3}, 0.5, TIMING_HOT, false, false, false},
	{"samples of a newer version", 2, {1, 3}, 0.5, WORD_UNKNOWN, false, false, false},
};

TEST_ROWS(figures_of_any_row, given_rows, "figures of a row: %s", row->name)
{
	FINISHED(result_row_finish) struct result_row result;
	double interval[2];

	fill_row(&result);
	result.timing.primary = row->primary;
	result.timing.cold.median = row->median;
	memcpy(result.timing.cold.ci95, row->ci95, sizeof row->ci95);
	result.timing.cold.half_width = row->half_width;
	result_row_interval_ns(&result, interval);
	EQUAL(!isnan(result_row_median_ns(&result)), row->median_known);
	for (size_t i = 0; i < 2; i++)
		EQUAL(!isnan(interval[i]), row->interval_known);
	EQUAL(!isnan(result_row_half_width(&result)), row->width_known);
	if (row->interval_known) {
		CHECK(NEAR(interval[0], row->ci95[0], 0), NEAR(interval[1], row->ci95[1], 0));
	}
}

/* The text of a row after a change. */
static void expect_text(const struct result_row *row, const char *part, bool there)
{
	const char *text = test_record_text(&result_row_type, row, RECORD_ONE_LINE);
	bool found = strstr(text, part) != NULL;

	if (found != there)
		test_note("%s", text);
	EQUAL(found, there);
}

TEST(not_finite, "NaN and infinity become null")
{
	FINISHED(result_row_finish) struct result_row row;

	fill_row(&row);
	row.derived.gflops = INFINITY;
	row.derived.gbps = -INFINITY;
	expect_text(&row, "\"gflops\":null,\"gbps\":null", true);
	expect_text(&row, "nan", false);
	expect_text(&row, "inf", false);
}

/* An interval with an end that is not finite is written as unknown, so that the row can be read. */
TEST(interval_not_finite, "an interval that is not finite is null")
{
	static const double intervals[][2] = {
		{NAN, NAN}, {INFINITY, INFINITY}, {1, INFINITY}, {1, NAN}, {-INFINITY, 1}};

	for (size_t i = 0; i < sizeof intervals / sizeof *intervals; i++) {
		struct parity_row row, read;
		record_init(&parity_row_type, &row);
		text_set(&row.family, "matmul");
		text_set(&row.variant, "naive");
		text_set(&row.device, "name:x");
		row.verdict = PARITY_AMBG;
		memcpy(row.ci95, intervals[i], sizeof row.ci95);
		const char *text = test_record_text(&parity_row_type, &row, RECORD_ONE_LINE);
		HAS(text, "\"ci95\":null");
		test_ok(record_read(
			&parity_row_type, text, strlen(text), "row", &read, &test_error));
		IS(isnan(read.ci95[0]));
		record_finish(&parity_row_type, &row);
		record_finish(&parity_row_type, &read);
	}
}

static void refuse_write(const struct result_row *row, const char *part)
{
	char *text = NULL;

	test_refused(record_write(&result_row_type, row, RECORD_ONE_LINE, &text, &test_error),
		PMPP_INTERNAL, part);
	NIL(text);
}

TEST(not_utf8, "bytes that are not UTF-8")
{
	FINISHED(result_row_finish) struct result_row row;

	fill_row(&row);
	text_set(&row.reason, "caf\xe9 \xc3\xa9 \xff!");
	expect_text(&row, "\"reason\":\"caf\\\\xe9 \xc3\xa9 \\\\xff!\"", true);
	named_list_add(&row.macros, "A\xff", 1);
	expect_text(&row, "\"A\\\\xff\":1", true);
	/* Invalid UTF-8 that was not set by the functions of records is an error; the text is not
	 * omitted. */
	row.macros.items[row.macros.count - 1].name[1] = '\xff';
	refuse_write(&row, "'macros'");
	named_list_finish(&row.macros);
	row.reason[0] = '\xff';
	refuse_write(&row, "'reason'");
}

TEST(row_without_outcome, "row without an outcome")
{
	static const char *const keys[] = {"launches", "build", "resources", "verify", "timing",
		"work", "derived", "peer", "log"};
	FINISHED(result_row_finish) struct result_row row;

	fill_row(&row);
	result_row_end(&row, OUTCOME_CRASHED, "signal 11");
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		char key[32];
		snprintf(key, sizeof key, "\"%s\":", keys[i]);
		expect_text(&row, key, false);
	}
	expect_text(&row, "\"status\":\"crashed\",\"reason\":\"signal 11\"", true);
}

TEST(required_text, "a required text that is missing")
{
	FINISHED(result_row_finish) struct result_row row;

	fill_row(&row);
	text_set(&row.family, NULL);
	refuse_write(&row, "'family'");
}

TEST(untouched_on_failure, "a failed read touches nothing")
{
	static const char text[] = "{\"family\": \"x\"}";
	struct result_row row;

	memset(&row, 0x5a, sizeof row);
	test_refused(record_read(&result_row_type, text, strlen(text), "here", &row, &test_error),
		PMPP_USAGE, "here: the key 'variant' is missing");
	for (size_t i = 0; i < sizeof row; i++)
		EQUAL(((const unsigned char *)&row)[i], 0x5a);
}

/* ---- Lists --------------------------------------------------------------------------------- */

TEST(long_lists, "long lists")
{
	struct result_document document;
	TEST_DOCUMENT copy;

	record_init(&result_document_type, &document);
	for (int i = 0; i < 100; i++) {
		struct result_row *row = record_list_add(&result_row_type, &document.results);
		SOME(row);
		text_format(&row->variant, "v%d", i);
		IS(text_list_add(&document.tool.argv, row->variant));
		IS(named_list_add(&row->macros, row->variant, i));
	}
	test_ok(record_copy(&result_document_type, &document, &copy, &test_error));
	record_finish(&result_document_type, &document);
	CHECK(EQUAL(document.results.count, 0), EQUAL(copy.results.count, 100));
	for (int i = 0; i < 100; i++) {
		char name[8];
		snprintf(name, sizeof name, "v%d", i);
		STRING(copy.results.items[i].variant, name);
		STRING(copy.tool.argv.items[i], name);
		EQUAL(named_list_get(&copy.results.items[i].macros, name, -1), i);
	}
}

TEST(named_lists, "named lists")
{
	struct named_list a = {0}, b = {0};

	IS(named_list_equal(&a, &b));
	IS(named_list_add(&a, "m", 1) && named_list_add(&a, "n", 2));
	NOT(named_list_equal(&a, &b));
	IS(named_list_add(&b, "n", 2) && named_list_add(&b, "m", 1));
	IS(named_list_equal(&a, &b));
	b.items[0].value = 3;
	CHECK(NOT(named_list_equal(&a, &b)), EQUAL(named_list_get(&a, "k", 42), 42));
	for (size_t i = 0; i < 2; i++) {
		free(a.items[i].name);
		free(b.items[i].name);
	}
	free(a.items);
	free(b.items);
}

/* ---- Listings ------------------------------------------------------------------------------ */

/* A family with a variant that sets rarely used fields. */
static const struct family listed = {.name = "sum",
	.title = "s = sum x",
	.size_help = "n from 1",
	.book = "10",
	.dim_names = {"n"},
	.dim_count = 1,
	.ops = {"sum", "max"},
	.variants = &(const struct variant){.name = "tree",
		.technique = "-",
		.idea = "halves",
		.book = "10.1",
		.file = "tree",
		.entry = "sum_tree",
		.needs = PMPP_CAP_SHUFFLE | PMPP_CAP_FP64,
		.repro = REPRO_RUN,
		.macros = {{.name = "FIXED", .value = 3},
			{.name = "BLOCK",
				.value = 256,
				.choices = (const int[]){64, 256, 1024, 0}}},
		.claim = {.text = "tree >= 2 x serial", .at_least = 2}},
	.variant_count = 1};

TEST(listing, "families and variants")
{
	static const char *const parts[] = {"\"dimensions\":[\"n\"],\"dtypes\":[\"f32\"]",
		"\"ops\":[\"sum\",\"max\"],\"data\":[]", "\"base\":null",
		"\"tunables\":{\"BLOCK\":{\"default\":256,\"choices\":[64,256,1024]}}",
		"\"needs\":[\"double precision\",\"exchange of registers", "\"repro\":\"run\"",
		"\"at_least\":2.0,\"at_most\":0.0"};
	struct listing_document document, copy, read;

	record_init(&listing_document_type, &document);
	text_set(&document.schema, LISTING_SCHEMA);
	test_ok(add_family(&document, &listed, &listed.variants, 1, &test_error));
	test_ok(record_copy(&listing_document_type, &document, &copy, &test_error));
	const char *first = test_record_text(&listing_document_type, &copy, RECORD_ONE_LINE);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (!strstr(first, parts[i]))
			fail_msg("%s lacks %s", first, parts[i]);
	test_ok(record_read(
		&listing_document_type, first, strlen(first), "list", &read, &test_error));
	const struct variant_record *variant = read.families.items[0].variants.items;
	EQUAL(variant->needs, PMPP_CAP_SHUFFLE | PMPP_CAP_FP64);
	EQUAL(variant->tunables.count, 1);
	EQUAL(variant->tunables.items[0].choices.count, 3);
	EQUAL(variant->tunables.items[0].choices.items[2], 1024);
	STRING(first, test_record_text(&listing_document_type, &read, RECORD_ONE_LINE));
	record_finish(&listing_document_type, &document);
	record_finish(&listing_document_type, &copy);
	record_finish(&listing_document_type, &read);
}

struct integers_record {
	struct record record;
	struct integer_list values;
};

static const struct record_field *integers_fields(void)
{
	static const struct record_field fields[] = {
		{.name = "values",
			.kind = FIELD_INTEGERS,
			.offset = offsetof(struct integers_record, values),
			.meaning = "some"},
		{.name = NULL}};

	return fields;
}

static const struct record_type integers_type = {.name = "integers",
	.meaning = "a list",
	.size = sizeof(struct integers_record),
	.fields = integers_fields};

TEST(bad_integers, "lists with other than integers")
{
	static const struct {
		const char *text, *message;
	} texts[] = {
		{"{\"values\": [1, \"2\"]}", "x: values[1] is a text; expected an integer"},
		{"{\"values\": [1.5]}", "x: values[0] is a number; expected an integer"},
		{"{\"values\": [null]}", "x: values[0] is null; expected an integer"},
		{"{\"values\": 3}", "x: values is an integer; expected an array of integers"},
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct integers_record read;
		EQUAL(record_read(&integers_type, texts[i].text, strlen(texts[i].text), "x", &read,
			      &test_error),
			PMPP_USAGE);
		STRING(test_error.message, texts[i].message);
		pmpp_error_clear(&test_error);
	}
}

/* ---- Devices ------------------------------------------------------------------------------- */

static void fill_device(struct device_record *device, const char *backend, double copy_gbps)
{
	struct view_record *view;

	record_init(&device_type, device);
	text_set(&device->key, "uuid:1");
	view = record_list_add(&view_type, &device->views);
	SOME(view);
	text_set(&view->backend, backend);
	device->roofs.record.present = !isnan(copy_gbps);
	device->roofs.copy_gbps = copy_gbps;
}

TEST(devices_merge, "views of one device")
{
	static const struct {
		const char *backend;
		double copy_gbps;
		size_t views; /* of the device in the document after the step */
		double result;
	} steps[] = {
		{"opencl", NAN, 1, NAN},
		{"cuda", 100, 2, 100},
		{"opencl", 200, 2, 100}, /* the first that has roofs keeps them */
		{"cuda-emu", NAN, 3, 100},
	};

	TEST_RECORD(result_document_type, struct result_document, document);
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		struct device_record device;
		fill_device(&device, steps[i].backend, steps[i].copy_gbps);
		test_ok(result_document_add_device(&document, &device, &test_error));
		record_finish(&device_type, &device);
		EQUAL(document.devices.count, 1);
		const struct device_record *found = &document.devices.items[0];
		CHECK(STRING(found->key, "uuid:1"), EQUAL(found->views.count, steps[i].views),
			EQUAL(found->roofs.record.present, !isnan(steps[i].result)));
		if (found->roofs.record.present)
			test_near(found->roofs.copy_gbps, steps[i].result, 0);
	}
}

/* ---- Events -------------------------------------------------------------------------------- */

TEST(events, "events")
{
	TEST_RECORD(event_type, struct event, event);
	TEST_RECORD(event_type, struct event, read);
	event.kind = EVENT_START;
	event.task = 3;
	text_set(&event.label, "tiled16");
	fill_row(&event.row);
	const char *text = test_record_text(&event_type, &event, RECORD_ONE_LINE);
	LACKS(text, "\"group\""); /* fields that are not set are not sent */
	test_ok(record_read(&event_type, text, strlen(text), "pipe", &read, &test_error));
	CHECK(EQUAL(read.kind, EVENT_START), EQUAL(read.task, 3),
		STRING(read.row.variant, "tiled16"), NOT(read.group.record.present),
		NIL(read.text));
}

TEST(errors_travel, "errors travel with their origin")
{
	struct pmpp_error back = PMPP_ERROR_INIT;

	pmpp_error_set_call(&test_error, PMPP_LAUNCH, "host/a.c", 12, "clFinish", -36,
		"CL_INVALID_COMMAND_QUEUE");
	test_error.log = strdup("line 1\nline 2");
	TEST_RECORD(event_type, struct event, event);
	TEST_RECORD(event_type, struct event, read);
	event.kind = EVENT_FATAL;
	error_record_set(&event.error, &test_error);
	const char *text = test_record_text(&event_type, &event, RECORD_ONE_LINE);
	EQUAL(record_read(&event_type, text, strlen(text), "pipe", &read, &back), PMPP_OK);
	error_record_get(&read.error, &back);
	CHECK(EQUAL(back.status, PMPP_LAUNCH), STRING(back.message, test_error.message),
		STRING(back.call, "clFinish"), STRING(back.symbol, "CL_INVALID_COMMAND_QUEUE"),
		EQUAL(back.code, -36), STRING(back.file, "host/a.c"), EQUAL(back.line, 12),
		STRING(back.log, "line 1\nline 2"));
	pmpp_error_clear(&test_error);
	pmpp_error_clear(&back);
}

/* ---- Tables -------------------------------------------------------------------------------- */

/* Every row of every table is complete, and no key occurs twice. */
static void check_type(const struct record_type *type, size_t depth)
{
	IS(depth < 10 && *type->name && *type->meaning);
	for (size_t i = 0; type->fields()[i].name; i++) {
		const struct record_field *field = &type->fields()[i];
		bool nested = field->kind == FIELD_OBJECT || field->kind == FIELD_OBJECTS ||
			      field->kind == FIELD_KEYED;
		bool words = field->kind == FIELD_WORD || field->kind == FIELD_WORDS;
		CHECK(IS(*field->name && *field->meaning), EQUAL(nested, field->type != NULL),
			EQUAL(words, field->words != NULL));
		IS(i < 64); /* a bit of record.absent */
		EQUAL(record_field_index(type, field->name), i);
		IS(field->offset >= sizeof(struct record) && field->offset < type->size);
		if (field->type)
			check_type(field->type, depth + 1);
	}
}

TEST(tables, "tables")
{
	check_type(&event_type, 0);
	check_type(&result_document_type, 0);
}
