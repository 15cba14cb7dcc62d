/* The hardware of the models. */
#include "host/explain/internal.h"

#include <stdio.h>
#include <string.h>

/* The name of the device is set even if the variant did not run on it. */
static bool has_gpu(const struct explanation *explanation)
{
	const struct gpu_device_info *info = &explanation->device;

	return *info->name && suite_device_class(info) == DEVICE_CLASS_GPU;
}

/* The name of the device's model; NULL: there is none. */
static const char *model_of_device(const struct gpu_device_info *info)
{
	const struct occupancy_unit *unit = occupancy_unit_find(info->arch);

	return info->shape.model ? info->shape.model : unit ? unit->name : NULL;
}

bool explain_on_device(const struct explanation *explanation)
{
	return has_gpu(explanation) &&
	       strcmp(explanation->target.name, explanation->device.name) == 0;
}

bool explain_has_roofs(const struct explanation *explanation)
{
	const struct explain_target *target = &explanation->target;
	const char *cc = target->has_unit ? target->unit.cc : NULL;
	bool is_reference = cc && strcmp(cc, ROOFLINE_REFERENCE_CC) == 0;

	return !explain_for_cpus(explanation) &&
	       (target->roofs_measured || (is_reference && !explain_on_device(explanation)));
}

/* lanes: the width of a warp; 0: the usual one. */
static void set_unit(struct explain_target *target, const char *name, int64_t lanes)
{
	const struct occupancy_unit *row = name ? occupancy_unit_find(name) : NULL;

	if (!row)
		return;
	target->unit = *row;
	target->has_unit = lanes == 0 || occupancy_unit_set_width(&target->unit, lanes);
}

static void target_device(struct explanation *explanation)
{
	struct explain_target *target = &explanation->target;
	const struct gpu_device_info *info = &explanation->device;
	const struct floor_rates *rates = &explanation->device_rates;

	set_unit(target, model_of_device(info), shape_value_or(&info->shape, SHAPE_LANES, 0));
	snprintf(target->name, sizeof target->name, "%s", info->name);
	target->roofs_measured = rates->copy_gbps > 0 && rates->gops[OPERATIONS_F32] > 0;
	if (target->roofs_measured)
		target->hardware = (struct roofline_device){.name = info->name,
			.rates = *rates,
			.multiprocessors = info->limits.compute_units};
}

static void target_model(struct explain_target *target, const char *name, int64_t lanes)
{
	set_unit(target, name, lanes);
	if (target->has_unit && target->unit.cc)
		snprintf(target->name, sizeof target->name, "compute capability %s",
			target->unit.cc);
	else if (target->has_unit && target->unit.lanes != occupancy_unit_find(name)->lanes)
		snprintf(target->name, sizeof target->name, "%s with %lld lanes", name,
			(long long)lanes);
	else
		snprintf(target->name, sizeof target->name, "%s", name);
}

void explain_choose_target(struct explanation *explanation, const struct explain_options *options)
{
	struct explain_target *target = &explanation->target;
	const struct access_model *model = explanation->model;
	const char *asked = options->sm      ? options->sm->name
			    : options->model ? options->model->name
					     : NULL;
	const char *own = model_of_device(&explanation->device);

	*target = (struct explain_target){.hardware = roofline_reference};
	if (has_gpu(explanation) && (!asked || (own && strcmp(asked, own) == 0)))
		target_device(explanation);
	else
		target_model(target, asked ? asked : model->name, model->lanes);
}
