#include "host/suite/roofs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host/gpu/program_cache.h"
#include "host/io/clock.h"
#include "host/io/sources.h"
#include "host/record/document.h"
#include "host/suite/device.h"
#include "host/suite/kernel_file.h"
#include "host/suite/roof_rows.h"
#include "host/suite/variant.h"

/* ---- Figures of roofs ----------------------------------------------------------------------- */

/* A table of the figures of a device's roofs. Merging, caching and lookup use it. */

#define PLACES(figure_, member)                                            \
	{                                                                  \
		.figure = offsetof(struct roofs_record, figure_),          \
		.age = offsetof(struct roofs_record, ages_s.member),       \
		.flags = offsetof(struct roofs_record, roof_flags.member), \
	}

static const struct {
	size_t figure, age, flags; /* offsets */
} places[ROOF_FIGURE_COUNT] = {
	[ROOF_COPY] = PLACES(copy_gbps, copy),
	[ROOF_READ] = PLACES(read_gbps, read),
	[ROOF_L2] = PLACES(l2_gbps, l2),
	[ROOF_SHARED] = PLACES(shared_gbps, shared),
	[ROOF_FMA] = PLACES(fma_gflops.f32, fma_f32),
	[ROOF_FMA_F16] = PLACES(fma_gflops.f16, fma_f16),
	[ROOF_FMA_F64] = PLACES(fma_gflops.f64, fma_f64),
	[ROOF_INTEGER] = PLACES(integer_gops, integer),
	[ROOF_SPECIAL] = PLACES(special_gops, special),
	[ROOF_TENSOR_F16] = PLACES(tensor_gflops.f16, tensor_f16),
	[ROOF_TENSOR_TF32] = PLACES(tensor_gflops.tf32, tensor_tf32),
	[ROOF_H2D] = PLACES(h2d_gbps, h2d),
	[ROOF_D2H] = PLACES(d2h_gbps, d2h),
};

/* Returns a record in which every figure is NaN. It owns nothing. */
static struct roofs_record roofs_unknown(void)
{
	struct roofs_record roofs;

	record_init(&roofs_type, &roofs);
	roofs.fma_gflops.record.present = true;
	roofs.tensor_gflops.record.present = true;
	roofs.ages_s.record.present = true;
	roofs.roof_flags.record.present = true;
	roofs.age_s = 0;
	return roofs;
}

/* The figure of a role. GB/s, or 10^9 operations per second; NaN = unknown. */
static double *roof_figure(struct roofs_record *roofs, enum roof_role role)
{
	return (double *)(void *)((char *)roofs + places[role].figure);
}

/* Time since the figure of a role was measured, in s. */
static double *roof_age(struct roofs_record *roofs, enum roof_role role)
{
	return (double *)(void *)((char *)roofs + places[role].age);
}

/* Warnings about the samples of the figure: bits of enum timing_flag. */
static unsigned *roof_warnings(struct roofs_record *roofs, enum roof_role role)
{
	return (unsigned *)(void *)((char *)roofs + places[role].flags);
}

static double value_of(const struct roofs_record *roofs, enum roof_role role)
{
	return *(const double *)(const void *)((const char *)roofs + places[role].figure);
}

double roofs_rate(const struct roofs_record *roofs, enum operations operations)
{
	static const struct {
		enum operations operations;
		enum roof_role role;
	} rates[] = {
		{OPERATIONS_F32, ROOF_FMA},
		{OPERATIONS_F16, ROOF_FMA_F16},
		{OPERATIONS_F64, ROOF_FMA_F64},
		{OPERATIONS_TENSOR_F16, ROOF_TENSOR_F16},
		{OPERATIONS_TENSOR_TF32, ROOF_TENSOR_TF32},
		{OPERATIONS_INTEGER, ROOF_INTEGER},
		{OPERATIONS_SPECIAL, ROOF_SPECIAL},
	};

	for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
		if (rates[i].operations == operations)
			return value_of(roofs, rates[i].role);
	return NAN;
}

/* Sets the figure of a role and its age. The age of the record becomes that of its oldest figure. */
static void roofs_set(struct roofs_record *roofs, enum roof_role role, double value, double age_s)
{
	*roof_figure(roofs, role) = value;
	*roof_age(roofs, role) = age_s;
	roofs->age_s = 0;
	for (int i = 0; i < ROOF_FIGURE_COUNT; i++)
		roofs->age_s = fmax(roofs->age_s, *roof_age(roofs, (enum roof_role)i));
}

