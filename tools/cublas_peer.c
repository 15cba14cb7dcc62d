/*
 * Times the product of two f32 matrices by cuBLAS: the peer of matmul. Pedantic mode: plain FP32
 * multiply-adds, no tensor cores. Prints one JSON object.
 *
 *     cc -O2 cublas_peer.c -I CUDA/include -L CUDA/lib64 -lcublas -lcudart -lm -o cublas_peer
 *     ./cublas_peer [N [SAMPLES]]              m = n = k = N (default 4096); default 40 samples
 *
 * The timing follows pmpp-run. A pair of events surrounds each run. Before each run the program
 * reads a region of twice the last-level cache, so that the cache has no data of the run and no
 * modified lines. The result is the median. The host checks some elements in double precision.
 */
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define WARM_UP 5
#define MAX_SAMPLES 1000

static int failed(int code, const char *call)
{
	if (code != 0)
		fprintf(stderr, "cublas_peer: %s failed: %d\n", call, code);
	return code != 0;
}

#define TRY(call)                               \
	do {                                    \
		if (failed((int)(call), #call)) \
			goto out;               \
	} while (0)

struct peer {
	int n;
	cublasHandle_t handle;
	cudaEvent_t begin, end;
	float *device[3], *host[3]; /* A, B, C by rows */
	float *flush, *flush_sum;   /* region of zeros; its sum */
	size_t flush_bytes;
};

static float element(unsigned index)
{
	index = (index ^ 61) ^ (index >> 16);
	index *= 9;
	index ^= index >> 4;
	index *= 0x27d4eb2d;
	index ^= index >> 15;
	return (float)(index >> 8) * 0x1p-23f - 1.0f;
}

/* cuBLAS stores matrices by columns. C = A B by rows is C' = B' A' by columns. */
static cublasStatus_t multiply(struct peer *peer)
{
	static const float one = 1, zero = 0;
	int n = peer->n;

	return cublasSgemm(peer->handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, peer->device[1],
		n, peer->device[0], n, &zero, peer->device[2], n);
}

static int prepare(struct peer *peer)
{
	size_t count = (size_t)peer->n * (size_t)peer->n;
	struct cudaDeviceProp properties;
	int ok = 0;

	TRY(cudaGetDeviceProperties(&properties, 0));
	TRY(cublasCreate(&peer->handle));
	TRY(cublasSetMathMode(peer->handle, CUBLAS_PEDANTIC_MATH));
	TRY(cudaEventCreate(&peer->begin));
	TRY(cudaEventCreate(&peer->end));
	peer->flush_bytes = 2 * (size_t)properties.l2CacheSize;
	TRY(cudaMalloc((void **)&peer->flush, peer->flush_bytes));
	TRY(cudaMalloc((void **)&peer->flush_sum, sizeof *peer->flush_sum));
	TRY(cudaMemset(peer->flush, 0, peer->flush_bytes));
	for (int i = 0; i < 3; i++) {
		peer->host[i] = malloc(count * sizeof(float));
		if (!peer->host[i]) {
			fprintf(stderr, "cublas_peer: no host memory\n");
			goto out;
		}
		TRY(cudaMalloc((void **)&peer->device[i], count * sizeof(float)));
		for (size_t e = 0; i < 2 && e < count; e++)
			peer->host[i][e] = element((unsigned)e + 77777u * (unsigned)i);
		if (i < 2)
			TRY(cudaMemcpy(peer->device[i], peer->host[i], count * sizeof(float),
				cudaMemcpyHostToDevice));
	}
	ok = 1;
out:
	return ok;
}

static cublasStatus_t flush(struct peer *peer)
{
	cublasStatus_t status = cublasSetPointerMode(peer->handle, CUBLAS_POINTER_MODE_DEVICE);

	if (status == CUBLAS_STATUS_SUCCESS)
		status = cublasSasum(peer->handle, (int)(peer->flush_bytes / sizeof(float)),
			peer->flush, 1, peer->flush_sum);
	if (status == CUBLAS_STATUS_SUCCESS)
		status = cublasSetPointerMode(peer->handle, CUBLAS_POINTER_MODE_HOST);
	return status;
}

/* Checks elements along a diagonal. The bound is valid for any order of summation. */
static int check(struct peer *peer)
{
	size_t n = (size_t)peer->n;
	double gamma = (double)n * 0x1p-24 / (1 - (double)n * 0x1p-24);
	int ok = 0;

	TRY(cudaMemcpy(
		peer->host[2], peer->device[2], n * n * sizeof(float), cudaMemcpyDeviceToHost));
	for (size_t i = 0; i < n; i += n / 16 + 1) {
		size_t j = (i * 7 + 3) % n;
		double value = 0, terms = 0;

		for (size_t k = 0; k < n; k++) {
			double term = (double)peer->host[0][i * n + k] * peer->host[1][k * n + j];
			value += term;
			terms += fabs(term);
		}
		if (!(fabs(peer->host[2][i * n + j] - value) <= gamma * terms)) {
			fprintf(stderr, "cublas_peer: C[%zu,%zu] is wrong\n", i, j);
			goto out;
		}
	}
	ok = 1;
out:
	return ok;
}

static int compare_floats(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

static int measure(struct peer *peer, float *samples, int count)
{
	int ok = 0;

	for (int i = 0; i < WARM_UP; i++)
		TRY(multiply(peer));
	TRY(cudaDeviceSynchronize());
	if (!check(peer))
		goto out;
	for (int i = 0; i < count; i++) {
		TRY(flush(peer));
		TRY(cudaEventRecord(peer->begin, 0));
		TRY(multiply(peer));
		TRY(cudaEventRecord(peer->end, 0));
		TRY(cudaEventSynchronize(peer->end));
		TRY(cudaEventElapsedTime(&samples[i], peer->begin, peer->end));
	}
	qsort(samples, (size_t)count, sizeof *samples, compare_floats);
	ok = 1;
out:
	return ok;
}

int main(int argc, char **argv)
{
	struct peer peer = {.n = argc > 1 ? atoi(argv[1]) : 4096};
	int count = argc > 2 ? atoi(argv[2]) : 40;
	float samples[MAX_SAMPLES];
	int version = 0;

	if (peer.n < 1 || peer.n > 32768 || count < 1 || count > MAX_SAMPLES) {
		fprintf(stderr, "usage: cublas_peer [N [SAMPLES]]\n");
		return 1;
	}
	if (!prepare(&peer) || !measure(&peer, samples, count))
		return 1; /* the end of the process frees everything */
	cublasGetVersion(peer.handle, &version);
	double ns = 1e6 * samples[count / 2];
	printf("{\"schema\": \"pmpp-peer/1\", \"peer\": \"cublasSgemm, pedantic\", \"version\": %d, "
	       "\"n\": %d, \"samples\": %d, \"min_ns\": %.1f, \"median_ns\": %.1f, "
	       "\"gflops\": %.1f}\n",
		version, peer.n, count, 1e6 * samples[0], ns, 2.0 * pow(peer.n, 3) / ns);
	return 0;
}
