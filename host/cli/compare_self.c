#include "host/cli/compare_self.h"

#include <stdlib.h>
#include <time.h>

#include "host/cli/command_job.h"
#include "host/compare/self.h"
#include "host/io/cache_file.h"
#include "host/record/noise_cache.h"
#include "host/report/self_text.h"

/* Adds the floors of a device to its record. */
static void add_floors(
	const struct self_families *measured, size_t runs, struct device_record *device)
{
	char now[32];
	struct tm utc;
	time_t seconds = time(NULL);
	struct noise_list noise = {0};

	strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &utc));
	for (size_t i = 0; i < measured->count; i++) {
		const struct self_family *family = &measured->items[i];
		if (!text_equal(family->device, device->key) || family->variants == 0)
			continue;
		struct noise_record *record = record_list_add(&noise_type, &noise);
		if (!record)
			break;
		text_set(&record->backend, family->backend);
		text_set(&record->family, family->family);
		record->sd = family->floor.sd;
		record->dof = family->floor.dof;
		record->runs = (int64_t)runs;
		record->variants = (int64_t)family->variants;
		text_set(&record->measured_utc, now);
	}
	if (noise.count) {
		noise_cache_store(device->key, &noise);
		for (size_t i = 0; i < device->noise.count; i++)
			record_finish(&noise_type, &device->noise.items[i]);
		free(device->noise.items);
		device->noise = noise;
	}
}

/* A job_results_fn. */
static enum pmpp_status use_results(const struct cli_options *options,
	struct result_document *document, struct pmpp_error *error)
{
	size_t runs = options->comparing.aa_runs, repetitions = options->job.repetitions;
	char folder[CACHE_TEXT_BYTES];
	struct self_families measured =
		self_compare(document, runs, repetitions, options->job.tolerance);
	enum pmpp_status status =
		measured.items ? PMPP_OK
			       : PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the floors");

	for (size_t i = 0; i < document->devices.count && status == PMPP_OK; i++)
		add_floors(&measured, runs, &document->devices.items[i]);
	if (status == PMPP_OK && !options->terminal.quiet) {
		bool taken = options->json && options->json[0] == '-' && !options->json[1];
		FILE *out = taken ? stderr : stdout;
		self_text_put(out, document, &measured, runs, repetitions);
		if (cache_folder("noise", folder))
			fprintf(out, "the floors of noise are kept in %s\n", folder);
	}
	free(measured.items);
	return status;
}

enum pmpp_status compare_self(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	size_t processes = options->comparing.aa_runs * options->job.repetitions;

	return command_job_repeated(processes, use_results, options, ret_exit, error);
}
