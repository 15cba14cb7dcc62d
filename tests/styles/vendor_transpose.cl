#define BLOCK_DIM 32

// This kernel is optimized to ensure all global reads and writes are coalesced,
// and to avoid bank conflicts in shared memory.  This kernel is up to 11x faster
// than the naive kernel below.  Note that the shared memory array is sized to
// (BLOCK_DIM+1)*BLOCK_DIM.
__kernel void transpose_tiled(__global const float *idata, __global float *odata, int height, int width)
{
	__local float block[BLOCK_DIM * (BLOCK_DIM + 1)];
	const unsigned int nx = (width + BLOCK_DIM - 1) / BLOCK_DIM;
	const unsigned int gx = get_group_id(0) % nx, gy = get_group_id(0) / nx;

	for (unsigned int r = 0; r < BLOCK_DIM; r += get_local_size(1)) {
		// read the matrix tile into shared memory
		unsigned int xIndex = gx * BLOCK_DIM + get_local_id(0);
		unsigned int yIndex = gy * BLOCK_DIM + get_local_id(1) + r;

		if((xIndex < width) && (yIndex < height))
		{
			unsigned int index_in = yIndex * width + xIndex;
			block[(get_local_id(1) + r)*(BLOCK_DIM+1)+get_local_id(0)] = idata[index_in];
		}
	}

	barrier(CLK_LOCAL_MEM_FENCE);

	for (unsigned int r = 0; r < BLOCK_DIM; r += get_local_size(1)) {
		// write the transposed matrix tile to global memory
		unsigned int xIndex = gy * BLOCK_DIM + get_local_id(0);
		unsigned int yIndex = gx * BLOCK_DIM + get_local_id(1) + r;
		if((xIndex < height) && (yIndex < width))
		{
			unsigned int index_out = yIndex * height + xIndex;
			odata[index_out] = block[get_local_id(0)*(BLOCK_DIM+1)+get_local_id(1)+r];
		}
	}
}
