#include "host/record/measurement.h"

#include <math.h>
#include <stdio.h>

/* ---- Verification -------------------------------------------------------------------------- */

static const struct record_field mismatch_fields[] = {
	MEMBER(struct mismatch_record, row, INTEGER, 0, NULL, "0.1", "row of the element"),
	MEMBER(struct mismatch_record, column, INTEGER, 0, NULL, "0.1", "column of the element"),
	MEMBER(struct mismatch_record, got, NUMBER, FIELD_NULLABLE, NULL, "0.1",
		"value in the output; null: not finite"),
	MEMBER(struct mismatch_record, want, NUMBER, FIELD_NULLABLE, NULL, "0.1",
		"value of the reference"),
};

static const struct record_type mismatch_type = {"mismatch", "the first wrong element",
	sizeof(struct mismatch_record), mismatch_fields, MEMBER_COUNT(mismatch_fields), 0};

static const struct record_field verify_fields[] = {
	MEMBER(struct verify_record, coverage, TEXT, 0, NULL, "0.1",
		"elements that were compared with the reference"),
	MEMBER(struct verify_record, max_ratio, NUMBER, FIELD_NULLABLE, "1", "0.1",
		"largest error as a fraction of its bound; null: infinite"),
	MEMBER(struct verify_record, max_ulps, NUMBER, FIELD_OMITTED, "ulp", "0.1",
		"largest error in units in the last place of the correct value; absent: a family whose "
		"rows have equal bounds, or an output that is not f32"),
	MEMBER(struct verify_record, nan, INTEGER, 0, "elements", "0.1",
		"compared elements that are not finite or were not written"),
	MEMBER(struct verify_record, mismatches, INTEGER, 0, "elements", "0.1",
		"elements with an error above the bound, plus the elements of `nan`"),
	MEMBER_OF(struct verify_record, first, OBJECT, FIELD_NULLABLE, mismatch_type, "0.1",
		"the first wrong element; null: there is none"),
	MEMBER(struct verify_record, canary_ok, BOOL, 0, NULL, "0.1",
		"true: the guards around every operand are unchanged"),
	MEMBER(struct verify_record, inputs_intact, BOOL, 0, NULL, "0.1",
		"true: the inputs are unchanged"),
	MEMBER(struct verify_record, output_sha256, TEXT, FIELD_NULLABLE, NULL, "0.1",
		"hash of the output, in row order: SHA-256 of the SHA-256 digests of its "
		"pieces of 1 MiB"),
};

const struct record_type verify_type = {"verification",
	"the check of a variant's output against the reference", sizeof(struct verify_record),
	verify_fields, MEMBER_COUNT(verify_fields), 0};

bool verify_record_passed(const struct verify_record *verify)
{
	return verify->record.present && verify->nan == 0 && verify->mismatches == 0 &&
	       verify->canary_ok && verify->inputs_intact;
}

/* ---- Times --------------------------------------------------------------------------------- */

static const struct record_field samples_fields[] = {
	MEMBER(struct samples_record, ns, NUMBERS, 0, "ns", "0.1",
		"the samples, in order of measurement"),
	MEMBER(struct samples_record, n, INTEGER, 0, NULL, "0.1", "number of samples"),
	MEMBER(struct samples_record, min, NUMBER, FIELD_NULLABLE, "ns", "0.1", "smallest sample"),
	MEMBER(struct samples_record, q1, NUMBER, FIELD_NULLABLE, "ns", "0.1", "first quartile"),
	MEMBER(struct samples_record, median, NUMBER, FIELD_NULLABLE, "ns", "0.1", "median"),
	MEMBER(struct samples_record, q3, NUMBER, FIELD_NULLABLE, "ns", "0.1", "third quartile"),
	MEMBER(struct samples_record, notch, NUMBER, FIELD_NULLABLE, "1", "0.1",
		"half-width of the notch: 1.57 IQR / sqrt(n) / median"),
	MEMBER(struct samples_record, ci95, INTERVAL, FIELD_NULLABLE | FIELD_OPTIONAL, "ns", "0.1",
		"95 % interval of the median; null: fewer than 6 samples"),
	MEMBER(struct samples_record, half_width, NUMBER, FIELD_NULLABLE | FIELD_OPTIONAL, "1",
		"0.1", "half-width of `ci95` / `median`; null: unknown"),
};

