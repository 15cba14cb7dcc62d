#include "tests/support/fake_nvml.h"

#include <string.h>

/* NVML_ERROR_... of the NVML API Reference Guide. */
enum {
	SUCCESS = 0,
	INVALID_ARGUMENT = 2,
	NOT_FOUND = 6,
	INSUFFICIENT_SIZE = 7
};

struct nvmlDevice_st {
	int unused;
};

/* nvmlProcessInfo_v2_t */
struct process {
	unsigned pid;
	unsigned long long memory;
	unsigned gpu_instance, compute_instance;
};

extern struct fake_nvml fake_nvml;
struct fake_nvml fake_nvml;

static struct nvmlDevice_st device;

#define FUNCTION(name, ...)    \
	int name(__VA_ARGS__); \
	int name(__VA_ARGS__)

FUNCTION(nvmlInit_v2, void)
{
	if (fake_nvml.init_status == SUCCESS)
		fake_nvml.live++;
	return fake_nvml.init_status;
}

FUNCTION(nvmlShutdown, void)
{
	fake_nvml.live--;
	return SUCCESS;
}

static int find(const char *wanted, const char *text, struct nvmlDevice_st **ret_device)
{
	if (!wanted || strcmp(wanted, text) != 0)
		return NOT_FOUND;
	*ret_device = &device;
	return SUCCESS;
}

FUNCTION(nvmlDeviceGetHandleByUUID, const char *uuid, struct nvmlDevice_st **ret_device)
{
	return find(fake_nvml.uuid, uuid, ret_device);
}

FUNCTION(nvmlDeviceGetHandleByPciBusId_v2, const char *pci, struct nvmlDevice_st **ret_device)
{
	return find(fake_nvml.pci, pci, ret_device);
}

static int answer(const struct nvmlDevice_st *which, unsigned value, unsigned *ret_value)
{
	if (which != &device)
		return INVALID_ARGUMENT;
	if (fake_nvml.status == SUCCESS)
		*ret_value = value;
	return fake_nvml.status;
}

FUNCTION(nvmlDeviceGetClockInfo, struct nvmlDevice_st *which, int clock, unsigned *ret_mhz)
{
	const unsigned clocks[] = {1, fake_nvml.sm_mhz, fake_nvml.memory_mhz, 2};

	return clock >= 0 && clock < 4 ? answer(which, clocks[clock], ret_mhz) : INVALID_ARGUMENT;
}

FUNCTION(nvmlDeviceGetTemperature, struct nvmlDevice_st *which, int sensor, unsigned *ret_c)
{
	return sensor == 0 ? answer(which, fake_nvml.temperature_c, ret_c) : INVALID_ARGUMENT;
}

FUNCTION(nvmlDeviceGetEnforcedPowerLimit, struct nvmlDevice_st *which, unsigned *ret_mw)
{
	return answer(which, fake_nvml.power_mw, ret_mw);
}

FUNCTION(nvmlDeviceGetCurrentClocksThrottleReasons, struct nvmlDevice_st *which,
	unsigned long long *ret_reasons)
{
	unsigned unused;

	if (answer(which, 0, &unused) == SUCCESS)
		*ret_reasons = fake_nvml.reasons;
	return fake_nvml.status;
}

static int list(const unsigned *pids, unsigned count, unsigned *room, struct process *ret_processes)
{
	if (fake_nvml.status != SUCCESS)
		return fake_nvml.status;
	unsigned max = *room;
	*room = count;
	if (count > max)
		return INSUFFICIENT_SIZE;
	for (unsigned i = 0; i < count; i++)
		ret_processes[i] = (struct process){.pid = pids[i], .memory = 1u << 20};
	return SUCCESS;
}

FUNCTION(nvmlDeviceGetComputeRunningProcesses_v2, struct nvmlDevice_st *which, unsigned *count,
	struct process *ret_processes)
{
	(void)which;
	return list(fake_nvml.compute, fake_nvml.compute_count, count, ret_processes);
}

FUNCTION(nvmlDeviceGetGraphicsRunningProcesses_v2, struct nvmlDevice_st *which, unsigned *count,
	struct process *ret_processes)
{
	(void)which;
	return list(fake_nvml.graphics, fake_nvml.graphics_count, count, ret_processes);
}
