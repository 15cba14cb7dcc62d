/*
 * The checklist: the six items of PMPP 4th ed., Table 6.1, and bank conflicts. One rule decides each
 * item. All sums are over the launches of the variant, scaled from the traced blocks to whole
 * launches. The thresholds are chosen for this program: the book names the items, but gives no
 * figures.
 *
 *   occupancy      open below half of the threads that a multiprocessor of the target holds
 *   coalescing     open if a load or store with 5 % of the sectors or more transfers 1.5 times the
 *                  sectors that it needs. It needs the sectors of its bytes, and at least one
 *                  sector for each different address of a broadcast
 *   divergence     open below a SIMT efficiency of 92 %. A tree in which every warp diverges
 *                  (reduce) has 87 to 91 %; a tree in which whole warps become idle has 98 %
 *   tiling         open if blocks request 1.5 times the different bytes that they load, or more.
 *                  Else done if they read each byte in shared memory twice, or more
 *   privatisation  atomics on global memory: open if lanes of one warp update the same address (1.5
 *                  lanes per address). Also open if there is more than one atomic per warp of
 *                  threads, four or more per element of the buffer, and none on shared memory
 *   coarsening     done from two elements per thread, at the traced size or at the default size of
 *                  `run` on a GPU: a fixed number of blocks is coarse only on large problems. Else
 *                  open if fewer blocks would save work: the blocks tile and still load each input
 *                  byte 1.5 times in total, or they move each loaded byte 2.5 times to and from
 *                  shared memory. The rule counts elements of the output. If the output has less
 *                  than half an element per thread, it counts elements of the largest input
 *   bank conflicts open if an access with 5 % of the wavefronts of shared memory or more takes 1.5
 *                  times the wavefronts that it needs without a conflict
 *
 * No rule applies to a variant for CPUs: a CPU has no warps.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/text.h"
#include "host/explain/internal.h"

/* ---- Launches -------------------------------------------------------------------------------- */

/* Sums over the launches and their traces. */

static double launch_threads(const struct plan_launch *launch)
{
	return (double)plan_launch_groups(launch) * (double)plan_launch_threads(launch);
}

/* Threads of the plan's largest launch. */
static double max_threads(const struct plan *plan)
{
	double threads = 0;

	for (size_t s = 0; s < plan->step_count; s++) {
		const struct plan_launch *launch = plan_step_launch(&plan->steps[s]);
		if (launch)
			threads = fmax(threads, launch_threads(launch));
	}
	return threads;
}

/* The launch with the most threads: it represents the variant. There is at least one launch. */
static const struct launch_explanation *main_launch(const struct explanation *explanation)
{
	const struct launch_explanation *launch = &explanation->launches[0];

	for (size_t i = 1; i < explanation->launch_count; i++) {
		const struct launch_explanation *other = &explanation->launches[i];
		if (launch_threads(other->planned) > launch_threads(launch->planned))
			launch = other;
	}
	return launch;
}

/* Returns NULL if every launch was traced to its end, else the reason, which is valid as long as
 * the explanation. */
static const char *why_no_trace(const struct explanation *explanation)
{
	if (explanation->record.no_trace)
		return explanation->record.no_trace;
	for (size_t i = 0; i < explanation->launch_count; i++)
		if (explanation->launches[i].trace.defect.kind != TRACE_NO_DEFECT)
			return explanation->launches[i].trace.defect.text;
	return NULL;
}

/* trace_sum() over all launches, each scaled from the traced blocks to the whole launch. */
static double sum_of(
	const struct explanation *explanation, size_t count, enum trace_space space, unsigned kinds)
{
	double sum = 0;

	for (size_t i = 0; i < explanation->launch_count; i++) {
		const struct trace *trace = &explanation->launches[i].trace;
		sum += trace_estimate(trace, trace_sum(trace, count, space, kinds));
	}
	return sum;
}

