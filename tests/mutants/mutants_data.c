/*
 * Defects that the family's own data do not show: the cases of common/data.h and the different poisons of the
 * passes do (docs/verification.md). The sizes are small, because only small problems have all cases.
 */
#include "tests/mutants/mutants.h"

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

	/* ---- vecadd */
	{"bytes that equal the NaN poison are not stored", "vecadd", "fine", ON_ALL, {1000},
		REJECTED, "STORE(C, i, LOAD(A, i) + LOAD(B, i));",
		"{ ELEMENT x = LOAD(A, i) + LOAD(B, i); if (x != 0xa5) STORE(C, i, x); }", NULL,
		.dtype = DTYPE_U8},
	{"saturated bytes", "vecadd", "fine", ON_ALL, {1000}, REJECTED,
		"STORE(C, i, LOAD(A, i) + LOAD(B, i));",
		"STORE(C, i, LOAD(A, i) + LOAD(B, i) > 255 ? 255 : LOAD(A, i) + LOAD(B, i));", NULL,
		.dtype = DTYPE_U8},
	{"unchanged, bytes", "vecadd", "fine", ON_ALL, {1000}, PASSES, NULL, NULL, NULL,
		.dtype = DTYPE_U8},
	{"unchanged, a minimum of i32", TREE, PASSES, NULL, NULL, NULL, .op = OP_MIN,
		.dtype = DTYPE_I32},
	{NULL, NULL, NULL, 0, {0}, PASSES, NULL, NULL, NULL},
};
