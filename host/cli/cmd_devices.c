#include "host/cli/cmd.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/exit_code.h"
#include "host/record/document.h"
#include "host/record/measurement.h"
#include "host/record/shipped.h"
#include "host/report/format.h"
#include "host/report/terminal.h"
#include "host/report/wrap.h"
#include "host/run/device_select.h"
#include "host/suite/device.h"

/* ---- JSON ---------------------------------------------------------------------------------- */

/* Makes one entry for each physical device from its views of all backends. The inventory has the
 * devices in the order of their first views. Two OpenCL platforms can have one device; files have one
 * view for each backend, which is the first. */
static enum pmpp_status fill_devices(
	const struct inventory *inventory, struct device_list *devices, struct pmpp_error *error)
{
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; i < inventory->count && status == PMPP_OK; i++) {
		const struct inventory_device *device = &inventory->devices[i];
		struct device_record view;
		if (device->physical < devices->count &&
			device_view(&devices->items[device->physical],
				gpu_backend_name(device->info.backend)))
			continue;
		status = device_record_fill(&device->info, NULL, NULL, &view, error);
		if (status == PMPP_OK && device->physical < devices->count)
			status = device_record_merge(
				&devices->items[device->physical], &view, error);
		else if (status == PMPP_OK)
			status = record_list_add_copy(&device_type, devices, &view, error);
		record_finish(&device_type, &view);
	}
	return status;
}

static enum pmpp_status fill_backends(
	const struct inventory *inventory, struct backend_list *backends, struct pmpp_error *error)
{
	for (size_t i = 0; i < GPU_BACKEND_COUNT; i++) {
		const struct gpu_backend_state *state = &inventory->states[i];
		if (!(inventory->looked & BACKEND_BIT(i)))
			continue;
		struct backend_record *backend = record_list_add(&backend_type, backends);
		if (!backend)
			return PMPP_NO_MEMORY(error, "a backend");
		text_set(&backend->name, gpu_backend_name((enum gpu_backend_id)i));
		backend->usable = state->usable;
		text_set(&backend->reason, state->reason);
		text_set(&backend->library, state->library);
	}
	return PMPP_OK;
}

static enum pmpp_status write_json(
	const struct inventory *inventory, const char *path, struct pmpp_error *error)
{
	struct inventory_document document;

	record_init(&inventory_document_type, &document);
	text_set(&document.schema, INVENTORY_SCHEMA);
	enum pmpp_status status = fill_devices(inventory, &document.devices, error);
	if (status == PMPP_OK)
		status = fill_backends(inventory, &document.backends, error);
	if (status == PMPP_OK)
		status = document_save(&inventory_document_type, &document, path, NULL, error);
	record_finish(&inventory_document_type, &document);
	return status;
}

/* ---- Text ---------------------------------------------------------------------------------- */

/* Prints the number of units without a line end: "60 units"; with parts "48 units reported, 96
 * compute units" or "512 units reported, 32 Xe cores". reported: the driver's count, of
 * parts if it is larger than the number of units. */
static void put_units(FILE *out, const struct device_shape *shape, uint32_t reported)
{
	int64_t units = shape_value_or(shape, SHAPE_UNITS, reported);

	if (units != reported && shape->unit)
		fprintf(out, "%" PRIu32 " units reported, %" PRId64 " %ss", reported, units,
			shape->unit);
	else if (shape->part && units > 0)
		fprintf(out, "%" PRIu32 " units reported, %" PRId64 " %ss", reported,
			units * shape->parts, shape->part);
	else
		fprintf(out, "%" PRIu32 " units", reported);
}

static void put_value(
	FILE *out, const char *name, const struct shape_value *value, const char *unit)
{
	char text[40] = "-";

	if (value->source != SHAPE_UNKNOWN)
		snprintf(text, sizeof text, "%lld%s%s", (long long)value->value, unit ? " " : "",
			unit ? unit : "");
	fprintf(out, "     %-18s  %-19s  %s%s%s\n", name, text, shape_source_words[value->source],
		value->origin ? ": " : "", value->origin ? value->origin : "");
}

/* Prints one line for each figure: its name, value, unit and source. Then the widths, the unit and
 * the model. */