#define LOW_OCCUPANCY 0.5
#define MUCH_COST 1.5 /* sectors or wavefronts / those that are needed */
#define FEW_COST 0.05 /* share of all of them: smaller shares are not reported */
#define NO_MORE 1.005 /* ratios below it round to 1.00 */
#define LOW_SIMT 0.92
#define MUCH_REUSE 1.5      /* requests per byte, of one block or of all blocks */
#define SHARED_REUSE 2.0    /* loads per store */
#define MUCH_CONTENTION 1.5 /* lanes per address */
#define FEW_ADDRESSES 4.0   /* atomics per element */
#define COARSE_ELEMENTS 2.0 /* elements per thread */
#define SHARED_WORK 2.5     /* bytes of shared memory per byte loaded from global memory */

#define SAY(check, new_state, ...) \
	((check)->state = (new_state), text_format(&(check)->text, __VA_ARGS__))

/* ---- Sums ---------------------------------------------------------------------------------- */

static double atomic_lanes(const struct explanation *explanation, enum trace_space space)
{
	return sum_of(explanation, TRACE_COUNT(lanes), space, TRACE_BIT(TRACE_ATOMIC));
}

/* kinds: bits of enum trace_kind */
static double bytes_of(
	const struct explanation *explanation, enum trace_space space, unsigned kinds)
{
	return sum_of(explanation, TRACE_COUNT(bytes_requested), space, kinds);
}

static double bytes_loaded(const struct explanation *explanation)
{
	return bytes_of(explanation, TRACE_GLOBAL, TRACE_BIT(TRACE_LOAD));
}

static double shared_bytes(const struct explanation *explanation)
{
	return bytes_of(explanation, TRACE_SHARED, TRACE_ALL_KINDS);
}

static double input_bytes(const struct explanation *explanation)
{
	const struct family *family = explanation->problem.family;
	double bytes = 0;

	for (size_t i = 0; i < family->operand_count; i++)
		if (family->operands[i].role == OPERAND_IN)
			bytes += (double)operand_bytes(&family->operands[i], &explanation->problem);
	return bytes;
}

static double elements(const struct operand *operand, const struct problem *problem)
{
	return (double)operand_rows(operand, problem) * (double)operand_columns(operand, problem);
}

/* ---- Occupancy ----------------------------------------------------------------------------- */

static void check_occupancy(const struct explanation *explanation, struct check_record *check)
{
	const struct launch_explanation *launch = main_launch(explanation);
	const struct occupancy *found = &launch->occupancy;
	char limits[64] = "", registers[32] = "not known";

	if (!launch->occupancy_known) {
		SAY(check, CHECK_UNKNOWN, "%s", text_or_empty(launch->no_occupancy));
		return;
	}
	for (int i = 0; i < OCCUPANCY_LIMIT_COUNT; i++)
		if (found->limited_by >> i & 1)
			text_append(limits, sizeof limits, "%s%s", *limits ? ", " : "",
				occupancy_limit_words[i]);
	if (launch->resources.registers >= 0)
		snprintf(registers, sizeof registers, "%d a thread", launch->resources.registers);
	SAY(check, found->occupancy < LOW_OCCUPANCY ? CHECK_OPEN : CHECK_DONE,
		"%.3g %% of the threads: %lld block%s of %lld, limited by %s; registers %s",
		100 * found->occupancy, (long long)found->blocks, found->blocks == 1 ? "" : "s",
		(long long)plan_launch_threads(launch->planned), limits, registers);
}

/* ---- Coalescing, bank conflicts ------------------------------------------------------------- */

/* The sectors that all requests of the access need. */
static double min_sectors(const struct access_record *access, const struct access_model *model)
{
	double addresses = 1; /* of one request: each run has one address */

	if (access->lane_pattern.kind == PATTERN_BROADCAST && access->lane_pattern.run > 0)
		addresses = (double)model->lanes / access->lane_pattern.run;
	return fmax(addresses * (double)access->requests,
		(double)access->bytes_unique / model->sector_bytes);
}

static double min_wavefronts(const struct access_record *access, const struct access_model *model)
{
	(void)model;
	return (double)access->phases;
}

