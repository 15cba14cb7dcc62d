#include "host/sensors/nvml.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- The library's interface --------------------------------------------------------------- */

enum {
	NVML_SUCCESS = 0,
	NVML_CLOCK_SM = 1,
	NVML_CLOCK_MEM = 2,
	NVML_TEMPERATURE_GPU = 0
};

/* nvmlProcessInfo_v2_t. The function with the suffix _v2 writes this struct. The struct of the
 * suffix _v3 differs between drivers. */
struct process_info {
	unsigned pid;
	unsigned long long memory_bytes;
	unsigned gpu_instance, compute_instance;
};

typedef int plain_fn(void);
typedef int find_fn(const char *text, struct nvml_device **ret_device);
typedef int clock_fn(struct nvml_device *device, int which, unsigned *ret_value);
typedef int value_fn(struct nvml_device *device, unsigned *ret_value);
typedef int reasons_fn(struct nvml_device *device, unsigned long long *ret_bits);
typedef int processes_fn(
	struct nvml_device *device, unsigned *count, struct process_info *ret_processes);

/* NULL if the library has no such function. dlsym() returns a pointer to data: POSIX allows the
 * copy. */
#define FUNCTION(type, name)                                      \
	static type *name##_of(const struct nvml *nvml)           \
	{                                                         \
		void *found = dlsym(nvml->library, "nvml" #name); \
		type *function;                                   \
		memcpy(&function, &found, sizeof function);       \
		return function;                                  \
	}

FUNCTION(plain_fn, Init_v2)
FUNCTION(plain_fn, Shutdown)
FUNCTION(find_fn, DeviceGetHandleByUUID)
FUNCTION(find_fn, DeviceGetHandleByPciBusId_v2)
FUNCTION(clock_fn, DeviceGetClockInfo)
FUNCTION(clock_fn, DeviceGetTemperature)
FUNCTION(value_fn, DeviceGetEnforcedPowerLimit)
FUNCTION(reasons_fn, DeviceGetCurrentClocksThrottleReasons)
FUNCTION(processes_fn, DeviceGetComputeRunningProcesses_v2)
FUNCTION(processes_fn, DeviceGetGraphicsRunningProcesses_v2)

#undef FUNCTION

/* ---- Opening ------------------------------------------------------------------------------- */

static struct nvml_device *find_device(const struct nvml *nvml, const char *uuid, const char *pci)
{
	find_fn *by_uuid = DeviceGetHandleByUUID_of(nvml);
	find_fn *by_pci = DeviceGetHandleByPciBusId_v2_of(nvml);
	struct nvml_device *device = NULL;
	char text[64];

	snprintf(text, sizeof text, "GPU-%s", uuid);
	if (*uuid && by_uuid && by_uuid(text, &device) == NVML_SUCCESS)
		return device;
	if (*pci && by_pci && by_pci(pci, &device) == NVML_SUCCESS)
		return device;
	return NULL;
}

void nvml_open(struct nvml *nvml, const char *library, const char *uuid, const char *pci)
{
	*nvml = (struct nvml){.library = dlopen(library, RTLD_NOW | RTLD_LOCAL)};
	if (!nvml->library)
		return;
	plain_fn *init = Init_v2_of(nvml);
	if (!init || init() != NVML_SUCCESS) {
		dlclose(nvml->library);
		*nvml = (struct nvml){0};
		return;
	}
	nvml->device = find_device(nvml, uuid, pci);
	if (!nvml->device)
		nvml_close(nvml);
}

void nvml_close(struct nvml *nvml)
{
	if (!nvml->library)
		return;
	plain_fn *shutdown = Shutdown_of(nvml);
	if (shutdown)
		shutdown();
	dlclose(nvml->library);
	*nvml = (struct nvml){0};
}

/* ---- Reading ------------------------------------------------------------------------------- */

static void read_figures(const struct nvml *nvml, struct device_state_record *state)
{
	clock_fn *clock = DeviceGetClockInfo_of(nvml);
	clock_fn *temperature = DeviceGetTemperature_of(nvml);
	value_fn *power_limit = DeviceGetEnforcedPowerLimit_of(nvml);
	unsigned value;

	if (clock && clock(nvml->device, NVML_CLOCK_SM, &value) == NVML_SUCCESS)
		state->sm_clock_mhz = value;
	if (clock && clock(nvml->device, NVML_CLOCK_MEM, &value) == NVML_SUCCESS)
		state->memory_clock_mhz = value;
	if (temperature && temperature(nvml->device, NVML_TEMPERATURE_GPU, &value) == NVML_SUCCESS)
		state->temperature_c = value;
	if (power_limit && power_limit(nvml->device, &value) == NVML_SUCCESS)
		state->power_limit_w = value * 1e-3;
}

/* NVIDIA's words for the bits, from bit 0. Bit 0 means that the GPU is idle. The GPU is always idle
 * after the samples, so bit 0 has no word. */
static const char *const reason_words[] = {NULL, "applications_clocks_setting", "sw_power_cap",
	"hw_slowdown", "sync_boost", "sw_thermal_slowdown", "hw_thermal_slowdown",
	"hw_power_brake_slowdown", "display_clock_setting"};

static void read_reasons(const struct nvml *nvml, struct text_list *reasons)
{
	const size_t count = sizeof reason_words / sizeof *reason_words;
	reasons_fn *read = DeviceGetCurrentClocksThrottleReasons_of(nvml);
	unsigned long long bits;

	if (!read || read(nvml->device, &bits) != NVML_SUCCESS)
		return;
	for (size_t i = 0; i < count; i++)
		if (reason_words[i] && (bits >> i & 1))
			text_list_add(reasons, reason_words[i]);
	if (bits >> count)
		text_list_add(reasons, "other");
	if (reasons->count == 0)
		text_list_add(reasons, DEVICE_STATE_NO_REASON);
}

#define MAX_PROCESSES 128 /* of each kind; if there are more, the number is unknown */

struct process_list {
	unsigned pids[2 * MAX_PROCESSES];
	size_t count;
};

/* Adds the processes that the list does not have. Returns false if they are unknown. */
static bool add_processes(
	const struct nvml *nvml, processes_fn *processes, struct process_list *list)
{
	struct process_info found[MAX_PROCESSES];
	unsigned count = MAX_PROCESSES;

	if (!processes || processes(nvml->device, &count, found) != NVML_SUCCESS ||
		count > MAX_PROCESSES)
		return false;
	for (unsigned i = 0; i < count; i++) {
		size_t known = 0;
		while (known < list->count && list->pids[known] != found[i].pid)
			known++;
		if (known == list->count)
			list->pids[list->count++] = found[i].pid;
	}
	return true;
}

static int64_t count_others(const struct nvml *nvml)
{
	struct process_list list = {.count = 0};

	if (!add_processes(nvml, DeviceGetComputeRunningProcesses_v2_of(nvml), &list))
		return -1;
	/* A GPU without a display may not report these. */
	add_processes(nvml, DeviceGetGraphicsRunningProcesses_v2_of(nvml), &list);
	for (size_t i = 0; i < list.count; i++)
		if (list.pids[i] == (unsigned)getpid())
			return (int64_t)list.count - 1;
	return -1;
}

void nvml_read(const struct nvml *nvml, struct device_state_record *state)
{
	if (!nvml->device)
		return;
	read_figures(nvml, state);
	read_reasons(nvml, &state->throttle_reasons);
	state->other_processes = count_others(nvml);
}
