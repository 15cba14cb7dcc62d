#include "host/suite/fill_device.h"

#include <stdio.h>

void fill_device_key(const struct gpu_device_info *info, char *ret_key, size_t size)
{
	if (info->uuid[0])
		snprintf(ret_key, size, "uuid:%s", info->uuid);
	else if (info->pci[0])
		snprintf(ret_key, size, "pci:%s", info->pci);
	else
		snprintf(ret_key, size, "name:%s", info->name);
}

void fill_device_title(const struct gpu_device_info *info, char *ret_title, size_t size)
{
	device_title(
		info->name, info->type == GPU_TYPE_CPU ? info->platform : NULL, ret_title, size);
}

static void fill_limits(const struct gpu_limits *limits, struct limits_record *record)
{
	record->record.present = true;
	record->global_bytes = (int64_t)limits->global_bytes;
	record->max_buffer_bytes = (int64_t)limits->max_buffer_bytes;
	for (size_t i = 0; i < 3; i++) {
		record->max_groups[i] = (int64_t)limits->max_groups[i];
		record->max_block[i] = limits->max_block[i];
	}
	record->max_block_threads = limits->max_block_threads;
	record->shared_bytes = limits->shared_bytes;
	record->shared_optin_bytes = limits->shared_optin_bytes;
	record->cache_bytes = (int64_t)limits->cache_bytes;
	record->compute_units = limits->compute_units;
	record->warp_size = limits->warp_size;
	record->clock_mhz = limits->clock_mhz;
	record->timer_resolution_ns = limits->timer_resolution_ns;
}

enum pmpp_status device_record_fill(const struct gpu_device_info *info,
	struct device_record *ret_device, struct pmpp_error *error)
{
	char key[DEVICE_KEY_BYTES];

	record_init(&device_type, ret_device);
	struct view_record *view = record_list_add(&view_type, &ret_device->views);
	if (!view)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for a device");
	fill_device_key(info, key, sizeof key);
	text_set(&ret_device->key, key);
	text_set_known(&ret_device->uuid, info->uuid);
	text_set_known(&ret_device->pci, info->pci);
	text_set(&ret_device->vendor, info->vendor);
	text_set(&ret_device->name, info->name);
	text_set(&ret_device->type, gpu_device_type_name(info->type));
	fill_limits(&info->limits, &ret_device->limits);
	text_set(&view->backend, gpu_backend_name(info->backend));
	text_set(&view->index, info->index);
	text_set(&view->name, info->name);
	text_set_known(&view->platform, info->platform);
	text_set(&view->driver, info->driver);
	text_set(&view->compiler, info->compiler);
	text_set_known(&view->arch, info->arch);
	view->capabilities = info->capabilities;
	fill_limits(&info->limits, &view->limits);
	return shape_record_fill(&info->shape, &view->shape, error);
}

/* A roofs record owns no text. A timer record owns its reason. */
static void copy_measured(const struct roofs_record *roofs, const struct timer_record *timer,
	struct roofs_record *ret_roofs, struct timer_record *ret_timer)
{
	if (roofs)
		*ret_roofs = *roofs;
	if (!timer)
		return;
	*ret_timer = *timer;
	ret_timer->reason = NULL;
	text_set(&ret_timer->reason, timer->reason);
}

void device_record_measured(struct device_record *device, const struct roofs_record *roofs,
	const struct timer_record *timer)
{
	struct view_record *view = &device->views.items[0];

	copy_measured(roofs, timer, &device->roofs, &device->timer);
	copy_measured(roofs, timer, &view->roofs, &view->timer);
}
