#include "tests/support/result_files.h"

#include "host/report/compare_text.h"
#include "tests/support/test.h"

const struct test_device test_gpu_a = {
	"uuid:aaaaaaaa-0000", "aaaaaaaa-0000", "0000:3b:00.0", "GPU A", "gpu", "cuda", "580.1"};
const struct test_device test_gpu_b = {
	"uuid:bbbbbbbb-0000", "bbbbbbbb-0000", "0000:3b:00.0", "GPU B", "gpu", "cuda", "580.1"};
const struct test_device test_cpu = {"name:CPU, 3.1", NULL, NULL, "CPU", "cpu", "opencl", "3.1"};

struct result_document *test_file(
	struct test_files *files, const char *path, const char *host_id, const char *label)
{
	IS(files->count < TEST_FILES);
	struct compared_file *file = &files->items[files->count++];
	struct result_document *document = &file->document;

	file->path = path;
	record_init(&result_document_type, document);
	text_set(&document->schema, RESULT_SCHEMA);
	document->run.record.present = true;
	text_set(&document->run.host_id, host_id);
	text_set(&document->run.label, label);
	text_set(&document->run.started_utc, "2026-11-22T10:00:00Z");
	return document;
}

void test_file_device(struct result_document *document, const struct test_device *device)
{
	struct device_record record;
	record_init(&device_type, &record);
	struct view_record *view = record_list_add(&view_type, &record.views);

	SOME(view);
	text_set(&view->backend, device->backend);
	text_set(&view->driver, device->driver);
	text_set(&record.key, device->key);
	text_set(&record.uuid, device->uuid);
	text_set(&record.pci, device->pci);
	text_set(&record.name, device->name);
	text_set(&record.type, device->type);
	test_ok(result_document_add_device(document, &record, &test_error));
	record_finish(&device_type, &record);
}

struct result_document *test_device_file(
	struct test_files *files, const char *path, const struct test_device *device)
{
	struct result_document *document = test_file(files, path, "host", NULL);

	test_file_device(document, device);
	return document;
}

static void set_time(struct timing_record *timing, double ns)
{
	timing->record.present = timing->cold.record.present = true;
	text_set(&timing->contract, TIMING_CONTRACT);
	timing->primary = TIMING_COLD;
	timing->cold.n = 50;
	timing->cold.median = ns;
	timing->cold.half_width = 0.001;
	timing->cold.ci95[0] = 0.999 * ns;
	timing->cold.ci95[1] = 1.001 * ns;
}

struct result_row *test_row(struct result_document *document, const struct test_device *device,
	const char *variant, double ns)
{
	struct result_row *row = record_list_add(&result_row_type, &document->results);

	SOME(row);
	text_set(&row->family, "matmul");
	text_set(&row->variant, variant);
	text_set(&row->backend, device->backend);
	text_set(&row->device, device->key);
	text_set(&row->dtype, "f32");
	text_set(&row->data, "random");
	row->seed = 1;
	IS(named_list_add(&row->problem, "n", 64));
	IS(named_list_add(&row->macros, "TILE", 16));
	row->status = OUTCOME_OK;
	row->build.record.present = true;
	text_set(&row->build.math, "default");
	text_set(&row->build.source_sha256, "5eed");
	if (ns > 0)
		set_time(&row->timing, ns);
	return row;
}

struct result_row *test_runs(struct result_document *document, const struct test_device *device,
	const char *variant, const double *medians_ns, size_t count)
{
	struct result_row *row = test_row(document, device, variant, medians_ns[0]);

	row->repetitions.record.present = true;
	row->repetitions.noise_sd = 0.002;
	for (size_t i = 0; i < count; i++) {
		struct timing_record *run = record_list_add(&timing_type, &row->repetitions.runs);
		SOME(run);
		set_time(run, medians_ns[i]);
	}
	return row;
}

void test_row_size(struct result_row *row, int64_t n)
{
	row->problem.items[0].value = n;
}

void test_row_end(struct result_row *row, enum outcome_status status, const char *reason)
{
	record_finish(&timing_type, &row->timing);
	row->timing.record.present = row->build.record.present = false;
	text_set(&row->build.math, NULL);
	result_row_end(row, status, reason);
}

struct result_document *test_small_file(
	struct test_files *files, const char *path, const struct test_device *device, double ns)
{
	struct result_document *document = test_file(files, path, "host-one", NULL);

	test_file_device(document, device);
	test_row(document, device, "tiled", ns);
	return document;
}

struct comparison_document test_compare(struct test_files *files, const char *by)
{
	const struct compare_options options = {.by = by, .tolerance = NAN};
	struct comparison_document document;

	test_ok(compare_files(files->items, files->count, &options, &document, &test_error));
	return document;
}

const struct comparison_row *test_compared_row(
	const struct comparison_document *document, const char *variant)
{
	for (size_t i = 0; i < document->rows.count; i++)
		if (text_equal(document->rows.items[i].variant, variant))
			return &document->rows.items[i];
	test_fail("no row of %s", variant);
}

char *test_compared_text(const struct comparison_document *document)
{
	return WRITTEN(out, compare_text_put(out, document, &(struct page_style){0}));
}

void test_files_finish(struct test_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		record_finish(&result_document_type, &files->items[i].document);
	files->count = 0;
}
