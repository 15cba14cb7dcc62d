/* The suite on the fake backend: the device timer against the host clock. */
#include "host/suite/session.h"
#include "host/suite/suite.h"
#include "tests/support/fake.h"
#include "tests/support/fake_suite.h"
#include "tests/support/suite_runs.h"
#include "tests/support/test.h"

static const struct timer_row {
	double scale; /* reported time / real time */
	bool right;
} timer_rows[] = {
	{0.5, false}, {0.85, false}, {0.95, true}, {1, true}, {1.05, true}, {1.15, false}};

TEST_ROWS(scaled_timer, timer_rows, "a timer that shows %g x the time", row->scale)
{
	fake_suite_setup();
	fake_suite_control.kernel_ns = 4e5;
	fake_control.timer_scale = row->scale;
	RUNS_SUITE suite = runs_open(NULL);
	const struct timer_record *timer = runs_calibrate(suite);
	test_note("%s: %s", timer->device_timer_ok ? "accepted" : "rejected",
		text_or_empty(timer->reason));
	CHECK(EQUAL(timer->device_timer_ok, row->right), EQUAL(timer->reason == NULL, row->right));
	if (timer->reason && !(strstr(timer->reason, " ms, the host clock ") &&
				     strstr(timer->reason, " ms (allowed difference: 10 %); ")))
		test_fail("the reason lacks the units or the limit: %s", timer->reason);
	IS(timer->device_to_host < row->scale + 0.01);
}

/* If one run takes longer than the limit of all batches, one run is measured, after one warm-up
 * run. */
TEST(slow_device, "a slow device gets one run")
{
	fake_suite_setup();
	fake_suite_control.kernel_ns = 2e8;
	RUNS_SUITE suite = runs_open(NULL);
	IS(runs_calibrate(suite)->device_timer_ok);
	test_note("%u runs of the probe", (unsigned)fake_suite_control.fma_launches);
	EQUAL(fake_suite_control.fma_launches, 2);
}

/* ---- Empty launches ------------------------------------------------------------------------ */

#define FIRST_NS 2000.0   /* an empty kernel behind other work */
#define FURTHER_NS 1300.0 /* each further one */
#define SUBMIT_NS 4500.0  /* time that the host needs to submit a launch; an idle device waits */

/* A fast device with a slow host. Batches of the FMA probe take what the host clock shows. */
static double fast_device(const struct gpu_device *device, double clock_ns, void *context)
{
	uint64_t call = fake_call_count();
	double launches = 0;

	(void)device, (void)context;
	for (; fake_call(call) != FAKE_SLOT_timer_begin; call--)
		launches += strcmp(fake_call_entry(call), "roof_empty") == 0;
	if (launches < 1)
		return clock_ns;
	return fake_call(call - 1) == FAKE_SLOT_finish ? launches * SUBMIT_NS
						       : FIRST_NS + (launches - 1) * FURTHER_NS;
}

/* The floor of a launch is a limit of the device. Cold samples are queued behind the flush: the
 * time that the host needs to submit a launch is not part of them. */
TEST(slow_host, "empty launches behind other work")
{
	fake_suite_setup();
	fake_suite_control.kernel_ns = 4e5;
	fake_control.timer = fast_device;
	RUNS_SUITE suite = runs_open(NULL);
	const struct timer_record *timer = runs_calibrate(suite);
	test_note("%.0f ns, then %.0f ns each", timer->least_launch_ns, timer->next_launch_ns);
	CHECK(IS(timer->device_timer_ok), NEAR(timer->empty_launch_ns, SUBMIT_NS, 0),
		NEAR(timer->least_launch_ns, FIRST_NS, 0),
		NEAR(timer->next_launch_ns, FURTHER_NS, 1e-9));
}
