/*
 * Copy B = A, neighbouring threads STRIDE elements apart. The grid makes STRIDE passes over the
 * vector; pass p copies the elements whose index has the remainder p. The pass is blockIdx.y, so no
 * thread divides. All values of blockIdx.x come before the next blockIdx.y: two uses of a sector
 * are a whole pass apart. If the vector is larger than the L2 cache, the L2 cache does not have the
 * sector any more at its second use.
 *
 * A warp's access uses min(4 STRIDE, 32) sectors; contiguous uses 4. So STRIDE 2 loads twice the
 * bytes that it uses, and 4 loads four times. From 8 on each thread has its own sector and uses 4
 * of its 32 bytes. Stores also move more: a partly written sector is read before it is written
 * (Nsight Compute, dram__bytes, H200: docs/results/nvidia-h200/strided-dram.json).
 *
 * Block: BLOCK threads. Groups: ceil(n / (BLOCK * STRIDE)) x STRIDE.
 * Limited by: memory; most of the traffic is not requested.
 * Book: PMPP 4th ed., 6.1 (uncoalesced accesses).
 */
extern "C" __global__ void __launch_bounds__(BLOCK) coalesce_strided(
	const float *__restrict__ A, float *__restrict__ B, unsigned long long n)
{
	unsigned long long i = (unsigned long long)blockIdx.x * BLOCK + threadIdx.x;
	unsigned long long element = i * STRIDE + blockIdx.y;

	if (element < n)
		B[element] = A[element];
}
