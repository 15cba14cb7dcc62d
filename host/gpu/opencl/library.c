/* Libraries for OpenCL devices. */
#include "host/gpu/opencl/clblast.h"
#include "host/gpu/opencl/internal.h"
#include "host/gpu/opencl/openblas.h"

static bool is_device(const struct gpu_device_info *info)
{
	return info->engine != GPU_ENGINE_INTERPRETER;
}

static bool is_cpu(const struct gpu_device_info *info)
{
	return info->type == GPU_TYPE_CPU && is_device(info);
}

static const struct {
	bool (*takes)(const struct gpu_device_info *info);
	enum pmpp_status (*open)(struct gpu_device *device, struct gpu_library **ret_library,
		struct pmpp_error *error);
	void (*close)(struct gpu_library *library);
	enum pmpp_status (*multiply)(struct gpu_library *library, const struct gpu_product *product,
		struct pmpp_error *error);
	enum pmpp_status (*wake_up)(struct gpu_library *library, struct pmpp_error *error);
} rows[PEER_LIBRARY_COUNT] = {
	[PEER_CLBLAST] = {is_device, clblast_open, clblast_close, clblast_multiply, NULL},
	[PEER_OPENBLAS] = {is_cpu, openblas_open, openblas_close, openblas_multiply,
		openblas_wake_up},
};

bool opencl_takes_library(const struct gpu_device_info *info, enum peer_library id)
{
	return rows[id].takes && rows[id].takes(info);
}

enum pmpp_status opencl_library_open(struct gpu_device *device, enum peer_library id,
	struct gpu_library **ret_library, struct pmpp_error *error)
{
	return rows[id].open(device, ret_library, error);
}

void opencl_library_close(struct gpu_library *library)
{
	rows[library->id].close(library);
}

enum pmpp_status opencl_multiply(
	struct gpu_library *library, const struct gpu_product *product, struct pmpp_error *error)
{
	return rows[library->id].multiply(library, product, error);
}

enum pmpp_status opencl_library_wake_up(struct gpu_library *library, struct pmpp_error *error)
{
	return rows[library->id].wake_up ? rows[library->id].wake_up(library, error) : PMPP_OK;
}