const struct record_type samples_type = {"samples", "the samples of one kind of interval",
	sizeof(struct samples_record), samples_fields, MEMBER_COUNT(samples_fields), 0};

const char *const timing_primary_words[] = {[TIMING_COLD] = "cold", [TIMING_HOT] = "hot", NULL};

const char *const timing_flag_words[] = {
	"below_resolution", "throttled", "host_clock", "noisy", "unflushed", NULL};

static const struct record_field timing_fields[] = {
	MEMBER(struct timing_record, contract, TEXT, 0, NULL, "0.1",
		"version of the timing rules (docs/measuring.md)"),
	MEMBER_IN(struct timing_record, primary, WORD, 0, timing_primary_words, "0.1",
		"samples that give the median of the row"),
	MEMBER_OF(struct timing_record, cold, OBJECT, FIELD_NULLABLE, samples_type, "0.1",
		"device interval of one run after a flush of the last-level cache"),
	MEMBER_OF(struct timing_record, hot, OBJECT, FIELD_NULLABLE, samples_type, "0.1",
		"device interval of a batch of runs divided by its length"),
	MEMBER_OF(struct timing_record, host, OBJECT, FIELD_NULLABLE, samples_type, "0.1",
		"host clock around launch and finish of one run"),
	MEMBER_IN(struct timing_record, flags, WORDS, 0, timing_flag_words, "0.1",
		"warnings about the times (docs/measuring.md)"),
	MEMBER(struct timing_record, flushed_bytes, COUNT, FIELD_OMITTED, "bytes", "0.1",
		"bytes that the flush reads, or evicts from the caches, before each cold "
		"sample; 0: no flush"),
};

const struct record_type timing_type = {"timing", "the times of a variant",
	sizeof(struct timing_record), timing_fields, MEMBER_COUNT(timing_fields), 0};

const struct samples_record *timing_record_primary(const struct timing_record *timing)
{
	return timing->primary == TIMING_HOT ? &timing->hot : &timing->cold;
}

/* ---- State of a device --------------------------------------------------------------------- */

static const struct record_field device_state_fields[] = {
	MEMBER(struct device_state_record, sm_clock_mhz, NUMBER, FIELD_NULLABLE, "MHz", "0.1",
		"clock of the multiprocessors or compute units; null: unknown"),
	MEMBER(struct device_state_record, memory_clock_mhz, NUMBER, FIELD_NULLABLE, "MHz", "0.1",
		"clock of the device memory; null: unknown"),
	MEMBER(struct device_state_record, temperature_c, NUMBER, FIELD_NULLABLE, "C", "0.1",
		"temperature; null: unknown"),
	MEMBER(struct device_state_record, power_limit_w, NUMBER, FIELD_NULLABLE, "W", "0.1",
		"power limit in force; null: unknown"),
	MEMBER(struct device_state_record, throttle_reasons, TEXTS, FIELD_OMITTED, NULL, "0.1",
		"reasons of the driver for reduced clocks; empty: not reduced; absent: unknown"),
	MEMBER(struct device_state_record, other_processes, COUNT, FIELD_NULLABLE, NULL, "0.1",
		"other processes that use the GPU; null: unknown"),
	MEMBER(struct device_state_record, load_average, NUMBER, FIELD_NULLABLE, NULL, "0.1",
		"load of the machine: mean number of runnable processes in one minute; null: "
		"unknown"),
	MEMBER(struct device_state_record, cpu_cores, COUNT, FIELD_NULLABLE | FIELD_OPTIONAL, NULL,
		"0.1", "a CPU device: number of processors of the machine; null: another device"),
};

