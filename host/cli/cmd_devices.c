#include "host/cli/commands.h"

#include <stdio.h>
#include <string.h>

#include "common/model/exit_code.h"
#include "host/cli/console.h"
#include "host/results/encode.h"
#include "host/results/file.h"

/* ---- JSON ---------------------------------------------------------------------------------- */

static json_t *encode_states(const struct inventory *inventory)
{
	json_t *states = json_array();

	for (size_t i = 0; i < GPU_BACKEND_COUNT; i++) {
		const struct gpu_backend_state *state = &inventory->states[i];
		if (inventory->looked & BACKEND_BIT(i))
			json_array_append_new(
				states, json_pack("{s:s, s:b, s:s, s:s}", "name",
						gpu_backend_name((enum gpu_backend_id)i), "usable",
						state->usable, "reason", state->reason, "library",
						state->library));
	}
	return states;
}

/* One entry for each physical device, the views of all backends joined. */
static json_t *encode_inventory(const struct inventory *inventory)
{
	json_t *devices = json_array();

	for (size_t p = 0; p < inventory->physical_count; p++) {
		json_t *joined = NULL;
		for (size_t i = 0; i < inventory->count; i++) {
			if (inventory->devices[i].physical != p)
				continue;
			json_t *view = encode_device(&inventory->devices[i].info, NULL, NULL);
			if (joined)
				merge_device(joined, view);
			else
				joined = json_incref(view);
			json_decref(view);
		}
		json_array_append_new(devices, joined);
	}
	return json_pack("{s:s, s:o, s:o}", "schema", "pmpp-devices/1", "devices", devices,
		"backends", encode_states(inventory));
}

/* ---- Text ---------------------------------------------------------------------------------- */

static void put_view(const struct gpu_device_info *info)
{
	const struct gpu_limits *limits = &info->limits;
	char label[32];

	device_label(info, label, sizeof label);
	printf("   %-11s %s%s%s; %u units", label, info->driver, info->arch[0] ? ", " : "",
		info->arch, limits->compute_units);
	if (limits->clock_mhz)
		printf(" at %u MHz", limits->clock_mhz);
	printf(", %.1f GB, %.0f kB shared\n", (double)limits->global_bytes * 1e-9,
		(double)limits->shared_bytes * 1e-3);
}

static void put_physical(const struct inventory *inventory, size_t physical, bool colour)
{
	bool titled = false;

	for (size_t i = 0; i < inventory->count; i++) {
		const struct gpu_device_info *info = &inventory->devices[i].info;
		if (inventory->devices[i].physical != physical)
			continue;
		if (!titled)
			printf("%zu  %s%s%s  %s%s%s%s%s\n", physical,
				style_code(colour, STYLE_BOLD), info->name,
				style_code(colour, STYLE_PLAIN), gpu_device_type_name(info->type),
				info->uuid[0] ? "  uuid:" : "", info->uuid,
				info->pci[0] ? "  pci:" : "", info->pci);
		titled = true;
		put_view(info);
	}
}

static void put_inventory(const struct inventory *inventory, bool colour)
{
	for (size_t p = 0; p < inventory->physical_count; p++)
		put_physical(inventory, p, colour);
	for (size_t i = 0; i < GPU_BACKEND_COUNT; i++)
		if ((inventory->looked & BACKEND_BIT(i)) && !inventory->states[i].usable)
			printf("-  %s: %s\n", gpu_backend_name((enum gpu_backend_id)i),
				inventory->states[i].reason);
}

/* ---- Command ------------------------------------------------------------------------------- */

enum pmpp_status cmd_devices(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	struct inventory inventory = {0};
	bool stdout_taken = options->json && strcmp(options->json, "-") == 0;
	json_t *document = NULL;
	enum pmpp_status status = PMPP_OK;

	if (options->json)
		status = output_check(options->json, error);
	if (status == PMPP_OK)
		status = inventory_take(EVERY_BACKEND, &inventory, error);
	if (status != PMPP_OK)
		return status;
	if (!stdout_taken && !options->quiet)
		put_inventory(&inventory, console_wants_colour(options, stdout));
	if (options->json) {
		document = encode_inventory(&inventory);
		status = output_json(options->json, document, error);
	}
	*ret_exit = inventory.count ? EXIT_CODE_OK : EXIT_CODE_UNAVAILABLE;
	json_decref(document);
	inventory_finish(&inventory);
	return status;
}
