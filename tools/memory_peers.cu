/*
 * Peers of the memory roofs: cudaMemcpy from device to device, and CUB's sum, of 1 GiB of f32. Prints
 * "copy GB/s" (bytes read and written) and "read GB/s": the best of RUNS batches, as for a roof.
 *
 *     nvcc -O3 -o memory_peers tools/memory_peers.cu && ./memory_peers
 */
#include <cub/device/device_reduce.cuh>

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

/* Returns the shortest time of a run, in ns. */
template <class Run>
static double best_ns(Run run)
{
	cudaEvent_t begin, end;
	float best_ms = INFINITY;

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
		best_ms = fminf(best_ms, ms / BATCH);
	}
	return best_ms * 1e6;
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
	return 0;
}
