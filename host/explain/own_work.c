#include "host/explain/own_work.h"

#include <math.h>
#include <string.h>

#include "common/model/traced_work.h"
#include "common/own/kernel.h"
#include "common/text.h"

/* ---- Trace ----------------------------------------------------------------------------------- */

#define MAX_BYTES 0x1p33              /* of all operands; only accessed parts take memory */
#define MAX_STEPS ((uint64_t)1 << 22) /* watched basic blocks: about a second */
#define MIN_INNER 64                  /* size of a dimension that the output does not have */

/* Bytes of the memory of a multiprocessor that remain for the first-level cache: the resident blocks have their shared
 * memory in it. */
static uint64_t cache_bytes(const struct explanation *explanation)
{
	int64_t most = 0;

	for (size_t i = 0; i < explanation->launch_count; i++) {
		const struct launch_explanation *launch = &explanation->launches[i];
		int64_t each = (int64_t)launch->planned->shared_bytes;
		if (launch->resources.shared_bytes > 0)
			each += launch->resources.shared_bytes;
		int64_t blocks = launch->occupancy_known ? launch->occupancy.blocks : 1;
		most = each * blocks > most ? each * blocks : most;
	}
	int64_t left = explanation->target.unit.l1_bytes - most;
	return left > 0 ? (uint64_t)left : 1;
}

static double bytes_of_operands(const struct problem *problem)
{
	double bytes = 0;

	for (size_t i = 0; i < problem->family->operand_count; i++)
		bytes += (double)operand_bytes(&problem->family->operands[i], problem);
	return bytes;
}

/* Halves the sizes that the output does not have: they are those of the loops of a thread, and the grid stays the
 * same. */
static bool halve_inner(struct problem *problem)
{
	const struct family *family = problem->family;
	const struct operand *output = &family->operands[family->operand_count - 1];
	struct problem smaller = *problem;
	bool changed = false;

	for (size_t i = 0; i < family->dim_count; i++) {
		if (family->dim_default[i] || smaller.dim[i] < 2 * MIN_INNER ||
			(int)i == output->rows_dim || (int)i == output->columns_dim)
			continue;
		smaller.dim[i] /= 2;
		changed = true;
	}
	if (!changed || (family->invalid && family->invalid(&smaller)))
		return false;
	*problem = smaller;
	return true;
}

/* Returns false if the problem is as small as possible. */
static bool halve(const struct explanation *explanation, struct problem *problem)
{
	const struct own_kernel *own = explanation->config.variant->own;
	bool free_sizes = !own || !own->square;

	if (!(free_sizes && bytes_of_operands(problem) <= MAX_BYTES && halve_inner(problem)) &&
		!problem_halve(problem))
		return false;
	if (own)
		own_kernel_fit(own, problem->dim);
	return true;
}

/* The work that each kernel of the problem has: launches, bytes of memory and the operations of the problem. The
 * formulas of the row are those of another kernel. */
static struct floor_work least_work(
	const struct explanation *explanation, const struct problem *problem)
{
	struct variant variant = *explanation->config.variant;
	struct config config = explanation->config;

	variant.traffic = NULL;
	variant.flops = NULL;
	config.variant = &variant;
	struct floor_work work = config_traffic(&config, problem);
	const struct floor_work certain = config_certain(&config, problem);
	for (int i = 0; i < OPERATIONS_COUNT; i++)
		if (!isnan(certain.operations[i]))
			work.operations[i] = certain.operations[i];
	return work;
}

/* Sets the work if all launches were traced. Returns by how much the size must be divided at least; 0: it is
 * small enough, or there is no trace. */
