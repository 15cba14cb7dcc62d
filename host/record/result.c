#include "host/record/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Parts of a row ------------------------------------------------------------------------ */

static const struct record_field step_fields[] = {
	MEMBER(struct step_record, kernel, TEXT, FIELD_OPTIONAL, NULL, "0.1",
		"launch: the kernel function"),
	MEMBER(struct step_record, grid, TRIPLE, FIELD_OPTIONAL, "blocks", "0.1",
		"launch: blocks in the grid"),
	MEMBER(struct step_record, block, TRIPLE, FIELD_OPTIONAL, "threads", "0.1",
		"launch: threads per block"),
	MEMBER(struct step_record, shared_bytes, INTEGER, FIELD_OPTIONAL, "bytes", "0.1",
		"launch: dynamic shared memory per block"),
	MEMBER(struct step_record, fill, INTEGER, FIELD_OPTIONAL, NULL, "0.1",
		"fill: the 32-bit pattern written to a whole buffer"),
	MEMBER(struct step_record, function, TEXT, FIELD_OMITTED, NULL, "0.1",
		"peer: the function of the library"),
};

const struct record_type step_type = {"step", "one launch or one fill of a run",
	sizeof(struct step_record), step_fields, MEMBER_COUNT(step_fields), 0};

static const struct record_field build_fields[] = {
	MEMBER(struct build_record, source_sha256, TEXT, FIELD_NULLABLE, NULL, "0.1",
		"SHA-256 of the kernel source; null: not compiled"),
	MEMBER(struct build_record, code_sha256, TEXT, FIELD_OMITTED, NULL, "0.1",
		"SHA-256 of the kernel source without comments, with one blank for each run of "
		"white space; absent: unknown"),
	MEMBER(struct build_record, options, TEXT, 0, NULL, "0.1",
		"options of the kernel compiler"),
	MEMBER(struct build_record, math, TEXT, FIELD_OPTIONAL, NULL, "0.1",
		"value of --math: default, strict or fast"),
	MEMBER(struct build_record, compile_ms, NUMBER, FIELD_NULLABLE, "ms", "0.1",
		"time to compile or to load from the cache"),
	MEMBER(struct build_record, cache, TEXT, 0, NULL, "0.1",
		"program cache: none, hit, miss or rebuilt"),
	MEMBER(struct build_record, compiler, TEXT, FIELD_NULLABLE, NULL, "0.1", "kernel compiler"),
	MEMBER(struct build_record, warnings, TEXTS, FIELD_OMITTED, NULL, "0.1",
		"warnings of the compiler about the kernel file, each with its line; absent: "
		"none"),
};

static const struct record_type build_type = {"build", "compilation of the kernel",
	sizeof(struct build_record), build_fields, MEMBER_COUNT(build_fields), 0};

static const struct record_field resources_fields[] = {
	MEMBER(struct resources_record, registers, COUNT, FIELD_NULLABLE, NULL, "0.1",
		"registers per thread; null: unknown"),
	MEMBER(struct resources_record, shared_bytes, COUNT, FIELD_NULLABLE, "bytes", "0.1",
		"static shared memory per block; null: unknown"),
	MEMBER(struct resources_record, spill_bytes, COUNT, FIELD_NULLABLE, "bytes", "0.1",
		"local memory per thread; null: unknown"),
	MEMBER(struct resources_record, max_block, COUNT, FIELD_NULLABLE, "threads", "0.1",
		"largest block of this kernel on this device; null: unknown"),
	MEMBER(struct resources_record, sgprs, COUNT, FIELD_OMITTED, NULL, "0.1",
		"AMD: scalar registers per wave"),
	MEMBER(struct resources_record, accvgprs, COUNT, FIELD_OMITTED, NULL, "0.1",
		"AMD: AccVGPRs per thread; `registers` does not contain them"),
	MEMBER(struct resources_record, source, TEXT, FIELD_OMITTED, NULL, "0.1",
		"explain: the device or compiler that reports the resources"),
};

const struct record_type resources_type = {"resources", "resources of the compiled kernel",
	sizeof(struct resources_record), resources_fields, MEMBER_COUNT(resources_fields), 0};