const struct record_type device_state_type = {"device state",
	"the state of the device and the machine after the last sample of a row",
	sizeof(struct device_state_record), device_state_fields, MEMBER_COUNT(device_state_fields),
	0};

bool device_state_is_busy(const struct device_state_record *state)
{
	return state->record.present && state->cpu_cores > 0 &&
	       state->load_average > (double)state->cpu_cores + 1;
}

void device_state_load_text(const struct device_state_record *state, char **text)
{
	if (device_state_is_busy(state))
		text_format(text, "other programs use this CPU (load %.1f on %lld core%s)",
			state->load_average, (long long)state->cpu_cores,
			state->cpu_cores == 1 ? "" : "s");
}

/* ---- Limits of a device -------------------------------------------------------------------- */

static const struct record_field rates_fields[] = {
	MEMBER(struct rates_record, f32, NUMBER, FIELD_NULLABLE, "GFLOP/s", "0.1",
		"32-bit floating point"),
	MEMBER(struct rates_record, f16, NUMBER, FIELD_NULLABLE | FIELD_OPTIONAL, "GFLOP/s", "0.1",
		"16-bit floating point, two operations per instruction; null: unknown, or no "
		"f16"),
	MEMBER(struct rates_record, f64, NUMBER, FIELD_NULLABLE | FIELD_OPTIONAL, "GFLOP/s", "0.1",
		"64-bit floating point; null: unknown, or no f64"),
};

static const struct record_type rates_type = {"rates", "arithmetic rates by element type",
	sizeof(struct rates_record), rates_fields, MEMBER_COUNT(rates_fields), 0};

static const struct record_field tensor_rates_fields[] = {
	MEMBER(struct tensor_rates_record, f16, NUMBER, FIELD_NULLABLE, "GFLOP/s", "0.1",
		"f16 inputs, f32 sums: by wgmma on compute capability 9.0, else by mma.sync; null: "
		"unknown, or no tensor cores"),
	MEMBER(struct tensor_rates_record, tf32, NUMBER, FIELD_NULLABLE, "GFLOP/s", "0.1",
		"TF32 inputs, f32 sums: by wgmma on compute capability 9.0, else by mma.sync; null: "
		"unknown, or no tensor cores"),
};

static const struct record_type tensor_rates_type = {"tensor rates",
	"rates of tensor cores by type of the inputs", sizeof(struct tensor_rates_record),
	tensor_rates_fields, MEMBER_COUNT(tensor_rates_fields), 0};

#define AGE(member, of) \
	MEMBER(struct roof_ages_record, member, NUMBER, FIELD_NULLABLE, "s", "0.1", "of " of)

static const struct record_field roof_ages_fields[] = {
	AGE(copy, "copy_gbps"),
	AGE(read, "read_gbps"),
	AGE(l2, "l2_gbps"),
	AGE(shared, "shared_gbps"),
	AGE(fma_f32, "fma_gflops.f32"),
	AGE(fma_f16, "fma_gflops.f16"),
	AGE(fma_f64, "fma_gflops.f64"),
	AGE(integer, "integer_gops"),
	AGE(special, "special_gops"),
	AGE(tensor_f16, "tensor_gflops.f16"),
	AGE(tensor_tf32, "tensor_gflops.tf32"),
	AGE(h2d, "h2d_gbps"),
	AGE(d2h, "d2h_gbps"),
};

static const struct record_type roof_ages_type = {"roof ages",
	"time since each roof was measured; 0: measured in this run; null: unknown",
	sizeof(struct roof_ages_record), roof_ages_fields, MEMBER_COUNT(roof_ages_fields), 0};

#define FLAGS_OF(member, of)                                                                  \
	MEMBER_IN(struct roof_flags_record, member, WORDS, FIELD_OPTIONAL, timing_flag_words, \
		"0.1", "of " of)