/* What the accesses of a memory cost, and what they need. */
static const struct cost_rule {
	enum trace_space space;
	unsigned kinds; /* of accesses that can be too expensive */
	size_t cost;    /* TRACE_COUNT() */
	double (*needed)(const struct access_record *access, const struct access_model *model);
	const char *unit, *good, *nearly; /* words of the text */
} sector_rule = {TRACE_GLOBAL, TRACE_BIT(TRACE_LOAD) | TRACE_BIT(TRACE_STORE), TRACE_COUNT(sectors),
	min_sectors, "sectors", "no more sectors than the bytes need",
	"the sectors that the bytes need"},
  bank_rule = {TRACE_SHARED, TRACE_ALL_KINDS, TRACE_COUNT(wavefronts), min_wavefronts, "wavefronts",
	  "no conflict", "the wavefronts without a conflict"};

struct worst_access {
	const struct access_record *access; /* NULL: no access is above the threshold */
	double cost, needed;                /* of each of its requests */
	double excess;                      /* its unneeded cost, as a share of the cost of all */
	double max;                         /* largest ratio of cost to needed cost */
	size_t accesses;                    /* above the threshold */
};

static void find_worst_access(const struct trace *trace, const struct cost_rule *rule, double all,
	struct worst_access *worst)
{
	for (size_t i = 0; i < trace->access_count; i++) {
		const struct access_record *access = &trace->accesses[i];
		int64_t count;
		memcpy(&count, (const char *)access + rule->cost, sizeof count);
		double cost = (double)count, min = rule->needed(access, trace->model);
		double share = trace_estimate(trace, count) / all;
		if (access->space != (int)rule->space || !(rule->kinds & TRACE_BIT(access->kind)) ||
			share < FEW_COST)
			continue;
		worst->max = fmax(worst->max, cost / min);
		if (cost / min < MUCH_COST)
			continue;
		worst->accesses++;
		double excess = share * (1 - min / cost);
		if (excess > worst->excess)
			*worst = (struct worst_access){access, cost / (double)access->requests,
				min / (double)access->requests, excess, worst->max,
				worst->accesses};
	}
}

/* all: cost of all accesses */
static void judge_cost(const struct explanation *explanation, const struct cost_rule *rule,
	double all, struct check_record *check)
{
	struct worst_access worst = {.max = 1};
	char others[32] = "";

	for (size_t i = 0; i < explanation->launch_count; i++)
		find_worst_access(&explanation->launches[i].trace, rule, all, &worst);
	if (worst.accesses > 1)
		snprintf(others, sizeof others, ", and %zu more", worst.accesses - 1);
	if (worst.access)
		SAY(check, CHECK_OPEN, "%.1f %s per %s, %.1f needed, line %lld%s", worst.cost,
			rule->unit, trace_kind_words[worst.access->kind], worst.needed,
			(long long)worst.access->line, others);
	else if (worst.max < NO_MORE)
		SAY(check, CHECK_DONE, "%s", rule->good);
	else
		SAY(check, CHECK_DONE, "at most %.3g times %s", worst.max, rule->nearly);
}

static void check_coalescing(const struct explanation *explanation, struct check_record *check)
{
	double all = sum_of(explanation, sector_rule.cost, TRACE_GLOBAL, sector_rule.kinds);

	if (!(all > 0))
		SAY(check, CHECK_NOT_APPLICABLE, "no load or store of global memory");
	else
		judge_cost(explanation, &sector_rule, all, check);
}

static void check_banks(const struct explanation *explanation, struct check_record *check)
{
	double all = sum_of(explanation, bank_rule.cost, TRACE_SHARED,
		TRACE_ALL_KINDS & ~TRACE_BIT(TRACE_COPY));

	if (!(shared_bytes(explanation) > 0))
		SAY(check, CHECK_NOT_APPLICABLE, "no access of shared memory");
	else if (!(all > 0))
		SAY(check, CHECK_UNKNOWN, "the banks of %s are unknown", explanation->model->name);
	else
		judge_cost(explanation, &bank_rule, all, check);
}

