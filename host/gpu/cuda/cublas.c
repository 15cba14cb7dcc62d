/* cuBLAS on a CUDA device: works in the stream and the context of the device. */
#include "host/gpu/cuda/cublas_api.h"
#include "host/gpu/cuda/find.h"
#include "host/gpu/cuda/internal.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cublas_library {
	struct gpu_library base;
	cublasHandle_t handle;
};

/* ---- Errors -------------------------------------------------------------------------------- */

static const struct api_codes codes = API_CODES(CUBLAS_STATUS_MAP, "unknown cuBLAS code");

#define CUBLAS_CALL(error, fallback, function, ...)                                            \
	api_result(&codes, (error), (fallback), (long)cublas.function(__VA_ARGS__), #function, \
		__FILE__, __LINE__)

/* ---- Loading ------------------------------------------------------------------------------- */

static struct cublas_api cublas;

static const struct shared_symbol symbols[] = {
#define XX(function, symbol, parameters) \
	{symbol, offsetof(struct cublas_api, function), NULL, false},
	CUBLAS_FUNCTION_MAP(XX)
#undef XX
};

/* Not libcublas.so, which may be newer than the driver. */
static const struct wanted_library wanted = {
	{{"libcublas.so.13", 13}, {"libcublas.so.12", 12}, {"libcublas.so.11", 11}}, "cublas"};

static struct {
	pthread_once_t once;
	char reason[300]; /* why there is no library; "" = loaded */
} state = {.once = PTHREAD_ONCE_INIT};

/* Loads libcublasLt of the same folder first, because cuBLAS needs it. The dynamic linker does not
 * search packages of Python, but it finds a loaded library by its name. */
static void load_beside(const char *path)
{
	static const char stem[] = "libcublas.so";
	const char *name = strrchr(path, '/');
	char beside[FIND_PATH_BYTES];

	if (name && strncmp(name + 1, stem, strlen(stem)) == 0 &&
		snprintf(beside, sizeof beside, "%.*s/libcublasLt.so%s", (int)(name - path), path,
			name + 1 + strlen(stem)) < (int)sizeof beside)
		dlopen(beside, RTLD_NOW | RTLD_LOCAL);
}

/* A library_visitor. Skips a library of a newer CUDA than the driver's, because it does not run. */
static bool accept(void *context, const char *name, int major, const char *origin)
{
	const char *missing, *why;
	void *handle;

	(void)context;
	if (major > cuda_driver_version() / 1000)
		return false;
	load_beside(name);
	handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	why = handle ? NULL : dlerror();
	missing = handle ? shared_symbols_find(
				   symbols, sizeof symbols / sizeof *symbols, handle, &cublas)
			 : NULL;
	if (handle && !missing) {
		state.reason[0] = '\0';
		return true;
	}
	if (missing)
		snprintf(state.reason, sizeof state.reason,
			"cuBLAS cannot be used: %.100s (%s) has no function %s", name, origin,
			missing);
	else if (why && !strstr(why, "No such file"))
		snprintf(state.reason, sizeof state.reason, "cuBLAS cannot be used: %.200s (%s)",
			why, origin);
	return false;
}

static void load(void)
{
	int major = cuda_driver_version() / 1000;

	/* NVIDIA's packages of CUDA 13 and newer have no version in their names. */
	snprintf(state.reason, sizeof state.reason,
		"cuBLAS is not installed: no libcublas.so of CUDA %d or older; with Python: pip "
		"install nvidia-cublas%s",
		major,
		major >= 13   ? ""
		: major == 12 ? "-cu12"
			      : "-cu11");
	find_library(&wanted, accept, NULL);
}

/* ---- Calls --------------------------------------------------------------------------------- */

/* cuBLAS 11.3 and older: 1000 * major + 100 * minor + patch. Newer: 10000 * major + 100 * minor +
 * patch. */
static void describe(struct cublas_library *library)
{
	struct gpu_library *base = &library->base;
	int version = 0;

	snprintf(base->name, sizeof base->name, "cuBLAS");
	if (cublas.cublasGetVersion(library->handle, &version) != CUBLAS_STATUS_SUCCESS)
		return;
	int unit = version >= 100000 ? 10000 : 1000;
	snprintf(base->version, sizeof base->version, "%d.%d.%d", version / unit,
		version % unit / 100, version % 100);
}