static const struct record_field roof_flags_fields[] = {
	FLAGS_OF(copy, "copy_gbps"),
	FLAGS_OF(read, "read_gbps"),
	FLAGS_OF(l2, "l2_gbps"),
	FLAGS_OF(shared, "shared_gbps"),
	FLAGS_OF(fma_f32, "fma_gflops.f32"),
	FLAGS_OF(fma_f16, "fma_gflops.f16"),
	FLAGS_OF(fma_f64, "fma_gflops.f64"),
	FLAGS_OF(integer, "integer_gops"),
	FLAGS_OF(special, "special_gops"),
	FLAGS_OF(tensor_f16, "tensor_gflops.f16"),
	FLAGS_OF(tensor_tf32, "tensor_gflops.tf32"),
	FLAGS_OF(h2d, "h2d_gbps"),
	FLAGS_OF(d2h, "d2h_gbps"),
};

static const struct record_type roof_flags_type = {"roof flags",
	"warnings about the samples of each roof; absent: none", sizeof(struct roof_flags_record),
	roof_flags_fields, MEMBER_COUNT(roof_flags_fields), 0};

static const struct record_field roofs_fields[] = {
	MEMBER(struct roofs_record, copy_gbps, NUMBER, FIELD_NULLABLE, "GB/s", "0.1",
		"memory bandwidth of a copy, bytes read and written"),
	MEMBER(struct roofs_record, read_gbps, NUMBER, FIELD_NULLABLE, "GB/s", "0.1",
		"memory bandwidth of reads"),
	MEMBER(struct roofs_record, l2_gbps, NUMBER, FIELD_NULLABLE | FIELD_OPTIONAL, "GB/s", "0.1",
		"bandwidth of reads from the second-level cache, sum over all compute units"),
	MEMBER_OF(struct roofs_record, fma_gflops, OBJECT, 0, rates_type, "0.1",
		"rate of fused multiply-adds, each counted as 2 operations"),
	MEMBER_OF(struct roofs_record, tensor_gflops, OBJECT, FIELD_OPTIONAL, tensor_rates_type,
		"0.1", "rate of multiply-adds on tensor cores, each counted as 2 operations"),
	MEMBER(struct roofs_record, integer_gops, NUMBER, FIELD_NULLABLE | FIELD_OPTIONAL, "GOP/s",
		"0.1",
		"rate of 32-bit integer operations: equal numbers of exclusive ors and "
		"additions, each counted as 1 operation"),
	MEMBER(struct roofs_record, special_gops, NUMBER, FIELD_NULLABLE | FIELD_OPTIONAL, "GOP/s",
		"0.1",
		"rate of functions on the special function units, each counted as 1 operation"),
	MEMBER(struct roofs_record, shared_gbps, NUMBER, FIELD_NULLABLE, "GB/s", "0.1",
		"bandwidth of shared memory, sum over all compute units"),
	MEMBER(struct roofs_record, h2d_gbps, NUMBER, FIELD_NULLABLE, "GB/s", "0.1",
		"bandwidth from the host to the device"),
	MEMBER(struct roofs_record, d2h_gbps, NUMBER, FIELD_NULLABLE, "GB/s", "0.1",
		"bandwidth from the device to the host"),
	MEMBER(struct roofs_record, age_s, NUMBER, FIELD_NULLABLE, "s", "0.1",
		"time since the oldest of the roofs was measured; 0: measured in this run"),
	MEMBER_IN(struct roofs_record, flags, WORDS, FIELD_OPTIONAL, timing_flag_words, "0.1",
		"warnings about the samples of some roofs (docs/measuring.md). A later run "
		"measures these roofs again"),
	MEMBER_OF(struct roofs_record, ages_s, OBJECT, FIELD_OPTIONAL | FIELD_NULLABLE,
		roof_ages_type, "0.1", "time since each roof was measured"),
	MEMBER_OF(struct roofs_record, roof_flags, OBJECT, FIELD_OPTIONAL | FIELD_NULLABLE,
		roof_flags_type, "0.1",
		"warnings about the samples of each roof; absent: an older file, see flags"),
};

