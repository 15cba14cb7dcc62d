/*
 * The state of a device: made-up trees of files as drivers of Linux lay them out, a library in
 * place of NVIDIA's, and the line that -v prints.
 */
#include "host/io/clock.h"
#include "host/report/format.h"
#include "host/sensors/sensors.h"
#include "tests/support/fake_nvml.h"
#include "tests/support/records.h"
#include "tests/support/test.h"

#include <dlfcn.h>
#include <unistd.h>

#define PCI "0000:03:00.0"
#define FOLDER "devices/pci0000:00/0000:00:01.1/" PCI "/"
#define NO_LIBRARY "/nonexistent/libnvidia-ml.so.1"
#define MAX_FILES 24

/* ---- Linux drivers ------------------------------------------------------------------------- */

struct file {
	const char *path, *text; /* below the folder of the PCI device */
};

static const struct tree {
	const char *name;
	struct file files[MAX_FILES]; /* ended by NULL */
	double sm, memory, temperature, power;
	const char *reasons; /* joined by blanks; "" = unknown */
} trees[] = {
	{"amdgpu, Radeon RX 7900 XTX",
		{{"pp_dpm_sclk", "0: 500Mhz \n1: 2371Mhz *\n2: 2526Mhz \n"},
			{"pp_dpm_mclk", "0: 96Mhz \n1: 456Mhz \n2: 772Mhz \n3: 1249Mhz *\n"},
			{"hwmon/hwmon4/name", "amdgpu\n"}, {"hwmon/hwmon4/temp1_input", "48000\n"},
			{"hwmon/hwmon4/temp2_input", "61000\n"},
			{"hwmon/hwmon4/power1_cap", "303000000\n"},
			{"hwmon/hwmon4/power1_cap_max", "348000000\n"}},
		2371, 1249, 48, 303, ""},
	/* Deep sleep is a separate level, and there is no edge sensor. */
	{"amdgpu, Instinct MI300X",
		{{"pp_dpm_sclk", "S: 132Mhz *\n0: 500Mhz \n1: 2100Mhz \n"},
			{"pp_dpm_mclk", "0: 900Mhz \n1: 1300Mhz *"},
			{"hwmon/hwmon9/temp2_input", "41000\n"},
			{"hwmon/hwmon9/temp3_input", "33000\n"},
			{"hwmon/hwmon9/power1_cap", "750000000\n"}},
		132, 1300, 41, 750, ""},
	{"i915, limited by power and heat",
		{{"drm/card1/gt_cur_freq_mhz", "1850\n"}, {"drm/card1/gt_max_freq_mhz", "2400\n"},
			{"drm/card1/gt/gt0/throttle_reason_status", "1\n"},
			{"drm/card1/gt/gt0/throttle_reason_pl1", "1\n"},
			{"drm/card1/gt/gt0/throttle_reason_pl2", "0\n"},
			{"drm/card1/gt/gt0/throttle_reason_thermal", "1\n"},
			{"drm/card1/gt/gt1/throttle_reason_pl1", "1\n"},
			{"hwmon/hwmon2/power1_max", "190000000\n"}},
		1850, NAN, NAN, 190, "pl1 thermal"},
	{"xe, not limited, a media engine at rest",
		{{"tile0/gt0/freq0/cur_freq", "2850\n"}, {"tile0/gt0/freq0/act_freq", "2850\n"},
			{"tile0/gt1/freq0/cur_freq", "1200\n"},
			{"tile0/gt0/freq0/throttle/status", "0\n"},
			{"tile0/gt0/freq0/throttle/reason_pl1", "0\n"},
			{"tile0/gt0/freq0/throttle/reason_prochot", "0\n"},
			{"hwmon/hwmon5/temp2_input", "55000\n"},
			{"hwmon/hwmon5/power2_max", "190000000\n"}},
		2850, NAN, 55, 190, "none"},
	{"files without numbers",
		{{"pp_dpm_sclk", "0: 500Mhz \n1: 2371Mhz \n"}, {"pp_dpm_mclk", ""},
			{"hwmon/hwmon0/temp1_input", "N/A\n"}, {"hwmon/hwmon0/power1_cap", "\n"}},
		NAN, NAN, NAN, NAN, ""},
	{"files with other words",
		{{"pp_dpm_sclk", "0: fast *\n"}, {"pp_dpm_mclk", "0: infMhz *\n"},
			{"hwmon/hwmon0/temp1_input", "inf\n"},
			{"hwmon/hwmon0/power1_cap", "1e999\n"}},
		NAN, NAN, NAN, NAN, ""},
	{"no files", {{NULL, NULL}}, NAN, NAN, NAN, NAN, ""},
};