static void put_shape(FILE *out, const struct device_shape *shape)
{
	for (size_t i = 0; i < SHAPE_COUNT; i++)
		put_value(out, shape_rows[i].key, &shape->of[i], shape_rows[i].unit);
	fprintf(out, "     %-18s  ", "widths");
	for (size_t i = 0; i < shape->width_count; i++)
		fprintf(out, "%s%" PRIu32, i ? ", " : "", shape->widths[i]);
	fprintf(out, "%s\n     %-18s  %s", shape->width_count ? " threads" : "unknown", "unit",
		shape->unit ? shape->unit : "unknown");
	if (shape->part)
		fprintf(out, " of %" PRIu32 " %ss", shape->parts, shape->part);
	fprintf(out, "\n     %-18s  %s\n", "model", shape->model ? shape->model : "none");
}

static void put_view(FILE *out, const struct gpu_device_info *info, bool verbose)
{
	const struct gpu_limits *limits = &info->limits;

	fprintf(out, "   %-11s %s%s%s%s%s; ", device_label(info).text, info->platform,
		info->platform[0] ? ", " : "", info->driver, info->arch[0] ? ", " : "", info->arch);
	put_units(out, &info->shape, limits->compute_units);
	if (limits->clock_mhz)
		fprintf(out, " at %u MHz", limits->clock_mhz);
	if (limits->warp_size > 1)
		fprintf(out, ", warps of %u", limits->warp_size);
	fprintf(out, ", %.1f GB memory, %.0f kB shared memory", (double)limits->global_bytes * 1e-9,
		(double)limits->shared_bytes * 1e-3);
	if (limits->shared_optin_bytes > limits->shared_bytes)
		fprintf(out, " (with dynamic: %.0f kB)", (double)limits->shared_optin_bytes * 1e-3);
	fputc('\n', out);
	if (verbose)
		put_shape(out, &info->shape);
}

static void put_title(FILE *out, const struct gpu_device_info *info, size_t physical, bool colour)
{
	char title[DEVICE_TITLE_BYTES];

	fill_device_title(info, title, sizeof title);
	fprintf(out, "%zu  %s%s%s  %s%s%s%s%s\n", physical, style_code(colour, STYLE_BOLD), title,
		style_code(colour, STYLE_PLAIN), gpu_device_type_name(info->type),
		info->uuid[0] ? "  uuid:" : "", info->uuid, info->pci[0] ? "  pci:" : "",
		info->pci);
}

static void put_physical(
	FILE *out, const struct inventory *inventory, size_t physical, bool colour, bool verbose)
{
	bool titled = false;

	for (size_t i = 0; i < inventory->count; i++) {
		const struct gpu_device_info *info = &inventory->devices[i].info;
		if (inventory->devices[i].physical != physical)
			continue;
		if (!titled)
			put_title(out, info, physical, colour);
		titled = true;
		put_view(out, info, verbose);
	}
}

static void put_inventory(FILE *out, const struct inventory *inventory, bool colour, bool verbose)
{
	for (size_t p = 0; p < inventory->physical_count; p++)
		put_physical(out, inventory, p, colour, verbose);
	for (size_t i = 0; i < GPU_BACKEND_COUNT; i++)
		if ((inventory->looked & BACKEND_BIT(i)) && !inventory->states[i].usable)
			fprintf(out, "-  %s: %s\n", gpu_backend_name((enum gpu_backend_id)i),
				inventory->states[i].reason);
}

static void put_shipped(FILE *out)
{
	char *names = shipped_names_text();

	if (names && *names)
		fprintf(out, "results that ship with pmpp (compare --with): %s\n", names);
	free(names);
}

/* ---- Command ------------------------------------------------------------------------------- */

enum pmpp_status cmd_devices(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	struct inventory inventory = {0};
	enum pmpp_status status = document_check_path(options->json, error);

	if (status == PMPP_OK)
		status = inventory_take(EVERY_BACKEND, &inventory, error);
	if (status != PMPP_OK)
		return status;
	if (cli_prints(options)) {
		struct wrap wrap;
		FILE *out = wrap_begin(&wrap, stdout, terminal_width(stdout));
		put_inventory(out, &inventory,
			terminal_wants_colour(options->terminal.colour, stdout),
			options->terminal.verbose);
		put_shipped(out);
		wrap_end(&wrap);
	}
	if (options->json)
		status = write_json(&inventory, options->json, error);
	*ret_exit = inventory.count ? EXIT_CODE_OK : EXIT_CODE_UNAVAILABLE;
	inventory_finish(&inventory);
	return status;
}