static const struct record_field work_fields[] = {
	MEMBER(struct work_record, flops, NUMBER, FIELD_NULLABLE, "operations", "0.1",
		"operations of one run; their type is in the key `operations`"),
	MEMBER(struct work_record, bytes_compulsory, NUMBER, FIELD_NULLABLE, "bytes", "0.1",
		"each input read once and each output written once"),
	MEMBER(struct work_record, bytes_issued, NUMBER, FIELD_NULLABLE, "bytes", "0.1",
		"bytes requested by the kernel's loads and stores"),
	MEMBER_IN(struct work_record, operations, WORD, FIELD_NULLABLE | FIELD_OPTIONAL,
		operations_words, "0.1",
		"type of the operations. The floors `compute` and `tensor` use the roof of this "
		"type"),
};

static const struct record_type work_type = {"work", "the work of one run",
	sizeof(struct work_record), work_fields, MEMBER_COUNT(work_fields), 0};

static const struct record_field floor_fields[] = {
	MEMBER_IN(struct floor_record, resource, WORD, 0, floor_words, "0.1",
		"resource that needs the longest time for the work of the run"),
	MEMBER(struct floor_record, ns, NUMBER, FIELD_NULLABLE, "ns", "0.1",
		"time that the resource needs at its measured rate"),
	MEMBER(struct floor_record, share, NUMBER, FIELD_NULLABLE, "1", "0.1", "`ns` / median"),
};

const struct record_type floor_type = {"floor", "the largest time floor of a run",
	sizeof(struct floor_record), floor_fields, MEMBER_COUNT(floor_fields), 0};

static const struct record_field derived_fields[] = {
	MEMBER(struct derived_record, metric, NUMBER, FIELD_NULLABLE | FIELD_OPTIONAL, NULL, "0.1",
		"figure of the family; null: the family has none, or the row is not timed"),
	MEMBER(struct derived_record, metric_name, TEXT, FIELD_NULLABLE | FIELD_OPTIONAL, NULL,
		"0.1", "name and unit of `metric`; null: the family has none"),
	MEMBER(struct derived_record, gflops, NUMBER, FIELD_NULLABLE, "GFLOP/s", "0.1",
		"flops / median"),
	MEMBER(struct derived_record, gbps, NUMBER, FIELD_NULLABLE, "GB/s", "0.1",
		"bytes_compulsory / median"),
	MEMBER(struct derived_record, intensity, NUMBER, FIELD_NULLABLE, "operations/byte", "0.1",
		"flops / bytes_compulsory"),
	MEMBER(struct derived_record, pct_roof, NUMBER, FIELD_NULLABLE, "%", "0.1",
		"100 * `floor.share`. If `limited_by` is `cache`: 100 * time of the compulsory "
		"bytes at the rate of memory / median. Contract pmpp-timing/1: 100 * the larger of "
		"two ratios, `gflops` / `fma_gflops.f32` and `gbps` / `copy_gbps`"),
	MEMBER_IN(struct derived_record, limited_by, WORD, FIELD_NULLABLE, limited_by_words, "0.1",
		"limiting resource, by the first case that applies. (1) floor.share is at "
		"least 0.5: the resource of `floor`. (2) An unknown floor can be larger: null. (3) "
		"The compulsory bytes move faster than memory can send them: `cache`. (4) Else: "
		"`latency`. Contract pmpp-timing/1 has another rule: docs/measuring.md"),
	MEMBER_OF(struct derived_record, floor, OBJECT, FIELD_NULLABLE | FIELD_OPTIONAL, floor_type,
		"0.1", "the largest floor; null: unknown. Contract pmpp-timing/1 has no floors"),
	MEMBER(struct derived_record, step, NUMBER, FIELD_NULLABLE | FIELD_OPTIONAL, "1", "0.1",
		"speed-up over the base: time of the base / time of this row; see `step_paired`"),
	MEMBER(struct derived_record, total, NUMBER, FIELD_NULLABLE | FIELD_OPTIONAL, "1", "0.1",
		"speed-up over the first variant of the ladder: time of that variant / time of this "
		"row"),
	MEMBER(struct derived_record, step_ci95, INTERVAL, FIELD_NULLABLE | FIELD_OPTIONAL, "1",
		"0.1", "95 % interval of `step`; null: unknown"),
	MEMBER(struct derived_record, step_paired, TRUTH, FIELD_NULLABLE | FIELD_OPTIONAL, NULL,
		"0.1",
		"true: base and variant were timed in turn, and `step` is the median of the "
		"ratios of the rounds. False or absent: `step` is the ratio of two separate "
		"medians. Null: `step` is null"),
};

