#include "host/cli/shipped_ladder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/family.h"
#include "host/cli/result_files.h"
#include "host/gpu/gpu.h"
#include "host/report/console.h"
#include "host/report/wrap.h"
#include "host/run/targets.h"

/* ---- Rows ------------------------------------------------------------------------------------ */

/* The backend whose ladder is shown; NULL: the file has no row of the family. */
static const char *backend_of(const struct result_document *document, const struct family *family)
{
	const char *backend = NULL;

	for (size_t i = 0; i < document->results.count; i++) {
		const struct result_row *row = &document->results.items[i];
		if (text_equal(row->family, family->name) &&
			(!backend || text_equal(row->backend, gpu_backend_name(GPU_BACKEND_CUDA))))
			backend = row->backend;
	}
	return backend;
}

static const struct result_row *find_row(
	const struct result_document *document, const struct variant *variant, const char *backend)
{
	for (size_t i = 0; i < document->results.count; i++) {
		const struct result_row *row = &document->results.items[i];
		if (text_equal(row->family, variant_family(variant)->name) &&
			text_equal(row->variant, variant->name) &&
			(!backend || text_equal(row->backend, backend)))
			return row;
	}
	return NULL;
}

/* ---- show --results -------------------------------------------------------------------------- */

static void fill_group(const struct result_document *document, const struct target *target,
	const char *backend, const struct result_row *first, struct group_record *group)
{
	const struct device_record *device = device_list_find(&document->devices, first->device);
	const struct view_record *view = device_view(device, backend);
	char sizes[160];

	format_sizes(&first->problem, sizes, sizeof sizes);
	group->action = GROUP_RUN;
	group->gpu = device && text_equal(device->type, gpu_device_type_name(GPU_TYPE_GPU));
	text_set(&group->family, target->family->name);
	text_set(&group->problem, sizes);
	text_format(&group->choices, "%s%s%s%s%s", text_or_empty(first->dtype),
		first->op ? " " : "", text_or_empty(first->op),
		text_equal(first->data, "random") ? "" : " ",
		text_equal(first->data, "random") ? "" : text_or_empty(first->data));
	text_set(&group->device, backend);
	text_format(&group->device_name, "%s, measured %s", view ? text_or_empty(view->name) : "",
		text_or_empty(document->run.started_utc));
	text_set(&group->platform, view ? view->platform : NULL);
	text_set(&group->driver, view ? view->driver : NULL);
	for (size_t i = 0; i < target->variant_count; i++) {
		struct group_row *row = record_list_add(&group_row_type, &group->rows);
		if (!row)
			break;
		text_set(&row->label, target->variants[i]->name);
		text_set(&row->technique, target->variants[i]->technique);
	}
}

static enum pmpp_status show_ladder(struct console *console, const struct compared_file *file,
	const struct target *target, struct pmpp_error *error)
{
	const char *backend = backend_of(&file->document, target->family);
	const struct result_row *first = NULL;
	struct group_record group;

	for (size_t i = 0; i < target->variant_count && backend && !first; i++)
		first = find_row(&file->document, target->variants[i], backend);
	if (!first)
		return PMPP_FAIL(error, PMPP_USAGE, "%s has no results of %s", file->path,
			target->family->name);
	record_init(&group_type, &group);
	fill_group(&file->document, target, backend, first, &group);
	console_group(console, &group);
	for (size_t i = 0; i < target->variant_count; i++) {
		const struct result_row *row =
			find_row(&file->document, target->variants[i], backend);
		if (row)
			console_row(console, row->variant, row);
	}
	console_group_end(console);
	record_finish(&group_type, &group);
	return PMPP_OK;
}

enum pmpp_status shipped_ladder_show(const struct cli_options *options, struct pmpp_error *error)
{
	struct result_files files = {0};
	struct target_list targets = {0};
	struct console console;
	enum pmpp_status status =
		targets_parse(options->arguments, options->argument_count, &targets, error);

	console_init(&console, &options->terminal, false);
	if (status == PMPP_OK)
		status = result_files_load_shipped(
			"--results", options->comparing.with, &files, error);
	for (size_t f = 0; f < files.count; f++)
		for (size_t t = 0; t < targets.count && status == PMPP_OK; t++)
			status = show_ladder(&console, &files.items[f], &targets.items[t], error);
	console_finish(&console);
	targets_finish(&targets);
	result_files_finish(&files);
	return status;
}

/* ---- Beside the times of a CPU ------------------------------------------------------------------ */

#define SHOWN_GPU "h200"
#define PASS_BYTES 128

static const struct table_column columns[] = {
	{.title = "variant"},
	{.title = "technique", .priority = 6, .cut = 12},
	TABLE_NUMBER(NULL, "GPU", "ns", 0, 8),
	TABLE_NUMBER(NULL, "step", "1", 0, 6),
	TABLE_NUMBER(NULL, "this CPU", "ns", 0, 8),
	TABLE_NUMBER(NULL, "requested", "1", 2, 9),
	TABLE_NUMBER(NULL, "sectors", "1", 3, 7),
	TABLE_NUMBER(NULL, "passes", "1", 4, 7),
	{.title = "limited by", .priority = 5, .cut = 12},
};