/* Replaces each unknown figure and its age by those of `other`. If any figure is replaced, adds the
 * flags of `other`. */
static void roofs_complete(struct roofs_record *roofs, const struct roofs_record *other)
{
	struct roofs_record from = *other;

	for (int i = 0; i < ROOF_FIGURE_COUNT; i++) {
		enum roof_role role = (enum roof_role)i;
		double value = value_of(other, role), age_s = *roof_age(&from, role);

		if (isnan(value) || !isnan(*roof_figure(roofs, role)))
			continue;
		roofs_set(roofs, role, value, isnan(age_s) ? other->age_s : age_s);
		*roof_warnings(roofs, role) = *roof_warnings(&from, role);
		roofs->flags |= other->roof_flags.record.present ? *roof_warnings(&from, role)
								 : other->flags;
	}
}

/* true: each figure is unknown or above 0. */
static bool roofs_are_sane(const struct roofs_record *roofs)
{
	for (int role = 0; role < ROOF_FIGURE_COUNT; role++)
		if (value_of(roofs, (enum roof_role)role) <= 0)
			return false;
	return true;
}

/* ---- Rates of the floors -------------------------------------------------------------------- */

/* The measured rates of a device, in the form that floors_of() needs. */

struct floor_rates floor_rates_of(const struct gpu_device_info *info,
	const struct roofs_record *roofs, const struct timer_record *timer,
	enum timing_primary primary, unsigned flags)
{
	bool batch = primary == TIMING_HOT;
	bool is_cpu = suite_device_class(info) == DEVICE_CLASS_CPU;
	const struct cache_facts facts = suite_cache_facts(info);
	struct floor_rates rates = {
		/* Hot samples are a batch of runs. */
		.launch_ns = batch ? timer->next_launch_ns : timer->least_launch_ns,
		.next_launch_ns = timer->next_launch_ns,
		.copy_gbps = roofs->copy_gbps,
		.read_gbps = roofs->read_gbps,
		/* A CPU has no separate shared memory: the data are in caches of several levels
		 * with different rates. */
		.l2_gbps = is_cpu ? NAN : roofs->l2_gbps,
		.shared_gbps = is_cpu ? NAN : roofs->shared_gbps,
		.cache_bytes = (double)suite_cache_bytes(info),
		.overfetches = last_level_cache_overfetches(&facts),
		.warm = batch || flags & TIMING_UNFLUSHED,
		/* CUDA C++ Programming Guide, "Unified Data/L1 Cache": 7.0 and newer. */
		.l1_is_shared = (info->capabilities & PMPP_CAP_NVIDIA_PTX) != 0,
	};

	for (int i = 0; i < OPERATIONS_COUNT; i++)
		rates.gops[i] = roofs_rate(roofs, (enum operations)i);
	return rates;
}

/* ---- Kept roofs ----------------------------------------------------------------------------- */

/* Measured roofs in the cache directory. A physical device has one file for all its backends. The
 * file name depends on the identity of the device (UUID, else PCI address, else name), the number
 * of compute units, the version of the driver and the sources of the roof kernels. It does not
 * depend on the backend. The file has a part for each backend that measured the device. */

#define ROOFS_SCHEMA "pmpp-roofs/3"
#define FOLDER "roofs"

/* How long doubtful figures are used. */
static const double doubtful_max_s[DEVICE_CLASS_COUNT] = {[DEVICE_CLASS_CPU] = 600};

/* ---- The file ------------------------------------------------------------------------------ */

#define RECORDS "host/suite/roofs_cache.def"
#include "common/records.inc"

#define RECORD_TYPES
#define RECORDS "host/suite/roofs_cache.def"
#include "common/records.inc"

/* ---- The file name ------------------------------------------------------------------------- */

#define NAME_BYTES (PROGRAM_CACHE_KEY_LENGTH + sizeof ".json")

/* The hash of all roof kernels in both languages, because all backends of a device share the file.
 */