const struct record_type derived_type = {"derived", "figures from the median",
	sizeof(struct derived_record), derived_fields, MEMBER_COUNT(derived_fields), 0};

static const struct record_field claim_fields[] = {
	MEMBER(struct claim_record, text, TEXT, 0, NULL, "0.1",
		"the claim as text; it compares speeds"),
	MEMBER(struct claim_record, expected, NUMBER, FIELD_NULLABLE, "1", "0.1",
		"minimum ratio of times; null: no minimum"),
	MEMBER(struct claim_record, at_most, NUMBER, FIELD_NULLABLE | FIELD_OPTIONAL, "1", "0.1",
		"maximum ratio of times; null: no maximum"),
	MEMBER(struct claim_record, observed, NUMBER, FIELD_NULLABLE, "1", "0.1",
		"time of the earlier variant in the claim / time of this row; see `paired`"),
	MEMBER(struct claim_record, holds, TRUTH, FIELD_NULLABLE, NULL, "0.1",
		"true: the observed ratio is within the limits; null: undecided, not a GPU, not "
		"meant for the device, or not timed"),
	MEMBER(struct claim_record, ci95, INTERVAL, FIELD_NULLABLE | FIELD_OPTIONAL, "1", "0.1",
		"95 % interval of `observed`; null: unknown"),
	MEMBER(struct claim_record, paired, TRUTH, FIELD_NULLABLE | FIELD_OPTIONAL, NULL, "0.1",
		"true: both variants were timed in turn (see derived.step_paired); null: not "
		"timed"),
	MEMBER_IN(struct claim_record, verdict, WORD, FIELD_NULLABLE | FIELD_OPTIONAL,
		claim_verdict_words, "0.1",
		"verdict about the claim (docs/measuring.md); null: not a GPU, not meant for the "
		"device, or not timed"),
	MEMBER(struct claim_record, reason, TEXT, FIELD_OMITTED, NULL, "0.1",
		"why the claim does not apply to this GPU; absent: the claim applies, or the device is not a GPU"),
};

const struct record_type claim_type = {"claim", "the speed-up that the book claims for the step",
	sizeof(struct claim_record), claim_fields, MEMBER_COUNT(claim_fields), 0};

enum claim_verdict claim_record_verdict(const struct claim_record *claim)
{
	static const enum claim_verdict verdicts[] = {
		[TRUTH_UNKNOWN] = CLAIM_NOT_APPLICABLE,
		[TRUTH_NO] = CLAIM_FAILS,
		[TRUTH_YES] = CLAIM_HOLDS,
	};

	return claim->verdict >= 0 ? (enum claim_verdict)claim->verdict : verdicts[claim->holds];
}

static const struct record_field repetitions_fields[] = {
	MEMBER_OF(struct repetitions_record, runs, OBJECTS, 0, timing_type, "0.1",
		"the times of each run, in order"),
	MEMBER(struct repetitions_record, ci95, INTERVAL, FIELD_NULLABLE, "ns", "0.1",
		"95 % interval of the time over the runs"),
	MEMBER(struct repetitions_record, half_width, NUMBER, FIELD_NULLABLE, "1", "0.1",
		"half-width of `ci95` / median"),
	MEMBER(struct repetitions_record, noise_sd, NUMBER, FIELD_NULLABLE, "1", "0.1",
		"floor of noise in `ci95`: standard deviation of the logarithm of a run's median"),
};

static const struct record_type repetitions_type = {"repetitions",
	"the runs of --repeat, each in its own process", sizeof(struct repetitions_record),
	repetitions_fields, MEMBER_COUNT(repetitions_fields), 0};

/* ---- Rows ---------------------------------------------------------------------------------- */

