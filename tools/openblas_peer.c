/*
 * Times OpenBLAS sgemm and the CPU matmul kernel of this project in turn, in one process
 * (openblas-compare.sh). Usage: openblas_peer KERNEL-FILE [N]
 */
#define _POSIX_C_SOURCE 200809L
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TILE 256
#define OPTIONS "-DTILE_M=256 -DTILE_N=256 -DTILE_K=256"
#define ROUNDS 15

static void require(int condition, const char *what)
{
	if (!condition) {
		fprintf(stderr, "openblas_peer: failed: %s\n", what);
		exit(1);
	}
}

#define CHECK(call) require((call) == CL_SUCCESS, #call)

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts the values and returns the median. */
static double median(double values[ROUNDS])
{
	qsort(values, ROUNDS, sizeof *values, ascending);
	return values[ROUNDS / 2];
}

/* The first CPU device of any platform. */
static cl_device_id cpu_device(void)
{
	cl_platform_id platforms[16];
	cl_device_id device = NULL;
	cl_uint count = 0;

	clGetPlatformIDs(16, platforms, &count);
	for (cl_uint i = 0; i < count && i < 16 && !device; i++)
		if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, NULL))
			device = NULL;
	require(device != NULL, "finding an OpenCL CPU device (on Debian: pocl-opencl-icd)");
	return device;
}

static cl_kernel build(cl_context context, cl_device_id device, const char *path)
{
	static char text[1 << 16], log[1 << 12];
	const char *source = text;
	FILE *file = fopen(path, "r");

	require(file != NULL, path);
	require(fread(text, 1, sizeof text - 1, file) < sizeof text - 1, "reading the kernel");
	fclose(file);

	cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
	cl_int status = clBuildProgram(program, 1, &device, OPTIONS, NULL, NULL);

	clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
	fputs(log, stderr);
	require(status == CL_SUCCESS, "building the kernel");
	return clCreateKernel(program, "matmul_cpu_packed", NULL);
}

static void print_rate(const char *name, double times[ROUNDS], double flop)
{
	double middle = median(times);

	printf("%-10s %8.1f GFLOP/s median, %.1f best\n", name, 1e-9 * flop / middle,
		1e-9 * flop / times[0]);
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 1024;

	if (argc < 2 || argc > 3 || n < 1 || n > 32768) {
		fputs("usage: openblas_peer KERNEL-FILE [N]\n", stderr);
		return 2;
	}
	setenv("POCL_AFFINITY", "1", 0); /* otherwise two workers may share a core */

	cl_device_id device = cpu_device();
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
	cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
	cl_kernel kernel = build(context, device, argv[1]);
	size_t count = (size_t)n * (size_t)n, bytes = count * sizeof(float);
	float *operand[4]; /* A, B, our C, their C */
	unsigned random = 1;

	for (cl_uint i = 0; i < 4; i++) {
		operand[i] = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
		require(operand[i] != NULL, "memory");
		for (size_t j = 0; j < count; j++) {
			random = random * 1664525u + 1013904223u;
			operand[i][j] = i < 2 ? (float)(random >> 8) / 8388608.0f - 1.0f : NAN;
		}
	}

	cl_mem buffer[3];

	for (cl_uint i = 0; i < 3; i++) {
		buffer[i] = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, bytes, operand[i], NULL);
		require(buffer[i] != NULL, "creating a buffer");
		CHECK(clSetKernelArg(kernel, i, sizeof buffer[i], &buffer[i]));
		CHECK(clSetKernelArg(kernel, 3 + i, sizeof n, &n));
	}

	double own[ROUNDS], peer[ROUNDS], ratio[ROUNDS], flop = 2.0 * n * n * n;
	size_t tiles = ((size_t)n - 1) / TILE + 1, groups = tiles * tiles, block = 1;
	const struct timespec pause = {.tv_nsec = 100000000};

	for (int round = -1; round < ROUNDS; round++) {
		int at = round < 0 ? 0 : round; /* round -1 warms up */
		double start = seconds();

		cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0f, operand[0], n,
			operand[1], n, 0.0f, operand[3], n);
		peer[at] = seconds() - start;
		nanosleep(&pause, NULL); /* the threads of OpenBLAS still run in a loop */
		start = seconds();
		CHECK(clEnqueueNDRangeKernel(
			queue, kernel, 1, NULL, &groups, &block, 0, NULL, NULL));
		CHECK(clFinish(queue));
		own[at] = seconds() - start;
		ratio[at] = peer[at] / own[at];
	}
	CHECK(clEnqueueReadBuffer(queue, buffer[2], CL_TRUE, 0, bytes, operand[2], 0, NULL, NULL));

	/* Much larger than the rounding errors of sums with random signs, much smaller than one missing
	 * product. */
	double bound = 1e-6 * n;
	size_t wrong = 0;

	for (size_t j = 0; j < count; j++)
		wrong += !(fabs((double)operand[2][j] - (double)operand[3][j]) <= bound);
	printf("n %d, %d rounds; OpenBLAS core %s, %d threads\n", n, ROUNDS,
		openblas_get_corename(), openblas_get_num_threads());
	print_rate("OpenBLAS", peer, flop);
	print_rate("cpu_packed", own, flop);

	double middle = median(ratio);

	printf("ratio      %8.3f median of the rounds, %.3f to %.3f\n", middle, ratio[0],
		ratio[ROUNDS - 1]);
	printf("results    %s (%zu elements differ by more than %g)\n", wrong ? "WRONG" : "agree",
		wrong, bound);
	return wrong ? 1 : 0;
}
