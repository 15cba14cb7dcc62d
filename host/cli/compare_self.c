#include "host/cli/compare_self.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host/cli/command_job.h"
#include "host/compare/self.h"
#include "host/io/cache_file.h"
#include "host/record/noise_cache.h"
#include "host/report/self_text.h"
#include "host/report/terminal.h"
#include "host/report/wrap.h"

/* variant: NULL for the family. */
static bool add_floor(struct noise_list *list, const struct self_family *family,
	const char *variant, const struct noise_floor *floor)
{
	struct noise_record *record = record_list_add(&noise_type, list);

	if (!record)
		return false;
	text_set(&record->backend, family->backend);
	text_set(&record->family, family->family);
	text_set(&record->variant, variant);
	text_set(&record->dtype, family->first->dtype);
	text_set(&record->op, family->first->op);
	text_set(&record->data, family->first->data);
	for (size_t i = 0; i < family->first->problem.count; i++)
		named_list_add(&record->problem, family->first->problem.items[i].name,
			family->first->problem.items[i].value);
	record->sd = floor->sd;
	record->dof = floor->dof;
	return true;
}

/* Sets the members that all entries share. */
static void stamp(struct noise_list *list, size_t runs)
{
	char now[32];
	struct tm utc;
	time_t seconds = time(NULL);

	strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &utc));
	for (size_t i = 0; i < list->count; i++) {
		list->items[i].runs = (int64_t)runs;
		text_set(&list->items[i].measured_utc, now);
	}
}

/* Adds the floors of a device to the cache and to its record. false: none was measured. */
static bool keep_floors(
	const struct self_families *measured, size_t runs, struct device_record *device)
{
	struct noise_list noise = {0};

	for (size_t i = 0; i < measured->count; i++) {
		const struct self_family *family = &measured->items[i];
		if (!text_equal(family->device, device->key) || family->variant_count == 0)
			continue;
		add_floor(&noise, family, NULL, &family->floor);
		for (size_t v = 0; v < family->variant_count; v++)
			add_floor(&noise, family, family->variants[v].variant,
				&family->variants[v].floor);
	}
	if (noise.count == 0)
		return false;
	stamp(&noise, runs);
	noise_cache_store(device->key, &noise);
	for (size_t i = 0; i < device->noise.count; i++)
		record_finish(&noise_type, &device->noise.items[i]);
	free(device->noise.items);
	device->noise = noise;
	return true;
}

/* Whether a row has a kernel of the user. Its noise is not that of the project's variant. */
static bool has_own_kernel(const struct result_row_list *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->items[i].own_kernel)
			return true;
	return false;
}

/* Whether a table for programs goes to stdout. */
static bool takes_stdout(const struct cli_options *options)
{
	const char *const outputs[] = {options->json, options->csv, options->markdown};
	bool taken = false;

	for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
		taken |= outputs[i] && strcmp(outputs[i], "-") == 0;
	return taken;
}

/* A job_results_fn. */
static enum pmpp_status use_results(const struct cli_options *options,
	struct result_document *document, struct pmpp_error *error)
{
	size_t runs = options->comparing.aa_runs, repetitions = options->job.repetitions;
	char folder[CACHE_TEXT_BYTES];
	bool own = has_own_kernel(&document->results), kept = false;
	struct self_families measured =
		self_compare(document, runs, repetitions, options->job.tolerance);
	enum pmpp_status status =
		measured.items ? PMPP_OK
			       : PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the floors");

	for (size_t i = 0; i < document->devices.count && status == PMPP_OK; i++)
		kept |= runs >= SELF_MIN_RUNS && !own &&
			keep_floors(&measured, runs, &document->devices.items[i]);
	if (status == PMPP_OK && !options->terminal.quiet) {
		FILE *out = takes_stdout(options) ? stderr : stdout;
		const int width = terminal_width(out);
		struct wrap wrap;
		FILE *lines = wrap_begin(&wrap, out, width);
		self_text_put(lines, document, &measured, runs, repetitions, width);
		if (runs < SELF_MIN_RUNS)
			fprintf(lines, "these floors are not kept: give --aa=%d or more\n",
				SELF_MIN_RUNS);
		else if (own)
			fputs("these floors are not kept: they are of your kernels (--kernel-dir)\n",
				lines);
		else if (!kept)
			fputs("no variant was timed in all runs: there are no floors to keep\n",
				lines);
		else if (cache_file_folder("noise", folder))
			fprintf(lines, "the floors of noise are kept in %s\n", folder);
		wrap_end(&wrap);
	}
	self_families_finish(&measured);
	return status;
}

enum pmpp_status compare_self(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	size_t processes = options->comparing.aa_runs * options->job.repetitions;

	return command_job_repeated(processes, use_results, options, ret_exit, error);
}