static const struct record_field result_fields[] = {
	MEMBER(struct result_row, family, TEXT, 0, NULL, "0.1", "name of the family (the problem)"),
	MEMBER(struct result_row, variant, TEXT, 0, NULL, "0.1",
		"name of the variant (the kernel)"),
	MEMBER(struct result_row, technique, TEXT, 0, NULL, "0.1",
		"optimisation that the variant adds; `your kernel`: see `own_kernel`"),
	MEMBER(struct result_row, own_kernel, BOOL, FIELD_OMITTED, NULL, "0.1",
		"true: --kernel-dir has another kernel than the project; absent: the kernel of the "
		"project"),
	MEMBER(struct result_row, backend, TEXT, 0, NULL, "0.1",
		"backend that ran the variant: a name of --backend"),
	MEMBER(struct result_row, device, TEXT, 0, NULL, "0.1",
		"device that ran the variant: the `key` of an entry of `devices`"),
	MEMBER(struct result_row, dtype, TEXT, 0, NULL, "0.1", "element type"),
	MEMBER(struct result_row, op, TEXT, FIELD_NULLABLE, NULL, "0.1",
		"operation; null: the family has only one"),
	MEMBER(struct result_row, data, TEXT, 0, NULL, "0.1", "kind of input data"),
	MEMBER(struct result_row, problem, NAMED, 0, NULL, "0.1", "size of each dimension"),
	MEMBER(struct result_row, seed, INTEGER, 0, NULL, "0.1", "seed of the random inputs"),
	MEMBER(struct result_row, macros, NAMED, 0, NULL, "0.1",
		"values of the kernel's macros; without LANES if it is the width of the device"),
	MEMBER(struct result_row, lanes, COUNT, FIELD_OMITTED, "threads", "0.1",
		"value of the macro LANES: the width of a warp for which the kernel was compiled; "
		"absent: the kernel does not depend on it"),
	MEMBER(struct result_row, notes, TEXTS, FIELD_OMITTED, NULL, "0.1",
		"figures that are unknown on the device, and what is assumed instead; defaults "
		"that are too small for the width of the device; unusual bits, values or times of "
		"an ok row (docs/verification.md, docs/measuring.md); absent: none"),
	MEMBER(struct result_row, fallback, TEXT, FIELD_OMITTED, NULL, "0.1",
		"the values in `macros` that replace larger defaults, and the limit of the device "
		"that the defaults exceed; absent: none"),
	MEMBER(struct result_row, repro, TEXT, 0, NULL, "0.1",
		"promise of equal bits: bitwise (on every engine), run (on one engine) or "
		"bound (none)"),
	MEMBER_IN(struct result_row, status, WORD, 0, outcome_status_words, "0.1",
		"outcome; only `ok` is a verified result (docs/verification.md)"),
	MEMBER(struct result_row, reason, TEXT, FIELD_NULLABLE, NULL, "0.1",
		"why the status is not ok, or why there is no timing"),
	MEMBER_OF(struct result_row, launches, OBJECTS, FIELD_OPTIONAL, step_type, "0.1",
		"the steps of one run"),
	MEMBER_OF(struct result_row, build, OBJECT, FIELD_OPTIONAL, build_type, "0.1",
		"compilation of the kernel"),
	MEMBER_OF(struct result_row, resources, OBJECT, FIELD_OPTIONAL, resources_type, "0.1",
		"resources of the compiled kernel"),
	MEMBER_OF(struct result_row, verify, OBJECT, FIELD_NULLABLE | FIELD_OPTIONAL, verify_type,
		"0.1", "the check against the reference; null: not checked"),
	MEMBER_OF(struct result_row, timing, OBJECT, FIELD_NULLABLE | FIELD_OPTIONAL, timing_type,
		"0.1",
		"the times; with repetitions: the times of the run with the middle median; "
		"null: not timed"),
	MEMBER_OF(struct result_row, repetitions, OBJECT, FIELD_OMITTED, repetitions_type, "0.1",
		"all runs of --repeat; absent: one run"),
	MEMBER_OF(struct result_row, device_state, OBJECT, FIELD_OMITTED, device_state_type, "0.1",
		"clocks, temperature and load after the last sample; absent: not timed"),
	MEMBER_OF(struct result_row, work, OBJECT, FIELD_OPTIONAL, work_type, "0.1",
		"the work of one run"),
	MEMBER_OF(struct result_row, derived, OBJECT, FIELD_OPTIONAL, derived_type, "0.1",
		"figures from the median"),
	MEMBER(struct result_row, peer, TEXT, FIELD_NULLABLE | FIELD_OPTIONAL, NULL, "0.1",
		"library that computed the result; null: a kernel of this project"),
	MEMBER_OF(struct result_row, peers, OBJECTS, FIELD_OMITTED, peer_type, "0.1",
		"libraries that were timed in turn with this row (--peers); absent: none"),
	MEMBER_OF(struct result_row, claim, OBJECT, FIELD_NULLABLE | FIELD_OPTIONAL, claim_type,
		"0.1", "claim of the book; null: none"),
	MEMBER(struct result_row, log, TEXT, FIELD_OMITTED, NULL, "0.1",
		"log of the kernel compiler, only if it failed"),
	MEMBER(struct result_row, driver_text, TEXT, FIELD_OMITTED, NULL, "0.1",
		"what the driver and its compiler wrote to stderr (at most the last 64 KiB); "
		"absent: nothing"),
	MEMBER_OF(struct result_row, error, OBJECT, FIELD_OMITTED, error_type, "0.1",
		"the error that ended the row, and its origin"),
};