static void check_figure(const char *what, double got, double want)
{
	if (!(got == want) && !(isnan(got) && isnan(want)))
		test_fail("%s is %g, not %g", what, got, want);
}

/* The record can be written and read. */
static void check_record(const struct device_state_record *state)
{
	struct device_state_record read;
	const char *text = test_record_text(&device_state_type, state, RECORD_ONE_LINE);

	test_ok(record_read(&device_state_type, text, strlen(text), "state", &read, &test_error));
	EQUAL(read.other_processes, state->other_processes);
	EQUAL(read.throttle_reasons.count, state->throttle_reasons.count);
	record_finish(&device_state_type, &read);
}

static void check_state(const struct device_state_record *state, double sm, double memory,
	double temperature, double power, const char *reasons)
{
	char joined[200] = "";

	for (size_t i = 0; i < state->throttle_reasons.count; i++) {
		size_t used = strlen(joined);
		snprintf(joined + used, sizeof joined - used, "%s%s", i ? " " : "",
			state->throttle_reasons.items[i]);
	}
	check_figure("the SM clock", state->sm_clock_mhz, sm);
	check_figure("the memory clock", state->memory_clock_mhz, memory);
	check_figure("the temperature", state->temperature_c, temperature);
	check_figure("the power limit", state->power_limit_w, power);
	CHECK(STRING(joined, reasons), IS(state->record.present), IS(state->load_average >= 0));
	check_record(state);
}

static void state_finish(struct device_state_record *state)
{
	record_finish(&device_state_type, state);
}

#define STATE FINISHED(state_finish) struct device_state_record

static struct device_state_record read_state(
	const struct sensor_places *places, const char *uuid, const char *pci)
{
	struct device_state_record state;
	struct sensors sensors = {0};

	sensors_init(&sensors, places, uuid, pci);
	sensors_read(&sensors, &state);
	sensors_finish(&sensors);
	return state;
}

static const char *make_tree(const struct tree *tree)
{
	const char *root = test_folder();

	for (const struct file *file = tree->files; file->path; file++)
		test_write_text(file->text, "%s/" FOLDER "%s", root, file->path);
	test_write_text("", "%s/bus/pci/devices/README", root);
	EQUAL(symlink("../../../" FOLDER, test_text("%s/bus/pci/devices/" PCI, root)), 0);
	return root;
}

TEST_ROWS(driver_files, trees, "files: %s", row->name)
{
	struct sensor_places places = {.sysfs_root = make_tree(row), .nvml_library = NO_LIBRARY};
	STATE state = read_state(&places, "", PCI), other;

	check_state(&state, row->sm, row->memory, row->temperature, row->power, row->reasons);
	EQUAL(state.other_processes, -1);
	/* Another device of the machine has no such files. */
	other = read_state(&places, "", "0000:04:00.0");
	check_state(&other, NAN, NAN, NAN, NAN, "");
}

/* ---- NVIDIA's library ---------------------------------------------------------------------- */

#define UUID "01234567-89ab-cdef-0123-456789abcdef"

static struct fake_nvml *library;

static void reset_library(void)
{
	*library = (struct fake_nvml){"GPU-" UUID, .pci = PCI, .sm_mhz = 1980, .memory_mhz = 2619,
		.temperature_c = 43, .power_mw = 700000, .compute = {17, (unsigned)getpid()},
		.compute_count = 2, .graphics = {17, 99}, .graphics_count = 2};
}

static const struct sensor_places nvidia = {
	.sysfs_root = "/nonexistent", .nvml_library = FAKE_NVML};

static const struct nvml_row {
	const char *name, *uuid, *pci;
	bool found;
} nvml_rows[] = {
	{"found by UUID", UUID, "", true},
	{"found by UUID, the PCI address is of another device", UUID, "0000:99:00.0", true},
	{"found by PCI address, the UUID is of a part of the GPU",
		"ffffffff-89ab-cdef-0123-456789abcdef", PCI, true},
	{"found by PCI address", "", PCI, true},
	{"another device", "ffffffff-89ab-cdef-0123-456789abcdef", "0000:99:00.0", false},
	{"no identity", "", "", false},
};

