/*
 * Measures rows of the internal family `roof` like any other variant, after verification. Measures
 * copies to and from the host with the host clock.
 */
#include "host/suite/roofs.h"

#include "host/io/clock.h"
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
#define CPU_ROW_TIME_MS 200 /* other programs slow most samples down; the fastest is used */
#define ROW_SAMPLES 80

/* A roof from samples with these warnings is doubtful: other processes do not use it. */
#define DOUBTFUL (TIMING_THROTTLED | TIMING_NOISY | TIMING_HOST_CLOCK)

/* The roofs that one measurement gives. */
struct findings {
	struct roofs_record sure;     /* kept for other processes */
	struct roofs_record doubtful; /* from samples with warnings: for this process only */
	bool complete;                /* `sure` has every roof that can be measured */
};

/* true: a repeated run would have the same status. Lack of memory may be temporary. */
static bool is_final(const struct result_row *row)
{
	if (row->error.record.present && row->error.status == PMPP_TOO_LARGE)
		return false;
	return row->status == OUTCOME_OK || row->status == OUTCOME_UNSUPPORTED ||
	       row->status == OUTCOME_SKIPPED;
}

/* Uses the best sample as the roof, because a median would depend on the clock rate. Ignores cold
 * samples below the resolution. */
static void add_finding(struct findings *findings, enum roof_role role, const struct roof_row *row,
	const struct timing_record *timing)
{
	bool sure = !(timing->flags & DOUBTFUL);
	struct roofs_record *roofs = sure ? &findings->sure : &findings->doubtful;

	double min_ns = timing->primary == TIMING_HOT ? timing->hot.min
						      : fmin(timing->cold.min, timing->hot.min);

	roofs_set(roofs, role, fmax(*roof_figure(roofs, role), row->amount / min_ns), 0);
	*roof_warnings(roofs, role) |= timing->flags & DOUBTFUL;
	roofs->flags |= timing->flags & DOUBTFUL;
	findings->complete = findings->complete && sure;
}

/* Adds the row's figure. It stays unknown if the row does not run on this device. Returns only
 * errors of the device. */
static enum pmpp_status measure_row(struct bench *bench, enum roof_role role,
	const struct roof_row *row, struct findings *findings, struct pmpp_error *error)
{
	/* The device's roofs do not depend on the user's options. */
	struct suite_options options = SUITE_OPTIONS_DEFAULT;
	struct outcome outcome;
	char untimed[sizeof outcome.untimed] = "";
	enum pmpp_status status = PMPP_OK;

	options.min_time_ms =
		bench->device->info.type == GPU_TYPE_CPU ? CPU_ROW_TIME_MS : ROW_TIME_MS;
	options.max_samples = ROW_SAMPLES;
	outcome_init(&outcome, &row->config, &row->problem, &bench->device->info, &options);
	if (!bench->lost)
		status = variant_absorb_calibration(bench_calibrate(bench, options.math, error),
			untimed, sizeof untimed, error);
	if (status == PMPP_OK)
		status = variant_run(bench, &options, untimed, &outcome, error);
	if (status == PMPP_OK && outcome.row.timing.record.present)
		add_finding(findings, role, row, &outcome.row.timing);
	findings->complete =
		findings->complete && is_final(&outcome.row) &&
		(outcome.row.timing.record.present || outcome.row.status != OUTCOME_OK);
	outcome_finish(&outcome);
	return status;
}

static enum pmpp_status measure_role(struct bench *bench, enum roof_role role,
	struct findings *findings, struct pmpp_error *error)
{
	const struct gpu_device_info *info = &bench->device->info;
	struct roof_row row;
	enum pmpp_status status = PMPP_OK;

	if (roof_row_of(info, role, &row))
		status = measure_row(bench, role, &row, findings, error);
	if (status == PMPP_OK && roof_row_other(info, role, &row))
		status = measure_row(bench, role, &row, findings, error);
	return status;
}

/* Uses pageable host memory, like the uploads of the suite. */
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
	roofs_set(roofs, ROOF_H2D, (double)TRANSFER_BYTES / down_ns, 0);
	roofs_set(roofs, ROOF_D2H, (double)TRANSFER_BYTES / up_ns, 0);
	return PMPP_OK;
}

