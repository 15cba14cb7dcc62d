/* Problem files: what the comments and the reference declare, and the messages of wrong ones. */
#include "common/own/kernel.h"
#include "common/own/problem_data.h"
#include "common/own/problem_file.h"
#include "host/suite/problem_reference.h"
#include "tests/support/test.h"

#define SIZES "//pmpp: sizes = n, r = 2\n"
#define OUT "//pmpp: out = y[n] f32\n"
#define REFERENCE "void reference(real *y, int n) {}\n"

static const struct {
	const char *name, *text, *message;
} refused[] = {
	{"no sizes", OUT REFERENCE, "p.c: no sizes: add the line '//pmpp: sizes = n'"},
	{"no output", SIZES REFERENCE, "p.c: no output: add the line '//pmpp: out = NAME[n] f32'"},
	{"an unknown key", SIZES "\n//pmpp: size = n\n",
		"p.c:3: '//pmpp: size': give sizes, scalars, in, out, inout, check, default or "
		"tolerance, and a value after '='"},
	{"no value", SIZES "//pmpp: check =\n",
		"p.c:2: '//pmpp: check': give sizes, scalars, in, out, inout, check, default or "
		"tolerance, and a value after '='"},
	{"too many sizes", "//pmpp: sizes = a, b, c, d, e\n", "p.c:1: more than 4 sizes"},
	{"defaults are last", "//pmpp: sizes = a = 1, b\n",
		"p.c:1: size 'b': sizes with a default are last"},
	{"a default of 0", "//pmpp: sizes = a = 0\n",
		"p.c:1: size 'a': write NAME, or NAME = NUMBER"},
	{"a name twice", SIZES "//pmpp: in = n[n] f32\n", "p.c:2: the name 'n' is used twice"},
	{"no name", SIZES "//pmpp: in = [n] f32\n", "p.c:2: a name is missing before '[n] f32'"},
	{"a number as a name", SIZES "//pmpp: in = 2x[n] f32\n",
		"p.c:2: a name is missing before '2x[n] f32'"},
	{"a scalar without a value", "//pmpp: scalars = alpha\n",
		"p.c:1: scalar 'alpha': write NAME = NUMBER"},
	{"an unknown size", SIZES "//pmpp: in = x[n][m] f32\n",
		"p.c:2: no value for 'm': use the names of sizes"},
	{"a bracket that is not closed", SIZES "//pmpp: in = x[n f32\n",
		"p.c:2: the shape of 'x' cannot be read"},
	{"no type", SIZES "//pmpp: in = x[n]\n",
		"p.c:2: 'x' has no type: write one of f32, f16, f64, i32, u32, u8 after the shape"},
	{"an unknown type", SIZES "//pmpp: in = x[n] float\n",
		"p.c:2: 'x' has no type: write one of f32, f16, f64, i32, u32, u8 after the shape"},
	{"unknown data", SIZES "//pmpp: in = x[n] f32 huge\n",
		"p.c:2: the data 'huge': write positive, integers, '< EXPRESSION', or 'ascending to "
		"EXPRESSION'"},
	{"a bound of an unknown size", SIZES "//pmpp: in = x[n] i32 < m\n",
		"p.c:2: no value for 'm': use the names of sizes"},
	{"two outputs", SIZES OUT "//pmpp: inout = z[n] f32\n",
		"p.c:3: a problem has one output: 'z' is the second"},
	{"a check size of one number too many", SIZES OUT "//pmpp: check = 1, 5x5x5\n",
		"p.c:3: the size at '5': write a number from 1 to 2147483647 for each size, such as "
		"7x13"},
	{"a check size of 0", SIZES OUT "//pmpp: check = 1, 0\n",
		"p.c:3: the size at '0': write a number from 1 to 2147483647 for each size, such as "
		"7x13"},
	{"a check size without elements",
		SIZES "//pmpp: in = x[n - 4] f32\n" OUT "//pmpp: check = 7, 4\n",
		"p.c:4: an operand has no elements at this size"},
	{"a size that overflows",
		SIZES "//pmpp: in = x[n * n][n * n] f32\n" OUT "//pmpp: check = 7, 2147483647\n",
		"p.c:4: an operand is too large at this size"},
	{"a bound that does not fit",
		SIZES "//pmpp: in = x[n] u8 < n\n" OUT "//pmpp: default = 300\n",
		"p.c:4: the bound of an operand's data is below 1, or too large for its type"},
	{"a negative tolerance", SIZES OUT "//pmpp: tolerance = -1\n",
		"p.c:3: tolerance: write a number from 0 on"},
	{"an unknown operand", SIZES OUT "void reference(real *y, real *z) {}",
		"p.c:3: parameter 'z' of the reference is no operand of the comments"},
	{"an unknown size of the reference", SIZES OUT "void reference(real *y, int m) {}",
		"p.c:3: parameter 'm' of the reference is no size or scalar of the comments"},
	{"another type", SIZES OUT "void reference(short *y) {}",
		"p.c:3: parameter 'y' of the reference has elements of 'short': write real, float, int, "
		"unsigned or unsigned char"},
	{"without the output", SIZES OUT "void reference(int n) {}",
		"p.c:3: no parameter of the reference is the output 'y'"},
};

