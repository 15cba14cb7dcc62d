#include "host/results/encode.h"

#include "host/gpu/math_options.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *encode_number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

/* A compiler's log or a path may hold bytes that are no UTF-8: those become '?'. */
static json_t *encode_text(const char *text)
{
	json_t *value = json_string(text);
	char *ascii = value ? NULL : strdup(text);

	for (char *c = ascii; c && *c; c++)
		if (*c & 0x80)
			*c = '?';
	if (ascii)
		value = json_string(ascii);
	free(ascii);
	return value;
}

json_t *encode_text_or_null(const char *text)
{
	return text && *text ? encode_text(text) : json_null();
}

json_t *encode_count(int64_t count)
{
	return count >= 0 ? json_integer(count) : json_null();
}

/* ---- Devices ------------------------------------------------------------------------------- */

static json_t *encode_limits(const struct gpu_limits *limits)
{
	return json_pack("{s:I, s:I, s:[I,I,I], s:[I,I,I], s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}",
		"global_bytes", (json_int_t)limits->global_bytes, "max_buffer_bytes",
		(json_int_t)limits->max_buffer_bytes, "max_groups",
		(json_int_t)limits->max_groups[0], (json_int_t)limits->max_groups[1],
		(json_int_t)limits->max_groups[2], "max_block", (json_int_t)limits->max_block[0],
		(json_int_t)limits->max_block[1], (json_int_t)limits->max_block[2],
		"max_block_threads", (json_int_t)limits->max_block_threads, "shared_bytes",
		(json_int_t)limits->shared_bytes, "shared_optin_bytes",
		(json_int_t)limits->shared_optin_bytes, "cache_bytes",
		(json_int_t)limits->cache_bytes, "compute_units", (json_int_t)limits->compute_units,
		"warp_size", (json_int_t)limits->warp_size, "clock_mhz",
		(json_int_t)limits->clock_mhz, "timer_resolution_ns",
		(json_int_t)limits->timer_resolution_ns);
}

static json_t *encode_roofs(const struct roofs *roofs)
{
	if (!roofs)
		return json_null();
	return json_pack("{s:o, s:o, s:{s:o}, s:o, s:o, s:o, s:o}", "copy_gbps",
		encode_number(roofs->copy_gbps), "read_gbps", encode_number(roofs->read_gbps),
		"fma_gflops", "f32", encode_number(roofs->fma_gflops), "shared_gbps",
		encode_number(roofs->shared_gbps), "h2d_gbps", encode_number(roofs->h2d_gbps),
		"d2h_gbps", encode_number(roofs->d2h_gbps), "age_s", encode_number(roofs->age_s));
}

static json_t *encode_calibration(const struct calibration *calibration)
{
	if (!calibration)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:b, s:o}", "empty_launch_ns",
		encode_number(calibration->empty_launch_ns), "host_launch_ns",
		encode_number(calibration->host_launch_ns), "timer_resolution_ns",
		encode_number(calibration->timer_resolution_ns), "device_timer_ok",
		calibration->device_timer_ok, "reason", encode_text_or_null(calibration->reason));
}

/* What one backend says of a device; roofs and calibration differ by backend too. */
static json_t *encode_view(const struct gpu_device_info *info, const struct roofs *roofs,
	const struct calibration *calibration)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:o, s:I, s:o, s:o, s:o}", "index", info->index,
		"name", info->name, "driver", info->driver, "compiler", info->compiler, "arch",
		encode_text_or_null(info->arch), "capabilities", (json_int_t)info->capabilities,
		"limits", encode_limits(&info->limits), "roofs", encode_roofs(roofs), "timer",
		encode_calibration(calibration));
}

json_t *encode_device(const struct gpu_device_info *info, const struct roofs *roofs,
	const struct calibration *calibration)
{
	char key[320];

	device_key(info, key, sizeof key);
	return json_pack("{s:s, s:o, s:o, s:s, s:s, s:s, s:{s:o}, s:o, s:o, s:o}", "key", key,
		"uuid", encode_text_or_null(info->uuid), "pci", encode_text_or_null(info->pci),
		"vendor", info->vendor, "name", info->name, "type",
		gpu_device_type_name(info->type), "views", gpu_backend_name(info->backend),
		encode_view(info, roofs, calibration), "limits", encode_limits(&info->limits),
		"roofs", encode_roofs(roofs), "timer", encode_calibration(calibration));
}

