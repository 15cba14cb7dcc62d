/* Comparisons: the compared field, the sides, and their names. */
#include "tests/support/result_files.h"
#include "tests/support/test.h"

/* ---- The chosen field ------------------------------------------------------------------------ */

static const struct test_device gpu_a_opencl = {
	"uuid:aaaaaaaa-0000", "aaaaaaaa-0000", NULL, "GPU A", "gpu", "opencl", "CL 580.1"};
static const struct test_device gpu_a_newer = {
	"uuid:aaaaaaaa-0000", "aaaaaaaa-0000", "0000:3b:00.0", "GPU A", "gpu", "cuda", "590.2"};
static const struct test_device cpu_newer = {"name:CPU", NULL, NULL, "CPU", "cpu", "opencl", "3.2"};

#define MAX_DEVICES 3

/* Each file has one row on each of its devices. */
static const struct chosen_row {
	const char *name;
	const struct test_device *files[3][MAX_DEVICES];
	const char *by; /* option */
	const char *chosen, *sides[4];
	int64_t joined; /* rows of the last side that have a ratio */
} chosen_rows[] = {
	{"two devices", {{&test_gpu_a}, {&test_gpu_b}}, NULL, "device", {"GPU A", "GPU B"}, 1},
	{"two backends of a device", {{&test_gpu_a}, {&gpu_a_opencl}}, NULL, "backend",
		{"cuda", "opencl"}, 1},
	{"two drivers of a device", {{&test_gpu_a}, {&gpu_a_newer}}, NULL, "driver",
		{"580.1", "590.2"}, 1},
	{"two drivers of a device without UUID and PCI address", {{&test_cpu}, {&cpu_newer}}, NULL,
		"driver", {"3.1", "3.2"}, 1},
	{"two runs", {{&test_gpu_a}, {&test_gpu_a}}, NULL, "run", {"one.json", "two.json"}, 1},
	{"two devices without a common backend", {{&test_gpu_a}, {&test_cpu}}, NULL,
		"device backend", {"GPU A, cuda", "CPU, opencl"}, 1},
	{"two devices with a common backend", {{&test_gpu_a, &gpu_a_opencl}, {&test_cpu}}, NULL,
		"device", {"GPU A", "CPU"}, 1},
	{"three devices", {{&test_gpu_a}, {&test_gpu_b}, {&test_cpu}}, NULL, "device backend",
		{"GPU A, cuda", "GPU B, cuda", "CPU, opencl"}, 1},
	{"files with a common device: by run", {{&test_gpu_a, &test_gpu_b}, {&test_gpu_b}}, NULL,
		"run", {"one.json", "two.json"}, 1},
	{"a common device beside two different ones",
		{{&test_gpu_a, &test_cpu}, {&test_gpu_b, &test_cpu}}, NULL, "device",
		{"GPU A", "CPU", "GPU B"}, 1},
	{"one file, two devices", {{&test_gpu_a, &test_gpu_b}}, NULL, "device", {"GPU A", "GPU B"},
		1},
	{"one file, two backends", {{&test_gpu_a, &gpu_a_opencl}}, NULL, "backend",
		{"cuda", "opencl"}, 1},
	{"one file, two devices without a common backend", {{&test_gpu_a, &test_cpu}}, NULL,
		"device backend", {"GPU A, cuda", "CPU, opencl"}, 1},
	{"by run, though devices differ: no row joins", {{&test_gpu_a}, {&test_gpu_b}}, "run",
		"run", {"one.json", "two.json"}, 0},
	{"by run and device", {{&test_gpu_a}, {&test_gpu_b}}, "run,device", "device run",
		{"GPU A, one.json", "GPU B, two.json"}, 1},
	{"by host", {{&test_gpu_a}, {&test_gpu_a}}, "host", "host",
		{"host host-one", "host host-two"}, 1},
	{"by label", {{&test_gpu_a}, {&test_gpu_a}}, "label", "label", {"day one", "day two"}, 1},
	{"by backend, one device each", {{&test_gpu_a}, {&gpu_a_opencl}}, "backend", "backend",
		{"cuda", "opencl"}, 1},
};