const struct record_type roofs_type = {"roofs", "measured limits of a device",
	sizeof(struct roofs_record), roofs_fields, MEMBER_COUNT(roofs_fields), 0};

static const struct record_field timer_fields[] = {
	MEMBER(struct timer_record, empty_launch_ns, NUMBER, FIELD_NULLABLE, "ns", "0.1",
		"median device interval of an empty kernel"),
	MEMBER(struct timer_record, least_launch_ns, NUMBER, FIELD_NULLABLE | FIELD_OPTIONAL, "ns",
		"0.1",
		"shortest device interval of an empty kernel that is queued after other work"),
	MEMBER(struct timer_record, next_launch_ns, NUMBER, FIELD_NULLABLE | FIELD_OPTIONAL, "ns",
		"0.1", "time that each further empty kernel adds to least_launch_ns"),
	MEMBER(struct timer_record, host_launch_ns, NUMBER, FIELD_NULLABLE, "ns", "0.1",
		"median time of the host clock around launch and finish of an empty kernel"),
	MEMBER(struct timer_record, timer_resolution_ns, NUMBER, FIELD_NULLABLE, "ns", "0.1",
		"smallest step between device intervals"),
	MEMBER(struct timer_record, device_to_host, NUMBER, FIELD_OMITTED, "1", "0.1",
		"device interval / host interval of a batch; the largest value of a few "
		"batches"),
	MEMBER(struct timer_record, device_timer_ok, BOOL, 0, NULL, "0.1",
		"true: the device timer agrees with the host clock"),
	MEMBER(struct timer_record, reason, TEXT, FIELD_NULLABLE, NULL, "0.1",
		"why the host clock replaces the device timer; null: the device timer is used"),
};

const struct record_type timer_type = {"timer", "the device's timer and its empty launch",
	sizeof(struct timer_record), timer_fields, MEMBER_COUNT(timer_fields), 0};

static const struct record_field limits_fields[] = {
	MEMBER(struct limits_record, global_bytes, INTEGER, 0, "bytes", "0.1", "device memory"),
	MEMBER(struct limits_record, max_buffer_bytes, INTEGER, 0, "bytes", "0.1",
		"maximum size of one buffer"),
	MEMBER(struct limits_record, max_groups, TRIPLE, 0, "blocks", "0.1",
		"maximum number of blocks in each dimension of the grid"),
	MEMBER(struct limits_record, max_block, TRIPLE, 0, "threads", "0.1",
		"maximum number of threads in each dimension of a block"),
	MEMBER(struct limits_record, max_block_threads, INTEGER, 0, "threads", "0.1",
		"maximum number of threads per block"),
	MEMBER(struct limits_record, shared_bytes, INTEGER, 0, "bytes", "0.1",
		"maximum static shared memory per block"),
	MEMBER(struct limits_record, shared_optin_bytes, INTEGER, 0, "bytes", "0.1",
		"maximum dynamic shared memory per block"),
	MEMBER(struct limits_record, cache_bytes, INTEGER, 0, "bytes", "0.1",
		"size of the last-level cache; 0: unknown"),
	MEMBER(struct limits_record, compute_units, INTEGER, 0, NULL, "0.1",
		"multiprocessors, compute units or cores"),
	MEMBER(struct limits_record, warp_size, INTEGER, 0, "threads", "0.1",
		"threads per warp; 1: the device has no warps, or their width is unknown"),
	MEMBER(struct limits_record, clock_mhz, INTEGER, 0, "MHz", "0.1",
		"highest clock frequency; 0: unknown"),
	MEMBER(struct limits_record, timer_resolution_ns, INTEGER, 0, "ns", "0.1",
		"resolution of the device timer as the driver reports it"),
};

const struct record_type limits_type = {"limits", "limits that the driver reports",
	sizeof(struct limits_record), limits_fields, MEMBER_COUNT(limits_fields), 0};

/* ---- Devices ------------------------------------------------------------------------------- */