void merge_device(json_t *device, json_t *other)
{
	json_object_update(json_object_get(device, "views"), json_object_get(other, "views"));
	if (json_is_null(json_object_get(device, "roofs")))
		json_object_set(device, "roofs", json_object_get(other, "roofs"));
	if (json_is_null(json_object_get(device, "timer")))
		json_object_set(device, "timer", json_object_get(other, "timer"));
}

/* ---- Rows ---------------------------------------------------------------------------------- */

json_t *encode_dims(const struct problem *problem)
{
	json_t *dims = json_object();

	for (size_t i = 0; i < problem->family->dim_count; i++)
		json_object_set_new(
			dims, problem->family->dim_names[i], json_integer(problem->dim[i]));
	return dims;
}

json_t *encode_macros(const struct config *config)
{
	json_t *macros = json_object();

	for (size_t i = 0; config->variant->macros[i].name; i++)
		json_object_set_new(
			macros, config->variant->macros[i].name, json_integer(config->value[i]));
	return macros;
}

json_t *encode_row_head(const struct config *config, const struct problem *problem,
	const struct gpu_device_info *info)
{
	char key[320];
	const struct variant *variant = config->variant;

	device_key(info, key, sizeof key);
	const char *kind = problem->family->kinds[problem->kind];
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s?, s:s, s:o, s:I, s:o, s:s}", "family",
		problem->family->name, "variant", variant->name, "technique", variant->technique,
		"backend", gpu_backend_name(info->backend), "device", key, "dtype",
		dtype_info(problem->dtype)->name, "op", problem->family->ops[problem->op], "data",
		problem->data == DATA_USER ? "user"
		: kind                     ? kind
					   : "random",
		"problem", encode_dims(problem), "seed", (json_int_t)problem->seed, "macros",
		encode_macros(config), "repro", reproducibility_name(variant->repro));
}

void encode_row_ending(json_t *row, enum outcome_status status, const char *reason)
{
	json_object_set_new(row, "status", json_string(outcome_status_name(status)));
	json_object_set_new(row, "reason", encode_text_or_null(reason));
}

static json_t *encode_launches(const struct plan *plan)
{
	json_t *launches = json_array();

	for (size_t i = 0; i < plan->step_count; i++) {
		const struct plan_step *step = &plan->steps[i];
		const struct plan_launch *launch = plan_step_launch(step);
		if (!launch) {
			json_array_append_new(launches,
				json_pack("{s:I}", "fill", (json_int_t)step->as.fill.pattern));
			continue;
		}
		json_array_append_new(launches,
			json_pack("{s:s, s:[I,I,I], s:[I,I,I], s:I}", "kernel", launch->entry,
				"grid", (json_int_t)launch->groups[0],
				(json_int_t)launch->groups[1], (json_int_t)launch->groups[2],
				"block", (json_int_t)launch->block[0], (json_int_t)launch->block[1],
				(json_int_t)launch->block[2], "shared_bytes",
				(json_int_t)launch->shared_bytes));
	}
	return launches;
}

static json_t *encode_build(const struct outcome *outcome, const struct gpu_device_info *info)
{
	return json_pack("{s:o, s:o, s:s, s:o, s:s, s:o}", "source_sha256",
		encode_text_or_null(outcome->source_sha256), "options",
		encode_text(outcome->options), "math", gpu_math_name(outcome->math), "compile_ms",
		encode_number(outcome->compile_ms), "cache", gpu_cache_outcome_name(outcome->cache),
		"compiler", encode_text_or_null(info->compiler));
}

json_t *encode_resources(const struct gpu_kernel_resources *resources)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "registers", encode_count(resources->registers),
		"shared_bytes", encode_count(resources->shared_bytes), "spill_bytes",
		encode_count(resources->spill_bytes), "max_block",
		encode_count(resources->max_block_threads));
}

static json_t *encode_first(const struct verify_result *verify)
{
	if (verify->first_row < 0)
		return json_null();
	return json_pack("{s:I, s:I, s:o, s:o}", "row", (json_int_t)verify->first_row, "column",
		(json_int_t)verify->first_column, "got", encode_number(verify->first_got), "want",
		encode_number(verify->first_want));
}

static json_t *encode_verify(const struct verify_result *verify)
{
	if (!verify->done)
		return json_null();
	return json_pack("{s:s, s:o, s:I, s:I, s:o, s:b, s:b, s:o}", "coverage", verify->coverage,
		"max_ratio", encode_number(verify->max_ratio), "nan", (json_int_t)verify->nan,
		"mismatches", (json_int_t)verify->mismatches, "first", encode_first(verify),
		"canary_ok", verify->canary_ok, "inputs_intact", verify->inputs_intact,
		"output_sha256", encode_text_or_null(verify->output_sha256));
}

