#include "host/suite/kernel_ptx.h"

#include "host/gpu/ptx.h"
#include "host/suite/kernel_file.h"

enum pmpp_status kernel_ptx_of_file(const struct config *config, const struct problem *problem,
	enum gpu_backend_id backend, const char *root, enum gpu_math math, const char *arch,
	char **ret_ptx, struct pmpp_error *error)
{
	struct kernel_file file = {0};
	enum pmpp_status status = kernel_file_load(config, problem, backend, root, &file, error);

	if (status != PMPP_OK)
		return status;
	struct gpu_program_desc desc = kernel_file_desc(&file, math);
	status = gpu_source_ptx(backend, &desc, arch, ret_ptx, error);
	kernel_file_finish(&file);
	return status;
}

enum pmpp_status kernel_ptx_count(const struct plan *plan, const char *const texts[2],
	struct ptx_table *table, struct pmpp_error *error)
{
	const char *entries[PMPP_MAX_STEPS];
	size_t entry_count = 0;
	enum pmpp_status status = PMPP_OK;

	/* A file may also contain kernels of other variants. */
	for (size_t i = 0; i < plan->step_count; i++) {
		const struct plan_launch *launch = plan_step_launch(&plan->steps[i]);
		if (launch)
			entries[entry_count++] = launch->entry;
	}
	for (int i = 0; i < 2 && status == PMPP_OK; i++)
		if (texts[i])
			status = ptx_count(texts[i], entries, entry_count, i, table, error);
	return status;
}