const struct record_type result_row_type = {"result", "one variant at one problem on one device",
	sizeof(struct result_row), result_fields, MEMBER_COUNT(result_fields), 0};

void result_row_end(struct result_row *row, enum outcome_status status, const char *reason)
{
	static const char *const names[] = {
		"launches", "build", "resources", "verify", "timing", "work", "derived", "peer"};

	for (size_t i = 0; i < MEMBER_COUNT(names); i++)
		record_set_absent(&result_row_type, row, names[i], true);
	row->status = (int)status;
	text_set_known(&row->reason, reason);
}

static void mark_comparisons(struct result_row *row, bool absent)
{
	static const char *const names[] = {"step", "total", "step_ci95", "step_paired"};

	for (size_t i = 0; i < MEMBER_COUNT(names); i++)
		record_set_absent(&derived_type, &row->derived, names[i], absent);
	record_set_absent(&result_row_type, row, "claim", absent);
}

void result_row_drop_comparisons(struct result_row *row)
{
	struct derived_record *derived = &row->derived;

	derived->step = derived->total = derived->step_ci95[0] = derived->step_ci95[1] = NAN;
	derived->step_paired = TRUTH_UNKNOWN;
	record_finish(&claim_type, &row->claim);
	row->claim.record.present = false;
	peer_list_finish(&row->peers);
	mark_comparisons(row, true);
}

void result_row_keep_comparisons(struct result_row *row)
{
	mark_comparisons(row, false);
}

bool result_row_is_too_large(const struct result_row *row)
{
	return row->status == OUTCOME_UNSUPPORTED && row->error.record.present &&
	       row->error.status == PMPP_TOO_LARGE;
}

/* NULL: no samples, or a kind of samples of a newer version. */
static const struct samples_record *primary_samples(const struct result_row *row)
{
	const struct samples_record *samples = timing_record_primary(&row->timing);

	return row->timing.record.present && samples->record.present &&
			       row->timing.primary != WORD_UNKNOWN
		       ? samples
		       : NULL;
}

/* A file may have any number. Numbers that cannot be the time of a run are unknown. */
static bool is_time(double ns)
{
	return isfinite(ns) && ns > 0;
}

unsigned result_row_flags(const struct result_row *row)
{
	if (!row->timing.record.present)
		return 0;
	return device_state_is_busy(&row->device_state)
		       ? row->timing.flags & ~(unsigned)TIMING_THROTTLED
		       : row->timing.flags;
}

double result_row_median_ns(const struct result_row *row)
{
	const struct samples_record *samples = primary_samples(row);

	return samples && is_time(samples->median) ? samples->median : NAN;
}

