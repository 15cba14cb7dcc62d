#include "host/sensors/sensors.h"

#include <dlfcn.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SYSFS_ROOT "/sys"
#define NVML_LIBRARY "libnvidia-ml.so.1"

/* ---- NVML ---------------------------------------------------------------------------------- */

/* NVIDIA's management library, opened at run time. Source: NVML API Reference Guide,
 * docs.nvidia.com/deploy/nvml-api. */

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
	static type *name##_of(const struct sensors *sensors)     \
	{                                                         \
		void *found = dlsym(sensors->nvml, "nvml" #name); \
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

static struct nvml_device *find_device(
	const struct sensors *sensors, const char *uuid, const char *pci)
{
	find_fn *by_uuid = DeviceGetHandleByUUID_of(sensors);
	find_fn *by_pci = DeviceGetHandleByPciBusId_v2_of(sensors);
	struct nvml_device *device = NULL;
	char text[64];

	snprintf(text, sizeof text, "GPU-%s", uuid);
	if (*uuid && by_uuid && by_uuid(text, &device) == NVML_SUCCESS)
		return device;
	if (*pci && by_pci && by_pci(pci, &device) == NVML_SUCCESS)
		return device;
	return NULL;
}

static void close_nvml(struct sensors *sensors)
{
	if (!sensors->nvml)
		return;
	plain_fn *shutdown = Shutdown_of(sensors);
	if (shutdown)
		shutdown();
	dlclose(sensors->nvml);
	sensors->nvml = NULL;
}

/* Finds the device by UUID, else by PCI address. Leaves the library closed if there is no such device. */
static void open_nvml(
	struct sensors *sensors, const char *library, const char *uuid, const char *pci)
{
	sensors->nvml = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (!sensors->nvml)
		return;
	plain_fn *init = Init_v2_of(sensors);
	if (!init || init() != NVML_SUCCESS) {
		dlclose(sensors->nvml);
		sensors->nvml = NULL;
		return;
	}
	sensors->gpu = find_device(sensors, uuid, pci);
	if (!sensors->gpu)
		close_nvml(sensors);
}

static void read_figures(const struct sensors *sensors, struct device_state_record *state)
{
	clock_fn *clock = DeviceGetClockInfo_of(sensors);
	clock_fn *temperature = DeviceGetTemperature_of(sensors);
	value_fn *power_limit = DeviceGetEnforcedPowerLimit_of(sensors);
	unsigned value;

	if (clock && clock(sensors->gpu, NVML_CLOCK_SM, &value) == NVML_SUCCESS)
		state->sm_clock_mhz = value;
	if (clock && clock(sensors->gpu, NVML_CLOCK_MEM, &value) == NVML_SUCCESS)
		state->memory_clock_mhz = value;
	if (temperature && temperature(sensors->gpu, NVML_TEMPERATURE_GPU, &value) == NVML_SUCCESS)
		state->temperature_c = value;
	if (power_limit && power_limit(sensors->gpu, &value) == NVML_SUCCESS)
		state->power_limit_w = value * 1e-3;
}

/* NVIDIA's words for the bits, from bit 0. Bit 0 means that the GPU is idle. The GPU is always idle
 * after the samples, so bit 0 has no word. */
static const char *const reason_words[] = {NULL, "applications_clocks_setting", "sw_power_cap",
	"hw_slowdown", "sync_boost", "sw_thermal_slowdown", "hw_thermal_slowdown",
	"hw_power_brake_slowdown", "display_clock_setting"};

static void read_nvml_reasons(const struct sensors *sensors, struct text_list *reasons)
{
	const size_t count = sizeof reason_words / sizeof *reason_words;
	reasons_fn *read = DeviceGetCurrentClocksThrottleReasons_of(sensors);
	unsigned long long bits;

	if (!read || read(sensors->gpu, &bits) != NVML_SUCCESS)
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
	const struct sensors *sensors, processes_fn *processes, struct process_list *list)
{
	struct process_info found[MAX_PROCESSES];
	unsigned count = MAX_PROCESSES;

	if (!processes || processes(sensors->gpu, &count, found) != NVML_SUCCESS ||
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

/* Returns -1 (unknown) if the library's list does not contain this process: in a container, for example, the
 * process numbers have another meaning. */
static int64_t count_others(const struct sensors *sensors)
{
	struct process_list list = {.count = 0};

	if (!add_processes(sensors, DeviceGetComputeRunningProcesses_v2_of(sensors), &list))
		return -1;
	/* A GPU without a display may not report these. */
	add_processes(sensors, DeviceGetGraphicsRunningProcesses_v2_of(sensors), &list);
	for (size_t i = 0; i < list.count; i++)
		if (list.pids[i] == (unsigned)getpid())
			return (int64_t)list.count - 1;
	return -1;
}

static void read_nvml(const struct sensors *sensors, struct device_state_record *state)
{
	if (!sensors->nvml)
		return;
	read_figures(sensors, state);
	read_nvml_reasons(sensors, &state->throttle_reasons);
	state->other_processes = count_others(sensors);
}

/* ---- Files of Linux drivers ---------------------------------------------------------------- */

/*
 * amdgpu, i915, xe, and others that use the same names. Sources, in the documentation of the Linux kernel:
 * Documentation/gpu/amdgpu/thermal.rst (pp_dpm_*, hwmon), Documentation/hwmon/sysfs-interface.rst (units),
 * Documentation/ABI/testing/sysfs-driver-intel-i915-hwmon and sysfs-driver-intel-xe-hwmon, and the
 * chapters "Xe GT Frequency Management" and "Xe GT Throttle" of Documentation/gpu/xe. The files of
 * i915 below drm/card*: drivers/gpu/drm/i915/i915_sysfs.c and gt/intel_gt_sysfs_pm.c.
 */

#define TEXT_BYTES 4096 /* the kernel writes at most one page */

static void find_folder(struct sensors *sensors, const char *root, const char *pci)
{
	int length = snprintf(
		sensors->folder, sizeof sensors->folder, "%s/bus/pci/devices/%s", root, pci);

	if (!*pci || length < 0 || (size_t)length >= sizeof sensors->folder)
		sensors->folder[0] = '\0';
}

/* Returns false if the file cannot be read. */
static bool read_text(const char *path, char ret_text[TEXT_BYTES])
{
	FILE *file = fopen(path, "re");

	if (!file)
		return false;
	size_t length = fread(ret_text, 1, TEXT_BYTES - 1, file);
	bool ok = !ferror(file) && length > 0;
	fclose(file);
	ret_text[length] = '\0';
	return ok;
}

/* A line that contains one number. */
static double parse_number(const char *text)
{
	char *end;
	double value = strtod(text, &end);

	return end != text && (*end == '\n' || *end == '\0') && isfinite(value) ? value : NAN;
}

/* The current one of the clock levels "0: 500Mhz\n1: 1800Mhz *\n". */
static double parse_level(const char *text)
{
	for (const char *line = text; *line;) {
		size_t length = strcspn(line, "\n");
		const char *colon = memchr(line, ':', length);
		const char *star = memchr(line, '*', length);
		if (colon && star && colon < star) {
			char *end;
			double value = strtod(colon + 1, &end);
			return end != colon + 1 && isfinite(value) ? value : NAN;
		}
		line += length + (line[length] == '\n');
	}
	return NAN;
}

/* The files of the device that match the pattern, sorted. The caller calls globfree(). */
static bool find_files(const struct sensors *sensors, const char *pattern, glob_t *ret_found)
{
	char path[2 * SENSORS_PATH_BYTES];

	snprintf(path, sizeof path, "%s/%s", sensors->folder, pattern);
	*ret_found = (glob_t){0};
	return glob(path, 0, NULL, ret_found) == 0;
}

#define MEMBER(name) offsetof(struct device_state_record, name)

static const struct source {
	size_t offset; /* of the member, a double */
	const char *pattern;
	double (*parse)(const char *text);
	double scale;
} sources[] = {
	/* A member takes the first pattern that gives a figure. */
	{MEMBER(sm_clock_mhz), "pp_dpm_sclk", parse_level, 1},
	{MEMBER(sm_clock_mhz), "tile*/gt*/freq*/cur_freq", parse_number, 1},
	{MEMBER(sm_clock_mhz), "drm/card*/gt_cur_freq_mhz", parse_number, 1},
	{MEMBER(memory_clock_mhz), "pp_dpm_mclk", parse_level, 1},
	/* temp1, temp2, temp3 are edge, junction, memory in amdgpu; xe has 2: package, 3: memory.
	 * Some GPUs have no temp1. */
	{MEMBER(temperature_c), "hwmon/hwmon*/temp1_input", parse_number, 1e-3},
	{MEMBER(temperature_c), "hwmon/hwmon*/temp2_input", parse_number, 1e-3},
	{MEMBER(power_limit_w), "hwmon/hwmon*/power1_cap", parse_number, 1e-6},
	{MEMBER(power_limit_w), "hwmon/hwmon*/power1_max", parse_number, 1e-6},
	{MEMBER(power_limit_w), "hwmon/hwmon*/power2_max", parse_number, 1e-6},
};

/* The largest figure of the files: a GPU may have several tiles, and idle engines. */
static double read_largest(const struct sensors *sensors, const struct source *source)
{
	double largest = NAN;
	glob_t found;

	if (find_files(sensors, source->pattern, &found)) {
		char text[TEXT_BYTES];
		for (size_t i = 0; i < found.gl_pathc; i++)
			if (read_text(found.gl_pathv[i], text))
				largest = fmax(largest, source->scale * source->parse(text));
	}
	globfree(&found);
	return largest;
}

/* Files with 0 or 1: xe, i915. "status" is 1 if any reason is 1, and is not a reason itself. */
static const struct {
	const char *pattern, *before_word;
} reason_files[] = {
	{"tile*/gt*/freq*/throttle/reason_*", "reason_"},
	{"drm/card*/gt/gt*/throttle_reason_*", "throttle_reason_"},
};

/* Adds the words of the files with 1. Returns true if a file could be read. */
static bool add_reasons(const struct sensors *sensors, size_t which, struct text_list *reasons)
{
	const char *before = reason_files[which].before_word;
	bool known = false;
	glob_t found;

	if (find_files(sensors, reason_files[which].pattern, &found)) {
		char text[TEXT_BYTES];
		for (size_t i = 0; i < found.gl_pathc; i++) {
			const char *word = strrchr(found.gl_pathv[i], '/') + 1 + strlen(before);
			if (!read_text(found.gl_pathv[i], text))
				continue;
			known = true;
			if (parse_number(text) == 1 && strcmp(word, "status") != 0 &&
				!text_list_has(reasons, word))
				text_list_add(reasons, word);
		}
	}
	globfree(&found);
	return known;
}

/* Sets the members that the files report and that are still unknown. */
static void read_files(const struct sensors *sensors, struct device_state_record *state)
{
	bool known = false;

	if (!sensors->folder[0])
		return;
	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
		double *member = (double *)((char *)state + sources[i].offset);
		if (isnan(*member))
			*member = read_largest(sensors, &sources[i]);
	}
	if (state->throttle_reasons.count > 0)
		return;
	for (size_t i = 0; i < sizeof reason_files / sizeof *reason_files; i++)
		known = add_reasons(sensors, i, &state->throttle_reasons) || known;
	if (known && state->throttle_reasons.count == 0)
		text_list_add(&state->throttle_reasons, DEVICE_STATE_NO_REASON);
}

/* ---- Public -------------------------------------------------------------------------------- */

void sensors_init(struct sensors *sensors, const struct sensor_places *places, const char *uuid,
	const char *pci)
{
	const char *library = places->nvml_library ? places->nvml_library : NVML_LIBRARY;
	const char *root = places->sysfs_root ? places->sysfs_root : SYSFS_ROOT;

	*sensors = (struct sensors){.open = true};
	if (*uuid || *pci)
		open_nvml(sensors, library, uuid, pci);
	find_folder(sensors, root, pci);
}

void sensors_read(const struct sensors *sensors, struct device_state_record *ret_state)
{
	double load;

	record_init(&device_state_type, ret_state);
	read_nvml(sensors, ret_state);
	read_files(sensors, ret_state);
	if (getloadavg(&load, 1) == 1)
		ret_state->load_average = load;
}

void sensors_finish(struct sensors *sensors)
{
	close_nvml(sensors);
	*sensors = (struct sensors){0};
}