static unsigned use_traces(struct explanation *explanation, const struct suite_trace *traced,
	const struct problem *problem)
{
	struct traced_launch launches[PMPP_MAX_STEPS];
	size_t count = 0;

	for (size_t s = 0; s < traced->plan.step_count; s++) {
		const struct trace *trace = &traced->traces[s];
		const struct plan_launch *launch = &traced->plan.steps[s].as.launch;
		if (traced->plan.steps[s].kind != PLAN_LAUNCH)
			continue;
		if (trace->defect.kind != TRACE_NO_DEFECT || !trace->model) {
			text_format(&explanation->no_work,
				"no trace at the size of the floors: %.200s", trace->defect.text);
			return 0;
		}
		if (trace->unwatched_steps > 0)
			return (unsigned)((trace->steps + trace->unwatched_steps) / MAX_STEPS) + 1;
		launches[count++] =
			(struct traced_launch){trace, launch->groups[0], launch->groups[1]};
	}
	const struct floor_work least = least_work(explanation, problem);
	explanation->work = traced_work(&least, launches, count);
	explanation->floor_problem = *problem;
	explanation->has_work = true;
	return 0;
}

/* Traces at one size. *ret_divisor: as use_traces(). */
static enum pmpp_status trace_at(struct explanation *explanation, struct suite *emulator,
	const struct problem *problem, unsigned *ret_divisor, struct pmpp_error *error)
{
	const struct trace_request request = {.blocks = TRACE_BLOCKS_SPREAD,
		.repeated = true,
		.step_limit = MAX_STEPS,
		.cache_bytes = cache_bytes(explanation)};
	struct suite_trace traced = {0};

	enum pmpp_status status =
		suite_trace(emulator, &explanation->config, problem, &request, &traced, error);
	*ret_divisor = 0;
	if (status == PMPP_TOO_LARGE || status == PMPP_OUT_OF_MEMORY) {
		pmpp_error_clear(error);
		*ret_divisor = 2;
		status = PMPP_OK;
	} else if (status == PMPP_OK && *traced.reason) {
		text_set_known(&explanation->no_work, traced.reason);
	} else if (status == PMPP_OK) {
		*ret_divisor = use_traces(explanation, &traced, problem);
	}
	suite_trace_finish(&traced);
	return status;
}

enum pmpp_status own_work_trace(
	struct explanation *explanation, struct suite *emulator, struct pmpp_error *error)
{
	const struct own_kernel *own = explanation->config.variant->own;
	struct problem problem = explanation->problem;
	enum pmpp_status status = PMPP_OK;
	unsigned divisor = 0;

	problem.source = INPUT_RANDOM; /* files have the traced size */
	problem_default_size(&problem, DEVICE_CLASS_GPU);
	if (own)
		own_kernel_fit(own, problem.dim);
	while (bytes_of_operands(&problem) > MAX_BYTES && halve(explanation, &problem)) {
	}
	while (status == PMPP_OK) {
		status = trace_at(explanation, emulator, &problem, &divisor, error);
		if (divisor == 0)
			break;
		for (unsigned i = 1; i < divisor; i *= 2)
			if (!halve(explanation, &problem)) {
				text_set(&explanation->no_work,
					"the trace of a block is too long at every size");
				return status;
			}
	}
	return status;
}

/* ---- Advice ---------------------------------------------------------------------------------- */

#define PASS_BYTES ((double)(BANKS * BANK_BYTES))
#define WORTH 1.2      /* an earlier item of the order is chosen if it gains this much */
#define WORTHLESS 1.02 /* gains below it are not reported */

/* Returns `now`, reduced in the ratio of the least count to the count. */
static double scaled(double now, double least, double count)
{
	return count > 0 ? now * fmin(1, least / count) : now;
}

/* Passes of the accesses of a space, and the least passes that their bytes need. */
struct pass_sums {
	double passes, least;
};

static struct pass_sums sum_passes(const struct explanation *explanation, enum trace_space space)
{
	struct pass_sums sums = {0, 0};

	for (size_t i = 0; i < explanation->launch_count; i++) {
		const struct trace *trace = &explanation->launches[i].trace;
		for (size_t k = 0; k < trace->access_count; k++) {
			const struct access_record *access = &trace->accesses[k];
			bool shared = space == TRACE_SHARED;
			if (access->space != (int)space || access->kind == TRACE_ATOMIC)
				continue;
			double least = fmax((double)access->requests,
				(double)access->bytes_unique / PASS_BYTES);
			sums.passes +=
				trace_estimate(trace, shared ? access->wavefronts : access->passes);
			sums.least += shared ? trace_estimate(trace, access->phases)
					     : least * trace_estimate(trace, 1);
		}
	}
	return sums;
}