/* ---- Divergence ---------------------------------------------------------------------------- */

struct divergence {
	double executions, lanes;       /* of all lines */
	const struct line_record *line; /* with the most inactive lanes; NULL: no line has any */
	double lost;                    /* its inactive lanes */
	const struct branch_record *branch; /* splits the most warps; NULL: no branch splits any */
	double splits;                      /* warps that it splits */
};

static void add_divergence(const struct trace *trace, struct divergence *found)
{
	int64_t executions, lanes;

	trace_sum_lines(trace, &executions, &lanes);
	found->executions += trace_estimate(trace, executions);
	found->lanes += trace_estimate(trace, lanes);
	for (size_t i = 0; i < trace->line_count; i++) {
		const struct line_record *line = &trace->lines[i];
		double lost = trace_estimate(
			trace, line->warp_executions * trace->model->lanes - line->lanes);
		if (lost > found->lost) {
			found->lost = lost;
			found->line = line;
		}
	}
	for (size_t i = 0; i < trace->branch_count; i++) {
		double splits = trace_estimate(trace, trace->branches[i].divergent);
		if (splits > found->splits) {
			found->splits = splits;
			found->branch = &trace->branches[i];
		}
	}
}

static void check_divergence(const struct explanation *explanation, struct check_record *check)
{
	const unsigned lanes = explanation->model->lanes;
	struct divergence found = {0};
	char where[80] = "no branch splits a warp";

	for (size_t i = 0; i < explanation->launch_count; i++)
		add_divergence(&explanation->launches[i].trace, &found);
	double simt = found.lanes / lanes / found.executions;
	if (!(found.executions > 0)) {
		SAY(check, CHECK_UNKNOWN, "no line was executed");
		return;
	}
	if (found.branch)
		snprintf(where, sizeof where, "line %lld splits %.3g %% of the warps that reach it",
			(long long)found.branch->line,
			100 * (double)found.branch->divergent / (double)found.branch->executions);
	if (simt >= LOW_SIMT || !found.line)
		SAY(check, CHECK_DONE, "SIMT efficiency %.1f %%; %s", 100 * simt, where);
	else
		SAY(check, CHECK_OPEN, "SIMT efficiency %.1f %%: %.1f of %u lanes at line %lld; %s",
			100 * simt, (double)found.line->lanes / (double)found.line->warp_executions,
			lanes, (long long)found.line->line, where);
}

/* ---- Tiling -------------------------------------------------------------------------------- */

/* How often the blocks request each byte that they load; NaN: they load nothing. */
static double block_reuse(const struct explanation *explanation)
{
	double different = 0;

	for (size_t i = 0; i < explanation->launch_count; i++) {
		const struct trace *trace = &explanation->launches[i].trace;
		different += trace_estimate(trace, trace->block_bytes_loaded);
	}
	return bytes_loaded(explanation) / different;
}

static double shared_reuse(const struct explanation *explanation)
{
	return bytes_of(explanation, TRACE_SHARED, TRACE_BIT(TRACE_LOAD)) /
	       bytes_of(explanation, TRACE_SHARED, TRACE_BIT(TRACE_STORE) | TRACE_BIT(TRACE_COPY));
}

/* The line of the load that requests most bytes. */
static int64_t busiest_load(const struct explanation *explanation)
{
	double max = -1;
	int64_t line = 0;

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
		}
	}
	return line;
}

static void check_tiling(const struct explanation *explanation, struct check_record *check)
{
	double reuse = block_reuse(explanation);
	double shared = shared_reuse(explanation);

	if (isnan(reuse))
		SAY(check, CHECK_NOT_APPLICABLE, "no load of global memory");
	else if (reuse >= MUCH_REUSE)
		SAY(check, CHECK_OPEN,
			"a block requests each byte %.1f times on average, line %lld", reuse,
			(long long)busiest_load(explanation));
	else if (shared >= SHARED_REUSE)
		SAY(check, CHECK_DONE,
			"a block loads each byte %.1f times and reads it %.1f times in shared "
			"memory",
			reuse, shared);
	else
		SAY(check, CHECK_NOT_APPLICABLE, "blocks do not reuse the bytes that they load");
}

