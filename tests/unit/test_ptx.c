#include "common/ptx.h"
#include "tests/support/test.h"

/* counts: "name=first/second" for every row of the table, then for the total. */
static const struct row {
	const char *name;
	const char *body; /* of the kernel; NULL: text is the whole of it */
	const char *text, *counts;
} rows[] = {
	{"nothing", "", NULL, "all=0/0"},
	{"a return", "ret;", NULL, "ret=1/0 all=1/0"},
	{"memory keeps space, path and width",
		"ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];\n"
		"ld.global.f32 %f1, [%rd1];\n"
		"ld.volatile.shared.u32 %r1, [%r2];\n"
		"ld.shared::cta.u32 %r1, [%r2];\n"
		"st.shared.v2.f32 [%r2], {%f1, %f2};\n"
		"ld.param.u64 %rd1, [f_param_0];\n"
		"atom.shared.add.u32 %r1, [%r2], 1;\n"
		"red.global.add.f32 [%rd1], %f1;\n",
		NULL,
		"atom.shared=1/0 ld.global=1/0 ld.global.nc.v4=1/0 ld.param=1/0 ld.shared=2/0 "
		"red.global=1/0 st.shared.v2=1/0 all=8/0"},
	{"arithmetic keeps a floating-point type",
		"fma.rn.f32 %f1, %f1, %f1, %f1;\nfma.rn.f16x2 %r1, %r1, %r1, %r1;\n"
		"add.s64 %rd1, %rd1, 4;\nadd.f32 %f1, %f1, %f1;\nmad.lo.s32 %r1, %r1, %r1, %r1;\n"
		"cvt.rn.f32.s32 %f1, %r1;\nbar.sync 0;\n"
		"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1}, {%r1}, {%r2}, {%f1};\n",
		NULL,
		"add=1/0 add.f32=1/0 bar=1/0 cvt.f32=1/0 fma.f16x2=1/0 fma.f32=1/0 mad=1/0 "
		"mma.f32=1/0 all=8/0"},
	{"predicates and labels",
		"$L__BB0_1:\n\t@%p1 bra \t$L__BB0_2;\n\t@!%p2 bra.uni $L__BB0_1;\nBB0_3: ret;\n",
		NULL, "bra=2/0 ret=1/0 all=3/0"},
	{"directives are not instructions",
		".reg .pred \t%p<12>;\n.shared .align 16 .b8 tile[1024];\n.loc 1 2 3\n"
		".pragma \"nounroll\";\nret;\n",
		NULL, "ret=1/0 all=1/0"},
	{"comments are not instructions",
		"// ld.global.f32 %f1, [%rd1];\n/* ret;\nret; */ ret; // bar.sync 0;\n", NULL,
		"ret=1/0 all=1/0"},
	{"a call over several lines, in a block",
		"{ // callseq 0, 0\n.param .b64 param0;\nst.param.b64 [param0], %rd1;\n"
		"call.uni (retval0),\nvprintf,\n(\nparam0\n);\n} // callseq 0\nret;\n",
		NULL, "call=1/0 ret=1/0 st.param=1/0 all=3/0"},
	{"inline text in one line", "{ .reg .b32 t; mov.b32 t, %r1; }\nret;\n", NULL,
		"mov=1/0 ret=1/0 all=2/0"},
	{"tables of numbers are not bodies", NULL,
		".version 9.0\n.target sm_90\n.global .align 4 .b8 t[4] = {1, 2, 3, 4};\n"
		".visible .entry f(\n.param .u64 f_param_0\n)\n.maxntid 256, 1, 1\n{\nret;\n}\n",
		"ret=1/0 all=1/0"},
	{"a head and its body in one line", NULL, ".entry f() { ret; }\n.entry g() { exit; }\n",
		"ret=1/0 all=1/0"},
	{"other kernels do not count, functions do", NULL,
		".visible .entry ff(\n)\n{\nexit;\n}\n"
		".func (.param .b32 func_retval0) helper(\n)\n{\nbar.sync 0;\n}\n"
		".entry f (\n)\n{\nret;\n}\n.visible .entry g()\n{\nexit;\n}\n",
		"bar=1/0 ret=1/0 all=2/0"},
	{"a text that ends too early", NULL, ".entry f()\n{\n@%p1\nld.global.f32 %f1",
		"ld.global=1/0 all=1/0"},
	{"nothing but half a comment", NULL, "/* ret;", "all=0/0"},
};

static void table_text(const struct ptx_table *table, char *text, size_t size)
{
	size_t used = 0;

	for (size_t i = 0; i < table->count; i++)
		used += (size_t)snprintf(text + used, size - used, "%s=%u/%u ", table->rows[i].name,
			table->rows[i].count[0], table->rows[i].count[1]);
	snprintf(text + used, size - used, "all=%u/%u", table->total[0], table->total[1]);
}

