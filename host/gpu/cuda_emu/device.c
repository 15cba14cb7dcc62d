#include "host/gpu/cuda_emu/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#define DEFAULT_TIMEOUT_S 60.0

#if defined(__x86_64__)
#define EMU_ARCH "x86-64"
#elif defined(__aarch64__)
#define EMU_ARCH "aarch64"
#else
#define EMU_ARCH "host"
#endif

static void cpu_name(char *ret_name, size_t size)
{
	FILE *file = fopen("/proc/cpuinfo", "r");
	char line[256];

	snprintf(ret_name, size, "%s", EMU_ARCH);
	while (file && fgets(line, sizeof line, file)) {
		char *value = strchr(line, ':');
		if (strncmp(line, "model name", 10) == 0 && value) {
			value[strcspn(value, "\n")] = '\0';
			snprintf(ret_name, size, "%s", value + 2);
			break;
		}
	}
	if (file)
		fclose(file);
}

static uint64_t physical_bytes(void)
{
	return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

enum pmpp_status emu_enumerate(struct gpu_device_info **ret_infos, size_t *ret_count,
	struct gpu_backend_state *ret_state, struct pmpp_error *error)
{
	char path[sizeof ret_state->library];
	char cpu[96];
	struct gpu_device_info *info;

	*ret_infos = NULL;
	*ret_count = 0;
	info = calloc(1, sizeof *info);
	if (!info)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the list of devices");
	if (!emu_compiler_find(path, sizeof path, info->compiler, sizeof info->compiler)) {
		free(info);
		snprintf(ret_state->reason, sizeof ret_state->reason,
			"no C++ compiler to build kernels with: install g++, or name one in CXX");
		return PMPP_OK;
	}
	cpu_name(cpu, sizeof cpu);
	info->backend = GPU_BACKEND_CUDA_EMU;
	info->type = GPU_TYPE_EMULATED;
	info->engine = GPU_ENGINE_EMULATOR;
	info->capabilities = PMPP_CAP_FP64 | PMPP_CAP_FP16 | PMPP_CAP_SHUFFLE | PMPP_CAP_ASYNC_COPY;
	snprintf(info->index, sizeof info->index, "0");
	snprintf(info->name, sizeof info->name, "CUDA emulator on %s", cpu);
	snprintf(info->vendor, sizeof info->vendor, "pmpp");
	snprintf(info->driver, sizeof info->driver, "pmpp");
	snprintf(info->arch, sizeof info->arch, "%s", EMU_ARCH);
	/* It ignores --math. */
	for (int math = 0; math < GPU_MATH_COUNT; math++)
		info->arithmetic[math] =
			(struct arithmetic){.rules = ARITHMETIC_CUDA, .exact_divide = true};
	info->limits = (struct gpu_limits){
		.global_bytes = physical_bytes(),
		.max_buffer_bytes = physical_bytes(),
		.max_groups = {INT32_MAX, 65535, 65535},
		.max_block = {EMU_MAX_BLOCK, EMU_MAX_BLOCK, 64},
		.max_block_threads = EMU_MAX_BLOCK,
		.shared_bytes = EMU_STATIC_SHARED_BYTES,
		.shared_optin_bytes = EMU_DYNAMIC_SHARED_BYTES,
		.compute_units = (uint32_t)get_nprocs(),
		.warp_size = EMU_WARP,
		.buffer_align_bytes = 256,
		.timer_resolution_ns = 1,
	};
	snprintf(ret_state->library, sizeof ret_state->library, "%s", path);
	ret_state->usable = true;
	*ret_infos = info;
	*ret_count = 1;
	return PMPP_OK;
}

static double environment_number(const char *name, double otherwise)
{
	const char *text = getenv(name);
	char *end;
	double value = text ? strtod(text, &end) : 0;

	return text && end != text && value > 0 ? value : otherwise;
}

enum pmpp_status emu_open(const struct gpu_device_info *info, struct gpu_device **ret_device,
	struct pmpp_error *error)
{
	struct emu_device *device = calloc(1, sizeof *device);
	double workers;

	(void)info;
	if (!device)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the device");
	workers = environment_number("PMPP_EMU_WORKERS", get_nprocs());
	device->worker_count = workers < EMU_MAX_WORKERS ? (size_t)workers : EMU_MAX_WORKERS;
	if (device->worker_count == 0)
		device->worker_count = 1;
	device->timeout_s = environment_number("PMPP_EMU_TIMEOUT_S", DEFAULT_TIMEOUT_S);
	*ret_device = &device->base;
	return PMPP_OK;
}

void emu_close(struct gpu_device *device)
{
	free(device);
}

void emu_set_order(struct gpu_device *device, enum gpu_order order, uint64_t seed)
{
	struct emu_device *emulator = (struct emu_device *)device;

	emulator->order = order;
	emulator->order_seed = seed;
}

void emu_watch(struct gpu_device *device, const struct gpu_watch *watch, struct trace *ret_trace)
{
	struct emu_device *emulator = (struct emu_device *)device;

	emulator->watch = watch;
	emulator->trace = ret_trace;
}