static const struct record_field view_fields[] = {
	MEMBER(struct view_record, index, TEXT, 0, NULL, "0.1",
		"number of the device in its backend; OpenCL: platform.device"),
	MEMBER(struct view_record, name, TEXT, 0, NULL, "0.1", "name that the driver reports"),
	MEMBER(struct view_record, platform, TEXT, FIELD_OMITTED, NULL, "0.1",
		"name of the OpenCL platform, such as PoCL; absent: another backend, or a file of "
		"an older version"),
	MEMBER(struct view_record, driver, TEXT, 0, NULL, "0.1", "driver and platform version"),
	MEMBER(struct view_record, compiler, TEXT, 0, NULL, "0.1", "kernel compiler"),
	MEMBER(struct view_record, arch, TEXT, FIELD_NULLABLE, NULL, "0.1",
		"architecture, such as sm_90; null: unknown"),
	MEMBER(struct view_record, capabilities, INTEGER, 0, NULL, "0.1",
		"bit mask of the features that variants can need (common/capability.h)"),
	MEMBER_OF(struct view_record, limits, OBJECT, 0, limits_type, "0.1",
		"limits that the driver reports"),
	MEMBER_OF(struct view_record, shape, OBJECT, FIELD_OMITTED, shape_type, "0.1",
		"figures that kernels and models depend on, with their sources"),
	MEMBER_OF(struct view_record, roofs, OBJECT, FIELD_NULLABLE, roofs_type, "0.1",
		"limits measured through this backend; null: not measured"),
	MEMBER_OF(struct view_record, timer, OBJECT, FIELD_NULLABLE, timer_type, "0.1",
		"the timer of this backend; null: not measured"),
};

const struct record_type view_type = {"view", "a device as one backend reports it",
	sizeof(struct view_record), view_fields, MEMBER_COUNT(view_fields),
	offsetof(struct view_record, backend)};

static const struct record_field noise_fields[] = {
	MEMBER(struct noise_record, backend, TEXT, 0, NULL, "0.1", "backend that ran the family"),
	MEMBER(struct noise_record, family, TEXT, 0, NULL, "0.1", "name of the family"),
	MEMBER(struct noise_record, variant, TEXT, FIELD_OMITTED, NULL, "0.1",
		"name of the variant; absent: the entry is for all variants of the family that have "
		"no entry of their own"),
	MEMBER(struct noise_record, dtype, TEXT, 0, NULL, "0.1", "element type"),
	MEMBER(struct noise_record, op, TEXT, FIELD_NULLABLE, NULL, "0.1",
		"operation; null: the family has only one"),
	MEMBER(struct noise_record, data, TEXT, 0, NULL, "0.1", "kind of input data"),
	MEMBER(struct noise_record, problem, NAMED, 0, NULL, "0.1", "size of each dimension"),
	MEMBER(struct noise_record, sd, NUMBER, 0, "1", "0.1",
		"standard deviation of the logarithm of a run's median, between runs"),
	MEMBER(struct noise_record, dof, NUMBER, 0, NULL, "0.1", "degrees of freedom of `sd`"),
	MEMBER(struct noise_record, runs, INTEGER, 0, NULL, "0.1", "number of runs"),
	MEMBER(struct noise_record, measured_utc, TEXT, 0, NULL, "0.1",
		"time of the measurement, UTC, ISO 8601"),
};

const struct record_type noise_type = {"noise", "the floor of noise of one family on one device",
	sizeof(struct noise_record), noise_fields, MEMBER_COUNT(noise_fields), 0};