static struct problem problem_of(const struct family *family, const struct result_row *row)
{
	struct problem problem = problem_default(family);

	for (size_t d = 0; d < family->dim_count; d++)
		for (size_t i = 0; i < row->problem.count; i++)
			if (text_equal(row->problem.items[i].name, family->dim_names[d]))
				problem.dim[d] = row->problem.items[i].value;
	return problem;
}

/* cpu: NULL if the CPU has no row of this variant. */
static void add_row(struct table *table, const struct variant *variant,
	const struct result_row *gpu, const struct result_row *cpu)
{
	const struct config config = config_default(variant);
	const struct problem problem = problem_of(variant_family(variant), gpu);
	const struct floor_work work = config_traffic(&config, &problem);
	const double least = gpu->work.bytes_compulsory;
	char limit[64];

	format_limit(&gpu->derived, limit, sizeof limit);
	table_row(table, STYLE_PLAIN);
	table_text(table, variant->name);
	table_text(table, variant->technique);
	table_number(table, format_ns, result_row_median_ns(gpu));
	table_number(table, format_factor, gpu->derived.step);
	table_number(table, format_ns, cpu ? result_row_median_ns(cpu) : NAN);
	table_number(table, format_number, gpu->work.bytes_issued / least);
	table_number(table, format_number, work.l2_bytes / least);
	table_number(table, format_number,
		(fmax(0, work.l1_passes) + fmax(0, work.shared_passes)) * PASS_BYTES / least);
	table_text(table, limit);
}

/* The variant to explain next: the first one with a claim that does not build on the first variant of the ladder,
 * else the second one. */
static const struct variant *next_variant(const struct family *family)
{
	for (size_t i = 1; i < family->variant_count; i++) {
		const struct variant *variant = &family->variants[i];
		if (variant->claim.text && variant->base &&
			strcmp(variant->base, family->variants[0].name) != 0)
			return variant;
	}
	return &family->variants[family->variant_count > 1];
}

static void put_beside(const struct compared_file *file, const struct result_document *run,
	const struct family *family, const struct page_style *style)
{
	const char *backend = backend_of(&file->document, family);
	const struct result_row *first = NULL;
	struct table table;
	struct wrap wrap;
	char sizes[160], own[160];

	table_init(&table, columns, ARRAY_COUNT(columns));
	for (size_t i = 0; i < family->variant_count && backend; i++) {
		const struct variant *variant = &family->variants[i];
		const struct result_row *gpu = find_row(&file->document, variant, backend);
		if (!gpu || gpu->status != OUTCOME_OK)
			continue;
		first = first ? first : gpu;
		add_row(&table, variant, gpu, find_row(run, variant, NULL));
	}
	if (first) {
		const struct device_record *device =
			device_list_find(&file->document.devices, first->device);
		format_sizes(&first->problem, sizes, sizeof sizes);
		format_sizes(&run->results.items[0].problem, own, sizeof own);
		fprintf(wrap_begin(&wrap, stdout, style->width),
			"\n%s on a GPU: %s, measured %s, %s; this CPU: %s\n", family->name,
			device ? text_or_empty(device->name) : SHOWN_GPU,
			text_or_empty(file->document.run.started_utc), sizes, own);
		wrap_end(&wrap);
		table_put(&table, stdout, style);
		fprintf(wrap_begin(&wrap, stdout, style->width),
			"requested, sectors, passes: bytes that threads request, bytes of the sectors of the "
			"second-level cache, and passes x %d bytes, each per byte of the inputs and "
			"outputs\nthe complete ladder: pmpp-run show "
			"--results=" SHOWN_GPU " %s\nnext: pmpp-run explain %s/%s\n",
			PASS_BYTES, family->name, family->name, next_variant(family)->name);
		wrap_end(&wrap);
	}
	table_finish(&table);
}

void shipped_ladder_beside(const struct cli_options *options, const struct result_document *run)
{
	const struct job_options *job = &options->job;
	const struct result_row *row = run->results.count ? &run->results.items[0] : NULL;
	const struct device_record *device =
		row ? device_list_find(&run->devices, row->device) : NULL;
	const struct family *family = row ? family_find(row->family) : NULL;
	struct page_style style = terminal_page_style(&options->terminal, stdout);
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	struct result_files files = {0};

	if (!device || !family || !text_equal(device->type, gpu_device_type_name(GPU_TYPE_CPU)) ||
		job->backend || job->device || options->argument_count != 1 ||
		strchr(options->arguments[0], '/') || strcmp(options->arguments[0], "all") == 0 ||
		job->suite.kernel_dir || options->terminal.quiet ||
		options->terminal.stdout_taken || !isatty(STDOUT_FILENO))
		return;
	if (result_files_load_shipped("--results", SHOWN_GPU, &files, &ignored) == PMPP_OK &&
		files.count)
		put_beside(&files.items[0], run, family, &style);
	fflush(stdout);
	pmpp_error_clear(&ignored);
	result_files_finish(&files);
}
