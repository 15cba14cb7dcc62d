/*
 * CLBlast on an OpenCL device. It builds its kernels at the first call for a device. A call queues
 * several commands and returns only the event of the last one. Therefore a marker before the call
 * begins a timed interval.
 */
#include "host/gpu/opencl/internal.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clblast_c.h: CLBlastLayoutRowMajor, CLBlastTransposeNo. */
#define ROW_MAJOR 101
#define NO_TRANSPOSE 111

struct clblast_api {
	int (*sgemm)(int layout, int transpose_a, int transpose_b, size_t m, size_t n, size_t k,
		float alpha, cl_mem a, size_t a_offset, size_t a_pitch, cl_mem b, size_t b_offset,
		size_t b_pitch, float beta, cl_mem c, size_t c_offset, size_t c_pitch,
		cl_command_queue *queue, cl_event *event);
	int (*clear_cache)(void);
};

static const struct shared_symbol symbols[] = {
	{"CLBlastSgemm", offsetof(struct clblast_api, sgemm), NULL, false},
	{"CLBlastClearCache", offsetof(struct clblast_api, clear_cache), NULL, false},
};

static const char *const names[] = {"libclblast.so.1", "libclblast.dylib",
	"/opt/homebrew/opt/clblast/lib/libclblast.dylib", NULL};

static const struct shared_library clblast = {.title = "CLBlast",
	.names = names,
	.install = "on Debian: apt install libclblast1",
	.symbols = symbols,
	.symbol_count = sizeof symbols / sizeof *symbols};

struct clblast_library {
	struct gpu_library base;
	struct clblast_api api;
};

/* ---- Opening ------------------------------------------------------------------------------- */

/* CLBlast has no function for its version. The name of its file has it: "libclblast.so.1.5.3". */
static void find_version(const struct clblast_api *api, char *ret_version, size_t size)
{
	Dl_info info;
	void *address;
	char *path;

	*ret_version = '\0';
	memcpy(&address, &api->sgemm, sizeof address);
	if (!dladdr(address, &info) || !info.dli_fname)
		return;
	path = realpath(info.dli_fname, NULL);
	const char *found = path ? strstr(path, ".so.") : NULL;
	if (found && strchr(found + strlen(".so."), '.'))
		snprintf(ret_version, size, "%s", found + strlen(".so."));
	free(path);
}

static enum pmpp_status open_library(struct gpu_library *library, struct pmpp_error *error)
{
	struct clblast_library *self = (struct clblast_library *)library;
	void *handle;
	enum pmpp_status status = shared_library_open(&clblast, &self->api, &handle, error);

	if (status != PMPP_OK)
		return status;
	snprintf(library->name, sizeof library->name, "%s", clblast.title);
	find_version(&self->api, library->version, sizeof library->version);
	return PMPP_OK;
}

/* CLBlast finds its kernels by the handle of the context. A later context may get the same handle.
 * The library stays loaded, because its objects may have destructors. */
static void close_library(struct gpu_library *library)
{
	struct clblast_library *self = (struct clblast_library *)library;

	if (self->api.clear_cache)
		self->api.clear_cache();
}

/* ---- Products ------------------------------------------------------------------------------ */

/* clblast_c.h, CLBlastStatusCode: this code and all below are CLBlast's. The codes above it are those
 * of OpenCL; the codes for lack of memory are among them. */
#define FIRST_OWN_CODE (-1007)

/* The codes of CLBlast that a product can return. */
static const struct api_code rows[] = {
	{-1009, PMPP_OK, "CLBlastInsufficientMemoryC"},
	{-1010, PMPP_OK, "CLBlastInsufficientMemoryB"},
	{-1011, PMPP_OK, "CLBlastInsufficientMemoryA"},
	{-1014, PMPP_OK, "CLBlastInvalidLeadDimC"},
	{-1015, PMPP_OK, "CLBlastInvalidLeadDimB"},
	{-1016, PMPP_OK, "CLBlastInvalidLeadDimA"},
	{-1017, PMPP_OK, "CLBlastInvalidDimension"},
	{-1020, PMPP_OK, "CLBlastInvalidMatrixC"},
	{-1021, PMPP_OK, "CLBlastInvalidMatrixB"},
	{-1022, PMPP_OK, "CLBlastInvalidMatrixA"},
	{-1024, PMPP_OK, "CLBlastNotImplemented"},
	{-2039, PMPP_OK, "CLBlastUnexpectedError"},
	{-2040, PMPP_OK, "CLBlastUnknownError"},
	{-2041, PMPP_OK, "CLBlastDatabaseError"},
	{-2046, PMPP_OK, "CLBlastInvalidLocalMemUsage"},
	{-2050, PMPP_OK, "CLBlastInsufficientMemoryTemp"},
	{0, PMPP_OK, NULL},
};

static const struct api_codes own_codes = {rows, "a code of CLBlast"};

/* Begins a timed interval with a marker, if the interval has no command yet. */
static enum pmpp_status mark(struct opencl_device *device, struct pmpp_error *error)
{
	if (device->base.timer != GPU_TIMER_OPEN || device->timer.first)
		return PMPP_OK;
	device->timer.first_is_marker = true;
	return CL_CALL(error, PMPP_LAUNCH, clEnqueueMarkerWithWaitList, device->queue, 0, NULL,
		&device->timer.first);
}

static enum pmpp_status multiply(
	struct gpu_library *library, const struct gpu_call *call, struct pmpp_error *error)
{
	const struct clblast_library *self = (const struct clblast_library *)library;
	struct opencl_device *device = opencl_device_of(library->device);
	size_t m = (size_t)call->work.m, n = (size_t)call->work.n, k = (size_t)call->work.k;
	cl_mem a = ((const struct opencl_buffer *)call->buffers[0])->operand;
	cl_mem b = ((const struct opencl_buffer *)call->buffers[1])->operand;
	cl_mem c = ((const struct opencl_buffer *)call->buffers[2])->operand;

	enum pmpp_status status = mark(device, error);
	if (status != PMPP_OK)
		return status;
	int code = self->api.sgemm(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, m, n, k, 1.0f, a, 0, k, b,
		0, n, 0.0f, c, 0, n, &device->queue, opencl_timer_event(device));
	return api_result(code > FIRST_OWN_CODE ? &opencl_codes : &own_codes, error, PMPP_LAUNCH,
		code, "CLBlastSgemm", __FILE__, __LINE__);
}

const struct gpu_library_driver opencl_clblast = {.operations = 1u << PEER_PRODUCT_F32,
	.bytes = sizeof(struct clblast_library),
	.open = open_library,
	.close = close_library,
	.call = multiply};