static void kernels_key(const char *roof_dir, char ret_key[PROGRAM_CACHE_KEY_LENGTH + 1])
{
	static const enum gpu_backend_id languages[] = {GPU_BACKEND_OPENCL, GPU_BACKEND_CUDA};
	const struct family *family = family_find("roof");
	struct pmpp_error ignored = PMPP_ERROR_INIT;

	snprintf(ret_key, PROGRAM_CACHE_KEY_LENGTH + 1, "%s", ROOFS_SCHEMA);
	for (size_t v = 0; v < family->variant_count; v++)
		for (size_t l = 0; l < sizeof languages / sizeof *languages; l++) {
			char path[KERNEL_PATH_BYTES], last[PROGRAM_CACHE_KEY_LENGTH + 1];
			char *source = NULL;

			kernel_file_path(&family->variants[v], languages[l], path);
			/* A row for CPUs, or for wgmma, has only one kernel file. */
			if (source_load(roof_dir, path, &source, &ignored) != PMPP_OK) {
				pmpp_error_clear(&ignored);
				continue;
			}
			memcpy(last, ret_key, sizeof last);
			program_cache_key((const char *const[]){last, source, NULL}, ret_key);
			free(source);
		}
}

/* The text before the first comma is the version of the driver. The rest differs between
 * backends. */
static void driver_version(const struct gpu_device_info *info, char ret_text[128])
{
	snprintf(ret_text, 128, "%.*s", (int)strcspn(info->driver, ","), info->driver);
}

static void file_name(
	const struct gpu_device_info *info, const char *roof_dir, char ret_name[NAME_BYTES])
{
	const char *identity = *info->uuid ? info->uuid : *info->pci ? info->pci : info->name;
	char units[16], version[128];
	char kernels[PROGRAM_CACHE_KEY_LENGTH + 1], key[PROGRAM_CACHE_KEY_LENGTH + 1];
	const char *const parts[] = {ROOFS_SCHEMA, identity, units, version, kernels, NULL};

	snprintf(units, sizeof units, "%u", info->limits.compute_units);
	driver_version(info, version);
	kernels_key(roof_dir, kernels);
	program_cache_key(parts, key);
	snprintf(ret_name, NAME_BYTES, "%s.json", key);
}

/* ---- Reading and writing ------------------------------------------------------------------- */

struct kept_roofs {
	struct roofs_record own;      /* measured through the backend of the device */
	bool complete;                /* own contains each figure that the backend can measure */
	struct roofs_record doubtful; /* own figures from samples with warnings */
	bool pause;                   /* doubtful is recent: use it, and do not measure again yet */
};

/* Returns a struct without known figures. */
static struct kept_roofs kept_roofs_none(void)
{
	return (struct kept_roofs){.own = roofs_unknown(), .doubtful = roofs_unknown()};
}

static bool is_sane(const void *record)
{
	const struct roofs_file *file = record;

	for (size_t i = 0; i < file->parts.count; i++)
		if (!roofs_are_sane(&file->parts.items[i].roofs) ||
			!roofs_are_sane(&file->parts.items[i].doubtful))
			return false;
	return true;
}

/* Copies only figures and ages; the file keeps all other members of the record. */
static void take(struct roofs_record *roofs, const struct roofs_record *kept, double written_utc_s)
{
	struct roofs_record figures = *kept;
	double elapsed_s = fmax(0, (double)time(NULL) - written_utc_s);

	for (int role = 0; role < ROOF_FIGURE_COUNT; role++)
		*roof_age(&figures, (enum roof_role)role) += elapsed_s;
	figures.age_s += elapsed_s;
	roofs_complete(roofs, &figures);
}

static void load_own(
	const struct gpu_device_info *info, const struct roofs_part *part, struct kept_roofs *kept)
{
	double age_s = (double)time(NULL) - part->doubtful_utc_s;

	take(&kept->own, &part->roofs, part->written_utc_s);
	kept->complete = part->complete;
	/* age_s < 0: the clock was wrong when the part was written, or is wrong now. */
	kept->pause = part->doubtful.record.present && age_s >= 0 &&
		      age_s < doubtful_max_s[suite_device_class(info)];
	if (part->doubtful.record.present && age_s >= 0)
		take(&kept->doubtful, &part->doubtful, part->doubtful_utc_s);
}

/* Returns kept_roofs_none() if the file is missing, damaged, of another schema, or not trusted
 * (host/io/cache_file.h). roof_dir: root of the kernel files; NULL: embedded. */
static struct kept_roofs roofs_cache_load(const struct gpu_device_info *info, const char *roof_dir)
{
	struct kept_roofs kept = kept_roofs_none();
	struct roofs_file file;
	char name[NAME_BYTES];

