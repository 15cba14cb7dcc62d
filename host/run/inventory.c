#include "host/run/inventory.h"

#include <stdio.h>
#include <stdlib.h>

#include "host/suite/suite.h"

static enum pmpp_status add_devices(struct inventory *inventory,
	const struct gpu_device_info *infos, size_t count, struct pmpp_error *error)
{
	if (count == 0)
		return PMPP_OK;
	struct inventory_device *devices =
		realloc(inventory->devices, (inventory->count + count) * sizeof *devices);
	if (!devices)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the devices");
	inventory->devices = devices;
	for (size_t i = 0; i < count; i++) {
		size_t physical = inventory->physical_count;
		for (size_t j = 0; j < inventory->count; j++)
			if (suite_same_device(&devices[j].info, &infos[i]))
				physical = devices[j].physical;
		inventory->physical_count += physical == inventory->physical_count;
		devices[inventory->count++] = (struct inventory_device){infos[i], physical};
	}
	return PMPP_OK;
}

enum pmpp_status inventory_take(
	unsigned backends, struct inventory *ret_inventory, struct pmpp_error *error)
{
	struct inventory inventory = {.looked = backends};
	enum gpu_backend_id preference[GPU_BACKEND_COUNT];
	enum pmpp_status status = PMPP_OK;

	gpu_backends_by_preference(preference);
	for (size_t i = 0; i < GPU_BACKEND_COUNT && status == PMPP_OK; i++) {
		enum gpu_backend_id id = preference[i];
		struct gpu_device_info *infos = NULL;
		size_t count = 0;
		if (!(backends & BACKEND_BIT(id)))
			continue;
		status = gpu_enumerate(id, &infos, &count, &inventory.states[id], error);
		if (status == PMPP_OK)
			status = add_devices(&inventory, infos, count, error);
		free(infos);
	}
	if (status != PMPP_OK) {
		inventory_finish(&inventory);
		return status;
	}
	*ret_inventory = inventory;
	return PMPP_OK;
}

void inventory_finish(struct inventory *inventory)
{
	free(inventory->devices);
	*inventory = (struct inventory){0};
}

void device_label(const struct gpu_device_info *info, char *ret_text, size_t size)
{
	snprintf(ret_text, size, "%s:%s", gpu_backend_name(info->backend), info->index);
}
