/*
 * config_traffic() of every row against the traced emulator: passes of the first-level cache and of
 * shared memory, bytes of the second-level cache and of memory.
 */
#include "host/suite/suite.h"
#include "tests/kernels/session.h"
#include "tests/kernels/traffic.h"

#define RAGGED_ABOVE 0.02
#define RAGGED_BELOW 0.10

static struct session session;

/* What a run did, from its traces. */
struct traced {
	double l1_passes, shared_passes;
	double bytes_loaded, bytes_stored; /* whole sectors; stored: fills too */
	double requested; /* bytes of global memory that lanes access; of fills: see sum_of() */
};

static const struct traffic_row *const tables[] = {traffic_access_rows, traffic_work_rows};

/* ---- Traces ---------------------------------------------------------------------------------- */

static double shared_passes(const struct trace *trace, const struct traffic_row *row)
{
	double passes = 0;

	for (size_t i = 0; i < trace->access_count; i++) {
		const struct access_record *access = &trace->accesses[i];
		char pattern[64];

		if (access->space != TRACE_SHARED)
			continue;
		access_pattern_text(
			&access->lane_pattern, access_model_default(), pattern, sizeof pattern);
		bool fewer = row->fewer.pattern && access->kind == TRACE_LOAD &&
			     access->width_bytes == row->fewer.width_bytes &&
			     strncmp(pattern, row->fewer.pattern, strlen(row->fewer.pattern)) == 0;
		passes += (double)access->wavefronts * (fewer ? row->fewer.times : 1);
	}
	return passes;
}

static double fill_bytes(const struct plan_fill *fill, const struct problem *problem)
{
	const struct operand *operands = problem->family->operands;

	return fill->buffer.kind == PLAN_ARG_OPERAND
		       ? (double)operand_bytes(&operands[fill->buffer.value], problem)
		       : 0;
}

/* Sums a count of global memory. */
static double global_sum(const struct trace *trace, size_t count, enum trace_kind kind)
{
	return (double)trace_sum(trace, count, TRACE_GLOBAL, TRACE_BIT(kind));
}

static double requested_of(const struct trace *trace, enum trace_kind kind)
{
	return global_sum(trace, TRACE_COUNT(bytes_requested), kind);
}

static double moved_of(const struct trace *trace, enum trace_kind kind)
{
	return global_sum(trace, TRACE_COUNT(sectors), kind) * trace->model->sector_bytes;
}

static struct traced sum_of(const struct suite_trace *trace, const struct problem *problem,
	const struct traffic_row *row)
{
	struct traced sum = {0};
	double filled = 0, atomics = 0;

	for (size_t s = 0; s < trace->plan.step_count; s++) {
		const struct trace *of_step = &trace->traces[s];

		if (trace->plan.steps[s].kind == PLAN_FILL) {
			filled += fill_bytes(&trace->plan.steps[s].as.fill, problem);
			continue;
		}
		if (of_step->defect.kind != TRACE_NO_DEFECT)
			test_fail("step %zu: %s", s, of_step->defect.text);
		sum.l1_passes += global_sum(of_step, TRACE_COUNT(passes), TRACE_STORE);
		if (!row->copies)
			sum.l1_passes += global_sum(of_step, TRACE_COUNT(passes), TRACE_LOAD);
		sum.shared_passes += shared_passes(of_step, row);
		atomics += requested_of(of_step, TRACE_ATOMIC);
		sum.requested +=
			requested_of(of_step, TRACE_LOAD) + requested_of(of_step, TRACE_STORE);
		sum.bytes_loaded += moved_of(of_step, TRACE_LOAD);
		sum.bytes_stored +=
			moved_of(of_step, TRACE_STORE) + moved_of(of_step, TRACE_ATOMIC);
	}
	sum.bytes_stored += filled;
	/* Atomic operations complete the elements of a fill. Other stores replace them. */
	sum.requested += atomics > 0 ? atomics + filled : 0;
	return sum;
}

