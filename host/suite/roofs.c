/*
 * What the device can do at most: rows of the internal family `roof`, measured by the same
 * machinery as any variant (verified first), and copies to and from the host by the host's clock.
 * Kept in the cache directory, one file a device, driver and compiler.
 */
#include "host/suite/internal.h"

#include "host/gpu/program_cache.h"
#include "host/io/atomic_file.h"

#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROOFS_SCHEMA "pmpp-roofs/1"
#define TRANSFER_BYTES ((uint64_t)64 << 20)
#define TRANSFERS 5

/* Sizes as dimensions of the family: elements read, elements written, passes over them. The streams
 * are several times as large as any cache and at most a sixteenth of the memory. The others give
 * each compute unit the same number of blocks, and take some hundred microseconds. */
struct shape {
	int64_t stream; /* elements */
	int64_t units;
};

static struct shape shape_of(const struct gpu_device_info *info)
{
	static const int64_t streams[] = {
		[DEVICE_CLASS_GPU] = (int64_t)1 << 27,
		[DEVICE_CLASS_CPU] = (int64_t)1 << 24,
		[DEVICE_CLASS_EMULATED] = (int64_t)1 << 16,
	};
	const struct gpu_limits *limits = &info->limits;
	int64_t stream = streams[suite_device_class(info)];
	int64_t most = (int64_t)(limits->global_bytes / 16 / sizeof(float));
	int64_t most_buffer = (int64_t)(limits->max_buffer_bytes / 2 / sizeof(float));

	/* 2 caches each way */
	if (stream < (int64_t)(limits->cache_bytes / 2))
		stream = (int64_t)(limits->cache_bytes / 2);
	stream = stream < most ? stream : most;
	stream = stream < most_buffer ? stream : most_buffer;
	return (struct shape){.stream = stream > 1 ? stream : 1,
		.units = limits->compute_units ? limits->compute_units : 1};
}

static void copy_size(const struct gpu_device_info *info, int64_t ret_dim[PMPP_MAX_DIMS])
{
	struct shape shape = shape_of(info);

	ret_dim[0] = ret_dim[1] = shape.stream;
	ret_dim[2] = 1;
}

/* 1024 threads of 4 elements each a unit, which all fit at once; on a CPU some spans for each core.
 */
static void read_size(const struct gpu_device_info *info, int64_t ret_dim[PMPP_MAX_DIMS])
{
	struct shape shape = shape_of(info);
	bool cpu = suite_device_class(info) == DEVICE_CLASS_CPU;
	int64_t outputs = shape.units * (cpu ? 16384 : 4096);

	ret_dim[0] = shape.stream > outputs ? shape.stream / outputs * outputs : outputs;
	ret_dim[1] = outputs;
	ret_dim[2] = 1;
}

static void fma_size(const struct gpu_device_info *info, int64_t ret_dim[PMPP_MAX_DIMS])
{
	/* Threads that are resident together, whatever the registers: a second wave would be a
	 * tail. */
	ret_dim[1] = shape_of(info).units * 1024;
	ret_dim[0] = 16 * ret_dim[1]; /* every chain of roof/fma */
	ret_dim[2] = 8192;
}

static void shared_size(const struct gpu_device_info *info, int64_t ret_dim[PMPP_MAX_DIMS])
{
	ret_dim[1] = shape_of(info).units * 4096;
	ret_dim[0] = 8 * ret_dim[1];
	ret_dim[2] = 256;
}

static double bytes_moved(const struct problem *problem)
{
	return problem_bytes_compulsory(problem);
}

static double bytes_of_passes(const struct problem *problem)
{
	return (double)sizeof(float) * (double)problem->dim[0] * (double)problem->dim[2];
}

static double multiply_add_flops(const struct problem *problem)
{
	return problem->family->flops(problem);
}