	file_name(info, roof_dir, name);
	document_cached(&roofs_file_type, ROOFS_SCHEMA, FOLDER, name, is_sane, &file);
	for (size_t i = 0; i < file.parts.count; i++)
		if (text_equal(file.parts.items[i].backend, gpu_backend_name(info->backend)))
			load_own(info, &file.parts.items[i], &kept);
	record_finish(&roofs_file_type, &file);
	return kept;
}

/* Returns the part of a backend; adds it if there is none. NULL: no memory. */
static struct roofs_part *part_of(struct roofs_file *file, const char *backend)
{
	for (size_t i = 0; i < file->parts.count; i++)
		if (text_equal(file->parts.items[i].backend, backend))
			return &file->parts.items[i];
	struct roofs_part *part = record_list_add(&roofs_part_type, &file->parts);
	if (part)
		text_set(&part->backend, backend);
	return part;
}

/* Writes own, complete and, for a CPU, doubtful as the part of the device's backend. The other
 * parts do not change. Figures from samples with warnings are not
 * cached for a GPU. For a CPU they are cached for ten minutes: other programs always run on a CPU,
 * so nearly all its samples have warnings, and measuring its roofs takes seconds. A failed write is
 * not an error: each process then measures the roofs again. */
static void roofs_cache_store(
	const struct gpu_device_info *info, const char *roof_dir, const struct kept_roofs *kept)
{
	struct roofs_file file;
	char name[NAME_BYTES], version[128];

	file_name(info, roof_dir, name);
	document_cached(&roofs_file_type, ROOFS_SCHEMA, FOLDER, name, is_sane, &file);
	driver_version(info, version);
	text_set(&file.schema, ROOFS_SCHEMA);
	text_set(&file.device, info->name);
	text_set(&file.driver, version);
	struct roofs_part *part = part_of(&file, gpu_backend_name(info->backend));
	if (part) {
		part->written_utc_s = (double)time(NULL);
		part->complete = kept->complete;
		record_finish(&roofs_type, &part->roofs);
		part->roofs = kept->own;
		record_finish(&roofs_type, &part->doubtful);
		part->doubtful = kept->doubtful;
		part->doubtful.record.present =
			kept->doubtful.flags && doubtful_max_s[suite_device_class(info)] > 0;
		part->doubtful_utc_s = (double)time(NULL);
		document_cache(&roofs_file_type, &file, FOLDER, name);
	}
	record_finish(&roofs_file_type, &file);
}

/*
 * Measures rows of the internal family `roof` like any other variant, after verification. Measures
 * copies to and from the host with the host clock.
 */

#define TRANSFER_BYTES ((uint64_t)64 << 20)
#define TRANSFERS 5
#define ROW_TIME_MS 20
#define CPU_ROW_TIME_MS 200 /* other programs slow most samples down; the fastest is used */
#define ROW_SAMPLES 80

/* A roof from samples with these warnings is doubtful: other processes do not use it. */
#define DOUBTFUL (TIMING_THROTTLED | TIMING_NOISY | TIMING_HOST_CLOCK)

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
static void add_finding(struct kept_roofs *findings, enum roof_role role,
	const struct roof_row *row, const struct timing_record *timing)
{
	bool sure = !(timing->flags & DOUBTFUL);
	struct roofs_record *roofs = sure ? &findings->own : &findings->doubtful;

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
	const struct roof_row *row, struct kept_roofs *findings, struct pmpp_error *error)
{
	/* The device's roofs do not depend on the user's options. */
	struct suite_options options = SUITE_OPTIONS_DEFAULT;
	const struct suite_options *users = bench->options;
	struct outcome outcome;
	char untimed[sizeof outcome.untimed] = "";
	struct bound_run run;
	enum pmpp_status status = PMPP_OK;

	options.min_time_ms =
		bench->device->info.type == GPU_TYPE_CPU ? CPU_ROW_TIME_MS : ROW_TIME_MS;
	options.max_samples = ROW_SAMPLES;
	outcome_init(&outcome, &row->config, &row->problem, &bench->device->info, &options);
	if (!bench->lost)
		status = variant_absorb_calibration(bench_calibrate(bench, options.math, error),
			untimed, sizeof untimed, error);
	bench->options = &options;
	if (status == PMPP_OK)
		status = variant_verify(bench, &outcome, &run, error);
	if (status == PMPP_OK)
		status = variant_time(bench, &run, untimed, &outcome, error);
	bench->options = users;
	if (status == PMPP_OK && outcome.row.timing.record.present)
		add_finding(findings, role, row, &outcome.row.timing);
	findings->complete =
		findings->complete && is_final(&outcome.row) &&
		(outcome.row.timing.record.present || outcome.row.status != OUTCOME_OK);
	outcome_finish(&outcome);
	return status;
}