/* Different bytes of the requests of loads and stores / bytes of the sectors of these requests. */
static double coalesced_share(const struct explanation *explanation)
{
	double unique = 0, moved = 0;

	for (size_t i = 0; i < explanation->launch_count; i++) {
		const struct trace *trace = &explanation->launches[i].trace;
		unsigned kinds = TRACE_BIT(TRACE_LOAD) | TRACE_BIT(TRACE_STORE);
		unique += trace_estimate(
			trace, trace_sum(trace, TRACE_COUNT(bytes_unique), TRACE_GLOBAL, kinds));
		moved += trace_estimate(
			trace, trace_sum(trace, TRACE_COUNT(sectors), TRACE_GLOBAL, kinds) *
				       trace->model->sector_bytes);
	}
	return moved > 0 ? fmin(1, unique / moved) : 1;
}

/* Sets the work that is left at least, if the item were done. */
static void do_coalescing(const struct explanation *explanation, struct floor_work *work)
{
	struct pass_sums passes = sum_passes(explanation, TRACE_GLOBAL);
	double bytes = work->bytes_read + work->bytes_written;

	work->l1_passes = scaled(work->l1_passes, passes.least, passes.passes);
	work->l2_bytes = fmax(bytes, work->l2_bytes * coalesced_share(explanation));
	work->again_read = work->again_written = work->overfetched = 0;
}

static void do_banks(const struct explanation *explanation, struct floor_work *work)
{
	struct pass_sums passes = sum_passes(explanation, TRACE_SHARED);

	work->shared_passes = scaled(work->shared_passes, passes.least, passes.passes);
}

static void do_tiling(const struct explanation *explanation, struct floor_work *work)
{
	double bytes = work->bytes_read + work->bytes_written;

	(void)explanation;
	work->l1_passes = fmin(work->l1_passes, bytes / PASS_BYTES);
	work->l2_bytes = fmin(work->l2_bytes, bytes);
	work->again_read = work->again_written = work->overfetched = 0;
}

/* Registers replace the repeated reads of shared memory: each byte is written to it once and read once. */
static void do_coarsening(const struct explanation *explanation, struct floor_work *work)
{
	do_tiling(explanation, work);
	work->shared_passes = fmin(work->shared_passes, 2 * work->bytes_read / PASS_BYTES);
}

/* In the order of the choice. */
static const struct {
	enum checklist_item item;
	void (*do_it)(const struct explanation *explanation, struct floor_work *work);
} techniques[] = {
	{CHECK_COALESCING, do_coalescing},
	{CHECK_BANKS, do_banks},
	{CHECK_TILING, do_tiling},
	{CHECK_COARSENING, do_coarsening},
};

#define TECHNIQUE_COUNT (sizeof techniques / sizeof *techniques)

static bool is_open(const struct explanation *explanation, enum checklist_item item)
{
	return explanation->record.checklist.items[item].state == CHECK_OPEN;
}

/* The floors that are left if the techniques in the set are applied. */
static struct floors floors_with(const struct explanation *explanation, unsigned set)
{
	struct floor_work work = explanation->work;

	for (size_t i = 0; i < TECHNIQUE_COUNT; i++)
		if (set >> i & 1)
			techniques[i].do_it(explanation, &work);
	return floors_of(&work, &explanation->target.hardware.rates);
}

static double gain_of(const struct explanation *explanation, const struct floors *after)
{
	const struct floors *now = &explanation->floors;

	return now->ns[now->largest] / after->ns[after->largest];
}

#define CONSTANT_BYTES 65536

