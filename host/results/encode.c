#include "host/results/encode.h"

#include "host/record/json.h"
#include "host/suite/fill_device.h"
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

/* ---- Records ------------------------------------------------------------------------------- */

json_t *encode_record(const struct record_type *type, const void *record)
{
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	char *text = NULL;
	json_t *value = NULL;

	if (record_write(type, record, RECORD_ONE_LINE, &text, &ignored) == PMPP_OK)
		value = json_loads(text, 0, NULL);
	pmpp_error_clear(&ignored);
	free(text);
	return value;
}

json_t *encode_device(const struct gpu_device_info *info, const struct roofs_record *roofs,
	const struct timer_record *timer)
{
	struct pmpp_error ignored = PMPP_ERROR_INIT;
	struct device_record record = {.record.present = false};
	json_t *device = NULL;

	if (device_record_fill(info, &record, &ignored) == PMPP_OK) {
		device_record_measured(&record, roofs, timer);
		device = encode_record(&device_type, &record);
	}
	pmpp_error_clear(&ignored);
	record_finish(&device_type, &record);
	return device;
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
	char key[DEVICE_KEY_BYTES];
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

json_t *encode_resources(const struct gpu_kernel_resources *resources)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "registers", encode_count(resources->registers),
		"shared_bytes", encode_count(resources->shared_bytes), "spill_bytes",
		encode_count(resources->spill_bytes), "max_block",
		encode_count(resources->max_block_threads));
}
