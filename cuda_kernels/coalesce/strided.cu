/*
 * Copy B = A, neighbouring threads STRIDE elements apart. The grid makes STRIDE passes over the
 * vector, and pass p takes the elements that leave the remainder p. The pass is blockIdx.y, so no
 * thread divides anything, and all of blockIdx.x comes before its next value: two uses of a sector
 * lie a whole pass apart, and a vector beyond the L2 cache has left it by then.
 *
 * A warp's access touches min(4 STRIDE, 32) sectors where contiguous touches 4. So STRIDE 2 loads
 * twice the bytes that it uses, 4 four times, and from 8 on each thread has a sector to itself, 4
 * of whose 32 bytes are used. Stores also move more: a partly written sector is read before
 * it is written (Nsight Compute, dram__bytes, H200: docs/results/nvidia-h200/strided-dram.json).
 *
 * Block: BLOCK threads. Groups: ceil(n / (BLOCK * STRIDE)) x STRIDE.
 * Limited by: memory, most of whose traffic is not asked for.
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