/* Measures the roofs that are unknown in findings->sure. */
static enum pmpp_status measure(
	struct bench *bench, struct findings *findings, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	findings->complete = true;
	for (int i = 0; status == PMPP_OK && i < ROOF_ROLE_COUNT; i++) {
		enum roof_role role = (enum roof_role)i;
		struct findings one = {
			.sure = roofs_unknown(), .doubtful = roofs_unknown(), .complete = true};

		if (!isnan(*roof_figure(&findings->sure, role)))
			continue;
		status = measure_role(bench, role, &one, error);
		/* A slower row without warnings is not the roof: measure the role again later. */
		if (*roof_figure(&one.doubtful, role) > *roof_figure(&one.sure, role))
			*roof_figure(&one.sure, role) = NAN;
		roofs_complete(&findings->sure, &one.sure);
		roofs_complete(&findings->doubtful, &one.doubtful);
		findings->complete = findings->complete && one.complete;
	}
	/* Free the large operands before the copies. */
	bench_release_problem(bench);
	if (status == PMPP_OK && isnan(findings->sure.d2h_gbps))
		status = measure_transfers(bench->device, &findings->sure, error);
	if (status == PMPP_OUT_OF_MEMORY) {
		pmpp_error_clear(error);
		findings->complete = false;
		status = PMPP_OK;
	}
	return status;
}

/* A figure from flagged samples does not replace an older figure without flags. */
static void keep_sure(struct findings *findings, struct roofs_record *older)
{
	for (int i = 0; i < ROOF_ROLE_COUNT; i++) {
		enum roof_role role = (enum roof_role)i;
		if (isnan(*roof_figure(&findings->sure, role)) &&
			!isnan(*roof_figure(&findings->doubtful, role)) &&
			!isnan(*roof_figure(older, role)))
			roofs_set(&findings->sure, role, *roof_figure(older, role),
				*roof_age(older, role));
	}
}

/* Flagged samples measure at most what the device reaches. So a slower flagged figure does not
 * replace an older flagged one. */
static void keep_faster(struct roofs_record *doubtful, struct roofs_record *older)
{
	for (int i = 0; i < ROOF_ROLE_COUNT; i++) {
		enum roof_role role = (enum roof_role)i;
		if (*roof_figure(older, role) > *roof_figure(doubtful, role)) {
			roofs_set(
				doubtful, role, *roof_figure(older, role), *roof_age(older, role));
			*roof_warnings(doubtful, role) = *roof_warnings(older, role);
			doubtful->flags |= *roof_warnings(older, role);
		}
	}
}

void device_roofs_init(struct device_roofs *device)
{
	*device = (struct device_roofs){.roofs = roofs_unknown()};
}

enum pmpp_status device_roofs_get(struct device_roofs *device, struct bench *bench,
	const struct suite_options *options, bool force, struct pmpp_error *error)
{
	const struct gpu_device_info *info = &bench->device->info;
	const char *roof_dir = bench->programs.roof_dir;
	struct findings findings = {.sure = roofs_unknown(), .doubtful = roofs_unknown()};

	if (suite_is_emulated(info) || (device->known && !force))
		return PMPP_OK;
	struct kept_roofs kept = roofs_cache_load(info, roof_dir);
	if (!force) {
		findings.sure = kept.own;
		if (kept.pause)
			findings.doubtful = kept.doubtful;
	}
	if (force || !(kept.complete || kept.pause || options->no_roofs)) {
		if (options->progress)
			options->progress(
				options->progress_context, "measuring the device's roofs");
		enum pmpp_status status = measure(bench, &findings, error);
		if (status != PMPP_OK)
			return status;
		keep_sure(&findings, &kept.own);
		keep_faster(&findings.doubtful, &kept.doubtful);
		kept.own = findings.sure;
		kept.doubtful = findings.doubtful;
		kept.complete = findings.complete;
		roofs_cache_store(info, roof_dir, &kept);
	}
	roofs_complete(&findings.sure, &findings.doubtful);
	/* The copy rate counts both directions, so its read rate is half of it. */
	if (findings.sure.read_gbps < findings.sure.copy_gbps / 2) {
		roofs_set(&findings.sure, ROOF_READ, findings.sure.copy_gbps / 2,
			findings.sure.ages_s.copy);
		findings.sure.roof_flags.read = findings.sure.roof_flags.copy;
	}
	*device = (struct device_roofs){.known = true, .roofs = findings.sure};
	return PMPP_OK;
}