size_t result_row_medians(const struct result_row *row, double **ret_medians)
{
	const struct timing_list *runs = &row->repetitions.runs;
	size_t max = row->repetitions.record.present && runs->count ? runs->count : 1;
	double *medians = row->timing.primary >= 0 ? calloc(max, sizeof *medians) : NULL;
	size_t count = 0;

	*ret_medians = NULL;
	if (!medians)
		return 0;
	for (size_t i = 0; i < max; i++) {
		const struct timing_record *timing = row->repetitions.record.present && runs->count
							     ? &runs->items[i]
							     : &row->timing;
		const struct samples_record *samples = timing_record_primary(timing);
		if (timing->record.present && timing->primary == row->timing.primary &&
			samples->record.present && is_time(samples->median))
			medians[count++] = samples->median;
	}
	if (count)
		*ret_medians = medians;
	else
		free(medians);
	return count;
}

void result_row_interval_ns(const struct result_row *row, double ret_interval[2])
{
	const struct samples_record *samples = primary_samples(row);
	const double *ends = row->repetitions.record.present ? row->repetitions.ci95
			     : samples                       ? samples->ci95
							     : NULL;
	bool known = ends && is_time(ends[0]) && is_time(ends[1]) && ends[0] <= ends[1];

	for (size_t i = 0; i < 2; i++)
		ret_interval[i] = known ? ends[i] : NAN;
}

/* Half-width as in the file, without a check. */
static double stated_half_width(const struct result_row *row, const struct samples_record *samples)
{
	size_t index = record_field_index(&samples_type, "half_width");

	if (row->repetitions.record.present)
		return row->repetitions.half_width;
	return samples->record.absent >> index & 1 ? samples->notch : samples->half_width;
}

double result_row_half_width(const struct result_row *row)
{
	const struct samples_record *samples = primary_samples(row);
	double width = samples ? stated_half_width(row, samples) : NAN;

	return isfinite(width) && width >= 0 ? width : NAN;
}

double result_row_run_half_width(const struct result_row *row)
{
	const struct samples_record *samples = primary_samples(row);

	if (!row->repetitions.record.present)
		return result_row_half_width(row);
	return samples && samples->half_width >= 0 ? samples->half_width : NAN;
}

static const struct record_field instruction_fields[] = {
	MEMBER(struct instruction_record, name, TEXT, 0, NULL, "0.1",
		"opcode with memory space, vector width or floating-point type, such as "
		"ld.shared.v4"),
	MEMBER(struct instruction_record, counts, INTEGERS, 0, NULL, "0.1",
		"number of times that the instruction is in the code of each side, in the "
		"order of backends"),
};

const struct record_type instruction_type = {"instruction",
	"a PTX instruction in the code of both sides", sizeof(struct instruction_record),
	instruction_fields, MEMBER_COUNT(instruction_fields), 0};

static const struct record_field ptx_fields[] = {
	MEMBER(struct ptx_record, totals, INTEGERS, FIELD_OMITTED, NULL, "0.1",
		"instructions in the code of each side, in the order of `backends`; absent: not "
		"counted"),
	MEMBER_OF(struct ptx_record, instructions, OBJECTS, FIELD_OMITTED, instruction_type, "0.1",
		"instructions that one side has more often than the other, by name; absent: "
		"none"),
	MEMBER(struct ptx_record, reason, TEXT, FIELD_OMITTED, NULL, "0.1",
		"why the instructions are not counted; absent: they are counted"),
};

const struct record_type ptx_type = {"PTX", "PTX instructions of both sides",
	sizeof(struct ptx_record), ptx_fields, MEMBER_COUNT(ptx_fields), 0};

/* variant: NULL = the entry of the family. Returns NULL if there is no entry with possible
 * values. */
static const struct noise_record *find_noise(
	const struct noise_list *list, const struct result_row *row, const char *variant)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct noise_record *noise = &list->items[i];
		if (text_equal(noise->backend, row->backend) &&
			text_equal(noise->family, row->family) &&
			text_equal(noise->variant, variant) &&
			text_equal(noise->dtype, row->dtype) && text_equal(noise->op, row->op) &&
			text_equal(noise->data, row->data) &&
			named_list_equal(&noise->problem, &row->problem) && noise->sd > 0 &&
			noise->dof >= 1)
			return noise;
	}
	return NULL;
}