static const struct roof_row {
	const char *role;
	const char *variant;     /* of a GPU */
	const char *cpu_variant; /* of an OpenCL CPU device */
	void (*size)(const struct gpu_device_info *info, int64_t ret_dim[PMPP_MAX_DIMS]);
	double (*amount)(const struct problem *problem); /* bytes or flops */
	size_t offset;                                   /* of its figure in struct roofs */
} rows[] = {
	{"copy", "copy", "copy-cpu", copy_size, bytes_moved, offsetof(struct roofs, copy_gbps)},
	{"read", "read", "read-cpu", read_size, bytes_moved, offsetof(struct roofs, read_gbps)},
	{"fma", "fma", "fma-cpu", fma_size, multiply_add_flops, offsetof(struct roofs, fma_gflops)},
	{"shared", "shared", "shared", shared_size, bytes_of_passes,
		offsetof(struct roofs, shared_gbps)},
};

bool roofs_problem(const struct gpu_device_info *info, const char *role,
	const struct variant **ret_variant, struct problem *ret_problem)
{
	const struct family *family = family_find("roof");
	bool cpu = info->capabilities & PMPP_CAP_OPENCL_CPU;

	for (size_t i = 0; family && i < sizeof rows / sizeof *rows; i++) {
		if (strcmp(rows[i].role, role) != 0)
			continue;
		*ret_variant = variant_find(family, cpu ? rows[i].cpu_variant : rows[i].variant);
		*ret_problem = problem_default(family);
		rows[i].size(info, ret_problem->dim);
		return *ret_variant != NULL;
	}
	return false;
}

/* ---- The cache ----------------------------------------------------------------------------- */

static const struct {
	const char *name;
	size_t offset;
} fields[] = {
	{"copy_gbps", offsetof(struct roofs, copy_gbps)},
	{"read_gbps", offsetof(struct roofs, read_gbps)},
	{"fma_gflops", offsetof(struct roofs, fma_gflops)},
	{"shared_gbps", offsetof(struct roofs, shared_gbps)},
	{"h2d_gbps", offsetof(struct roofs, h2d_gbps)},
	{"d2h_gbps", offsetof(struct roofs, d2h_gbps)},
};

static double *field_at(struct roofs *roofs, size_t offset)
{
	return (double *)((char *)roofs + offset);
}

struct roofs roofs_unknown(void)
{
	struct roofs roofs = {.age_s = 0};

	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		*field_at(&roofs, fields[i].offset) = NAN;
	return roofs;
}

/* false when there is no cache directory. */
static bool cache_path(const struct gpu_device_info *info, char *ret_path, size_t size)
{
	const char *identity = *info->uuid ? info->uuid : *info->pci ? info->pci : info->name;
	const char *const parts[] = {ROOFS_SCHEMA, gpu_backend_name(info->backend), identity,
		info->name, info->driver, info->compiler, NULL};
	char key[PROGRAM_CACHE_KEY_LENGTH + 1];
	char folder[1024];

	pmpp_cache_folder("roofs", folder, sizeof folder);
	if (!*folder)
		return false;
	program_cache_key(parts, key);
	return snprintf(ret_path, size, "%s/%s.json", folder, key) < (int)size;
}

/* false for a file that is missing, damaged or of another make: the roofs are measured again. */
static bool load(const char *path, struct roofs *ret_roofs)
{
	json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
	const char *schema = json_string_value(json_object_get(root, "schema"));
	json_t *measured = json_object_get(root, "measured_utc_s");
	struct roofs roofs = roofs_unknown();
	bool ok = schema && strcmp(schema, ROOFS_SCHEMA) == 0 && json_is_number(measured);

	for (size_t i = 0; ok && i < sizeof fields / sizeof *fields; i++) {
		json_t *value = json_object_get(root, fields[i].name);
		ok = json_is_null(value) || (json_is_number(value) && json_number_value(value) > 0);
		if (ok && json_is_number(value))
			*field_at(&roofs, fields[i].offset) = json_number_value(value);
	}
	if (ok) {
		roofs.age_s = fmax(0, (double)time(NULL) - json_number_value(measured));
		*ret_roofs = roofs;
	}
	json_decref(root);
	return ok;
}

/* Silent when it cannot write: then they are measured each time. */
static void store(const char *path, const struct gpu_device_info *info, struct roofs roofs)
{
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	json_t *root = json_pack("{s:s, s:s, s:s, s:f}", "schema", ROOFS_SCHEMA, "device",
		info->name, "driver", info->driver, "measured_utc_s", (double)time(NULL));

	for (size_t i = 0; root && i < sizeof fields / sizeof *fields; i++) {
		double value = *field_at(&roofs, fields[i].offset);
		json_object_set_new(
			root, fields[i].name, isfinite(value) ? json_real(value) : json_null());
	}
	char *text = root ? json_dumps(root, JSON_INDENT(1)) : NULL;
	if (text) {
		struct iovec part = {text, strlen(text)};
		atomic_file_write(path, &part, 1, &ignored);
	}
	pmpp_error_clear(&ignored);
	free(text);
	json_decref(root);
}

