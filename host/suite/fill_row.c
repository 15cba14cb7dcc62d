#include "host/suite/fill_row.h"

#include "host/suite/fill_device.h"

void fill_dims(const struct problem *problem, struct named_list *list)
{
	for (size_t i = 0; i < problem->family->dim_count; i++)
		named_list_add(list, problem->family->dim_names[i], problem->dim[i]);
}

void fill_macros(const struct config *config, struct named_list *list)
{
	for (size_t i = 0; config->variant->macros[i].name; i++)
		named_list_add(list, config->variant->macros[i].name, config->value[i]);
}

static const char *data_name(const struct problem *problem)
{
	const char *data = problem->family->data[problem->data];

	if (problem->source == INPUT_USER)
		return "user";
	return data ? data : "random";
}

void fill_row_head(const struct config *config, const struct problem *problem,
	const struct gpu_device_info *info, struct result_row *ret_row)
{
	const struct variant *variant = config->variant;
	char key[DEVICE_KEY_BYTES];

	record_init(&result_row_type, ret_row);
	fill_device_key(info, key, sizeof key);
	text_set(&ret_row->family, problem->family->name);
	text_set(&ret_row->variant, variant->name);
	text_set(&ret_row->technique, variant->technique);
	text_set(&ret_row->backend, gpu_backend_name(info->backend));
	text_set(&ret_row->device, key);
	text_set(&ret_row->dtype, dtype_info(problem->dtype)->name);
	text_set(&ret_row->op, problem->family->ops[problem->op]);
	text_set(&ret_row->data, data_name(problem));
	fill_dims(problem, &ret_row->problem);
	ret_row->seed = (int64_t)problem->seed;
	fill_macros(config, &ret_row->macros);
	text_set(&ret_row->repro, reproducibility_name(variant->repro));
}

static void fill_launch(const struct plan_launch *launch, struct step_record *record)
{
	text_set(&record->kernel, launch->entry);
	for (int d = 0; d < 3; d++) {
		record->grid[d] = (int64_t)launch->groups[d];
		record->block[d] = (int64_t)launch->block[d];
	}
	record->shared_bytes = (int64_t)launch->shared_bytes;
	record_set_absent(&step_type, record, "fill", true);
}

static void fill_fill(const struct plan_fill *fill, struct step_record *record)
{
	static const char *const of_launches[] = {"kernel", "grid", "block", "shared_bytes"};

	record->fill = (int64_t)fill->pattern;
	for (size_t i = 0; i < sizeof of_launches / sizeof *of_launches; i++)
		record_set_absent(&step_type, record, of_launches[i], true);
}

void fill_steps(const struct plan *plan, struct step_list *list)
{
	for (size_t s = 0; s < plan->step_count; s++) {
		const struct plan_step *step = &plan->steps[s];
		const struct plan_launch *launch = plan_step_launch(step);
		struct step_record *record = record_list_add(&step_type, list);

		if (record && launch)
			fill_launch(launch, record);
		else if (record)
			fill_fill(&step->as.fill, record);
	}
}

void fill_resources(const struct gpu_kernel_resources *resources, struct resources_record *record)
{
	record->record.present = true;
	record->registers = resources->registers;
	record->shared_bytes = resources->shared_bytes;
	record->spill_bytes = resources->spill_bytes;
	record->max_block = resources->max_block_threads;
	if (resources->scalar_registers > 0)
		record->sgprs = resources->scalar_registers;
	if (resources->acc_registers > 0)
		record->accvgprs = resources->acc_registers;
}
