/*
 * traced_work() against config_traffic(): the floors of a kernel of the user, and those of the formulas, for
 * each variant that has both. Passes and bytes of memory agree within 2 %, bytes of the second-level cache
 * within 10 %. Each known difference is a row with its factor and its reason.
 */
#include "common/model/occupancy.h"
#include "common/model/traced_work.h"
#include "tests/kernels/session.h"

#define WITHIN 0.02
#define WITHIN_L2 0.10
#define WITHIN_KNOWN 0.01           /* of formula x factor */
#define MAX_BYTES 0x1p24            /* of the operands */
#define EVEN_ELEMENTS (132 * 32768) /* the same number for all blocks of all fixed grids */
#define SHARED_BYTES 65536 /* of the resident blocks; the rest of the memory is the cache */

static struct session session;

enum figure {
	L1_PASSES,
	SHARED_PASSES,
	IDLE_PASSES,
	L2_BYTES,
	BYTES_AGAIN,
	OVERFETCHED,
	FIGURE_COUNT
};

static const char *const figure_names[FIGURE_COUNT] = {"passes of L1", "passes of shared memory",
	"idle passes", "bytes of L2", "bytes again", "overfetched"};

#define PARTS \
	"several requests store parts of a sector, each of which is moved; the formula counts one"
#define TWO_WORDS \
	"the trace joins the reads of two words by one lane in the last step; the compiler does not"

static const struct known {
	const char *name; /* "matmul/naive" */
	enum figure figure;
	double factor; /* trace / formula */
	const char *reason;
} known_rows[] = {
	/* Joined loads (block_traffic.h). */
	{"matmul/thread-tile", SHARED_PASSES, 0.765,
		"the compiler does not join the reads of A: too many registers"},
	{"reduce/sequential", SHARED_PASSES, 0.978, TWO_WORDS},
	{"reduce/first-add", SHARED_PASSES, 0.978, TWO_WORDS},
	{"reduce/unrolled", SHARED_PASSES, 0.977, TWO_WORDS},
	{"reduce/coarse", SHARED_PASSES, 0.978, TWO_WORDS},
	{"reduce/vector", SHARED_PASSES, 0.978, TWO_WORDS},
	{"reduce/single-pass", IDLE_PASSES, 0,
		"the host compiler joins the branch with the loop, and loops are not predicated"},
	{"softmax/fused", SHARED_PASSES, 0.955, TWO_WORDS},
	{"softmax/online", SHARED_PASSES, 1.178,
		"the compiler reads one of two sums by a selected address, the trace both"},

	/* Copies of 16 bytes with cp.async.cg (PTX ISA) do not pass the first-level cache. */
	{"matmul/f16-mma", L1_PASSES, 4, "the trace counts passes of sources of copies"},
	{"matmul/f16-mma96", L1_PASSES, 3, "the trace counts passes of sources of copies"},
	{"matmul/tf32-mma", L1_PASSES, 7, "the trace counts passes of sources of copies"},

	{"vecadd/coarse2", L2_BYTES, 4.0 / 3, PARTS},
	{"vecadd/coarse4", L2_BYTES, 2, PARTS},
	{"coalesce/misaligned", L2_BYTES, 1.141,
		"a request touches 5 sectors for the bytes of 4; the formula counts 4"},
	{"occupancy/block100", L2_BYTES, 1.10, PARTS},
	{"grayscale/block16x16", L2_BYTES, 1.5, PARTS},
	{"divergence/warp-aligned", L2_BYTES, 1.5, PARTS},
	{"divergence/sorted-loop", L2_BYTES, 2.5, PARTS},
	{NULL, 0, 0, NULL},
};

static const char *const compared[] = {"matmul", "transpose", "vecadd", "reduce", "histogram",
	"softmax", "coalesce", "window", "grayscale", "camping", "traverse", "prefetch",
	"occupancy", "divergence", NULL};