struct noise_floor result_row_noise(
	const struct result_row *row, const struct device_record *device, bool *ret_measured)
{
	const struct noise_record *noise =
		device ? find_noise(&device->noise, row, row->variant) : NULL;

	if (!noise && device)
		noise = find_noise(&device->noise, row, NULL);
	*ret_measured = noise != NULL;
	return noise ? (struct noise_floor){.sd = noise->sd, .dof = noise->dof}
		     : noise_floor_default(device ? device->type : NULL);
}

bool result_row_same_problem(const struct result_row *a, const struct result_row *b)
{
	return text_equal(a->family, b->family) && text_equal(a->backend, b->backend) &&
	       text_equal(a->device, b->device) && text_equal(a->dtype, b->dtype) &&
	       text_equal(a->op, b->op) && text_equal(a->data, b->data) &&
	       named_list_equal(&a->problem, &b->problem);
}

static const struct record_field parity_fields[] = {
	MEMBER(struct parity_row, family, TEXT, 0, NULL, "0.1", "name of the family (the problem)"),
	MEMBER(struct parity_row, variant, TEXT, 0, NULL, "0.1", "the kernel pair"),
	MEMBER(struct parity_row, device, TEXT, 0, NULL, "0.1",
		"device that ran the variant: the `key` of an entry of `devices`"),
	MEMBER(struct parity_row, backends, TEXTS, 0, NULL, "0.1",
		"the two backends; `ratio` is the time of the first / the time of the second"),
	MEMBER(struct parity_row, same_device, BOOL, 0, NULL, "0.1",
		"true: both backends ran on one physical device"),
	MEMBER(struct parity_row, problem, NAMED, 0, NULL, "0.1", "size of each dimension"),
	MEMBER(struct parity_row, macros, NAMED, 0, NULL, "0.1", "values of the kernel's macros"),
	MEMBER(struct parity_row, ratio, NUMBER, FIELD_NULLABLE, "1", "0.1",
		"ratio of the medians; null: not timed"),
	MEMBER(struct parity_row, ci95, INTERVAL, FIELD_NULLABLE, "1", "0.1",
		"95 % interval of `round_ratio`; of `ratio`, if `round_ratio` is absent; null: "
		"unknown"),
	MEMBER_IN(struct parity_row, verdict, WORD, 0, parity_verdict_words, "0.1",
		"comparison of the interval with the tolerance (docs/measuring.md)"),
	MEMBER(struct parity_row, bit_identical, TRUTH, FIELD_NULLABLE, NULL, "0.1",
		"true: the outputs have the same bits; null: a side did not pass"),
	MEMBER(struct parity_row, n, INTEGER, 0, NULL, "0.1", "number of samples of each side"),
	MEMBER(struct parity_row, round_ratio, NUMBER, FIELD_NULLABLE | FIELD_OPTIONAL, "1", "0.1",
		"median of the ratios of the rounds; a round has one sample of each side; "
		"null: not timed"),
	MEMBER(struct parity_row, tolerance, NUMBER, FIELD_NULLABLE | FIELD_OPTIONAL, "1", "0.1",
		"largest distance from 1 that counts as the same speed; null: not timed"),
	MEMBER_OF(struct parity_row, ptx, OBJECT, FIELD_OMITTED, ptx_type, "0.1",
		"PTX instructions of the kernels; absent: not timed, or the verdict is SAME"),
};

const struct record_type parity_row_type = {"parity row", "one variant on two backends",
	sizeof(struct parity_row), parity_fields, MEMBER_COUNT(parity_fields), 0};

/* ---- Files --------------------------------------------------------------------------------- */

static const struct record_field tool_fields[] = {
	MEMBER(struct tool_record, name, TEXT, 0, NULL, "0.1", "program that wrote the file"),
	MEMBER(struct tool_record, version, TEXT, 0, NULL, "0.1", "version of the program"),
	MEMBER(struct tool_record, git, TEXT, 0, NULL, "0.1", "git commit of the program"),
	MEMBER(struct tool_record, compiler, TEXT, 0, NULL, "0.1",
		"compiler that built the program"),
	MEMBER(struct tool_record, argv, TEXTS, 0, NULL, "0.1", "command line of the run"),
};

const struct record_type tool_type = {"tool", "the program that wrote the file",
	sizeof(struct tool_record), tool_fields, MEMBER_COUNT(tool_fields), 0};

