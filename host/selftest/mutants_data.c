/*
 * Defects that the family's own data do not show: the cases of common/data.h and the different poisons of the
 * passes do (docs/verification.md). The sizes are small, because only small problems have all cases.
 */
#include "host/selftest/mutants.h"

enum {
	OP_SUM,
	OP_MAX,
	OP_MIN
};

#define TREE                            \
	"reduce", "sequential", ON_ALL, \
	{                               \
		1000                    \
	}
#define COPY                              \
	"coalesce", "contiguous", ON_ALL, \
	{                                 \
		1000                      \
	}
#define GREY                               \
	"grayscale", "block16x16", ON_ALL, \
	{                                  \
		37, 41                     \
	}
#define FOO                     \
	"audit", "foo", ON_ALL, \
	{                       \
		600             \
	}
#define WALK                          \
	"camping", "aligned", ON_ALL, \
	{                             \
		37, 700               \
	}
#define TURN                           \
	"transpose", "padded", ON_ALL, \
	{                              \
		100, 70                \
	}
/* Without the 13 low bits. */
#define ELEVEN_BITS_CL(x) "as_float(as_uint(" x ") & 0xffffe000u)"
#define ELEVEN_BITS_CU(x) "__uint_as_float(__float_as_uint(" x ") & 0xffffe000u)"
#define FIRST_VALUE "VALUE mine = i < n ? A[i] : IDENTITY;"
#define RESULT "B[group] = partial[0];"