static json_t *encode_samples(const struct sample_set *set)
{
	if (set->stats.n == 0)
		return json_null();
	json_t *ns = json_array();
	for (size_t i = 0; i < set->stats.n; i++)
		json_array_append_new(ns, encode_number(set->ns[i]));
	return json_pack("{s:o, s:I, s:o, s:o, s:o, s:o, s:o}", "ns", ns, "n",
		(json_int_t)set->stats.n, "min", encode_number(set->stats.min), "q1",
		encode_number(set->stats.q1), "median", encode_number(set->stats.median), "q3",
		encode_number(set->stats.q3), "notch", encode_number(stats_notch(&set->stats)));
}

static json_t *encode_timing(const struct timing *timing)
{
	if (!timing->done)
		return json_null();
	json_t *flags = json_array();
	for (unsigned bit = 0; bit < TIMING_FLAG_COUNT; bit++)
		if (timing->flags >> bit & 1)
			json_array_append_new(flags,
				json_string(timing_flag_name((enum timing_flag)(1u << bit))));
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "contract", "pmpp-timing/1", "primary",
		timing->primary_is_hot ? "hot" : "cold", "cold", encode_samples(&timing->cold),
		"hot", encode_samples(&timing->hot), "host", encode_samples(&timing->host), "flags",
		flags);
}

static json_t *encode_derived(const struct outcome *outcome)
{
	const struct metric *metric = &outcome->problem.family->metric;

	return json_pack("{s:o, s:s?, s:o, s:o, s:o, s:o, s:o}", "metric",
		encode_number(outcome->metric), "metric_name", metric->name, "gflops",
		encode_number(outcome->gflops), "gbps", encode_number(outcome->gbps), "intensity",
		encode_number(outcome->intensity), "pct_roof",
		encode_number(100 * outcome->fraction_of_roof), "limited_by",
		encode_text_or_null(limited_by_name(outcome->limited_by)));
}

json_t *encode_outcome(const struct outcome *outcome, const struct gpu_device_info *info)
{
	const struct timing *timing = &outcome->timing;
	json_t *row = encode_row_head(&outcome->config, &outcome->problem, info);
	const char *reason = outcome->reason;

	if (!*reason && !timing->done)
		reason = timing->reason;
	encode_row_ending(row, outcome->status, reason);
	json_object_set_new(row, "launches", encode_launches(&outcome->plan));
	json_object_set_new(row, "build", encode_build(outcome, info));
	json_object_set_new(row, "resources", encode_resources(&outcome->resources));
	json_object_set_new(row, "verify", encode_verify(&outcome->verify));
	json_object_set_new(row, "timing", encode_timing(timing));
	json_object_set_new(row, "work",
		json_pack("{s:o, s:o, s:o}", "flops", encode_number(outcome->flops),
			"bytes_compulsory", encode_number(outcome->bytes_compulsory),
			"bytes_issued", encode_number(outcome->bytes_issued)));
	json_object_set_new(row, "derived", encode_derived(outcome));
	json_object_set_new(row, "peer", json_null());
	if (outcome->log)
		json_object_set_new(row, "log", encode_text(outcome->log));
	return row;
}

json_t *encode_parity(const struct parity_result *result, const struct gpu_device_info *a,
	const struct gpu_device_info *b, bool same_device)
{
	char key[320];
	const struct outcome *side = &result->a;
	json_t *interval = result->timed ? json_pack("[o,o]", encode_number(result->interval[0]),
						   encode_number(result->interval[1]))
					 : json_null();

	bool both = result->a.status == OUTCOME_OK && result->b.status == OUTCOME_OK;
	device_key(a, key, sizeof key);
	return json_pack("{s:s, s:s, s:s, s:[s,s], s:b, s:o, s:o, s:o, s:o, s:s, s:o, s:I}",
		"family", side->problem.family->name, "variant", side->config.variant->name,
		"device", key, "backends", gpu_backend_name(a->backend),
		gpu_backend_name(b->backend), "same_device", same_device, "problem",
		encode_dims(&side->problem), "macros", encode_macros(&side->config), "ratio",
		encode_number(result->timed ? result->ratio : NAN), "ci95", interval, "verdict",
		parity_verdict_name(result->verdict), "bit_identical",
		both ? json_boolean(result->bit_identical) : json_null(), "n",
		(json_int_t)result->n);
}
