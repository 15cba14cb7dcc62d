#include "tests/support/made_page.h"

#include "tests/support/test.h"

#include <math.h>
#include <string.h>

const struct test_device test_gpu_a_opencl = {
	"uuid:aaaaaaaa-0000", "aaaaaaaa-0000", "0000:3b:00.0", "GPU A", "gpu", "opencl", "580.1"};

struct result_document *made_page_file(struct made_page *made, const struct test_device *device)
{
	struct result_document *document = test_file(&made->files, "a.json", "host", NULL);

	test_file_device(document, device);
	return document;
}

void made_page_join(struct made_page *made)
{
	const struct compare_options options = {
		.by = "device,backend", .tolerance = NAN, .separate = true};
	struct pmpp_error error = PMPP_ERROR_INIT;

	made->input =
		(struct page_input){.files = made->files.items, .file_count = made->files.count};
	made->page = (struct page){.input = &made->input, .parts = &made->parts};
	test_ok(compare_files(made->files.items, made->files.count, &options,
			&made->page.comparison, &error),
		&error);
	made->page.problems = comparison_sections_make(&made->page.comparison);
	assert_true(page_make_sides(&made->page));
}

const char *made_page_write(struct made_page *made, section_fn *section)
{
	made->page.out = open_memstream(&made->parts.text, &made->parts.length);
	assert_non_null(made->page.out);
	assert_true(section(&made->page));
	assert_int_equal(fclose(made->page.out), 0);
	assert_false(made->parts.failed);
	return made->parts.text;
}

void made_page_finish(struct made_page *made)
{
	page_free_sides(&made->page);
	comparison_sections_finish(&made->page.problems);
	record_finish(&comparison_document_type, &made->page.comparison);
	page_parts_finish(&made->parts);
	test_files_finish(&made->files);
}

void test_row_work(struct result_row *row, double flops, double bytes, enum operations operations)
{
	row->work.record.present = true;
	row->work.flops = flops;
	row->work.bytes_compulsory = bytes;
	row->work.operations = (int)operations;
}

void test_text_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		test_fail("'%s' is not in: %s", part, text);
}