/* ---- Privatisation ------------------------------------------------------------------------- */

struct contention {
	double per_address; /* lanes per address of a request: maximum of all accesses */
	double per_element; /* atomics per element of the buffer in a launch: maximum */
	int64_t line;       /* line of the access with the most lanes */
	double lanes;       /* lanes of that access in the launch */
};

/* Elements of the buffer of an argument. argument: its number, from 1. */
static double buffer_elements(
	const struct explanation *explanation, const struct plan_launch *launch, int argument)
{
	const struct problem *problem = &explanation->problem;
	const struct variant *variant = explanation->config.variant;
	uint64_t bytes[PMPP_MAX_SCRATCH] = {0};

	if (argument < 1 || (size_t)argument > launch->arg_count)
		return INFINITY;
	const struct plan_arg *arg = &launch->args[argument - 1];
	if (arg->kind == PLAN_ARG_OPERAND)
		return elements(&problem->family->operands[arg->value], problem);
	if (arg->kind != PLAN_ARG_SCRATCH || !variant->scratch)
		return INFINITY;
	variant->scratch(&explanation->config, problem, bytes);
	return (double)bytes[arg->value] / 4;
}

static struct contention find_contention(const struct explanation *explanation)
{
	struct contention found = {0};

	for (size_t i = 0; i < explanation->launch_count; i++) {
		const struct launch_explanation *launch = &explanation->launches[i];
		const struct trace *trace = &launch->trace;
		for (size_t j = 0; j < trace->access_count; j++) {
			const struct access_record *access = &trace->accesses[j];
			double lanes = trace_estimate(trace, access->lanes);
			if (access->space != TRACE_GLOBAL || access->kind != TRACE_ATOMIC)
				continue;
			found.per_address = fmax(found.per_address,
				(double)access->same_address / (double)access->requests);
			found.per_element = fmax(found.per_element,
				lanes / buffer_elements(
						explanation, launch->planned, access->argument));
			if (lanes > found.lanes) {
				found.lanes = lanes;
				found.line = access->line;
			}
		}
	}
	return found;
}

static void check_privatisation(const struct explanation *explanation, struct check_record *check)
{
	double global = atomic_lanes(explanation, TRACE_GLOBAL);
	double shared = atomic_lanes(explanation, TRACE_SHARED);
	double threads = launch_threads(main_launch(explanation)->planned);
	struct contention found = find_contention(explanation);
	bool crowded = shared == 0 && global > threads / explanation->model->lanes &&
		       found.per_element >= FEW_ADDRESSES;

	if (global == 0 && shared == 0)
		SAY(check, CHECK_NOT_APPLICABLE, "no atomic operation");
	else if (global == 0)
		SAY(check, CHECK_DONE, "atomic operations on shared memory only");
	else if (found.per_address >= MUCH_CONTENTION)
		SAY(check, CHECK_OPEN, "%.1f lanes of a warp update the same address, line %lld",
			found.per_address, (long long)found.line);
	else if (crowded)
		SAY(check, CHECK_OPEN, "%.4g atomic operations per element, line %lld",
			found.per_element, (long long)found.line);
	else
		SAY(check, CHECK_DONE,
			"%.3g atomic operations per thread on global memory, %.3g on shared",
			global / threads, shared / threads);
}

/* ---- Coarsening ---------------------------------------------------------------------------- */

static double elements_per_thread(const struct problem *problem, double threads)
{
	const struct family *family = problem->family;
	double output = 0, input = 0;

	for (size_t i = 0; i < family->operand_count; i++) {
		double count = elements(&family->operands[i], problem);
		if (family->operands[i].role == OPERAND_OUT)
			output = fmax(output, count);
		else
			input = fmax(input, count);
	}
	return (output >= threads / 2 ? output : input) / threads;
}

