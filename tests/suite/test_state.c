/* The suite on the fake backend: the state of the device in a row. */
#include "host/suite/session.h"
#include "host/suite/suite.h"
#include "tests/support/fake_nvml.h"
#include "tests/support/fake_suite.h"
#include "tests/support/suite_runs.h"
#include "tests/support/test.h"

#include <dlfcn.h>
#include <unistd.h>

static const bool truths[] = {true, false};

TEST_ROWS(state_in_row, truths, "state of a row that is %s", *row ? "timed" : "not timed")
{
	bool timed = *row;
	struct suite_options options = runs_quick();
	struct fake_nvml *nvml = dlsym(dlopen(FAKE_NVML, RTLD_NOW), "fake_nvml");
	const char *root = test_folder();

	SOME(nvml);
	*nvml = (struct fake_nvml){"GPU-00000000-0000-0000-0000-00000000fa4e", .sm_mhz = 1980,
		.memory_mhz = 2619, .temperature_c = 43, .power_mw = 700000, .reasons = 4,
		.compute = {(unsigned)getpid()}, .compute_count = 1};
	fake_suite_setup();
	strcpy(fake_control.info.pci, "0000:03:00.0");
	test_write_text("0: 500Mhz *\n", "%s/bus/pci/devices/0000:03:00.0/pp_dpm_sclk", root);
	options.sensor_places =
		(struct sensor_places){.sysfs_root = root, .nvml_library = FAKE_NVML};
	struct suite *suite = runs_open(&options);
	RUNS_OUTCOME outcome = runs_vecadd(suite, 1000, timed ? SUITE_TIME : SUITE_VERIFY);
	const struct device_state_record *state = &outcome.row.device_state;
	CHECK(EQUAL(outcome.row.status, OUTCOME_OK), EQUAL(state->record.present, timed));
	if (timed) {
		CHECK(NEAR(state->sm_clock_mhz, 1980, 0), NEAR(state->memory_clock_mhz, 2619, 0),
			NEAR(state->temperature_c, 43, 0), NEAR(state->power_limit_w, 700, 1e-9),
			EQUAL(state->throttle_reasons.count, 1),
			STRING(state->throttle_reasons.items[0], "sw_power_cap"),
			EQUAL(state->other_processes, 0), IS(state->load_average >= 0),
			EQUAL(state->cpu_cores, -1));
	}
	runs_close(suite);
	EQUAL(nvml->live, 0);
}

/* A CPU does not get the state of a GPU with the same UUID or PCI address. */
TEST(state_of_cpu, "state of a CPU")
{
	struct suite_options options = runs_quick();
	struct fake_nvml *nvml = dlsym(dlopen(FAKE_NVML, RTLD_NOW), "fake_nvml");

	*nvml = (struct fake_nvml){.uuid = "GPU-00000000-0000-0000-0000-00000000fa4e"};
	fake_suite_setup();
	fake_control.info.type = GPU_TYPE_CPU;
	options.sensor_places = (struct sensor_places){.nvml_library = FAKE_NVML};
	RUNS_SUITE suite = runs_open(&options);
	RUNS_OUTCOME outcome = runs_vecadd(suite, 1000, SUITE_TIME);
	IS(outcome.row.device_state.record.present);
	IS(isnan(outcome.row.device_state.sm_clock_mhz));
	IS(outcome.row.device_state.load_average >= 0);
	EQUAL(outcome.row.device_state.cpu_cores, sysconf(_SC_NPROCESSORS_ONLN));
}

/* Wrong after the timing: no pass, no times, no state. */
TEST(no_pass_no_state, "no state of a row that fails")
{
	fake_suite_setup();
	/* After two passes on the problem's own data, on another seed and on each case. */
	fake_suite_control.wrong_from = 2 + 1 + CASE_COUNT + 1;
	RUNS_SUITE suite = runs_open(NULL);
	RUNS_OUTCOME outcome = runs_vecadd(suite, 1000, SUITE_TIME);
	EQUAL(outcome.row.status, OUTCOME_FAILED);
	NOT(outcome.row.device_state.record.present);
}