/* ---- Comparison ------------------------------------------------------------------------------ */

static void must_match(
	const struct traffic_row *row, const char *what, double formula, double traced)
{
	double above = row->ragged ? RAGGED_ABOVE : row->within;
	double below = row->ragged ? RAGGED_BELOW : row->within;

	test_note("%s: formula %.0f, trace %.0f (%+.2f %%)", what, formula, traced,
		traced > 0 ? 100 * (formula - traced) / traced : 0);
	if (isnan(formula))
		test_fail("%s are unknown", what);
	if (formula > traced * (1 + above) || formula < traced * (1 - below))
		test_fail("%s: formula %.0f, trace %.0f", what, formula, traced);
}

static void must_be_max(
	const struct traffic_row *row, enum traffic_bytes bytes, double formula, double traced)
{
	static const char *const names[] = {[TRAFFIC_READ] = "bytes read",
		[TRAFFIC_WRITTEN] = "bytes written",
		[TRAFFIC_L2] = "bytes of the second-level cache"};

	test_note("%s: formula %.0f, trace %.0f", names[bytes], formula, traced);
	if (!(formula <= traced))
		test_fail("%s: formula %.0f, but the trace moves at most %.0f", names[bytes],
			formula, traced);
	if (row->exact & bytes && formula < traced)
		test_fail("%s: formula %.0f, but the trace moves %.0f", names[bytes], formula,
			traced);
}

static struct config config_of(const struct traffic_row *row)
{
	struct config config = config_default(session_variant(row->name));

	for (size_t s = 0; row->set[s].name; s++) {
		size_t i = 0;

		while (config.variant->macros[i].name &&
			strcmp(config.variant->macros[i].name, row->set[s].name) != 0)
			i++;
		if (!config.variant->macros[i].name)
			test_fail("%s has no macro %s", row->name, row->set[s].name);
		config.value[i] = row->set[s].value;
	}
	return config;
}

static void must_move(
	const struct traffic_row *row, const struct floor_work *work, const struct traced *traced)
{
	must_be_max(row, TRAFFIC_READ, work->bytes_read + work->again_read, traced->bytes_loaded);
	must_be_max(row, TRAFFIC_WRITTEN, work->bytes_written + work->again_written,
		traced->bytes_stored);
	must_be_max(row, TRAFFIC_L2, work->l2_bytes, traced->bytes_loaded + traced->bytes_stored);
}

/* A kernel requests each compulsory byte at least once. */
static void must_request(
	const struct variant *variant, struct problem problem, const struct traced *traced)
{
	problem.rounding = variant->rounding;
	double compulsory = problem_bytes_compulsory(&problem);

	test_note("bytes: %.0f compulsory, %.0f requested", compulsory, traced->requested);
	if (compulsory > traced->requested)
		test_fail("%.0f bytes are compulsory, but the kernel requests only %.0f",
			compulsory, traced->requested);
}

static void compare(const void *context)
{
	const struct traffic_row *row = context;

	if (!session_variant(row->name))
		test_fail("there is no variant %s", row->name);
	struct config config = config_of(row);
	struct problem problem = problem_default(variant_family(config.variant));

	problem_choose(&problem, row->choice);
	memcpy(problem.dim, row->dim, sizeof problem.dim);
	FINISHED(suite_trace_finish)
	struct suite_trace trace = session_trace(&session, &config, &problem);
	if (trace.reason[0])
		test_fail("%s is not traced: %s", row->name, trace.reason);
	struct traced traced = sum_of(&trace, &problem, row);
	struct floor_work work = config_traffic(&config, &problem);

	must_move(row, &work, &traced);
	must_request(config.variant, problem, &traced);
	must_match(row, "passes of L1", work.l1_passes, traced.l1_passes);
	must_match(row, "passes of shared memory", work.shared_passes, traced.shared_passes);
}

/* ---- Rows without a row here ----------------------------------------------------------------- */

