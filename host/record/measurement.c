#include "host/record/measurement.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Verification -------------------------------------------------------------------------- */

bool verify_record_passed(const struct verify_record *verify)
{
	return verify->record.present && verify->nan == 0 && verify->mismatches == 0 &&
	       verify->canary_ok && verify->inputs_intact;
}

/* ---- Times --------------------------------------------------------------------------------- */

const char *const timing_primary_words[] = {[TIMING_COLD] = "cold", [TIMING_HOT] = "hot", NULL};

const char *const timing_flag_words[] = {
	"below_resolution", "throttled", "host_clock", "noisy", "unflushed", NULL};

const struct samples_record *timing_record_primary(const struct timing_record *timing)
{
	return timing->primary == TIMING_HOT ? &timing->hot : &timing->cold;
}

/* ---- State of a device --------------------------------------------------------------------- */

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

#define RECORD_TYPES
#define RECORDS "host/record/measurement.def"
#include "common/records.inc"

/* ---- Devices ------------------------------------------------------------------------------- */

struct view_record *device_view(const struct device_record *device, const char *backend)
{
	for (size_t i = 0; device && i < device->views.count; i++)
		if (text_equal(device->views.items[i].backend, backend))
			return &device->views.items[i];
	return NULL;
}

struct device_record *device_list_find(const struct device_list *devices, const char *key)
{
	for (size_t i = 0; i < devices->count; i++)
		if (text_equal(devices->items[i].key, key))
			return &devices->items[i];
	return NULL;
}

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
	struct view_record *target = device_view(device, view->backend);

	if (!target)
		target = record_list_add(&view_type, &device->views);
	if (!target)
		return PMPP_NO_MEMORY(error, "a device");
	return replace(&view_type, target, view, error);
}

void device_title(const char *name, const char *platform, char *ret_title, size_t size)
{
	bool shown = platform && *platform;

	snprintf(ret_title, size, "%s%s%s%s", text_or_empty(name), shown ? " (" : "",
		text_or_empty(platform), shown ? ")" : "");
}

char *device_record_title(const struct device_record *device)
{
	bool is_cpu = text_equal(device->type, "cpu") && device->views.count > 0;
	char title[DEVICE_TITLE_BYTES];

	device_title(
		device->name, is_cpu ? device->views.items[0].platform : NULL, title, sizeof title);
	return strdup(title);
}

/* Sets the roofs of the device to a copy of the roofs of its first view that has roofs. Without such a view
 * the roofs do not change. */
static enum pmpp_status take_roofs(struct device_record *device, struct pmpp_error *error)
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
		status = take_roofs(device, error);
	if (status == PMPP_OK && !device->timer.record.present)
		status = replace(&timer_type, &device->timer, &other->timer, error);
	return status;
}
