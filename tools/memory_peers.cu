/*
 * Peers of the memory roofs: cudaMemcpy from device to device, and CUB's sum, of 1 GiB of f32. Prints
 * "copy GB/s" (bytes read and written) and "read GB/s": the best of RUNS batches, as for a roof.
 * Then peers of reduce and histogram: a line "NAME GB/s DATA N" for CUB's sum of f32 and its histogram
 * of bytes with 256 bins: the median of RUNS batches, as for a variant.
 *
 *     nvcc -O3 -o memory_peers tools/memory_peers.cu && ./memory_peers
 */
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#define ELEMENTS ((size_t)1 << 28)
#define RUNS 40
#define BATCH 4

static void check(cudaError_t error)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "memory_peers: %s\n", cudaGetErrorString(error));
	exit(1);
}

/* Times of a run in ns, in ascending order. */
struct times {
	double ns[RUNS];
};

template <class Run>
static times times_of(Run run)
{
	cudaEvent_t begin, end;
	times sorted;

	check(cudaEventCreate(&begin));
	check(cudaEventCreate(&end));
	for (int i = 0; i < RUNS; i++) {
		float ms;

		check(cudaEventRecord(begin));
		for (int b = 0; b < BATCH; b++)
			run();
		check(cudaEventRecord(end));
		check(cudaEventSynchronize(end));
		check(cudaEventElapsedTime(&ms, begin, end));
		sorted.ns[i] = ms / BATCH * 1e6;
	}
	std::sort(sorted.ns, sorted.ns + RUNS);
	return sorted;
}

template <class Run>
static double best_ns(Run run)
{
	return times_of(run).ns[0];
}

template <class Run>
static double median_ns(Run run)
{
	return times_of(run).ns[RUNS / 2];
}

/* Bytes whose values do not depend on each other (the finaliser of MurmurHash3), or equal bytes. */
__global__ void fill_bytes(unsigned *words, size_t count, bool constant)
{
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
		i += (size_t)gridDim.x * blockDim.x) {
		unsigned x = (unsigned)i;

		x = (x ^ x >> 16) * 0x85ebca6bu;
		x = (x ^ x >> 13) * 0xc2b2ae35u;
		words[i] = constant ? 0x2a2a2a2au : x ^ x >> 16;
	}
}

/* CUB's functions are called twice: without scratch memory they return its size. */
template <class Call>
static void print_peer(const char *name, const char *data, size_t n, double bytes, Call call)
{
	void *scratch = nullptr;
	size_t scratch_bytes = 0;

	check(call(scratch, scratch_bytes));
	check(cudaMalloc(&scratch, scratch_bytes));
	printf("%s %.1f %s %zu\n", name,
		bytes / median_ns([&] { check(call(scratch, scratch_bytes)); }), data, n);
	check(cudaFree(scratch));
}

static void print_peers(float *from, float *to)
{
	for (size_t n : {(size_t)1 << 20, (size_t)1 << 24, (size_t)1 << 28})
		print_peer("cub-sum", "f32", n, 4.0 * n, [&](void *scratch, size_t &bytes) {
			return cub::DeviceReduce::Sum(scratch, bytes, from, to, n);
		});
	for (bool constant : {false, true}) {
		fill_bytes<<<1024, 256>>>((unsigned *)from, ELEMENTS, constant);
		check(cudaGetLastError());
		for (size_t n : {(size_t)1 << 28, (size_t)1 << 30})
			print_peer("cub-histogram", constant ? "constant" : "uniform", n, (double)n,
				[&](void *scratch, size_t &bytes) {
					return cub::DeviceHistogram::HistogramEven(scratch, bytes,
						(unsigned char *)from, (int *)to, 257, 0, 256, (long long)n);
				});
	}
}

int main()
{
	const double bytes = ELEMENTS * sizeof(float);
	float *from, *to;
	void *scratch = nullptr;
	size_t scratch_bytes = 0;

	check(cudaMalloc(&from, ELEMENTS * sizeof(float)));
	check(cudaMalloc(&to, ELEMENTS * sizeof(float)));
	check(cudaMemset(from, 0, ELEMENTS * sizeof(float)));
	check(cub::DeviceReduce::Sum(scratch, scratch_bytes, from, to, ELEMENTS));
	check(cudaMalloc(&scratch, scratch_bytes));
	printf("copy %.1f\n", 2 * bytes / best_ns([&] {
		check(cudaMemcpyAsync(to, from, ELEMENTS * sizeof(float), cudaMemcpyDeviceToDevice));
	}));
	printf("read %.1f\n", bytes / best_ns([&] {
		check(cub::DeviceReduce::Sum(scratch, scratch_bytes, from, to, ELEMENTS));
	}));
	print_peers(from, to);
	return 0;
}