/* ---- Measuring ----------------------------------------------------------------------------- */

/* NAN in the figure where the row does not run here; *keep is cleared where that may be otherwise
 * the next time. Fails only for the device. */
static enum pmpp_status measure_row(struct suite *suite, const struct roof_row *row,
	struct roofs *roofs, bool *keep, struct pmpp_error *error)
{
	const struct variant *variant;
	struct problem problem;
	struct outcome outcome;

	if (!roofs_problem(&suite->device->info, row->role, &variant, &problem))
		return PMPP_OK;
	struct config config = config_default(variant);
	enum pmpp_status status =
		suite_run(suite, &config, &problem, SUITE_VERIFY | SUITE_TIME, &outcome, error);
	if (status == PMPP_OK && outcome.timing.done) {
		/* A limit is what was reached at best: clocks wander, a median would follow them.
		 */
		double ns = fmin(outcome.timing.cold.stats.min, outcome.timing.hot.stats.min);
		*field_at(roofs, row->offset) = row->amount(&problem) / ns;
	}
	if (outcome.status != OUTCOME_OK && outcome.status != OUTCOME_UNSUPPORTED &&
		outcome.status != OUTCOME_SKIPPED)
		*keep = false;
	outcome_finish(&outcome);
	return status;
}

/* Pageable host memory, as the suite's own uploads use. */
static enum pmpp_status measure_transfers(
	struct suite *suite, struct roofs *roofs, struct pmpp_error *error)
{
	struct gpu_buffer *buffer = NULL;
	char *host = malloc(TRANSFER_BYTES);
	double down_ns = INFINITY;
	double up_ns = INFINITY;
	enum pmpp_status status;

	if (!host)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no host memory for a transfer");
	memset(host, 1, TRANSFER_BYTES);
	status = gpu_buffer_create(suite->device, TRANSFER_BYTES, 0, &buffer, error);
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
	struct suite *suite, struct roofs *ret_roofs, bool *keep, struct pmpp_error *error)
{
	struct suite_options kept = suite->options;
	struct roofs roofs = roofs_unknown();
	enum pmpp_status status = PMPP_OK;

	/* The device's, whatever the user's options are. */
	suite->options = SUITE_OPTIONS_DEFAULT;
	suite->options.min_time_ms = 20;
	suite->options.max_samples = 30;
	if (kept.progress)
		kept.progress(kept.progress_context, "measuring the device's roofs");
	for (size_t i = 0; status == PMPP_OK && i < sizeof rows / sizeof *rows; i++)
		status = measure_row(suite, &rows[i], &roofs, keep, error);
	if (status == PMPP_OK)
		status = measure_transfers(suite, &roofs, error);
	suite->options = kept;
	/* Their operands are large. */
	operands_finish(&suite->operands);
	inputs_finish(&suite->inputs);
	reference_finish(&suite->reference);
	if (status == PMPP_OK)
		*ret_roofs = roofs;
	return status;
}

enum pmpp_status suite_roofs(
	struct suite *suite, bool force, struct roofs *ret_roofs, struct pmpp_error *error)
{
	char path[1100];
	struct roofs roofs = roofs_unknown();
	enum pmpp_status status;
	bool keep = cache_path(&suite->device->info, path, sizeof path);

	if (suite_is_emulated(suite)) {
		*ret_roofs = roofs;
		return PMPP_OK;
	}
	if (suite->roofs_known && !force) {
		*ret_roofs = suite->roofs;
		return PMPP_OK;
	}
	if (force || !keep || !load(path, &roofs)) {
		status = measure(suite, &roofs, &keep, error);
		if (status != PMPP_OK)
			return status;
		if (keep)
			store(path, &suite->device->info, roofs);
	}
	suite->roofs = roofs;
	suite->roofs_known = true;
	*ret_roofs = roofs;
	return PMPP_OK;
}
