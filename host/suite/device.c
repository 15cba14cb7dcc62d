#include "host/suite/device.h"

#include "common/model/access_model.h"
#include "common/model/last_level_cache.h"

#include <stdlib.h>
#include <string.h>

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

static struct cache_facts cache_facts_of(const struct gpu_device_info *info)
{
	return (struct cache_facts){.vendor = info->vendor,
		.name = info->name,
		.is_gpu = info->type != GPU_TYPE_CPU,
		.reported_bytes = info->limits.cache_bytes,
		.memory_bytes = info->limits.global_bytes};
}

uint64_t suite_cache_bytes(const struct gpu_device_info *info)
{
	const struct cache_facts facts = cache_facts_of(info);

	return suite_is_emulated(info) ? info->limits.cache_bytes : last_level_cache_bytes(&facts);
}

bool suite_overfetches(const struct gpu_device_info *info)
{
	const struct cache_facts facts = cache_facts_of(info);

	return last_level_cache_overfetches(&facts);
}

uint64_t suite_second_cache_bytes(const struct gpu_device_info *info)
{
	const struct cache_facts facts = cache_facts_of(info);

	return last_level_cache_l2_bytes(&facts);
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