TEST_ROWS(message, refused, "refused: %s", row->name)
{
	struct own_problem *problem = NULL;
	struct pmpp_error error = PMPP_ERROR_INIT;

	EQUAL(own_problem_read("p.c", row->text, &problem, &error), PMPP_USAGE);
	assert_string_equal(error.message, row->message);
}

static const char whole[] =
	"// A comment.\n"
	"//pmpp: sizes = h, w, r = 2\n"
	"//pmpp: scalars = alpha = 0.5\n"
	"  //pmpp: in = image[h][w] f32\n"
	"//pmpp: in = filter[2 * r + 1][2 * r + 1] f16 positive\n"
	"//pmpp: in = at[2][h][w] i32 < w\r\n"
	"//pmpp: inout = result[ceil(h / 4)] f64\n"
	"//pmpp: check = 3x5, 4x4x1\n"
	"//pmpp: default = 100x200\n"
	"static real reference(real x);\n"
	"void reference(const float image[], double *result,\n"
	"\tconst real (filter)[5], int w, const int *at, float alpha, long r) {}\n";

TEST(declared, "all declarations")
{
	struct own_problem *own = NULL;
	struct pmpp_error error = PMPP_ERROR_INIT;

	EQUAL(own_problem_read("folder/conv.c", whole, &own, &error), PMPP_OK);
	const struct family *family = &own->family;
	struct problem problem = problem_default(family);
	struct config config = {.variant = &(const struct variant){.name = "k"}};
	int64_t sizes[PMPP_MAX_CHECK_SIZES][PMPP_MAX_DIMS];

	assert_string_equal(family->name, "conv");
	EQUAL(family->dim_count, 3);
	EQUAL(family->dim_default[2], 2);
	EQUAL(family->operand_count, 5);
	EQUAL(problem.dtype, DTYPE_F64);
	EQUAL(own->param_count, 7);
	EQUAL(own->params[1].index, 4); /* the output, not the input that it begins with */
	EQUAL(own->params[0].dtype, DTYPE_F32);
	EQUAL(own->params[5].role, OWN_REFERENCE_SCALAR);
	problem_default_size(&problem, DEVICE_CLASS_GPU);
	EQUAL(problem.dim[1], 200);
	EQUAL(operand_rows(&family->operands[0], &problem), 100);
	EQUAL(operand_columns(&family->operands[1], &problem), 5);
	EQUAL(operand_rows(&family->operands[2], &problem), 200);
	IS(family->operands[3].in_place && family->operands[3].role == OPERAND_IN);
	EQUAL(operand_rows(&family->operands[4], &problem), 25);
	EQUAL(check_sizes_make(&config, &problem, 1e9, sizes), 2);
	IS(sizes[0][1] == 5 && sizes[0][2] == 2 && sizes[1][2] == 1);
	test_near(own_problem_slack(own, 4, 8), 4e-10, 1e-20);
	test_near(own_problem_slack(own, 0.5, 8), 1e-10, 1e-20);
	test_near(own_problem_slack(own, 0, 1e-5), 1e-15, 1e-25);
	own_problem_destroy(own);
}

