#include "host/suite/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/access_model.h"

enum device_class suite_device_class(const struct gpu_device_info *info)
{
	static const enum device_class classes[] = {
		[GPU_TYPE_GPU] = DEVICE_CLASS_GPU,
		[GPU_TYPE_CPU] = DEVICE_CLASS_CPU,
		[GPU_TYPE_EMULATED] = DEVICE_CLASS_EMULATED,
		[GPU_TYPE_OTHER] = DEVICE_CLASS_GPU,
	};
	return classes[info->type];
}

struct cache_facts suite_cache_facts(const struct gpu_device_info *info)
{
	return (struct cache_facts){.vendor = info->vendor,
		.name = info->name,
		.is_gpu = info->type != GPU_TYPE_CPU,
		.reported_bytes = info->limits.cache_bytes,
		.memory_bytes = info->limits.global_bytes};
}

uint64_t suite_cache_bytes(const struct gpu_device_info *info)
{
	const struct cache_facts facts = suite_cache_facts(info);

	return suite_is_emulated(info) ? info->limits.cache_bytes : last_level_cache_bytes(&facts);
}

struct kernel_shape suite_kernel_shape(
	const struct gpu_device_info *info, const struct access_model *model)
{
	struct kernel_shape shape = info && suite_device_class(info) == DEVICE_CLASS_GPU
					    ? kernel_shape_of(&info->shape)
					    : kernel_shape_reference;

	if (info && suite_device_class(info) == DEVICE_CLASS_CPU)
		shape.cores = suite_units(info);
	if (model) {
		shape.lanes = (int32_t)model->lanes;
		shape.sector_bytes = model->sector_bytes;
		shape.assumed &= ~(unsigned)(KERNEL_SHAPE_LANES | KERNEL_SHAPE_SECTOR);
	}
	return shape;
}

int64_t suite_units(const struct gpu_device_info *info)
{
	int64_t reported = info->limits.compute_units;
	int64_t units = suite_device_class(info) == DEVICE_CLASS_GPU
				? shape_value_or(&info->shape, SHAPE_UNITS, reported)
				: reported;

	return units > 0 ? units : 1;
}

#define TRACED_BUDGET 0x1p21

double suite_work_budget(const struct gpu_device_info *info, bool traced)
{
	static const double budgets[GPU_ENGINE_COUNT] = {
		[GPU_ENGINE_GPU] = 0x1p36, /* 4096^3 */
		[GPU_ENGINE_CPU] = 0x1p26,
		[GPU_ENGINE_SLOW_CPU] = TRACED_BUDGET,
		[GPU_ENGINE_EMULATOR] = 0x1p24,
		[GPU_ENGINE_INTERPRETER] = 0x1p18,
	};
	double budget = budgets[info->engine];

	return traced && budget > TRACED_BUDGET ? TRACED_BUDGET : budget;
}

bool suite_is_emulated(const struct gpu_device_info *info)
{
	return info->type == GPU_TYPE_EMULATED;
}

bool suite_is_about_timing(enum pmpp_status status)
{
	return status == PMPP_BUILD || status == PMPP_LAUNCH || status == PMPP_UNSUPPORTED ||
	       status == PMPP_OUT_OF_MEMORY;
}

/* Both are of OpenCL, but of two drivers. An index is "platform.device". */
static bool other_platform(const struct gpu_device_info *a, const struct gpu_device_info *b)
{
	return a->backend == GPU_BACKEND_OPENCL && b->backend == GPU_BACKEND_OPENCL &&
	       strtoul(a->index, NULL, 10) != strtoul(b->index, NULL, 10);
}

/* Parts of one GPU (MIG) have one PCI address and several UUIDs. Drivers of several vendors make
 * UUIDs in several ways, so between platforms the address decides. */
bool suite_same_device(const struct gpu_device_info *a, const struct gpu_device_info *b)
{
	bool same_pci = *a->pci && strcmp(a->pci, b->pci) == 0;

	if (*a->uuid && *b->uuid && !(same_pci && other_platform(a, b)))
		return strcmp(a->uuid, b->uuid) == 0;
	return same_pci;
}

/* ---- Records of devices --------------------------------------------------------------------- */

/* Device records for result files, from the driver's description of the device. */

struct device_key device_key(const struct gpu_device_info *info)
{
	struct device_key key;

	snprintf(key.text, sizeof key.text, "%s:%s",
		*info->uuid  ? "uuid"
		: *info->pci ? "pci"
			     : "name",
		*info->uuid  ? info->uuid
		: *info->pci ? info->pci
			     : info->name);
	return key;
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

/* Fills an initialised record. PMPP_OUT_OF_MEMORY is the only error. */
static enum pmpp_status fill_shape(
	const struct device_shape *shape, struct shape_record *ret_record, struct pmpp_error *error)
{
	bool stored = true;

	ret_record->record.present = true;
	for (size_t i = 0; i < SHAPE_COUNT && stored; i++) {
		const struct shape_value *value = &shape->of[i];
		struct shape_value_record *record =
			record_list_add(&shape_value_type, &ret_record->values);

		stored = record != NULL;
		if (!stored)
			break;
		text_set(&record->name, shape_rows[i].key);
		text_set(&record->unit, shape_rows[i].unit);
		record->source = (int)value->source;
		if (value->source != SHAPE_UNKNOWN)
			record->value = value->value;
		text_set(&record->origin, value->origin);
	}
	for (size_t i = 0; i < shape->width_count && stored; i++)
		stored = integer_list_add(&ret_record->widths, shape->widths[i]);
	text_set(&ret_record->unit, shape->unit);
	text_set(&ret_record->part, shape->part);
	if (shape->part)
		ret_record->parts = shape->parts;
	text_set(&ret_record->model, shape->model);
	return stored ? PMPP_OK : PMPP_NO_MEMORY(error, "a device");
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

enum pmpp_status device_record_fill(const struct gpu_device_info *info,
	const struct roofs_record *roofs, const struct timer_record *timer,
	struct device_record *ret_device, struct pmpp_error *error)
{
	record_init(&device_type, ret_device);
	struct view_record *view = record_list_add(&view_type, &ret_device->views);
	if (!view)
		return PMPP_NO_MEMORY(error, "a device");
	text_set(&ret_device->key, device_key(info).text);
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
	copy_measured(roofs, timer, &ret_device->roofs, &ret_device->timer);
	copy_measured(roofs, timer, &view->roofs, &view->timer);
	return fill_shape(&info->shape, &view->shape, error);
}