static void close_library(struct gpu_library *library)
{
	struct cublas_library *self = (struct cublas_library *)library;

	cuda.cuCtxSetCurrent(cuda_device_of(library->device)->context);
	if (self->handle)
		cublas.cublasDestroy(self->handle);
}

static enum pmpp_status open_library(struct gpu_library *library, struct pmpp_error *error)
{
	struct cuda_device *device = cuda_device_of(library->device);
	struct cublas_library *self = (struct cublas_library *)library;

	pthread_once(&state.once, load);
	if (state.reason[0])
		return PMPP_FAIL(error, PMPP_UNSUPPORTED, "%s", state.reason);
	enum pmpp_status status = cuda_enter(device, error);
	if (status == PMPP_OK)
		status = CUBLAS_CALL(error, PMPP_UNSUPPORTED, cublasCreate, &self->handle);
	if (status == PMPP_OK)
		status = CUBLAS_CALL(
			error, PMPP_UNSUPPORTED, cublasSetStream, self->handle, device->stream);
	if (status == PMPP_OK)
		describe(self);
	return status;
}

static const float one = 1, zero = 0;

static void *address_of(const struct gpu_buffer *buffer)
{
	return (void *)((const struct cuda_buffer *)buffer)->operand;
}

static enum pmpp_status multiply(
	cublasHandle_t handle, const struct gpu_call *call, struct pmpp_error *error)
{
	static const struct {
		cudaDataType type;
		cublasComputeType_t compute;
	} kinds[] = {
		[PEER_PRODUCT_F32] = {CUDA_R_32F, CUBLAS_COMPUTE_32F_PEDANTIC},
		[PEER_PRODUCT_TF32] = {CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32},
		[PEER_PRODUCT_F16] = {CUDA_R_16F, CUBLAS_COMPUTE_32F},
	};
	const void *a = address_of(call->buffers[0]), *b = address_of(call->buffers[1]);
	int m = (int)call->work.m, n = (int)call->work.n, k = (int)call->work.k;
	cudaDataType type = kinds[call->work.operation].type;

	/* cuBLAS stores matrices by columns. C = A B by rows is C^T = B^T A^T by columns. */
	return CUBLAS_CALL(error, PMPP_LAUNCH, cublasGemmEx, handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m,
		k, &one, b, type, n, a, type, k, &zero, address_of(call->buffers[2]), CUDA_R_32F, n,
		kinds[call->work.operation].compute, CUBLAS_GEMM_DEFAULT);
}

/* B = 1 A^T + 0 B. A by rows is A^T by columns, so by columns this is B^T = 1 (A^T)^T + 0 B^T. */
static enum pmpp_status transpose(
	cublasHandle_t handle, const struct gpu_call *call, struct pmpp_error *error)
{
	int m = (int)call->work.m, n = (int)call->work.n;
	float *b = address_of(call->buffers[1]);

	return CUBLAS_CALL(error, PMPP_LAUNCH, cublasSgeam, handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n,
		&one, address_of(call->buffers[0]), n, &zero, b, m, b, m);
}

static enum pmpp_status call_library(
	struct gpu_library *library, const struct gpu_call *call, struct pmpp_error *error)
{
	cublasHandle_t handle = ((struct cublas_library *)library)->handle;
	enum pmpp_status status = cuda_enter(cuda_device_of(library->device), error);

	if (status != PMPP_OK)
		return status;
	return (call->work.operation == PEER_TRANSPOSE ? transpose : multiply)(handle, call, error);
}

const struct gpu_library_driver cuda_cublas = {
	.operations = 1u << PEER_PRODUCT_F32 | 1u << PEER_PRODUCT_TF32 | 1u << PEER_PRODUCT_F16 |
		      1u << PEER_TRANSPOSE,
	.bytes = sizeof(struct cublas_library),
	.open = open_library,
	.close = close_library,
	.call = call_library};