static double figure_of(const struct floor_work *work, enum figure figure)
{
	const double figures[FIGURE_COUNT] = {
		[L1_PASSES] = work->l1_passes,
		[SHARED_PASSES] = work->shared_passes,
		[IDLE_PASSES] = work->idle_passes,
		[L2_BYTES] = work->l2_bytes,
		[BYTES_AGAIN] = work->again_read + work->again_written,
		[OVERFETCHED] = work->overfetched,
	};

	return figures[figure];
}

static double bytes_of(const struct problem *problem)
{
	double bytes = 0;

	for (size_t i = 0; i < problem->family->operand_count; i++)
		bytes += (double)operand_bytes(&problem->family->operands[i], problem);
	return bytes;
}

static struct floor_work work_of(const struct suite_trace *traced, const struct floor_work *least)
{
	struct traced_launch launches[PMPP_MAX_STEPS];
	size_t count = 0;

	for (size_t s = 0; s < traced->plan.step_count; s++) {
		const struct plan_launch *launch = &traced->plan.steps[s].as.launch;
		if (traced->plan.steps[s].kind == PLAN_LAUNCH)
			launches[count++] = (struct traced_launch){
				&traced->traces[s], launch->groups[0], launch->groups[1]};
	}
	return traced_work(least, launches, count);
}

static const struct known *find_known(const struct variant *variant, enum figure figure)
{
	char name[100];

	snprintf(name, sizeof name, "%s/%s", variant_family(variant)->name, variant->name);
	for (const struct known *row = known_rows; row->name; row++)
		if (strcmp(row->name, name) == 0 && row->figure == figure)
			return row;
	return NULL;
}

static void compare_figure(
	const struct variant *variant, enum figure figure, double formula, double trace)
{
	const struct known *known = find_known(variant, figure);
	double within = known ? WITHIN_KNOWN : figure == L2_BYTES ? WITHIN_L2 : WITHIN;
	double want = known ? formula * known->factor : formula;

	test_note("%s: formula %.0f, trace %.0f (%+.2f %%)%s%s", figure_names[figure], formula,
		trace, formula > 0 ? 100 * (trace - formula) / formula : 0, known ? ": " : "",
		known ? known->reason : "");
	if (!(fabs(trace - want) <= within * want))
		test_fail("%s: formula %.0f, trace %.0f", figure_names[figure], formula, trace);
}

/* A size at which each block of a fixed grid has as many elements as the others. */
static void choose_size(const struct config *config, struct problem *problem)
{
	problem_default_size(problem, DEVICE_CLASS_GPU);
	session_choose_inside(config, problem);
	if (problem->dim[0] >= EVEN_ELEMENTS) {
		problem->dim[0] = EVEN_ELEMENTS;
		return;
	}
	while (bytes_of(problem) > MAX_BYTES && problem_halve(problem)) {
	}
}

static void compare(const void *context)
{
	const struct variant *variant = context;
	const struct config config = config_default(variant);
	const struct trace_request request = {.blocks = TRACE_BLOCKS_SPREAD,
		.cache_bytes = (uint64_t)occupancy_unit_find("sm_90")->l1_bytes - SHARED_BYTES};
	struct problem problem = problem_default(variant_family(variant));

	choose_size(&config, &problem);
	FINISHED(suite_trace_finish)
	struct suite_trace traced = session_trace_of(&session, &config, &problem, &request);
	if (traced.reason[0])
		test_skip("%s", traced.reason);
	struct floor_work formula = config_traffic(&config, &problem);
	struct floor_work trace = work_of(&traced, &formula);
	/* No idle passes: none, or the formula does not count them (floor.h). */
	for (int i = 0; i < FIGURE_COUNT; i++)
		if (i != IDLE_PASSES || formula.idle_passes > 0)
			compare_figure(variant, i, figure_of(&formula, i), figure_of(&trace, i));
}

int main(int argc, char **argv)
{
	session.engine = engine_first("cuda-emu");
	EACH_VARIANT (variant)
		for (size_t i = 0; compared[i]; i++)
			if (variant->traffic &&
				strcmp(variant_family(variant)->name, compared[i]) == 0)
				test_add(compare, variant, "%s/%s", compared[i], variant->name);
	int code = test_run(argc, argv);
	session_close(&session);
	return code;
}