static enum pmpp_status measure_role(struct bench *bench, enum roof_role role,
	struct kept_roofs *findings, struct pmpp_error *error)
{
	const struct gpu_device_info *info = &bench->device->info;
	struct roof_row row;
	enum pmpp_status status = PMPP_OK;

	for (int second = 0; second < 2 && status == PMPP_OK; second++)
		if (roof_row_of(info, role, second, &row))
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

/* One report for each role: each report restarts the time limit between two tasks, which all roles together may
 * exceed on a busy machine. */
static void report_role(const struct suite_options *options, int role)
{
	char text[80];

	snprintf(text, sizeof text, "measuring the device's roofs (%d of %d)", role + 1,
		ROOF_ROLE_COUNT);
	if (options->progress)
		options->progress(options->progress_context, text);
}

/* Measures the roofs that are unknown in findings->own. */
static enum pmpp_status measure(
	struct bench *bench, struct kept_roofs *findings, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	findings->complete = true;
	for (int i = 0; status == PMPP_OK && i < ROOF_ROLE_COUNT; i++) {
		enum roof_role role = (enum roof_role)i;
		struct kept_roofs one = kept_roofs_none();

		one.complete = true;
		if (!isnan(*roof_figure(&findings->own, role)))
			continue;
		report_role(bench->options, i);
		status = measure_role(bench, role, &one, error);
		/* A slower row without warnings is not the roof: measure the role again later. */
		if (*roof_figure(&one.doubtful, role) > *roof_figure(&one.own, role))
			*roof_figure(&one.own, role) = NAN;
		roofs_complete(&findings->own, &one.own);
		roofs_complete(&findings->doubtful, &one.doubtful);
		findings->complete = findings->complete && one.complete;
	}
	/* Free the large operands before the copies. */
	bench_release_problem(bench);
	if (status == PMPP_OK && isnan(findings->own.d2h_gbps))
		status = measure_transfers(bench->device, &findings->own, error);
	if (status == PMPP_OUT_OF_MEMORY) {
		pmpp_error_clear(error);
		findings->complete = false;
		status = PMPP_OK;
	}
	return status;
}

/* A figure from flagged samples does not replace an older figure without flags. */
static void keep_sure(struct kept_roofs *findings, struct roofs_record *older)
{
	for (int i = 0; i < ROOF_ROLE_COUNT; i++) {
		enum roof_role role = (enum roof_role)i;
		if (isnan(*roof_figure(&findings->own, role)) &&
			!isnan(*roof_figure(&findings->doubtful, role)) &&
			!isnan(*roof_figure(older, role)))
			roofs_set(&findings->own, role, *roof_figure(older, role),
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

enum pmpp_status device_roofs_get(
	struct device_roofs *device, struct bench *bench, bool force, struct pmpp_error *error)
{
	const struct gpu_device_info *info = &bench->device->info;
	const struct suite_options *options = bench->options;
	const char *roof_dir = bench->programs.roof_dir;
	struct kept_roofs findings = kept_roofs_none();

	if (device->known && !force)
		return PMPP_OK;
	if (suite_is_emulated(info)) {
		*device = (struct device_roofs){.known = true, .roofs = findings.own};
		return PMPP_OK;
	}
	struct kept_roofs kept = roofs_cache_load(info, roof_dir);
	if (!force) {
		findings.own = kept.own;
		if (kept.pause)
			findings.doubtful = kept.doubtful;
	}
	if (force || !(kept.complete || kept.pause || options->no_roofs)) {
		enum pmpp_status status = measure(bench, &findings, error);
		if (status != PMPP_OK)
			return status;
		keep_sure(&findings, &kept.own);
		keep_faster(&findings.doubtful, &kept.doubtful);
		roofs_cache_store(info, roof_dir, &findings);
	}
	roofs_complete(&findings.own, &findings.doubtful);
	/* The copy rate counts both directions, so its read rate is half of it. */
	if (findings.own.read_gbps < findings.own.copy_gbps / 2) {
		roofs_set(&findings.own, ROOF_READ, findings.own.copy_gbps / 2,
			findings.own.ages_s.copy);
		findings.own.roof_flags.read = findings.own.roof_flags.copy;
	}
	*device = (struct device_roofs){.known = true, .roofs = findings.own};
	return PMPP_OK;
}