static bool is_in_tables(const struct variant *variant)
{
	char name[100];

	snprintf(name, sizeof name, "%s/%s", variant_family(variant)->name, variant->name);
	for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
		for (const struct traffic_row *row = tables[t]; row->name; row++)
			if (strcmp(row->name, name) == 0)
				return true;
	return false;
}

/* A row without a function has no passes, and its bytes are those of the operands. A row with a
 * function that can be traced is compared above. */
static void without_row(const void *context)
{
	const struct variant *variant = context;
	const struct config config = config_default(variant);
	const struct traffic_row row = {.ragged = true};
	struct problem problem = problem_default(variant_family(variant));
	bool traceable =
		!variant->one_sided && !(variant->needs & ~session.engine.info.capabilities);

	problem_default_size(&problem, DEVICE_CLASS_EMULATED);
	struct floor_work work = config_traffic(&config, &problem);

	if (variant->traffic && traceable)
		test_fail("the row has a function traffic, but no row in this test");
	if (!variant->traffic && !(isnan(work.l1_passes) && isnan(work.shared_passes)))
		test_fail("passes are known without a function traffic");
	if (!traceable)
		return;
	FINISHED(suite_trace_finish)
	struct suite_trace trace = session_trace(&session, &config, &problem);
	struct traced traced = sum_of(&trace, &problem, &row);
	must_move(&row, &work, &traced);
	must_request(variant, problem, &traced);
}

/* ---- Counts of a GPU ------------------------------------------------------------------------- */

#define ROUNDED 1.002 /* figures of three or four digits */

static void must_be_near(const char *what, double formula, double measured, double at_least)
{
	test_note("%s: formula %.2f, measured %.1f x 10^6 (%.1f %%)", what, formula / 1e6, measured,
		formula / 1e4 / measured);
	if (!(formula <= 1e6 * measured * ROUNDED && formula >= 1e6 * measured * at_least))
		test_fail("%s: formula %.2f x 10^6, measured %.1f x 10^6", what, formula / 1e6,
			measured);
}

static void measured(const void *context)
{
	const struct traffic_measured *row = context;
	const struct variant *variant = session_variant(row->name);
	double at_least = row->at_least > 0 ? row->at_least : 0.95;

	if (!variant)
		test_fail("there is no variant %s", row->name);
	const struct config config = config_default(variant);
	struct problem problem = problem_default(variant_family(variant));
	problem_default_size(&problem, DEVICE_CLASS_GPU);
	struct floor_work work = config_traffic(&config, &problem);

	if (row->all > 0)
		must_be_near("passes", work.l1_passes + work.shared_passes + work.idle_passes,
			row->all, at_least);
	if (row->shared > 0)
		must_be_near("passes of shared memory", work.shared_passes + work.idle_passes,
			row->shared, at_least);
	else
		IS(work.shared_passes == 0);
}

static void add_row(const struct traffic_row *row)
{
	char text[200] = "";
	size_t length = 0;

	for (int i = 0; i < PMPP_MAX_DIMS && row->dim[i]; i++)
		length += (size_t)snprintf(text + length, sizeof text - length, "%s%lld",
			i ? "x" : "", (long long)row->dim[i]);
	for (size_t s = 0; row->set[s].name; s++)
		length += (size_t)snprintf(text + length, sizeof text - length, " %s=%d",
			row->set[s].name, row->set[s].value);
	test_add(compare, row, "%s %s", row->name, text);
}

int main(int argc, char **argv)
{
	session.engine = engine_first("cuda-emu");
	for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
		for (const struct traffic_row *row = tables[t]; row->name; row++)
			add_row(row);
	EACH_VARIANT (variant)
		if (!is_in_tables(variant))
			test_add(without_row, variant, "%s/%s: unknown",
				variant_family(variant)->name, variant->name);
	for (const struct traffic_measured *row = traffic_measured_rows; row->name; row++)
		test_add(measured, row, "%s: measured", row->name);
	int code = test_run(argc, argv);
	session_close(&session);
	return code;
}