static const struct {
	const char *name, *comments, *parameters, *summary;
} aliases[] = {
	{"of sizes", "sizes = h, w", "int height, int width", "height = h, width = w)"},
	{"and the name of a size", "sizes = h, height", "int height, int h", "height, h)"},
	{"and the name of a scalar", "sizes = h, w\n//pmpp: scalars = width = 5",
		"int height, int width, int w", "height = h, width, w)"},
};

TEST_ROWS(alias, aliases, "aliases %s", row->name)
{
	struct pmpp_error error = PMPP_ERROR_INIT;
	struct own_problem *own = NULL;
	struct own_kernel *kernel = NULL;
	char text[300];

	snprintf(text, sizeof text, "//pmpp: %s\n//pmpp: out = y[h] f32", row->comments);
	EQUAL(own_problem_read("p.c", text, &own, &error), PMPP_OK);
	EQUAL(problem_reference_build(own, &error), PMPP_OK);
	const struct own_wishes wishes = {.family = &own->family};
	snprintf(text, sizeof text, "__global__ void k(float *y, %s) {}", row->parameters);
	EQUAL(own_kernel_read("k.cu", text, &wishes, &kernel, &error), PMPP_OK);
	if (!strstr(kernel->summary, row->summary))
		fail_msg("%s", kernel->summary);
	own_kernel_destroy(kernel);
	problem_reference_finish(own);
	own_problem_destroy(own);
}

/* Integers need two calls. Each is within the limit of the row, and both together are not. */
TEST(row_limit, "the time of all calls for a row")
{
	static const char text[] =
		"unsigned usleep(unsigned us);\n//pmpp: sizes = n\n//pmpp: out = y[n] i32\n"
		"void reference(int *y) { *y = 1; usleep(300000); }\n";
	struct own_problem *own = NULL;
	struct pmpp_error error = PMPP_ERROR_INIT;
	const void *const inputs[PMPP_MAX_OPERANDS] = {NULL};

	EQUAL(own_problem_read("sum.c", text, &own, &error), PMPP_OK);
	EQUAL(problem_reference_build(own, &error), PMPP_OK);
	own->timeout_s = 0.5;
	struct problem problem = problem_default(&own->family);
	problem.dim[0] = 1;
	EQUAL(own->family.prepare_reference(&problem, inputs, &error), PMPP_USAGE);
	assert_string_equal(error.message,
		"sum.c: the function 'reference' takes more than 0.4 s in all its calls for one row (n=1)");
	problem_reference_finish(own);
	own_problem_destroy(own);
}

/* The values of index data, with each case. */
TEST(data, "data")
{
	static const char text[] =
		"//pmpp: sizes = n, k\n//pmpp: in = a[n] i32 < k\n"
		"//pmpp: in = s[n] u32 ascending to k\n//pmpp: in = p[n] f32 "
		"positive\n//pmpp: in = i[n] f32 integers\n//pmpp: out = y[n] f32\n"
		"void reference(real *y) {}\n";
	struct own_problem *own = NULL;
	struct pmpp_error error = PMPP_ERROR_INIT;
	int32_t below[100];
	uint32_t ascending[100];
	float positive[100], integers[100];

	EQUAL(own_problem_read("index.c", text, &own, &error), PMPP_OK);
	struct problem problem = problem_default(&own->family);
	problem.dim[0] = 100;
	problem.dim[1] = 7;
	for (int c = -1; c < CASE_COUNT; c++) {
		problem.source = c < 0 ? INPUT_RANDOM : INPUT_CASE;
		problem.data_case = c < 0 ? 0 : (enum data_case)c;
		own_problem_fill(&problem, 0, 0, 100, below);
		own_problem_fill(&problem, 1, 0, 60, ascending);
		own_problem_fill(&problem, 1, 60, 40, ascending + 60);
		own_problem_fill(&problem, 2, 0, 100, positive);
		own_problem_fill(&problem, 3, 0, 100, integers);
		IS(ascending[0] == 0 && ascending[99] == 7);
		for (size_t i = 0; i < 100; i++) {
			IS(below[i] >= 0 && below[i] < 7);
			IS(i == 0 || ascending[i] >= ascending[i - 1]);
			IS(positive[i] > 0 && positive[i] <= 1);
			IS(integers[i] == (float)(int)integers[i]);
		}
	}
	own_problem_destroy(own);
}

int main(int argc, char **argv)
{
	return test_run(argc, argv);
}
