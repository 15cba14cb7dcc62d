/* Launches: validates blocks, shared memory and arguments. */
#include "host/gpu/backend.h"

static uint64_t block_threads(const struct gpu_launch *launch)
{
	uint64_t threads = 1;

	for (int i = 0; i < 3; i++)
		if (__builtin_mul_overflow(threads, (uint64_t)launch->block[i], &threads))
			threads = UINT64_MAX;
	return threads;
}

static enum pmpp_status check_limits(
	const struct gpu_kernel *kernel, const struct gpu_launch *launch, struct pmpp_error *error)
{
	const struct gpu_device_info *info = &kernel->program->device->info;
	const struct gpu_limits *limits = &info->limits;
	const struct {
		const char *what;
		uint64_t min, asked, max;
	} rows[] = {
		{"blocks in x", 1, launch->groups[0], limits->max_groups[0]},
		{"blocks in y", 1, launch->groups[1], limits->max_groups[1]},
		{"blocks in z", 1, launch->groups[2], limits->max_groups[2]},
		{"threads of a block in x", 1, launch->block[0], limits->max_block[0]},
		{"threads of a block in y", 1, launch->block[1], limits->max_block[1]},
		{"threads of a block in z", 1, launch->block[2], limits->max_block[2]},
		{"threads of a block", 1, block_threads(launch), limits->max_block_threads},
		{"bytes of dynamic shared memory", 0, launch->shared_bytes,
			limits->shared_optin_bytes},
	};
	char name[GPU_TEXT_BYTES];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (rows[i].asked < rows[i].min)
			return PMPP_FAIL(error, PMPP_INTERNAL, "kernel %s: 0 %s", kernel->entry,
				rows[i].what);
		if (rows[i].asked > rows[i].max)
			return PMPP_FAIL(error, PMPP_UNSUPPORTED,
				"kernel %s: %llu %s, %s allows %llu", kernel->entry,
				(unsigned long long)rows[i].asked, rows[i].what,
				gpu_device_text(info, name), (unsigned long long)rows[i].max);
	}
	return PMPP_OK;
}

static enum pmpp_status check_args(
	const struct gpu_kernel *kernel, const struct gpu_launch *launch, struct pmpp_error *error)
{
	if (launch->arg_count > GPU_MAX_ARGS)
		return PMPP_FAIL(error, PMPP_INTERNAL, "kernel %s: %zu arguments, at most %d",
			kernel->entry, launch->arg_count, GPU_MAX_ARGS);
	for (size_t i = 0; i < launch->arg_count; i++) {
		const struct gpu_arg *arg = &launch->args[i];

		if ((unsigned)arg->kind > GPU_ARG_TILE_MAP)
			return PMPP_FAIL(error, PMPP_INTERNAL,
				"kernel %s, argument %zu: unknown kind %d", kernel->entry, i + 1,
				(int)arg->kind);
		const struct gpu_device *device = kernel->program->device;
		const char *wrong = NULL;
		if (arg->kind == GPU_ARG_BUFFER && !arg->as.buffer)
			wrong = "no buffer";
		else if (arg->kind == GPU_ARG_BUFFER && arg->as.buffer->device != device)
			wrong = "a buffer of another device";
		else if (arg->kind == GPU_ARG_TILE_MAP && !arg->as.tile_map)
			wrong = "no tile map";
		else if (arg->kind == GPU_ARG_TILE_MAP && !gpu_can_map_tiles(device))
			wrong = "the device has no tile maps";
		if (wrong)
			return PMPP_FAIL(error, PMPP_INTERNAL, "kernel %s, argument %zu: %s",
				kernel->entry, i + 1, wrong);
	}
	return PMPP_OK;
}

/* Static and dynamic shared memory share one limit. */
static enum pmpp_status check_all_shared(
	const struct gpu_kernel *kernel, const struct gpu_launch *launch, struct pmpp_error *error)
{
	const struct gpu_device_info *info = &kernel->program->device->info;
	const int64_t known = kernel->resources.shared_bytes; /* -1: unknown */
	const int64_t own = known > 0 ? known : 0;
	char name[GPU_TEXT_BYTES];

	if (launch->shared_bytes == 0 ||
		own + (int64_t)launch->shared_bytes <= (int64_t)info->limits.shared_optin_bytes)
		return PMPP_OK;
	PMPP_FAIL(error, PMPP_UNSUPPORTED,
		"kernel %s: %lld bytes of static and %lu bytes of dynamic shared memory per block, "
		"%s allows %lu together",
		kernel->entry, (long long)own, (unsigned long)launch->shared_bytes,
		gpu_device_text(info, name), (unsigned long)info->limits.shared_optin_bytes);
	return pmpp_error_set_block_limit(error);
}

/* Whether the block exceeds the kernel's maximum, or the driver's promise for every kernel. */
static bool exceeds_block(const struct gpu_limits *limits,
	const struct gpu_kernel_resources *resources, uint64_t threads)
{
	return (resources->max_block_threads > 0 &&
		       threads > (uint64_t)resources->max_block_threads) ||
	       (limits->reported_block_threads > 0 && threads > limits->reported_block_threads);
}

/* Adds the requested and the possible block and shared memory to the error of a launch. A block
 * above a maximum is PMPP_UNSUPPORTED. */
static enum pmpp_status explain_launch_failure(const struct gpu_kernel *kernel,
	const struct gpu_launch *launch, enum pmpp_status status, struct pmpp_error *error)
{
	const struct gpu_limits *limits = &kernel->program->device->info.limits;
	const struct gpu_kernel_resources *resources = &kernel->resources;
	uint64_t threads = block_threads(launch);

	pmpp_error_prefix(error, "kernel %s", kernel->entry);
	/* An error without an API call is a fault inside the kernel, found by the emulator. */
	if ((status != PMPP_LAUNCH && status != PMPP_UNSUPPORTED) || !error->call[0])
		return status;
	pmpp_error_append(error,
		"; requested: blocks of %llu threads, %lu bytes of dynamic shared memory",
		(unsigned long long)threads, (unsigned long)launch->shared_bytes);
	pmpp_error_append(error,
		"; the kernel allows at most %d threads and has %lld bytes of static shared memory",
		resources->max_block_threads, (long long)resources->shared_bytes);
	if (resources->registers >= 0)
		pmpp_error_append(error, " and %d registers per thread", resources->registers);
	if (limits->reported_block_threads > 0 && threads > limits->reported_block_threads)
		pmpp_error_append(error, "; the device reports at most %lu threads",
			(unsigned long)limits->reported_block_threads);
	return exceeds_block(limits, resources, threads) ? pmpp_error_set_block_limit(error)
							 : status;
}

enum pmpp_status gpu_launch(
	struct gpu_kernel *kernel, const struct gpu_launch *launch, struct pmpp_error *error)
{
	enum pmpp_status status;

	status = check_limits(kernel, launch, error);
	if (status == PMPP_OK)
		status = check_args(kernel, launch, error);
	if (status == PMPP_OK)
		status = check_all_shared(kernel, launch, error);
	if (status != PMPP_OK)
		return status;

	status = kernel->program->device->backend->launch(kernel, launch, error);
	kernel->program->device->timed_commands += status == PMPP_OK;
	return status == PMPP_OK ? status : explain_launch_failure(kernel, launch, status, error);
}