static double tenths(double value)
{
	return round(10 * value) / 10;
}

static double elements_at_gpu_size(const struct explanation *explanation)
{
	struct problem problem = explanation->problem;
	struct plan plan;

	problem_default_size(&problem, DEVICE_CLASS_GPU);
	config_plan(&explanation->config, &problem, &plan);
	return elements_per_thread(&problem, max_threads(&plan));
}

static void check_coarsening(const struct explanation *explanation, struct check_record *check)
{
	double each = elements_per_thread(
		&explanation->problem, launch_threads(main_launch(explanation)->planned));
	double large = elements_at_gpu_size(explanation);
	double again = bytes_loaded(explanation) / input_bytes(explanation);
	double work = shared_bytes(explanation) / bytes_loaded(explanation);
	bool tiles =
		block_reuse(explanation) < MUCH_REUSE && shared_reuse(explanation) >= SHARED_REUSE;

	const char *plural = tenths(each) == 1 ? "" : "s";
	if (each >= COARSE_ELEMENTS)
		SAY(check, CHECK_DONE, "%.6g elements per thread", tenths(each));
	else if (large >= COARSE_ELEMENTS)
		SAY(check, CHECK_DONE, "%.6g elements per thread at the default size on a GPU",
			tenths(large));
	else if (tiles && again >= MUCH_REUSE)
		SAY(check, CHECK_OPEN,
			"%.6g element%s per thread; the blocks load each input byte %.1f times",
			tenths(each), plural, again);
	else if (!tiles && work >= SHARED_WORK)
		SAY(check, CHECK_OPEN,
			"%.6g element%s per thread; %.1f bytes of shared memory per byte loaded",
			tenths(each), plural, work);
	else
		SAY(check, CHECK_NOT_APPLICABLE,
			"%.6g element%s per thread; more elements would not save work",
			tenths(each), plural);
}

/* ---- All items ----------------------------------------------------------------------------- */

static const struct {
	bool traced; /* the rule uses the trace */
	void (*decide)(const struct explanation *explanation, struct check_record *check);
} rules[CHECKLIST_COUNT] = {
	[CHECK_OCCUPANCY] = {false, check_occupancy},
	[CHECK_COALESCING] = {true, check_coalescing},
	[CHECK_DIVERGENCE] = {true, check_divergence},
	[CHECK_TILING] = {true, check_tiling},
	[CHECK_PRIVATISATION] = {true, check_privatisation},
	[CHECK_COARSENING] = {true, check_coarsening},
	[CHECK_BANKS] = {true, check_banks},
};

enum pmpp_status explain_checklist(struct explanation *explanation, struct pmpp_error *error)
{
	const char *no_trace = why_no_trace(explanation);

	for (size_t i = 0; i < CHECKLIST_COUNT; i++) {
		struct check_record *check =
			record_list_add(&check_item_type, &explanation->record.checklist);
		if (!check)
			return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the checklist");
		check->item = (int)i;
		if (explain_for_cpus(explanation))
			SAY(check, CHECK_NOT_APPLICABLE, "a kernel for CPUs");
		else if (no_trace && rules[i].traced)
			SAY(check, CHECK_UNKNOWN, "no trace: %.140s", no_trace);
		else
			rules[i].decide(explanation, check);
	}
	return PMPP_OK;
}

/* ---- Intensities --------------------------------------------------------------------------- */

/* NAN: a kernel of the user. */
static double issued_bytes(const struct explanation *explanation, const struct problem *problem)
{
	return explanation->own_kernel ? NAN : config_bytes_issued(&explanation->config, problem);
}

/* Whether all traced blocks were watched to their end. */
static bool has_totals(const struct explanation *explanation)
{
	for (size_t i = 0; i < explanation->launch_count; i++)
		if (explanation->launches[i].trace.unwatched_steps > 0)
			return false;
	return !why_no_trace(explanation);
}