/* Whether all lanes of a warp read one address of an operand that fits in constant memory at the size for a GPU. */
static bool is_for_constants(const struct explanation *explanation,
	const struct plan_launch *launch, const struct access_record *access)
{
	struct problem problem = explanation->problem;

	if (access->lane_pattern.kind != PATTERN_BROADCAST ||
		access->lane_pattern.run < (int)explanation->model->lanes || access->argument < 1 ||
		(size_t)access->argument > launch->arg_count ||
		launch->args[access->argument - 1].kind != PLAN_ARG_OPERAND)
		return false;
	problem_default_size(&problem, DEVICE_CLASS_GPU);
	return operand_bytes(&problem.family->operands[launch->args[access->argument - 1].value],
		       &problem) <= CONSTANT_BYTES;
}

int64_t own_work_busiest_load(const struct explanation *explanation, bool *ret_constants)
{
	double max = -1;
	int64_t line = 0;

	*ret_constants = false;

	for (size_t i = 0; i < explanation->launch_count; i++) {
		const struct trace *trace = &explanation->launches[i].trace;
		for (size_t j = 0; j < trace->access_count; j++) {
			const struct access_record *access = &trace->accesses[j];
			double bytes = trace_estimate(trace, access->bytes_requested);
			if (access->space != TRACE_GLOBAL || access->kind != TRACE_LOAD ||
				bytes <= max)
				continue;
			max = bytes;
			line = access->line;
			*ret_constants = is_for_constants(
				explanation, explanation->launches[i].planned, access);
		}
	}
	return line;
}

static void write_advice(
	struct explanation *explanation, size_t technique, const struct floors *after)
{
	struct advice_record *advice = &explanation->record.advice;
	char time[32];

	format_ns(after->ns[after->largest], time, sizeof time);
	advice->record.present = true;
	advice->item = (int)techniques[technique].item;
	advice->max_gain = gain_of(explanation, after);
	advice->floor = after->largest;
	advice->floor_ns = after->ns[after->largest];
	const char *place = "";
	bool constants = false;
	if (techniques[technique].item == CHECK_TILING)
		own_work_busiest_load(explanation, &constants);
	if (constants) {
		advice->item = -1;
		place = gpu_backend_row(explanation->traced)->language == GPU_LANGUAGE_CUDA_C
				? "constant memory (__constant__): "
				: "constant memory (__constant): ";
	}
	text_format(&advice->text, "%sat most %.3g times as fast: %s %s is then the largest floor",
		place, advice->max_gain, floor_words[after->largest], time);
}

/* No open item, and no other kernel of the problem has a lower largest floor. */
static void advise_nothing(struct explanation *explanation)
{
	struct floors least = floors_with(explanation, (1u << TECHNIQUE_COUNT) - 1);
	struct advice_record *advice = &explanation->record.advice;
	const struct floors *now = &explanation->floors;
	bool open = false;

	for (int item = 0; item < CHECKLIST_COUNT; item++)
		open = open || is_open(explanation, (enum checklist_item)item);
	if (open || explanation->record.limited_by == LIMITED_BY_LATENCY ||
		gain_of(explanation, &least) >= WORTHLESS)
		return;
	advice->record.present = true;
	text_format(&advice->text, "nothing: every kernel of this problem has the floor %s",
		floor_words[now->largest]);
}

void own_work_advise(struct explanation *explanation)
{
	struct floors best = {0};
	size_t technique = TECHNIQUE_COUNT;

	if (!explanation->has_floors)
		return;
	for (size_t i = 0; i < TECHNIQUE_COUNT; i++) {
		if (!is_open(explanation, techniques[i].item))
			continue;
		struct floors after = floors_with(explanation, 1u << i);
		double gain = gain_of(explanation, &after);
		if (gain < WORTHLESS ||
			(technique < TECHNIQUE_COUNT && gain <= gain_of(explanation, &best)))
			continue;
		technique = i;
		best = after;
		if (gain >= WORTH)
			break;
	}
	if (technique < TECHNIQUE_COUNT)
		write_advice(explanation, technique, &best);
	else
		advise_nothing(explanation);
}