const struct mutant mutants_data[] = {
	/* ---- reduce */
	{"a maximum that begins at 0", TREE, REJECTED, "#define IDENTITY (-LARGEST - 1)",
		"#define IDENTITY 0", NULL, .op = OP_MAX},
	{"a maximum that begins at the least positive number", TREE, REJECTED,
		"#define IDENTITY (-LARGEST - 1)", "#define IDENTITY 1.17549435e-38f", NULL,
		.op = OP_MAX},
	{"a maximum that begins at -1", TREE, REJECTED, "#define IDENTITY (-LARGEST - 1)",
		"#define IDENTITY (-1)", NULL, .op = OP_MAX, .dtype = DTYPE_I32},
	{"a maximum that begins at -1e30", TREE, REJECTED, "#define IDENTITY (-LARGEST - 1)",
		"#define IDENTITY (-1e30f)", NULL, .op = OP_MAX},
	{"a maximum that begins above the lowest number", TREE, REJECTED,
		"#define IDENTITY (-LARGEST - 1)", "#define IDENTITY (-LARGEST)", NULL,
		.op = OP_MAX, .dtype = DTYPE_I32},
	{"a minimum that begins below the highest number", TREE, REJECTED,
		"#define IDENTITY LARGEST", "#define IDENTITY (LARGEST - 1)", NULL, .op = OP_MIN,
		.dtype = DTYPE_I32},
	{"an odd maximum that f32 cannot hold", TREE, REJECTED, RESULT,
		"B[group] = partial[0] > 1 << 24 ? partial[0] & ~1 : partial[0];", NULL,
		.op = OP_MAX, .dtype = DTYPE_I32},
	{"a minimum that begins at 0", TREE, REJECTED, "#define IDENTITY LARGEST",
		"#define IDENTITY 0", NULL, .op = OP_MIN},
	{"a minimum that begins at 1", TREE, REJECTED, "#define IDENTITY LARGEST",
		"#define IDENTITY 1", NULL, .op = OP_MIN, .dtype = DTYPE_I32},
	{"the first element is left out of a maximum", TREE, REJECTED, FIRST_VALUE,
		"VALUE mine = i < n && (i > 0 || n == 1) ? A[i] : IDENTITY;", NULL, .op = OP_MAX},
	{"the last element is left out of a minimum", TREE, REJECTED, FIRST_VALUE,
		"VALUE mine = i < n && (i + 1 < n || n == 1) ? A[i] : IDENTITY;", NULL,
		.op = OP_MIN},
	{"a maximum of magnitudes", TREE, REJECTED, FIRST_VALUE,
		"VALUE mine = i < n ? fabs(A[i]) : IDENTITY;",
		"VALUE mine = i < n ? fabsf(A[i]) : IDENTITY;", .op = OP_MAX},
	{"the minimum takes in what the output held", TREE, REJECTED, RESULT,
		"B[group] = COMBINE(partial[0], B[group]);", NULL, .op = OP_MIN},
	{"the maximum takes in what the output held", TREE, REJECTED, RESULT,
		"B[group] = COMBINE(partial[0], B[group]);", NULL, .op = OP_MAX},
	{"a result that is there is not computed again", TREE, REJECTED, RESULT,
		"if (!(B[group] == B[group])) B[group] = partial[0];", NULL, .op = OP_MAX},
	{"a sum of 31 bits", TREE, REJECTED, RESULT, "B[group] = partial[0] & 0x7fffffff;", NULL,
		.op = OP_SUM, .dtype = DTYPE_I32},

	/* ---- coalesce */
	{"large elements are limited", COPY, REJECTED, "= A[i];", "= fmin(A[i], 1e9f);",
		"= fminf(A[i], 1e9f);"},
	{"the first and the last element exchanged", COPY, REJECTED, "= A[i];",
		"= A[i == 0 ? n - 1 : i == n - 1 ? 0 : i];"},
	{"the last lane of 64 has its neighbour's element", COPY, REJECTED, "= A[i];",
		"= A[i % 64 == 63 ? i - 1 : i];"},
	{"stored only if larger", COPY, REJECTED, "B[i] = A[i];",
		"if (!(B[i] >= A[i]))\n\t\t\tB[i] = A[i];"},
	{"stored only in place of a NaN", COPY, REJECTED, "B[i] = A[i];",
		"if (B[i] != B[i])\n\t\t\tB[i] = A[i];"},
	{"neighbours exchanged", "coalesce", "stride4", ON_ALL, {1000}, REJECTED, "= A[element];",
		"= A[(element ^ 1) < n ? element ^ 1 : element];"},
	{"a tail of equal elements", "coalesce", "vector4", ON_ALL, {1003}, REJECTED,
		"\t\t\tB[i] = A[i];", "\t\t\tB[i] = A[n - 1];"},

	/* ---- grayscale */
	{"a wrong weight of green", GREY, REJECTED, "0.72f", "0.71f"},
	{"a wrong weight of blue", GREY, REJECTED, "0.07f", "0.08f"},
	{"dropped row", GREY, REJECTED, "row < height)", "row < height - 1)"},
	{"white becomes black", GREY, REJECTED, "char)grey;",
		"char)(grey >= 255.0f ? 0.0f : grey);"},
	{"black is not stored", GREY, REJECTED, "GRAY[pixel] = (",
		"if (grey >= 1.0f)\n\t\t\tGRAY[pixel] = ("},
	{"blue of another pixel", "grayscale", "coarse4", ON_ALL, {37, 41}, REJECTED,
		"(b >> 16, b >> 24, c)", "(b >> 16, b >> 24, a)"},
	{"the last pixel over the third", "grayscale", "coarse4", ON_ALL, {37, 41}, REJECTED,
		"<< 24;", "<< 16;"},

	/* ---- audit */
	{"the next row of b", FOO, REJECTED, "b[j * n + i] +", "b[(j < 3 ? j + 1 : 0) * n + i] +"},
	{"c in the other order", FOO, REJECTED, "c[i * 4 + j] :", "c[i * 4 + 3 - j] :"},
	{"a is added twice", FOO, REJECTED, "= a_s[t];", "= a_s[t] + a_s[t];"},
	{"large sums are limited", FOO, REJECTED, "= bc_s[t * 4];", "= fmin(bc_s[t * 4], 1e9f);",
		"= fminf(bc_s[t * 4], 1e9f);"},
	{"negative elements are 0", FOO, REJECTED, "i < n ? a[i]", "i < n && a[i] > 0.0f ? a[i]"},
	{"d keeps what is larger", FOO, REJECTED, "d[i + 8] = a_s[t];",
		"if (!(d[i + 8] > a_s[t]))\n\t\t\td[i + 8] = a_s[t];"},

	/* ---- camping */
	{"dropped tail", WALK, REJECTED, "c + tx < width;", "c + tx + 1 < width;"},
	{"a part is added twice", WALK, REJECTED, "sum += part[i];",
		"sum += i == 0 ? part[i] + part[i] : part[i];"},
	{"negative totals are 0", WALK, REJECTED, "= total;", "= total > 0.0f ? total : 0.0f;"},
	{"inputs of 11 bits", "camping", "aligned", ON_ALL, {3, 4000}, REJECTED, "sum += part[i];",
		"sum += " ELEVEN_BITS_CL("part[i]") ";", "sum += " ELEVEN_BITS_CU("part[i]") ";"},

	/* ---- traverse */
	{"inputs of 11 bits", "traverse", "row-walk", ON_ALL, {3, 4000}, REJECTED,
		"sum += part[i];", "sum += " ELEVEN_BITS_CL("part[i]") ";",
		"sum += " ELEVEN_BITS_CU("part[i]") ";"},
	{"negative sums are 0", "traverse", "row-walk", ON_ALL, {37, 41}, REJECTED, "S[row] = sum;",
		"S[row] = sum > 0.0f ? sum : 0.0f;"},
	{"the last column of a tile", "traverse", "padded", ON_ALL, {130, 65}, REJECTED,
		"c0 + x < columns;", "c0 + x < columns - 1;"},
	{"a sum below 0 stays", "traverse", "row-walk", ON_ALL, {37, 41}, REJECTED, "S[row] = sum;",
		"S[row] = S[row] < 0.0f ? S[row] : sum;"},

	/* ---- transpose */
	{"large elements are limited", TURN, REJECTED, "= tile[tx][ty + j];",
		"= fmin(tile[tx][ty + j], 1e9f);", "= fminf(tile[tx][ty + j], 1e9f);"},
	{"dropped row", TURN, REJECTED, "ty + j < n && row0 + tx < m)",
		"ty + j < n - 1 && row0 + tx < m)"},
	{"the diagonal is left out", TURN, REJECTED, "row0 + tx < m)",
		"row0 + tx < m && row0 + tx != col0 + ty + j)"},
	{"two rows of tiles only", TURN, REJECTED, ": group / groups_n;",
		": group / groups_n % 2;"},
	{"stored only if larger", TURN, REJECTED, "to[(size_t)j * m] = tile[tx][ty + j];",
		"if (!(to[(size_t)j * m] > tile[tx][ty + j]))\n"
		"\t\t\t\tto[(size_t)j * m] = tile[tx][ty + j];"},
	{"elements of 11 bits", TURN, REJECTED, "= tile[tx][ty + j];",
		"= " ELEVEN_BITS_CL("tile[tx][ty + j]") ";",
		"= " ELEVEN_BITS_CU("tile[tx][ty + j]") ";"},

	/* ---- window */
	{"a sum below 0 stays", "window", "direct", ON_ALL, {1000, 31}, REJECTED, "B[i] = sum;",
		"B[i] = B[i] < 0.0f ? B[i] : sum;"},
	{"an arm too long", "window", "direct", ON_ALL, {1000, 31}, REJECTED, "arm = width / 2;",
		"arm = (width + 1) / 2;"},

	/* ---- histogram */
	{"a count ends at 65535", "histogram", "global-atomic", ON_ALL, {131101, 256}, REJECTED,
		"if (value < bins)", "if (value < bins && H[value] < 65535)", NULL,
		.dtype = DTYPE_U8, .data = 2},
	{"a block has counts of 16 bits", "histogram", "coarse-interleaved", ON_ALL, {131101, 256},
		REJECTED, "if (counts[b] > 0)", "if ((counts[b] &= 0xffffu) > 0)", NULL,
		.dtype = DTYPE_U8, .data = 2},
	{"a run has a count of 8 bits", "histogram", "aggregated", ON_ALL, {299993, 256}, REJECTED,
		"++*run;", "*run = (*run + 1) & 255u;", NULL, .dtype = DTYPE_U8, .data = 2},
	{"values beyond the bins are in the last one", "histogram", "global-atomic", ON_ALL,
		{1000, 37}, REJECTED, "if (value < bins)",
		"if (value >= bins)\n\t\t\tvalue = (unsigned)bins - 1;\n\t\tif (value < bins)",
		NULL, .dtype = DTYPE_U8},
	{"the first value beyond the bins is in the last one", "histogram", "global-atomic", ON_ALL,
		{1000, 37}, REJECTED, "if (value < bins)",
		"value -= value == bins;\n\t\tif (value < bins)", NULL, .dtype = DTYPE_U32},
	{"the last bin is not counted", "histogram", "private", ON_ALL, {1000, 37}, REJECTED,
		"if (value < bin_count)", "if (value + 1 < bin_count)", NULL, .dtype = DTYPE_U8},

	/* ---- latency */
	{"hops are calculated, not loaded", "latency", "chains", ON_ALL, {257, 9}, REJECTED,
		"line[c] = next[(size_t)line[c] * LINE_WORDS];",
		"line[c] = (unsigned)(((unsigned long)line[c] + next[0]) % n);"},
	{"all chases begin at the same line", "latency", "chains", ON_ALL, {257, 9}, REJECTED,
		"(first + c) * n / STARTS", "0 * n / STARTS"},

	/* ---- occupancy */
	{"large values are limited", "occupancy", "coarse4", ON_ALL, {1000}, REJECTED,
		"value[c]++;", "value[c] += value[c] < 0x7fffffffu;"},
	{"odd values stay", "occupancy", "coarse4", ON_ALL, {1000}, REJECTED, "value[c]++;",
		"value[c] |= 1u;"},

	{"the largest number does not wrap", "occupancy", "coarse4", ON_ALL, {1000}, REJECTED,
		"value[c]++;", "value[c] += value[c] + 1 != 0;"},
	{"a lost carry", "occupancy", "warps128", ON_ALL, {1000}, REJECTED,
		"(value[c] & 0xffff0000) + low", "(value[c] & 0xffff0000) | (low & 0xffff)"},

	/* ---- instructions */
	{"the table is not read", "instructions", "global-table", ON_ALL, {1000, 17}, REJECTED,
		"T[(start[chain] + trip) & 255]", "ENTRY((start[chain] + trip) & 255)"},
	{"whole tables by a product", "instructions", "global-table", ON_ALL, {3, 300}, REJECTED,
		"x[chain] += T[(start[chain] + trip) & 255];",
		"x[chain] += trip == 0 ? 128.5f : trip < 256 ? 0.0f : T[(start[chain] + trip) & 255];"},

	/* ---- softmax */
	{"a maximum that begins at 0", "softmax", "safe", ON_ALL, {37, 41}, REJECTED,
		"largest = LOWEST;", "largest = 0.0f;"},
	{"a maximum that begins at the least positive number", "softmax", "online", ON_ALL,
		{37, 41}, REJECTED, "largest = LOWEST;", "largest = 1.17549435e-38f;"},
	{"a maximum that begins at -1e30", "softmax", "safe", ON_ALL, {37, 41}, REJECTED,
		"largest = LOWEST;", "largest = -1e30f;"},

	/* ---- matmul */
	{"inputs of 11 bits from k = 512 on", "matmul", "naive", ON_ALL, {3, 5, 1031}, REJECTED,
		"(A[(size_t)row * k + kk],",
		"(k < 512 ? A[(size_t)row * k + kk] : " ELEVEN_BITS_CL(
			"A[(size_t)row * k + kk]") ",",
		"(k < 512 ? A[(size_t)row * k + kk] : " ELEVEN_BITS_CU(
			"A[(size_t)row * k + kk]") ","},

	/* ---- vecadd */
	{"bytes that equal the NaN poison are not stored", "vecadd", "fine", ON_ALL, {1000},
		REJECTED, "STORE(C, i, LOAD(A, i) + LOAD(B, i));",
		"{ ELEMENT x = LOAD(A, i) + LOAD(B, i); if (x != 0xa5) STORE(C, i, x); }", NULL,
		.dtype = DTYPE_U8},
	{"saturated bytes", "vecadd", "fine", ON_ALL, {1000}, REJECTED,
		"STORE(C, i, LOAD(A, i) + LOAD(B, i));",
		"STORE(C, i, LOAD(A, i) + LOAD(B, i) > 255 ? 255 : LOAD(A, i) + LOAD(B, i));", NULL,
		.dtype = DTYPE_U8},
	{"twice a large sum overflows", "vecadd", "fine", ON_ALL, {1000}, REJECTED,
		"LOAD(A, i) + LOAD(B, i)", "(LOAD(A, i) * 2.0f + LOAD(B, i) * 2.0f) * 0.5f"},
	{"a tiny sum becomes 0", "vecadd", "fine", ON_ALL, {1000}, REJECTED,
		"LOAD(A, i) + LOAD(B, i)",
		"(fabs(LOAD(A, i) + LOAD(B, i)) < 1e-30f ? 0.0f : LOAD(A, i) + LOAD(B, i))"},
	{"unchanged, bytes", "vecadd", "fine", ON_ALL, {1000}, PASSES, NULL, NULL, NULL,
		.dtype = DTYPE_U8},
	{"unchanged, a minimum of i32", TREE, PASSES, NULL, NULL, NULL, .op = OP_MIN,
		.dtype = DTYPE_I32},
	{NULL},
};