TEST_ROWS(nvml_device, nvml_rows, "NVML: %s", row->name)
{
	double none = row->found ? 0 : NAN;

	reset_library();
	STATE state = read_state(&nvidia, row->uuid, row->pci);
	check_state(
		&state, none + 1980, none + 2619, none + 43, none + 700, row->found ? "none" : "");
	CHECK(EQUAL(state.other_processes, row->found ? 2 : -1), EQUAL(library->live, 0));
}

static const struct {
	unsigned long long bits;
	const char *words;
} reasons[] = {
	{0x0, "none"},
	{0x1, "none"},
	{0x4, "sw_power_cap"},
	{0x5, "sw_power_cap"},
	{0x48, "hw_slowdown hw_thermal_slowdown"},
	{0x1b2, "applications_clocks_setting sync_boost sw_thermal_slowdown "
		"hw_power_brake_slowdown display_clock_setting"},
	{0x10000, "other"},
};

TEST(nvml_reasons, "NVML: words of the reasons")
{
	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
		reset_library();
		library->reasons = reasons[i].bits;
		STATE state = read_state(&nvidia, UUID, "");
		check_state(&state, 1980, 2619, 43, 700, reasons[i].words);
	}
}

static void expect_others(int64_t others)
{
	STATE state = read_state(&nvidia, UUID, "");

	EQUAL(state.other_processes, others);
}

/* In a container, the process numbers of the library may be of another name space. Other processes
 * then cannot be counted. */
TEST(nvml_foreign_pids, "NVML: process numbers of another container")
{
	reset_library();
	library->compute[1] = 18;
	expect_others(-1);
	library->compute_count = library->graphics_count = 0;
	expect_others(-1);
	library->compute[0] = (unsigned)getpid();
	library->compute_count = 1;
	expect_others(0);
}

/* The library is missing, is another library, or reports nothing. */
TEST(nvml_unusable, "NVML: missing, another library, or without results")
{
	static const char *const libraries[] = {NO_LIBRARY, "libm.so.6", FAKE_NVML, FAKE_NVML};

	for (size_t i = 0; i < 4; i++) {
		struct sensor_places places = nvidia;
		reset_library();
		places.nvml_library = libraries[i];
		library->init_status = i == 2 ? 9 : 0;
		library->status = 3;
		STATE state = read_state(&places, UUID, PCI);
		check_state(&state, NAN, NAN, NAN, NAN, "");
		CHECK(EQUAL(state.other_processes, -1), EQUAL(library->live, 0));
	}
}

/* ---- This machine -------------------------------------------------------------------------- */

static bool find_gpu(struct gpu_device_info *ret_info)
{
	bool found = false;

	for (size_t id = 0; id < GPU_BACKEND_COUNT && !found; id++) {
		FREED struct gpu_device_info *infos = NULL;
		struct gpu_backend_state backend;
		size_t count = 0;

		test_ok(gpu_enumerate(
			(enum gpu_backend_id)id, &infos, &count, &backend, &test_error));
		for (size_t i = 0; i < count && !found; i++) {
			found = infos[i].type == GPU_TYPE_GPU;
			*ret_info = infos[i];
		}
	}
	return found;
}

/* The state is read once for each row, so a reading must be fast. The fastest of many readings does
 * not depend on the load. */
TEST(real_gpu, "the GPU of this machine")
{
	struct sensor_places system = {0};
	struct device_state_record state;
	struct sensors sensors = {0};
	struct gpu_device_info info;
	double fastest_ms = INFINITY;

	if (!find_gpu(&info))
		test_skip("no GPU");
	sensors_init(&sensors, &system, info.uuid, info.pci);
	for (int i = 0; i < 20; i++) {
		double start = host_clock_ns();
		sensors_read(&sensors, &state);
		fastest_ms = fmin(fastest_ms, (host_clock_ns() - start) * 1e-6);
		record_finish(&device_state_type, &state);
	}
	sensors_finish(&sensors);
	test_note("%s, %s, read in %.2f ms", info.name, info.pci, fastest_ms);
	IS(fastest_ms < 5);
}

int main(int argc, char **argv)
{
	void *opened = dlopen(FAKE_NVML, RTLD_NOW);

	library = opened ? dlsym(opened, "fake_nvml") : NULL;
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	return test_run(argc, argv);
}