void explain_intensities(struct explanation *explanation)
{
	const struct problem *problem = &explanation->problem;
	double flops = explanation->own_kernel ? problem_flops(problem)
					       : config_flops(&explanation->config, problem);

	struct intensity_record *intensity = &explanation->record.intensity;

	*intensity = (struct intensity_record){.record = {.present = true},
		.compulsory = flops / problem_bytes_compulsory(problem),
		.issued = flops / issued_bytes(explanation, problem),
		.requested = NAN,
		.loads = NAN,
		.moved = NAN};
	if (!has_totals(explanation))
		return;
	intensity->requested = flops / sum_of(explanation, TRACE_COUNT(bytes_requested),
					       TRACE_GLOBAL, TRACE_ALL_KINDS);
	intensity->loads = flops / sum_of(explanation, TRACE_COUNT(bytes_requested), TRACE_GLOBAL,
					   TRACE_BIT(TRACE_LOAD));
	intensity->moved =
		flops / (sum_of(explanation, TRACE_COUNT(sectors), TRACE_GLOBAL, TRACE_ALL_KINDS) *
				explanation->model->sector_bytes);
}

/* ---- The limit ----------------------------------------------------------------------------- */

static void set_measured_limit(struct explanation *explanation)
{
	const struct result_row *row = &explanation->outcome.row;
	char text[120], size[160], time[32];

	problem_text(&explanation->measured_problem, size, sizeof size);
	format_ns(result_row_median_ns(row), time, sizeof time);
	floors_text(&explanation->outcome.floors, text, sizeof text);
	explanation->record.limited_by = row->derived.limited_by;
	text_format(&explanation->record.limit_text, "floors at %s on %s: %s; measured %s", size,
		explanation->device.name, text, time);
}

/* Predicts the limit at the default size of `run` on a GPU. */
static void set_predicted_limit(struct explanation *explanation)
{
	const struct launch_explanation *launch = main_launch(explanation);
	struct problem problem = explanation->problem;
	const struct explain_target *target = &explanation->target;
	char size[160], where[250], text[480];
	struct plan plan;

	problem_default_size(&problem, DEVICE_CLASS_GPU);
	config_plan(&explanation->config, &problem, &plan);
	problem_text(&problem, size, sizeof size);
	snprintf(where, sizeof where, "%s on %s%s", size, target->hardware.name,
		target->roofs_measured ? "" : " (for reference)");
	const struct roofline_work work = {.floor = config_traffic(&explanation->config, &problem),
		.threads = max_threads(&plan),
		.resident_threads =
			launch->occupancy_known ? (double)launch->occupancy.threads : NAN,
		.one_each =
			target->has_unit ? (double)(target->unit.simds * target->unit.lanes) : NAN,
		.unit = target->has_unit ? target->unit.unit : "multiprocessor",
		.where = where};

	explanation->record.limited_by =
		(int)roofline_limit(&target->hardware, &work, text, sizeof text);
	text_set_known(&explanation->record.limit_text, text);
}

void explain_limit(struct explanation *explanation)
{
	struct explanation_record *record = &explanation->record;
	const struct check_record *contention = &record->checklist.items[CHECK_PRIVATISATION];

	record->limited_by = LIMITED_BY_UNKNOWN;
	if (explanation->own_kernel) {
		text_set(&record->limit_text, "there is no model of the work of your kernel");
		return;
	}
	if (explanation->measured &&
		explanation->outcome.row.derived.limited_by != LIMITED_BY_UNKNOWN &&
		explain_on_device(explanation)) {
		set_measured_limit(explanation);
		return;
	}
	if (contention->state == CHECK_OPEN) {
		/* Atomic operations on one address run one after the other, far below every roof. */
		record->limited_by = LIMITED_BY_LATENCY;
		text_set_known(&record->limit_text, contention->text);
	} else if (explain_has_roofs(explanation)) {
		set_predicted_limit(explanation);
	}
	record->limit_predicted = record->limit_text != NULL;
}