static void fill_files(struct test_files *files, const struct chosen_row *row)
{
	static const char *const paths[] = {"data/one.json", "data/two.json", "data/three.json"};
	static const char *const hosts[] = {"host-one", "host-two", "host-three"};
	static const char *const labels[] = {"day one", "day two", "day three"};

	for (size_t f = 0; f < 3 && row->files[f][0]; f++) {
		struct result_document *document = test_file(files, paths[f], hosts[f], labels[f]);
		for (size_t d = 0; d < MAX_DEVICES && row->files[f][d]; d++) {
			test_file_device(document, row->files[f][d]);
			test_row(document, row->files[f][d], "tiled", 1000);
		}
	}
}

TEST_ROWS(chosen, chosen_rows, "field: %s", row->name)
{
	SCOPED_FILES files = {0};
	char by[64] = "";

	fill_files(&files, row);
	TEST_COMPARISON document = test_compare(&files, row->by);
	for (size_t i = 0; i < document.by.count; i++)
		snprintf(by + strlen(by), sizeof by - strlen(by), "%s%s", i ? " " : "",
			document.by.items[i]);
	STRING(by, row->chosen);
	for (size_t i = 0; i < document.sides.count; i++) {
		CHECK(SOME(row->sides[i]), STRING(document.sides.items[i].name, row->sides[i]));
	}
	NIL(row->sides[document.sides.count]);
	const struct verdict_counts_record *counts =
		&document.counts.items[document.sides.count - 2];
	EQUAL(counts->same + counts->ambg, row->joined);
}

/* ---- Fields of the rows ---------------------------------------------------------------------- */

TEST(by_math, "field: by math")
{
	SCOPED_FILES files = {0};

	test_small_file(&files, "one.json", &test_gpu_a, 1000);
	text_set(
		&test_small_file(&files, "two.json", &test_gpu_a, 500)->results.items[0].build.math,
		"fast");
	struct comparison_document document = test_compare(&files, "math");
	CHECK(EQUAL(document.rows.count, 1), STRING(document.sides.items[1].name, "fast"),
		EQUAL(document.rows.items[0].cells.items[1].verdict, VERDICT_FAST));
	record_finish(&comparison_document_type, &document);
	document = test_compare(&files, NULL); /* by run */
	EQUAL(document.rows.count, 2);
	EQUAL(document.rows.items[0].cells.items[1].verdict, VERDICT_NOCOMP);
	STRING(document.rows.items[0].cells.items[1].reason, "math: default / fast");
	record_finish(&comparison_document_type, &document);
}

TEST(by_macros, "field: by macros")
{
	SCOPED_FILES files = {0};

	struct result_document *document = test_small_file(&files, "one.json", &test_gpu_a, 1000);
	test_row(document, &test_gpu_a, "tiled", 1100)->macros.items[0].value = 32;
	TEST_COMPARISON compared = test_compare(&files, "macros");
	CHECK(EQUAL(compared.rows.count, 1), STRING(compared.sides.items[0].name, "TILE=16"),
		STRING(compared.sides.items[1].name, "TILE=32"),
		EQUAL(compared.rows.items[0].cells.items[1].verdict, VERDICT_SLOW));
}

/* A row that ended with a crash has no math mode: it stays on the side of its file. */
TEST(by_math_with_crash, "field: by math, a row crashed")
{
	SCOPED_FILES files = {0};

	struct result_document *one = test_small_file(&files, "one.json", &test_gpu_a, 1000);
	test_row(one, &test_gpu_a, "naive", 1000);
	struct result_document *two = test_small_file(&files, "two.json", &test_gpu_a, 1000);
	text_set(&two->results.items[0].build.math, "fast");
	test_row_end(test_row(two, &test_gpu_a, "naive", 1000), OUTCOME_CRASHED, "SIGSEGV");
	TEST_COMPARISON document = test_compare(&files, "math");
	EQUAL(document.sides.count, 2);
	const struct comparison_row *row = test_compared_row(&document, "naive");
	EQUAL(row->cells.items[1].verdict, VERDICT_NOCOMP);
	STRING(row->cells.items[1].reason, "new: crashed: SIGSEGV");
}

/* The base has two sizes in CUDA, and the other device has a third size. The reason has the fewest differences:
 * without the backend if the other device also has the backend. */
