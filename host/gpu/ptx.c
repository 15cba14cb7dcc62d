#include "host/gpu/ptx.h"

#include "host/gpu/backend.h"

/* Returns the compiler of a backend; otherwise NULL, and sets the error: the backend cannot do `what`. */
static const struct gpu_offline *find_compiler(
	enum gpu_backend_id id, bool for_ptx, const char *what, struct pmpp_error *error)
{
	const char *missing;
	const struct gpu_backend *backend = gpu_backend_of(id, &missing);
	const struct gpu_offline *offline = backend ? backend->offline : NULL;

	if (offline && (offline->arch_check || !for_ptx))
		return offline;
	if (!backend)
		PMPP_FAIL(error, PMPP_UNAVAILABLE, "%s", missing);
	else
		PMPP_FAIL(error, PMPP_UNSUPPORTED, "%s %s without a device", gpu_backend_name(id),
			what);
	return NULL;
}

#define COMPILE "cannot compile"

enum pmpp_status gpu_arch_check(enum gpu_backend_id id, const char *arch, struct pmpp_error *error)
{
	const struct gpu_offline *offline = find_compiler(id, true, COMPILE, error);

	return offline ? offline->arch_check(arch, error) : error->status;
}

enum pmpp_status gpu_source_ptx(enum gpu_backend_id id, const struct gpu_program_desc *desc,
	const char *arch, char **ret_ptx, struct pmpp_error *error)
{
	const struct gpu_offline *offline = find_compiler(id, true, COMPILE, error);

	return offline ? offline->source_ptx(desc, arch, ret_ptx, error) : error->status;
}

enum pmpp_status gpu_source_resources(enum gpu_backend_id id, const struct gpu_program_desc *desc,
	const char *arch, const char *const *entries, size_t entry_count,
	struct gpu_kernel_resources *ret_resources, struct pmpp_error *error)
{
	const struct gpu_offline *offline =
		find_compiler(id, false, "does not report the registers of a kernel", error);

	return offline ? offline->source_resources(
				 desc, arch, entries, entry_count, ret_resources, error)
		       : error->status;
}

void gpu_compiler_text(enum gpu_backend_id id, char *ret_text, size_t size)
{
	const char *missing;
	const struct gpu_backend *backend = gpu_backend_of(id, &missing);

	*ret_text = '\0';
	if (backend && backend->offline)
		backend->offline->describe(ret_text, size);
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