static const struct record_field device_fields[] = {
	MEMBER(struct device_record, key, TEXT, 0, NULL, "0.1",
		"identity of the device: UUID, else PCI address, else name"),
	MEMBER(struct device_record, uuid, TEXT, FIELD_NULLABLE, NULL, "0.1",
		"UUID; null: unknown"),
	MEMBER(struct device_record, pci, TEXT, FIELD_NULLABLE, NULL, "0.1",
		"PCI address; null: unknown"),
	MEMBER(struct device_record, vendor, TEXT, 0, NULL, "0.1", "vendor"),
	MEMBER(struct device_record, name, TEXT, 0, NULL, "0.1", "name"),
	MEMBER(struct device_record, type, TEXT, 0, NULL, "0.1", "gpu, cpu, emulated or other"),
	MEMBER_OF(struct device_record, views, KEYED, 0, view_type, "0.1",
		"the device as each backend reports it; the keys are names of backends"),
	MEMBER_OF(struct device_record, limits, OBJECT, 0, limits_type, "0.1",
		"limits of the first view"),
	MEMBER_OF(struct device_record, roofs, OBJECT, FIELD_NULLABLE, roofs_type, "0.1",
		"roofs of the first view that has them; null: not measured"),
	MEMBER_OF(struct device_record, timer, OBJECT, FIELD_NULLABLE, timer_type, "0.1",
		"timer of the first view that has one; null: not measured"),
	MEMBER_OF(struct device_record, noise, OBJECTS, FIELD_OMITTED, noise_type, "0.1",
		"measured floors of noise (docs/comparing.md); absent: none"),
};

const struct record_type device_type = {"device", "a physical device", sizeof(struct device_record),
	device_fields, MEMBER_COUNT(device_fields), 0};

/* Replaces a record by a copy of another record. */
static enum pmpp_status replace(
	const struct record_type *type, void *old, const void *record, struct pmpp_error *error)
{
	record_finish(type, old);
	return record_copy(type, record, old, error);
}

static enum pmpp_status merge_view(
	struct device_record *device, const struct view_record *view, struct pmpp_error *error)
{
	struct view_record *target = NULL;

	for (size_t i = 0; i < device->views.count && !target; i++)
		if (text_equal(device->views.items[i].backend, view->backend))
			target = &device->views.items[i];
	if (!target)
		target = record_list_add(&view_type, &device->views);
	if (!target)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for a device");
	return replace(&view_type, target, view, error);
}

static const char *opening(const char *platform)
{
	return platform && *platform ? " (" : "";
}

static const char *closing(const char *platform)
{
	return platform && *platform ? ")" : "";
}

void device_title(const char *name, const char *platform, char *ret_title, size_t size)
{
	snprintf(ret_title, size, "%s%s%s%s", text_or_empty(name), opening(platform),
		text_or_empty(platform), closing(platform));
}

char *device_record_title(const struct device_record *device)
{
	bool is_cpu = text_equal(device->type, "cpu") && device->views.count > 0;
	const char *platform = is_cpu ? device->views.items[0].platform : NULL;
	char *title = NULL;

	text_format(&title, "%s%s%s%s", text_or_empty(device->name), opening(platform),
		text_or_empty(platform), closing(platform));
	return title;
}

enum pmpp_status device_list_add(
	struct device_list *list, const struct device_record *device, struct pmpp_error *error)
{
	struct device_record *copy = record_list_add(&device_type, list);

	return copy ? record_copy(&device_type, device, copy, error)
		    : PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for a device");
}

enum pmpp_status device_record_take_roofs(struct device_record *device, struct pmpp_error *error)
{
	for (size_t i = 0; i < device->views.count; i++)
		if (device->views.items[i].roofs.record.present)
			return replace(
				&roofs_type, &device->roofs, &device->views.items[i].roofs, error);
	return PMPP_OK;
}

enum pmpp_status device_record_merge(
	struct device_record *device, const struct device_record *other, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; i < other->views.count && status == PMPP_OK; i++)
		status = merge_view(device, &other->views.items[i], error);
	if (status == PMPP_OK && !device->roofs.record.present)
		status = replace(&roofs_type, &device->roofs, &other->roofs, error);
	if (status == PMPP_OK)
		status = device_record_take_roofs(device, error);
	if (status == PMPP_OK && !device->timer.record.present)
		status = replace(&timer_type, &device->timer, &other->timer, error);
	return status;
}
