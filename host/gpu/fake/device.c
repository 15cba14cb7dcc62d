#include "host/gpu/fake/internal.h"

#include <stdio.h>
#include <stdlib.h>

enum pmpp_status fake_enumerate(struct gpu_device_info **ret_infos, size_t *ret_count,
	struct gpu_backend_state *ret_state, struct pmpp_error *error)
{
	size_t count = fake_control.device_count;
	struct gpu_device_info *infos = NULL;
	enum pmpp_status status = fake_record(FAKE_SLOT_enumerate, error);

	if (status != PMPP_OK)
		return status;
	if (count > 0) {
		infos = malloc(count * sizeof *infos);
		if (!infos)
			return PMPP_FAIL(
				error, PMPP_OUT_OF_MEMORY, "no memory for %zu devices", count);
	}
	for (size_t i = 0; i < count; i++) {
		infos[i] = fake_control.info;
		snprintf(infos[i].index, sizeof infos[i].index, "%u", (unsigned)i);
	}
	snprintf(ret_state->reason, sizeof ret_state->reason, "%s", fake_control.reason);
	snprintf(ret_state->library, sizeof ret_state->library, "fake");
	*ret_infos = infos;
	*ret_count = count;
	return PMPP_OK;
}

enum pmpp_status fake_open(const struct gpu_device_info *info, struct gpu_device **ret_device,
	struct pmpp_error *error)
{
	struct fake_device *device;
	enum pmpp_status status = fake_record(FAKE_SLOT_open, error);

	(void)info;
	if (status != PMPP_OK)
		return status;
	device = calloc(1, sizeof *device);
	if (!device)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for a device");
	fake_count_live(1);
	device->base.no_timer = fake_control.no_timer;
	*ret_device = &device->base;
	return PMPP_OK;
}

void fake_close(struct gpu_device *device)
{
	struct fake_device *fake = (struct fake_device *)device;

	if (fake->live > 0)
		fake_note_misuse(
			"device closed with %llu live objects", (unsigned long long)fake->live);
	if (device->allocated_bytes != 0)
		fake_note_misuse("device closed with %llu bytes allocated",
			(unsigned long long)device->allocated_bytes);
	fake_count_live(-1);
	free(fake);
}