static const struct record_field run_fields[] = {
	MEMBER(struct run_record, id, TEXT, 0, NULL, "0.1",
		"random identity of the run, hexadecimal"),
	MEMBER(struct run_record, started_utc, TEXT, 0, NULL, "0.1",
		"start of the run, UTC, ISO 8601"),
	MEMBER(struct run_record, host_id, TEXT, 0, NULL, "0.1",
		"anonymous identity of the machine: 16 hex digits"),
	MEMBER(struct run_record, label, TEXT, FIELD_NULLABLE, NULL, "0.1", "name of the run"),
	MEMBER(struct run_record, fleet, TEXT, FIELD_OMITTED | FIELD_NULLABLE, NULL, "0.1",
		"--fleet: identity that the ranks of one start share: the launcher's name of the "
		"job, else --label"),
	MEMBER(struct run_record, interrupted, BOOL, FIELD_OMITTED, NULL, "0.1",
		"true: the run was interrupted or ended early, so rows are missing"),
	MEMBER(struct run_record, rank, COUNT, FIELD_OMITTED | FIELD_NULLABLE, NULL, "0.1",
		"--fleet: number of the rank that wrote the file, from 0"),
	MEMBER(struct run_record, ranks, COUNT, FIELD_OMITTED | FIELD_NULLABLE, NULL, "0.1",
		"--fleet: number of ranks"),
};

const struct record_type run_type = {"run", "the run that the file reports",
	sizeof(struct run_record), run_fields, MEMBER_COUNT(run_fields), 0};

static const struct record_field host_fields[] = {
	MEMBER(struct host_record, cpu, TEXT, FIELD_NULLABLE, NULL, "0.1", "processor"),
	MEMBER(struct host_record, cores, INTEGER, 0, NULL, "0.1", "processors online"),
	MEMBER(struct host_record, memory_bytes, INTEGER, 0, "bytes", "0.1", "host memory"),
	MEMBER(struct host_record, system, TEXT, FIELD_NULLABLE, NULL, "0.1", "operating system"),
	MEMBER(struct host_record, kernel, TEXT, FIELD_NULLABLE, NULL, "0.1",
		"release of the operating system"),
	MEMBER(struct host_record, machine, TEXT, FIELD_NULLABLE, NULL, "0.1",
		"architecture of the host"),
};

const struct record_type host_type = {"host", "the machine", sizeof(struct host_record),
	host_fields, MEMBER_COUNT(host_fields), 0};

static const struct record_field document_fields[] = {
	MEMBER(struct result_document, schema, TEXT, 0, NULL, "0.1", RESULT_SCHEMA),
	MEMBER_OF(struct result_document, tool, OBJECT, 0, tool_type, "0.1",
		"the program that wrote the file"),
	MEMBER_OF(struct result_document, run, OBJECT, 0, run_type, "0.1", "the run"),
	MEMBER_OF(struct result_document, host, OBJECT, 0, host_type, "0.1", "the machine"),
	MEMBER_OF(struct result_document, devices, OBJECTS, 0, device_type, "0.1",
		"the devices of the rows"),
	MEMBER_OF(struct result_document, results, OBJECTS, 0, result_row_type, "0.1",
		"one row for each variant, problem and device"),
	MEMBER_OF(struct result_document, parity, OBJECTS, 0, parity_row_type, "0.1",
		"one row for each variant that was compared on two backends"),
};

const struct record_type result_document_type = {"result file",
	"the results of one run of the program", sizeof(struct result_document), document_fields,
	MEMBER_COUNT(document_fields), 0};

/* ---- Devices ------------------------------------------------------------------------------- */

static struct device_record *find_device(const struct result_document *document, const char *key)
{
	for (size_t i = 0; i < document->devices.count; i++)
		if (text_equal(document->devices.items[i].key, key))
			return &document->devices.items[i];
	return NULL;
}

enum pmpp_status result_document_add_device(struct result_document *document,
	const struct device_record *device, struct pmpp_error *error)
{
	struct device_record *old = find_device(document, device->key);

	return old ? device_record_merge(old, device, error)
		   : device_list_add(&document->devices, device, error);
}