TEST(near_in_backend, "the nearest row has the same backend")
{
	static const struct test_device gpu_b_opencl = {
		"uuid:bbbbbbbb-0000", "bbbbbbbb-0000", NULL, "GPU B", "gpu", "opencl", "CL 580.1"};

	for (int with_cuda = 0; with_cuda < 2; with_cuda++) {
		SCOPED_FILES files = {0};
		struct result_document *base = test_device_file(&files, "base.json", &test_gpu_a);
		test_row_size(test_row(base, &test_gpu_a, "tiled", 1000), 64);
		test_row_size(test_row(base, &test_gpu_a, "tiled", 2000), 128);
		struct result_document *other =
			test_device_file(&files, "other.json", &gpu_b_opencl);
		test_row_size(test_row(other, &gpu_b_opencl, "tiled", 3000), 256);
		if (with_cuda) {
			test_file_device(other, &test_gpu_b);
			test_row_size(test_row(other, &test_gpu_b, "tiled", 3000), 256);
		}
		TEST_COMPARISON document = test_compare(&files, "device");
		const struct cell_record *cell = &document.rows.items[0].cells.items[1];
		CHECK(EQUAL(cell->verdict, VERDICT_NOCOMP),
			STRING(cell->reason, with_cuda ? "problem: n=64 / n=256"
						       : "backend: cuda / opencl, "
							 "problem: n=64 / n=256"),
			EQUAL(document.counts.items[0].nocomp, with_cuda ? 4 : 3));
	}
}

/* ---- Names of sides -------------------------------------------------------------------------- */

static const struct test_device twin = {
	"uuid:cccccccc-0000", "cccccccc-0000", NULL, "GPU A", "gpu", "cuda", "580.1"};
static const struct test_device twin_prefix = {
	"uuid:aaaaaaaa-9999", "aaaaaaaa-9999", NULL, "GPU A", "gpu", "cuda", "580.1"};
static const struct test_device pci_only = {
	"pci:0000:3b:00.0", NULL, "0000:3b:00.0", "GPU A", "gpu", "cuda", "580.1"};
static const struct test_device empty_uuid_a = {
	"name:GPU A", "", "", "GPU A", "gpu", "cuda", "580.1"};
static const struct test_device empty_uuid_b = {
	"name:GPU B", "", "", "GPU B", "gpu", "cuda", "580.1"};

static const struct names_row {
	const char *name;
	const struct test_device *devices[2];
	const char *paths[2], *hosts[2], *sides[2];
} names_rows[] = {
	{"two devices of one name", {&test_gpu_a, &twin}, {"a", "b"}, {"h", "h"},
		{"GPU A (aaaaaaaa)", "GPU A (cccccccc)"}},
	{"UUIDs with one beginning", {&test_gpu_a, &twin_prefix}, {"a", "b"}, {"h", "h"},
		{"GPU A (aaaaaaaa) #1", "GPU A (aaaaaaaa) #2"}},
	{"one PCI address on two machines", {&pci_only, &pci_only}, {"a", "b"}, {"h", "i"},
		{"GPU A (0000:3b:00.0) #1", "GPU A (0000:3b:00.0) #2"}},
	{"empty UUIDs are none", {&empty_uuid_a, &empty_uuid_b}, {"a", "b"}, {"h", "h"},
		{"GPU A", "GPU B"}},
	{"files of one name", {&test_gpu_a, &test_gpu_a}, {"x/r.json", "y/r.json"}, {"h", "h"},
		{"x/r.json", "y/r.json"}},
	{"the same file twice", {&test_gpu_a, &test_gpu_a}, {"x/r.json", "x/r.json"}, {"h", "h"},
		{"x/r.json #1", "x/r.json #2"}},
};

TEST_ROWS(side_names, names_rows, "names: %s", row->name)
{
	SCOPED_FILES files = {0};

	for (size_t i = 0; i < 2; i++) {
		struct result_document *document =
			test_small_file(&files, row->paths[i], row->devices[i], 1000);
		text_set(&document->run.host_id, row->hosts[i]);
	}
	TEST_COMPARISON document = test_compare(&files, NULL);
	EQUAL(document.sides.count, 2);
	for (size_t i = 0; i < 2; i++)
		STRING(document.sides.items[i].name, row->sides[i]);
	EQUAL(document.counts.items[0].same, 1);
}

