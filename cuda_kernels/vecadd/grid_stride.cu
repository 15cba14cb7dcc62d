/*
 * Vector addition C = A + B with a fixed number of threads, which stride through the vector by the
 * size of the whole grid. Neighbouring threads take neighbouring elements in every step, so the
 * accesses stay coalesced however many elements a thread gets.
 *
 * Block: BLOCK threads. Groups: any number from 1; enough to fill the device, a few a
 * multiprocessor.
 * Limited by: memory, and by latency where the grid is too small to keep it busy.
 * Book: PMPP 4th ed., 6.3 (coarsening that keeps the coalescing of 6.1).
 */
extern "C" __global__ void __launch_bounds__(BLOCK) vecadd_grid_stride(const float *__restrict__ A,
	const float *__restrict__ B, float *__restrict__ C, unsigned long long n)
{
	unsigned long long stride = (unsigned long long)gridDim.x * BLOCK;

	for (unsigned long long i = (unsigned long long)blockIdx.x * BLOCK + threadIdx.x; i < n;
		i += stride)
		C[i] = A[i] + B[i];
}
