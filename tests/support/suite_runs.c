#include "tests/support/suite_runs.h"

#include "host/suite/suite.h"
#include "tests/support/records.h"
#include "tests/support/test.h"

char runs_notes[2000];

void runs_keep_note(void *context, const char *text)
{
	(void)context;
	strncat(runs_notes, text, sizeof runs_notes - strlen(runs_notes) - 1);
}

struct suite *runs_open(const struct suite_options *options)
{
	FREED struct gpu_device_info *infos = NULL;
	struct gpu_backend_state state;
	const struct suite_options quick = runs_quick();
	struct suite *suite = NULL;
	size_t count = 0;

	test_ok(gpu_enumerate(GPU_BACKEND_FAKE, &infos, &count, &state, &test_error));
	IS(count >= 1);
	test_ok(suite_open(&infos[0], options ? options : &quick, &suite, &test_error));
	return suite;
}

struct suite_options runs_quick(void)
{
	struct suite_options options = SUITE_OPTIONS_DEFAULT;

	options.min_samples = 5;
	options.max_samples = 8;
	options.min_time_ms = 0;
	return options;
}

static enum pmpp_status fix_times(struct suite *suite, double ns, struct pmpp_error *error)
{
	const struct timer_record *timer = NULL;

	fake_control.timer_ns = 0;
	enum pmpp_status status = suite_calibration(suite, &timer, error);
	suite->bench.timer.record.device_timer_ok = true;
	suite->bench.timer.record.timer_resolution_ns = 1;
	fake_control.timer_ns = ns;
	return status;
}

void runs_fix_times(struct suite *suite, double ns)
{
	test_ok(fix_times(suite, ns, &test_error));
}

void runs_simulate_times(struct suite *suite, fake_timer_fn *timer, void *context)
{
	fake_control.timer = NULL;
	runs_fix_times(suite, 0);
	fake_control.timer = timer;
	fake_control.timer_context = context;
}

const struct timer_record *runs_calibrate(struct suite *suite)
{
	const struct timer_record *timer = NULL;

	test_ok(suite_calibration(suite, &timer, &test_error));
	return timer;
}

void runs_change_device(struct gpu_device_info *info, size_t offset, const char *text)
{
	char *member = (char *)info + offset;

	if (text)
		strcpy(member, text);
	else
		++*(uint32_t *)member;
}

void runs_keep_roofs(void)
{
	struct suite_options options = runs_quick();
	const struct roofs_record *roofs = NULL;
	struct suite *suite = NULL;

	fake_suite_setup();
	enum pmpp_status status = suite_open(&fake_control.info, &options, &suite, &test_error);
	if (status == PMPP_OK)
		status = fix_times(suite, 4e5, &test_error);
	if (status == PMPP_OK)
		status = suite_roofs(suite, false, &roofs, &test_error);
	if (status != PMPP_OK)
		fprintf(stderr, "roofs on the fake: %s\n", test_error.message);
	pmpp_error_clear(&test_error);
	suite_close(&suite);
	fake_suite_setup();
}

struct problem runs_problem(const char *family, int64_t a, int64_t b, int64_t c)
{
	return (struct problem){.family = family_find(family), .dim = {a, b, c}, .seed = 1};
}

struct config runs_config(const char *family, const char *variant)
{
	return config_default(variant_find(family_find(family), variant));
}

void runs_check_record(const struct record_type *type, const void *record)
{
	const char *text = test_record_text(type, record, RECORD_ONE_LINE);
	FREED void *copy = calloc(1, type->size);

	SOME(copy);
	test_ok(record_read(type, text, strlen(text), "row", copy, &test_error));
	STRING(text, test_record_text(type, copy, RECORD_ONE_LINE));
	record_finish(type, copy);
}

struct outcome runs_one(struct suite *suite, const char *family, const char *variant,
	const struct problem *problem, unsigned actions)
{
	struct config config = runs_config(family, variant);
	struct outcome outcome;

	memset(&outcome, 0, sizeof outcome);
	test_ok(suite_run(suite, &config, problem, actions, &outcome, &test_error));
	runs_check_record(&result_row_type, &outcome.row);
	return outcome;
}

struct outcome runs_vecadd(struct suite *suite, int64_t n, unsigned actions)
{
	struct problem problem = runs_problem("vecadd", n, 0, 0);

	return runs_one(suite, "vecadd", "fine", &problem, actions);
}

struct outcome runs_matmul(struct suite *suite, int64_t m, int64_t n, int64_t k)
{
	struct problem problem = runs_problem("matmul", m, n, k);

	return runs_one(suite, "matmul", "naive", &problem, SUITE_VERIFY);
}

void runs_close(struct suite *suite)
{
	suite_close(&suite);
	CHECK(NIL(suite), EQUAL(fake_live_count(), 0), STRING(fake_misuse(), ""));
}