/* A CPU that other programs use: one line for its side, and no mark for each row. */
TEST(busy, "a CPU that other programs use")
{
	static const char line[] = "other programs use this CPU (load 10.4 on 2 cores)";
	SCOPED_FILES files = {0};

	for (size_t i = 0; i < 2; i++) {
		struct result_document *file =
			test_small_file(&files, i ? "b" : "a", i ? &test_cpu : &test_gpu_a, 1000);
		struct result_row *row = &file->results.items[0];
		row->timing.flags |= TIMING_THROTTLED;
		row->device_state.record.present = true;
		row->device_state.load_average = 10.4;
		row->device_state.cpu_cores = i ? 2 : -1;
	}
	TEST_COMPARISON document = test_compare(&files, NULL);
	const struct cell_list *cells = &document.rows.items[0].cells;
	char *text = test_compared_text(&document);
	CHECK(IS(cells->items[0].flags & TIMING_THROTTLED),
		NOT(cells->items[1].flags & TIMING_THROTTLED), NIL(document.sides.items[0].load),
		STRING(document.sides.items[1].load, line));
	HAS(text, line);
}

/* A row without a device, and a row whose device is not in the file. */
TEST(unknown_device, "rows without a device")
{
	SCOPED_FILES files = {0};

	text_set(&test_small_file(&files, "a", &test_gpu_a, 1000)->results.items[0].device, "");
	text_set(&test_small_file(&files, "b", &test_gpu_a, 1000)->results.items[0].device,
		"uuid:other");
	for (size_t i = 0; i < 3; i++) {
		static const char *const by[] = {NULL, "device", "driver,device"};
		TEST_COMPARISON document = test_compare(&files, by[i]);
		EQUAL(document.sides.count, 2);
	}
}

/* ---- Several files of a side ----------------------------------------------------------------- */

TEST(files_of_a_side, "several files of a device are runs of one side")
{
	SCOPED_FILES files = {0};

	for (size_t i = 0; i < 3; i++) {
		test_small_file(&files, "a", &test_gpu_a, 1000 + (double)i);
		test_small_file(&files, "b", &test_gpu_b, 1000);
	}
	files.items[4].path = "c";
	TEST_COMPARISON document = test_compare(&files, NULL);
	CHECK(EQUAL(document.sides.count, 2), EQUAL(document.rows.count, 1));
	const struct comparison_row *row = &document.rows.items[0];
	CHECK(EQUAL(row->cells.items[0].runs, 3), EQUAL(row->cells.items[1].runs, 3),
		NEAR(row->cells.items[0].median_ns, cbrt(1000.0 * 1001 * 1002), 1e-9),
		EQUAL(document.sides.items[0].files.count, 2),
		EQUAL(document.sides.items[0].rows, 3),
		STRING(document.sides.items[0].type, "gpu"));
}

/* ---- Refusals -------------------------------------------------------------------------------- */

static const struct refused_row {
	const char *name, *by, *part;
	size_t files;
	bool empty; /* the last file has no rows */
} refused_rows[] = {
	{"one file, one device, one backend", NULL, "a.json has one device and one backend", 1},
	{"one file by backend", "backend", "same backend", 1},
	{"two files by backend", "backend", "same backend", 2},
	{"by two fields", "device,backend", "same device and other compared fields", 2},
	{"an unknown field", "colour", "--by=colour", 2},
	{"a field that cannot be compared", "variant", "--by=variant", 2},
	{"an empty field", "", "device, backend, driver, run, label, host, math, macros", 2},
	{"a comma at the end", "device,", "give one or several of", 2},
	{"a space", "device, backend", "--by= backend", 2},
	{"a file without rows", NULL, "a.json has no results", 2, true},
};

TEST_ROWS(refused, refused_rows, "refused: %s", row->name)
{
	const struct compare_options options = {.by = row->by, .tolerance = NAN};
	struct comparison_document document;
	SCOPED_FILES files = {0};

	for (size_t i = 0; i < row->files; i++)
		test_small_file(&files, "a.json", &test_gpu_a, 1000);
	if (row->empty) {
		struct result_row_list *results = &files.items[1].document.results;
		record_finish(&result_row_type, &results->items[0]);
		results->count = 0;
	}
	test_refused(compare_files(files.items, files.count, &options, &document, &test_error),
		PMPP_USAGE, row->part);
}
