/*
 * Rows of the internal family `roof`, measured as any variant is (verified first), and copies to
 * and from the host, measured with the host clock.
 */
#include "host/suite/roofs.h"

#include "host/suite/device.h"
#include "host/suite/roof_rows.h"
#include "host/suite/roofs_cache.h"
#include "host/suite/variant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TRANSFER_BYTES ((uint64_t)64 << 20)
#define TRANSFERS 5
#define ROW_TIME_MS 20
#define ROW_SAMPLES 30

static double *figure_of(struct roofs_record *roofs, enum roof_role role)
{
	double *const figures[ROOF_ROLE_COUNT] = {
		[ROOF_COPY] = &roofs->copy_gbps,
		[ROOF_READ] = &roofs->read_gbps,
		[ROOF_FMA] = &roofs->fma_gflops.f32,
		[ROOF_SHARED] = &roofs->shared_gbps,
	};
	return figures[role];
}

/* Whether a repeated run would have the same status. Lack of memory is not final. */
static bool is_final(const struct result_row *row)
{
	if (row->error.record.present && row->error.status == PMPP_TOO_LARGE)
		return false;
	return row->status == OUTCOME_OK || row->status == OUTCOME_UNSUPPORTED ||
	       row->status == OUTCOME_SKIPPED;
}

/* NAN in the figure where the row does not run here; *keep is cleared where it may run the next
 * time. Fails only for the device. */
static enum pmpp_status measure_row(struct bench *bench, enum roof_role role,
	struct roofs_record *roofs, bool *keep, struct pmpp_error *error)
{
	/* The device's roofs do not depend on the user's options. */
	struct suite_options options = SUITE_OPTIONS_DEFAULT;
	struct roof_row row;
	struct outcome outcome;
	char untimed[sizeof outcome.untimed] = "";
	enum pmpp_status status = PMPP_OK;

	if (!roof_row_of(&bench->device->info, role, &row))
		return PMPP_OK;
	options.min_time_ms = ROW_TIME_MS;
	options.max_samples = ROW_SAMPLES;
	outcome_init(&outcome, &row.config, &row.problem, &bench->device->info, options.math);
	if (!bench->lost)
		status = variant_absorb_calibration(bench_calibrate(bench, options.math, error),
			untimed, sizeof untimed, error);
	if (status == PMPP_OK)
		status = variant_run(bench, &options, untimed, &outcome, error);
	if (status == PMPP_OK && outcome.row.timing.record.present) {
		/* The roof is the best sample: a median would depend on the clock rate. */
		double ns = fmin(outcome.row.timing.cold.min, outcome.row.timing.hot.min);
		*figure_of(roofs, role) = row.amount / ns;
	}
	*keep = *keep && is_final(&outcome.row);
	outcome_finish(&outcome);
	return status;
}

/* Pageable host memory, as the suite's own uploads use. */
static enum pmpp_status measure_transfers(
	struct gpu_device *device, struct roofs_record *roofs, struct pmpp_error *error)
{
	struct gpu_buffer *buffer = NULL;
	char *host = malloc(TRANSFER_BYTES);
	double down_ns = INFINITY;
	double up_ns = INFINITY;
	enum pmpp_status status;

	if (!host)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no host memory for a transfer");
	memset(host, 1, TRANSFER_BYTES);
	status = gpu_buffer_create(device, TRANSFER_BYTES, 0, &buffer, error);
	for (int i = 0; status == PMPP_OK && i < TRANSFERS; i++) {
		double start = host_clock_ns();
		status = gpu_buffer_write(buffer, 0, host, TRANSFER_BYTES, error);
		double middle = host_clock_ns();
		if (status == PMPP_OK)
			status = gpu_buffer_read(buffer, 0, host, TRANSFER_BYTES, error);
		down_ns = fmin(down_ns, middle - start);
		up_ns = fmin(up_ns, host_clock_ns() - middle);
	}
	gpu_buffer_destroy(&buffer);
	free(host);
	if (status != PMPP_OK)
		return status;
	roofs->h2d_gbps = (double)TRANSFER_BYTES / down_ns;
	roofs->d2h_gbps = (double)TRANSFER_BYTES / up_ns;
	return PMPP_OK;
}

static enum pmpp_status measure(
	struct bench *bench, struct roofs_record *ret_roofs, bool *keep, struct pmpp_error *error)
{
	struct roofs_record roofs = roofs_unknown();
	enum pmpp_status status = PMPP_OK;

	for (int role = 0; status == PMPP_OK && role < ROOF_ROLE_COUNT; role++)
		status = measure_row(bench, (enum roof_role)role, &roofs, keep, error);
	/* The rows' operands are large. */
	bench_release_problem(bench);
	if (status == PMPP_OK)
		status = measure_transfers(bench->device, &roofs, error);
	if (status == PMPP_OUT_OF_MEMORY) {
		pmpp_error_clear(error);
		*keep = false;
		status = PMPP_OK;
	}
	if (status == PMPP_OK)
		*ret_roofs = roofs;
	return status;
}

void device_roofs_init(struct device_roofs *device)
{
	*device = (struct device_roofs){.roofs = roofs_unknown()};
}

enum pmpp_status device_roofs_get(struct device_roofs *device, struct bench *bench,
	const struct suite_options *options, bool force, struct pmpp_error *error)
{
	const struct gpu_device_info *info = &bench->device->info;
	struct roofs_record roofs = roofs_unknown();
	bool keep = true;

	if (suite_is_emulated(info) || (device->known && !force))
		return PMPP_OK;
	if (force || !roofs_cache_load(info, &roofs)) {
		if (options->progress)
			options->progress(
				options->progress_context, "measuring the device's roofs");
		enum pmpp_status status = measure(bench, &roofs, &keep, error);
		if (status != PMPP_OK)
			return status;
		if (keep)
			roofs_cache_store(info, &roofs);
	}
	*device = (struct device_roofs){.known = true, .roofs = roofs};
	return PMPP_OK;
}
