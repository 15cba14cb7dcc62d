#include "host/gpu/ptx.h"

#include "host/gpu/backend.h"

/* Returns a backend whose compiler needs no device; otherwise NULL, and sets the error. */
static const struct gpu_backend *find_compiler(enum gpu_backend_id id, struct pmpp_error *error)
{
	const char *missing;
	const struct gpu_backend *backend = gpu_backend_of(id, &missing);

	if (!backend)
		PMPP_FAIL(error, PMPP_UNAVAILABLE, "%s", missing);
	else if (!backend->arch_check)
		PMPP_FAIL(error, PMPP_UNSUPPORTED, "%s cannot compile without a device",
			gpu_backend_name(id));
	return backend && backend->arch_check ? backend : NULL;
}

enum pmpp_status gpu_arch_check(enum gpu_backend_id id, const char *arch, struct pmpp_error *error)
{
	const struct gpu_backend *backend = find_compiler(id, error);

	return backend ? backend->arch_check(arch, error) : error->status;
}

enum pmpp_status gpu_source_ptx(enum gpu_backend_id id, const struct gpu_program_desc *desc,
	const char *arch, char **ret_ptx, struct pmpp_error *error)
{
	const struct gpu_backend *backend = find_compiler(id, error);

	return backend ? backend->source_ptx(desc, arch, ret_ptx, error) : error->status;
}

enum pmpp_status gpu_source_resources(enum gpu_backend_id id, const struct gpu_program_desc *desc,
	const char *arch, const char *const *entries, size_t entry_count,
	struct gpu_kernel_resources *ret_resources, struct pmpp_error *error)
{
	const char *missing;
	const struct gpu_backend *backend = gpu_backend_of(id, &missing);

	if (!backend)
		return PMPP_FAIL(error, PMPP_UNAVAILABLE, "%s", missing);
	if (!backend->source_resources)
		return PMPP_FAIL(error, PMPP_UNSUPPORTED,
			"%s does not report the registers of a kernel without a device",
			gpu_backend_name(id));
	return backend->source_resources(desc, arch, entries, entry_count, ret_resources, error);
}

enum pmpp_status gpu_program_ptx(
	struct gpu_program *program, char **ret_ptx, struct pmpp_error *error)
{
	const struct gpu_backend *backend = program->device->backend;

	if (!backend->program_ptx)
		return PMPP_FAIL(error, PMPP_UNSUPPORTED, "the program binary of %s is not PTX",
			program->device->info.name);
	return backend->program_ptx(program, ret_ptx, error);
}