TEST_ROWS(counts, rows, "count: %s", row->name)
{
	const char *const entries[] = {"f"};
	FINISHED(ptx_table_finish) struct ptx_table table = {0};
	char text[1000], got[500];

	snprintf(text, sizeof text, ".visible .entry f(\n.param .u64 f_param_0\n)\n{\n%s\n}\n",
		row->body ? row->body : "");
	test_ok(ptx_count(row->body ? text : row->text, entries, 1, 0, &table, &test_error));
	table_text(&table, got, sizeof got);
	if (strcmp(got, row->counts) != 0)
		test_fail("got '%s', want '%s'", got, row->counts);
}

/* The same kernel as NVIDIA's OpenCL and NVRTC write it: other spellings, other vector widths. */
TEST(two_texts, "two texts")
{
	static const char opencl[] =
		".version 8.8\n.target sm_90, texmode_independent\n.address_size 64\n"
		".entry f(\n\t.param .u64 .ptr .global .align 4 f_param_0\n)\n"
		".reqntid 16, 16, 1\n{\n\t.reg .f32 %f<9>;\n"
		"\tld.shared.f32 \t%f1, [%r1];\n\tld.shared.f32 \t%f2, [%r1+4];\n"
		"\tfma.rn.f32 \t%f3, %f1, %f2, %f3;\n\tret;\n}\n";
	static const char cuda[] =
		".version 9.0\n.target sm_90\n.address_size 64\n"
		".visible .entry f(\n\t.param .u64 f_param_0\n)\n.maxntid 256, 1, 1\n{\n"
		"\tld.shared.v2.f32 \t{%f1, %f2}, [%r1];\n"
		"\tfma.rn.f32 \t%f3, %f1, %f2, %f3;\n\tret;\n}\n"
		".visible .entry g()\n{\n\tret;\n}\n";
	const char *const entries[] = {"h", "f"};
	struct ptx_table table = {0};
	char got[200];

	CHECK(IS(ptx_is(opencl)), IS(ptx_is(cuda)), NOT(ptx_is("BC\xc0\xde")));
	test_ok(ptx_count(opencl, entries, 2, 0, &table, &test_error));
	test_ok(ptx_count(cuda, entries, 2, 1, &table, &test_error));
	table_text(&table, got, sizeof got);
	STRING(got, "fma.f32=1/1 ld.shared=2/0 ld.shared.v2=0/1 ret=1/1 all=4/3");
	ptx_table_finish(&table);
	test_ok(ptx_count(cuda, NULL, 0, 1, &table, &test_error));
	EQUAL(table.total[1], 4);
	ptx_table_finish(&table);
}

static const struct shared_row {
	const char *name, *text;
	long long bytes;
} shared_rows[] = {
	{"no shared memory", ".entry f()\n{\nret;\n}\n", 0},
	{"an array", ".entry f()\n{\n\t.shared .align 128 .b8 f_$_tile[49152];\n\tret;\n}\n",
		49152},
	{"the alignment of the second array",
		".entry f() {\n.shared .align 4 .b8 a[12];\n.shared .align 16 .b8 b[32];\n}\n", 48},
	{"single variables", ".entry f() {\n.shared .u32 a;\n.shared .align 8 .f64 b;\n}\n", 16},
	{"accesses are not variables",
		".entry f() {\n.shared .align 4 .b8 a[8];\nld.shared.u32 %r1, [%r2];\n}\n", 8},
	{"other kernels do not count",
		".entry g() {\n.shared .b8 a[8];\n}\n.entry f() {\n.shared .b8 a[4];\n}\n"
		".entry ff() {\n.shared .b8 a[16];\n}\n",
		4},
	{"comments do not count", ".entry f() {\n// .shared .b8 a[8];\nret;\n}\n", 0},
	{"no such kernel", ".entry g() {\nret;\n}\n", -1},
	{"shared memory of all kernels", ".shared .b8 a[8];\n.entry f() {\nret;\n}\n", -1},
	{"another form", ".entry f() {\n.shared .texref t;\n}\n", -1},
	{"a text that ends too early", ".entry f() {\n.shared .align", -1},
};

TEST_ROWS(shared_bytes, shared_rows, "shared memory: %s", row->name)
{
	long long bytes = ptx_shared_bytes(row->text, "f");

	if (bytes != row->bytes)
		test_fail("got %lld, want %lld", bytes, row->bytes);
}

/* No opcode is longer than the table's names, whatever a text says. */
TEST(long_names, "long names")
{
	FINISHED(ptx_table_finish) struct ptx_table table = {0};
	char text[600] = ".entry f()\n{\n";

	for (int i = 0; i < 40; i++)
		strcat(text, "ld.shared");
	strcat(text, " x;\nld");
	for (int i = 0; i < 20; i++)
		strcat(text, ".shared");
	strcat(text, ".f32 y;\n}\n");
	test_ok(ptx_count(text, NULL, 0, 0, &table, &test_error));
	EQUAL(table.total[0], 2);
	for (size_t i = 0; i < table.count; i++)
		IS(strlen(table.rows[i].name) < PTX_NAME_BYTES);
}
