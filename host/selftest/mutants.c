#include "host/selftest/mutants.h"

#define STORE "C[(size_t)row * n + col] = sum;"
#define ADD "STORE(C, i, LOAD(A, i) + LOAD(B, i));"
#define GUARDED_ADD "if (i < n)\n\t\t" ADD

#define NAIVE "matmul", "naive"
#define FINE "vecadd", "fine"

/* A thread passes its neighbour's element of B on through shared memory. Threads in ascending order
 * do it right even without the barrier, as each element was put there before it is asked for. */
#define NEIGHBOUR(barrier)                                                              \
	"__shared__ float next[BLOCK];\n"                                               \
	"\tnext[threadIdx.x] = i + 1 < n ? B[i + 1] : 0.0f;\n" barrier "\tif (i < n)\n" \
	"\t\tC[i] = A[i] + (threadIdx.x > 0 ? next[threadIdx.x - 1] : B[i]);"

const struct mutant mutants_kernels[] = {
	/* ---- Controls: the real kernels, read from the folder */
	{"unchanged", NAIVE, ON_ALL, {37, 41, 43}, PASSES},
	{"unchanged", "matmul", "tiled32", ON_ALL, {37, 41, 43}, PASSES},
	{"unchanged", FINE, ON_ALL, {1000}, PASSES},
	{"unchanged, sampled", NAIVE, ON_DEVICES, {700, 650, 640}, PASSES},
	{"unchanged, deep", NAIVE, ON_ALL, {2, 3, 20000}, PASSES},

	/* ---- Wrong answers */
	{"zero output", NAIVE, ON_ALL, {37, 41, 43}, REJECTED, STORE,
		"C[(size_t)row * n + col] = 0.0f;"},
	{"zero output, 1 x 1 x 1", NAIVE, ON_ALL, {1, 1, 1}, REJECTED, STORE,
		"C[(size_t)row * n + col] = 0.0f;"},
	{"zero output", FINE, ON_ALL, {1000}, REJECTED, ADD, "C[i] = 0.0f;"},
	{"zero output, deep", NAIVE, ON_ALL, {1, 1, 100000}, REJECTED, STORE,
		"C[(size_t)row * n + col] = 0.0f;"},
	{"NaN everywhere", NAIVE, ON_ALL, {37, 41, 43}, NAN_NOTICED, STORE,
		"C[(size_t)row * n + col] = (sum - sum) / (sum - sum);"},
	{"NaN in one element", NAIVE, ON_ALL, {37, 41, 43}, NAN_NOTICED, STORE,
		"C[(size_t)row * n + col] = row == 36 && col == 40 ? (sum - sum) / (sum - sum) : sum;"},
	{"infinity in one element", FINE, ON_ALL, {1000}, NAN_NOTICED, ADD,
		"C[i] = i == 999 ? 1.0f / (float)(i - 999) : A[i] + B[i];"},
	{"nothing is written", NAIVE, ON_ALL, {37, 41, 43}, NAN_NOTICED, STORE, ";"},
	{"one element is not written", FINE, ON_ALL, {1000}, NAN_NOTICED, ADD,
		"if (i != 500)\n\t\t\tC[i] = A[i] + B[i];"},
	{"transposed index", NAIVE, ON_ALL, {40, 40, 7}, REJECTED, STORE,
		"C[(size_t)col * m + row] = sum;"},
	{"transposed index, rectangular", NAIVE, ON_ALL, {37, 41, 43}, REJECTED, STORE,
		"C[(size_t)col * m + row] = sum;"},
	{"transposed operand", NAIVE, ON_ALL, {40, 40, 40}, REJECTED, "B[(size_t)kk * n + col]",
		"B[(size_t)col * n + kk]"},
	{"one element is off by 0.001", NAIVE, ON_ALL, {37, 41, 43}, REJECTED, STORE,
		"C[(size_t)row * n + col] = row == 17 && col == 23 ? sum + 0.001f : sum;"},
	{"one element is off by an ulp", FINE, ON_ALL, {1000}, REJECTED, ADD,
		"C[i] = i == 7 ? (A[i] + B[i]) * 1.0000004f : A[i] + B[i];"},
	{"wrong sign", FINE, ON_ALL, {1000}, REJECTED, ADD, "C[i] = A[i] - B[i];"},

	/* ---- Dropped parts */
	{"dropped tail of rows", NAIVE, ON_ALL, {37, 41, 43}, NAN_NOTICED, "row < m && col < n",
		"row < m / 16 * 16 && col < n"},
	{"dropped tail of columns", NAIVE, ON_ALL, {37, 41, 43}, NAN_NOTICED, "row < m && col < n",
		"row < m && col < n / 16 * 16"},
	{"dropped tail", FINE, ON_ALL, {1000}, NAN_NOTICED, "i < n", "i < n - 1"},
	{"dropped last term", NAIVE, ON_ALL, {37, 41, 43}, REJECTED, "kk < k;", "kk < k - 1;"},
	{"dropped last term, k = 1", NAIVE, ON_ALL, {5, 6, 1}, REJECTED, "kk < k;", "kk < k - 1;"},
	{"dropped last term, deep", NAIVE, ON_ALL, {2, 3, 20000}, REJECTED, "kk < k;",
		"kk < k - 1;"},
	{"dropped last tile", "matmul", "tiled32", ON_ALL, {40, 41, 65}, REJECTED, "k0 < k;",
		"k0 + TILE < k;"},

	{"the last tile of A is not loaded", "matmul", "vector-loads", ON_ALL, {40, 41, 65},
		REJECTED, "k - k0 - kk : 0", "k - k0 - kk - 1 : 0"},
	/* Outside of C, the form for other devices would copy a negative number of elements. */
	{"the last band has all rows of tiles", "matmul", "block-order",
		ON_CUDA | ON_EMULATOR | ON_TRACED, {1100, 300, 3}, NAN_NOTICED,
		"tiles_m - first < BAND ? tiles_m - first : BAND", "BAND"},
	{"a part has the steps of the next part too", "matmul", "split-k", ON_ALL, {3, 5, 1000},
		REJECTED, ": begin + part_k;", ": begin + part_k + TILE_K;"},
	{"one part is not added", "matmul", "split-k", ON_ALL, {3, 5, 1000}, REJECTED,
		"for (int p = 1;", "for (int p = 2;"},
	{"one part, which is not added", "matmul", "split-k", ON_ALL, {3, 5, 100}, PASSES,
		"for (int p = 1;", "for (int p = 2;"},

	/* ---- Sampled problems: the wrong element lies between the sampled lines */
	{"sampled: one element is off", NAIVE, ON_DEVICES, {700, 650, 640}, REJECTED, STORE,
		"C[(size_t)row * n + col] = row == 351 && col == 217 ? sum + 1.0f : sum;"},
	{"sampled: one element is NaN", NAIVE, ON_DEVICES, {700, 650, 640}, NAN_NOTICED, STORE,
		"C[(size_t)row * n + col] = row == 351 && col == 217 ? sum / 0.0f : sum;"},
	{"sampled: two rows are exchanged", NAIVE, ON_DEVICES, {700, 650, 640}, REJECTED, STORE,
		"C[(size_t)(row == 351 ? 352 : row == 352 ? 351 : row) * n + col] = sum;"},

	/* ---- Writes where it must not */
	{"writes behind its output", NAIVE, ON_ALL, {37, 41, 43}, GUARD_NOTICED, STORE,
		STORE "\n\t\tC[(size_t)m * n] = sum;"},
	{"writes before its output", FINE, ON_ALL, {1000}, GUARD_NOTICED, ADD,
		"C[i] = A[i] + B[i];\n\tif (i == 0)\n\t\t(C - 1)[0] = 1.0f;"},
	{"writes far behind its output", FINE, ON_ALL, {1000}, GUARD_NOTICED, ADD,
		"C[i] = A[i] + B[i];\n\tif (i == 0)\n\t\tC[n + 16000] = 1.0f;"},
	{"changes an input", FINE, ON_ALL, {1000}, INPUT_NOTICED, ADD,
		"{\n\t\tC[i] = A[i] + B[i];\n\t\t((__global float *)A)[i] = 7.0f;\n\t}",
		"{\n\t\tC[i] = A[i] + B[i];\n\t\t((float *)A)[i] = 7.0f;\n\t}"},
	{"changes one element of the last input", FINE, ON_ALL, {1000}, INPUT_NOTICED, ADD,
		"{\n\t\tC[i] = A[i] + B[i];\n\t\tif (i == 999)\n"
		"\t\t\t((__global float *)B)[i] += 1.0f;\n\t}",
		"{\n\t\tC[i] = A[i] + B[i];\n\t\tif (i == 999)\n"
		"\t\t\t((float *)B)[i] += 1.0f;\n\t}"},

	/* ---- Only an emulator sees these */
	{"stores an input's own bits", FINE, ON_TRACED | ON_CL_TRACED, {1000}, REJECTED, ADD,
		"{\n\t\tC[i] = A[i] + B[i];\n\t\t((volatile __global float *)A)[i] = A[i];\n\t}",
		"{\n\t\tC[i] = A[i] + B[i];\n\t\t((volatile float *)A)[i] = A[i];\n\t}"},
	{"changes an input and puts it back", FINE, ON_TRACED | ON_CL_TRACED, {1000}, REJECTED, ADD,
		"{\n\t\tvolatile __global float *own = (volatile __global float *)B;\n"
		"\t\tfloat b = own[i];\n\t\town[i] = A[i] + b;\n\t\tC[i] = own[i];\n"
		"\t\town[i] = b;\n\t}",
		"{\n\t\tvolatile float *own = (volatile float *)B;\n"
		"\t\tfloat b = own[i];\n\t\town[i] = A[i] + b;\n\t\tC[i] = own[i];\n"
		"\t\town[i] = b;\n\t}"},
	{"adds 0 to an input", "histogram", "global-atomic", ON_CL_TRACED, {1000, 256}, REJECTED,
		"uint value = A[i];",
		"uint value = A[i];\n\t\tatomic_add((volatile __global uint *)A, 0u);"},
	{"adds 0 to an input", "histogram", "global-atomic", ON_TRACED, {1000, 256}, REJECTED,
		"unsigned value = A[i];", NULL,
		"unsigned value = A[i];\n\t\tatomicAdd((unsigned *)A, 0u);"},
	{"loads past the end, and the answer is right", FINE, ON_TRACED | ON_CL_TRACED, {1000},
		REJECTED, ADD, "C[i] = A[i] + B[i] + (B[i + 1] == 1e30f ? 1.0f : 0.0f);"},
	{"a neighbour's element behind a barrier", FINE, ON_EMULATOR | ON_TRACED, {5000}, PASSES,
		GUARDED_ADD, NULL, NEIGHBOUR("\t__syncthreads();\n")},
	{"a missing barrier that ascending order hides", FINE, ON_EMULATOR | ON_TRACED, {5000},
		REJECTED, GUARDED_ADD, NULL, NEIGHBOUR("")},
	{"the same in one block", FINE, ON_TRACED, {200}, REJECTED, GUARDED_ADD, NULL,
		NEIGHBOUR("")},
	{"a barrier that not all threads reach", FINE, ON_TRACED, {1000}, REJECTED, ADD, NULL,
		"{\n\t\tif (threadIdx.x % 2)\n\t\t\t__syncthreads();\n\t\tC[i] = A[i] + B[i];\n\t}"},
	{"threads that return before a barrier", FINE, ON_EMULATOR | ON_TRACED, {1000}, PASSES,
		GUARDED_ADD, NULL,
		"if (i >= n)\n\t\treturn;\n\t__syncthreads();\n\tC[i] = A[i] + B[i];"},
	{"reads behind its input and ignores it", FINE, ON_TRACED, {1000}, REJECTED, GUARDED_ADD,
		NULL,
		"float a = *(const volatile float *)(A + i);\n\tif (i < n)\n\t\tC[i] = a + B[i];"},
	{"divides by zero", FINE, ON_EMULATOR | ON_TRACED, {1000}, REJECTED, ADD, NULL,
		"C[i] = A[i] + B[i] + (float)((int)n / (int)(n - 1000));"},
	{"follows a null pointer", FINE, ON_EMULATOR | ON_TRACED, {1000}, REJECTED, ADD, NULL,
		"C[i] = A[i] + ((const float *)(n - 1000))[i];"},
	{"recurses without end", FINE, ON_EMULATOR | ON_TRACED, {10}, REJECTED, GUARDED_ADD, NULL,
		"struct deep {\n\t\tstatic int down(volatile int *x)\n\t\t{\n"
		"\t\t\tvolatile int y[64];\n\n\t\t\ty[0] = *x + 1;\n"
		"\t\t\treturn down(y) + y[0];\n\t\t}\n\t};\n"
		"\tvolatile int x = 0;\n\n\tif (i < n)\n"
		"\t\tC[i] = A[i] + B[i] + (float)deep::down(&x);"},

	/* ---- coalesce */
	{"an ulp more than was there", "coalesce", "contiguous", ON_ALL, {1000}, REJECTED,
		"= A[i];", "= A[i] * (i == 500 ? 1.0000002f : 1.0f);"},
	{"loads where it does not store", "coalesce", "misaligned", ON_ALL, {1000}, REJECTED,
		"= A[element];", "= A[i < n ? i : element];"},
	{"dropped tail", "coalesce", "stride4", ON_ALL, {1000}, NAN_NOTICED, "element < n",
		"element < n - 1"},
	{"dropped tail", "coalesce", "vector4", ON_ALL, {1003}, NAN_NOTICED, "for (; i < n; i++)",
		"for (; i + 1 < n; i++)"},
	/* ---- Counts */
	{"a value counts twice", "histogram", "global-atomic", ON_ALL, {1000, 256}, REJECTED,
		"H[value], 1u", "H[value], i == 500 ? 2u : 1u"},
	{"counts of one are not merged", "histogram", "private", ON_ALL, {1000, 256}, REJECTED,
		"counts[b] > 0", "counts[b] > 1"},
	{"the last value is left out", "histogram", "coarse-interleaved", ON_ALL, {16389, 256},
		REJECTED, "thread < tail", "thread > 0 && thread < tail"},
	{"a run is added without its first value", "histogram", "aggregated", ON_ALL, {1000, 256},
		REJECTED, "run = 1;", "run = 0;"},
	{"the last copy is left out", "histogram", "replicated", ON_ALL, {20000, 256}, REJECTED,
		"c < copy_count;", "c + 1 < copy_count;"},
	{"shared counters without atomics", "histogram", "private", ON_TRACED, {1000, 256},
		REJECTED, "atomicAdd(&counts[value], 1u);", NULL, "counts[value]++;"},
	/* ---- Reduced precision: a bound that is wide, and integers that are exact. No OpenCL: on
	 * a CPU it has no half arithmetic. */
	{"unchanged, deep", "matmul", "f16", ON_CUDA | ON_EMULATOR | ON_TRACED, {2, 3, 3001},
		PASSES},
	{"dropped last term, deep", "matmul", "f16", ON_CUDA | ON_EMULATOR | ON_TRACED,
		{2, 3, 3001}, REJECTED, "k - oct_kk", "k - 1 - oct_kk"},
	{"the second column gets the first one's sum", "matmul", "f16",
		ON_CUDA | ON_EMULATOR | ON_TRACED, {3, 5, 997}, REJECTED, "+= pair.y;", NULL,
		"+= pair.x;"},
	/* ---- Factors of mma.sync: two blocks along each side, and a part of a step */
	{"unchanged", "matmul", "f16-mma", ON_ALL, {130, 150, 43}, PASSES},
	{"halves of a step of A exchanged", "matmul", "f16-mma", ON_ALL, {130, 150, 43}, REJECTED,
		"lane % 16, lane / 16)", "lane % 16, 1 - lane / 16)"},
	{"columns of B exchanged", "matmul", "f16-mma", ON_ALL, {130, 150, 43}, REJECTED,
		"column / CHUNK + lane / 16)", "column / CHUNK + 1 - lane / 16)"},
	{"chunks of B in the order of other rows", "matmul", "f16-mma", ON_ALL, {130, 150, 43},
		REJECTED, "chunk_b(lane % 16,", "ROW_B + chunk_b(lane % 16 - 1,"},
	{"dropped last term", "matmul", "f16-mma", ON_ALL, {130, 150, 43}, REJECTED,
		"(left - kk_a)", "(left - 1 - kk_a)"},
	{"rows past the edge for all", "matmul", "f16-mma", ON_ALL, {130, 150, 43}, REJECTED,
		"i < own->last_a ?", "i + 1 < own->last_a ?"},
	{"unchanged", "matmul", "tf32-mma", ON_ALL, {130, 150, 43}, PASSES},
	{"halves of a step of A exchanged", "matmul", "tf32-mma", ON_ALL, {130, 150, 43}, REJECTED,
		"lane % 8, lane / 8 % 2)", "lane % 8, 1 - lane / 8 % 2)"},
	{"neighbours of B exchanged", "matmul", "tf32-mma", ON_ALL, {130, 150, 43}, REJECTED,
		"lane / 4 % 2 * 8;", "(1 - lane / 4 % 2) * 8;"},
	{"a row of B of another step", "matmul", "tf32-mma", ON_ALL, {130, 150, 43}, REJECTED,
		"from + 4 * ROW_B", "from + 3 * ROW_B"},
	/* ---- latency */
	{"one hop too few", "latency", "chase", ON_ALL, {257, 9}, REJECTED, "h < hops;",
		"h + 1 < hops;"},
	{"a wrong word of the line", "latency", "chains", ON_ALL, {257, 9}, REJECTED,
		"next[(size_t)line[c] * LINE_WORDS]", "next[(size_t)line[c] * LINE_WORDS + 1]"},
	{"chases begin in the other order", "latency", "chains", ON_ALL, {257, 9}, REJECTED,
		"(first + c) * n / STARTS", "(STARTS - 1 - first - c) * n / STARTS"},
	{"the last chases are left out", "latency", "chains", ON_ALL, {257, 9}, REJECTED,
		"first < STARTS;", "first + CHAINS < STARTS;"},
	/* ---- traverse, transpose, camping */
	{"dropped tail of a row", "traverse", "column-walk", ON_ALL, {37, 41}, REJECTED,
		"for (; c < columns;", "for (; c < columns - 1;"},
	{"a neighbour's row of the tile", "traverse", "padded", ON_ALL, {130, 65}, REJECTED,
		"tile[thread][i]", "tile[(thread + 1) % BLOCK][i]"},
	{"a tile that is not turned", "transpose", "padded", ON_ALL, {64, 64}, REJECTED,
		"tile[tx][ty + j]", "tile[ty + j][tx]"},
	{"dropped column", "transpose", "tiled", ON_ALL, {37, 41}, NAN_NOTICED, "row0 + tx < m)",
		"row0 + tx < m - 1)"},
	{"the same tiles twice", "transpose", "diagonal", ON_ALL, {100, 70}, NAN_NOTICED,
		"(group / groups_m + tile_row)", "tile_row"},
	{"two quads exchanged", "transpose", "vector", ON_ALL, {68, 132}, REJECTED,
		"turned[PLACE(c, tx)]", "turned[PLACE(c, tx ^ 1)]"},
	{"rows that forget their padding", "camping", "padded", ON_ALL, {37, 512}, NAN_NOTICED,
		"(width + PADDING)", "width"},
	{"a row that does not wrap around", "camping", "skewed", ON_ALL, {37, 700}, REJECTED,
		"batch + 1 < batches ? batch + 1 : 0", "batch + 1"},
	{"a lane left out", "camping", "aligned", ON_ALL, {37, 512}, REJECTED, "i < LANES;",
		"i < LANES - 1;"},
	/* ---- Reductions: one element is lost, or taken twice */
	{"zero output", "reduce", "sequential", ON_ALL, {1000}, REJECTED, "B[group] = partial[0];",
		"B[group] = 0;"},
	{"dropped last element", "reduce", "sequential", ON_ALL, {1000}, REJECTED,
		"A[i] : IDENTITY", "A[i] * (i + 1 < n) : IDENTITY"},
	{"dropped tail", "reduce", "coarse", ON_ALL, {5000}, REJECTED, "; i < n; i += BLOCK",
		"; i + BLOCK < n; i += BLOCK"},
	{"dropped last vector", "reduce", "vector", ON_ALL, {100001}, REJECTED,
		"; i < count; i += BLOCK", "; i + 1 < count; i += BLOCK"},
	{"the counter is one off", "reduce", "single-pass", ON_ALL, {10000}, NAN_NOTICED,
		"== groups - 1;", "== groups;"},
	/* ---- divergence */
	{"odd values get two", "divergence", "branchy", ON_ALL, {1000}, REJECTED, "x + 1", "x + 2"},
	{"dropped tail", "divergence", "branchless", ON_ALL, {1000}, REJECTED, "i >= n",
		"i >= n - 1"},
	{"two elements of a group exchanged", "divergence", "warp-aligned", ON_ALL, {1000},
		REJECTED, "B[i] = (int)x;", "B[i < 2 ? 1 - i : i] = (int)x;"},
	{"one trip is missing", "divergence", "sorted-loop", ON_ALL, {1000}, REJECTED,
		"trip < trips;", "trip + 1 < trips;"},

	/* ---- grayscale */
	{"red and blue exchanged", "grayscale", "block32x8", ON_ALL, {37, 41}, REJECTED, "from[0]",
		"from[2]"},
	{"no rounding", "grayscale", "block16x16", ON_ALL, {37, 41}, REJECTED, "0.5f", "0.0f"},
	{"dropped column", "grayscale", "block16x16", ON_ALL, {37, 41}, REJECTED,
		"column < width &&", "column < width - 1 &&"},
	{"dropped last pixels", "grayscale", "coarse4", ON_ALL, {37, 41}, REJECTED,
		"pixel < pixels;", "pixel + 1 < pixels;"},

	/* ---- window */
	{"the last term is missing", "window", "direct", ON_ALL, {1000, 31}, REJECTED, "k < count;",
		"k < count - 1;"},
	{"no halo to the left", "window", "private", ON_ALL, {1000, 31}, REJECTED,
		"start = first - width / 2;", "start = first;"},
	{"the second stretch is left out", "window", "private", ON_ALL, {1000, 129}, REJECTED,
		"c < terms;", "c < terms && c < CHUNK;"},
	{"nothing right of the core", "window", "coarse", ON_ALL, {1000, 31}, REJECTED,
		"core + right;", "core;"},
	{"dropped tail", "window", "coarse", ON_ALL, {1000, 31}, NAN_NOTICED, "* BLOCK + t < n)",
		"* BLOCK + t < n - 1)"},

	/* ---- Softmax */
	{"without the maximum", "softmax", "safe", ON_ALL, {37, 41}, REJECTED, "x[c] - largest",
		"x[c]"},
	{"a sum without its last column", "softmax", "safe", ON_ALL, {37, 41}, REJECTED,
		"\t\tsum += ", "\t\tif (c + 1 < columns)\n\t\t\tsum += "},
	{"a larger maximum does not rescale", "softmax", "online", ON_ALL, {37, 1000}, REJECTED,
		"(sum, factor, 1.0f)", "(sum, 1.0f, 1.0f)"},
	{"unscaled", "softmax", "fused", ON_ALL, {37, 41}, REJECTED, "1.0f / sum", "1.0f"},
	{"all elements are off by 50 roundings", "softmax", "fused", ON_ALL, {37, 1}, REJECTED,
		"1.0f / sum", "1.000003f / sum"},
	{"the last part of a long row is not combined", "softmax", "fused", ON_ALL, {2, 70000},
		REJECTED, "p < parts;", "p < parts - 1;"},

	/* ---- Rows with answers of their own */
	{"one trip too few", "instructions", "fma", ON_ALL, {1000, 3}, REJECTED, "trip < trips;",
		"trip < trips - 1;"},
	{"one product too few", "instructions", "mul", ON_ALL, {1000, 7}, REJECTED, "* second", ""},
	{"cosine for sine", "instructions", "sin", ON_ALL, {1000, 256}, REJECTED, "(factor, sin",
		"(factor, cos"},
	{"f32 for f64", "instructions", "f64-fma", ON_ALL, {5000, 64}, REJECTED, "double", "float"},
	{"half of the table", "instructions", "constant-uniform", ON_ALL, {1000, 256}, REJECTED,
		"trip) & 255", "trip) & 127"},
	/* ---- Prefetching: the wrong element is at hand */
	{"works on the next element", "prefetch", "register", ON_ALL, {200001, 1}, REJECTED,
		"apply(x, count)", "apply(next, count)"},
	{"one step of the work too few", "prefetch", "plain", ON_ALL, {1000, 63}, REJECTED,
		"k < trips; k++", "k + 1 < trips; k++"},
	{"the same buffer twice", "prefetch", "double-buffer", ON_ALL, {200001, 1}, REJECTED,
		"apply(buffer[which]", "apply(buffer[0]"},
	{"dropped tail", "prefetch", "double-buffer", ON_ALL, {1001, 5}, REJECTED, "begin < n",
		"begin + 1 < n"},
	{"a vector beyond the end", "vecadd", "vector4", ON_ALL, {1002}, GUARD_NOTICED,
		"i + PER_VECTOR <= n", "i < n"},
	/* ---- audit */
	{"e without its stride", "audit", "foo", ON_ALL, {600}, REJECTED, "e[i * 8] =", "e[i] ="},
	{"d without its offset", "audit", "foo", ON_ALL, {600}, REJECTED, "d[i + 8] =", "d[i] ="},
	{"what missing threads add", "audit", "foo", ON_ALL, {100}, REJECTED, "c[i * 4 + j] : 0.0f",
		"c[i * 4 + j] : 1.0f"},
	{"dropped tail", "audit", "foo", ON_ALL, {257}, REJECTED, "if (i < n) {",
		"if (i < n - 1) {"},

	/* ---- occupancy */
	{"dropped tail", "occupancy", "block100", ON_ALL, {1000}, REJECTED,
		"if (first + c * BLOCK < n)", "if (first + c * BLOCK + 1 < n)"},
	{"one too much", "occupancy", "coarse4", ON_ALL, {1000}, REJECTED, "value[c]++;",
		"value[c] += 2;"},
	{"a neighbour's load is taken for its own", "occupancy", "bounded", ON_ALL, {5000},
		REJECTED, "value[c] & zero;", "value[c] & 1;"},
	{"the tile is turned", "occupancy", "tile-small", ON_ALL, {1000}, REJECTED, "= tile[t];",
		"= tile[TILE - 1 - t];"},
	{NULL},
};
