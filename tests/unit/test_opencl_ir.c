/* Changes of LLVM IR for OpenCL kernels: variables, entries, built-in functions, hooks, order. */
#include "host/gpu/opencl_emu/internal.h"
#include "tests/support/test.h"

#include <malloc.h>

/* ---- Reading ------------------------------------------------------------------------------- */

static void facts_finish(struct ir_facts *facts)
{
	free(facts->text);
	free(facts->entries);
	free(facts->needs);
}

#define FACTS FINISHED(facts_finish) struct ir_facts

static struct ir_facts facts_of(const char *ir)
{
	struct ir_facts facts = {0};

	IS(ir_read(ir, &facts));
	return facts;
}

enum output {
	TEXT,
	ENTRIES,
	NEEDS
};

/* 150 characters */
#define TEN "abcdefghij"
#define LONG_NAME TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

/* A part that an output has, or does not have. */
static const struct reading {
	const char *name, *ir;
	enum output output;
	bool absent;
	const char *part;
} readings[] = {
	{"a local variable", "@k.tile = internal global [4 x float] undef, align 16\n", TEXT, false,
		"@k.tile = hidden global [4 x float] undef, section \"pmpp_shared\", align 16\n"},
	{"a local scalar", "@k.flag = internal unnamed_addr global i32 undef, align 4\n", TEXT,
		false,
		"@k.flag = hidden unnamed_addr global i32 undef, section \"pmpp_shared\", align 4\n"},
	{"a table in constant memory", "@t = internal constant [2 x i32] [i32 1, i32 2], align 4\n",
		TEXT, false,
		"@pmpp.gap.1 = hidden constant [65536 x i8] zeroinitializer, section "
		"\"pmpp_constants\"\n"
		"@pmpp_user.t = hidden constant [2 x i32] [i32 1, i32 2], section \"pmpp_constants\", "
		"align 4\n@pmpp.gap.2 = hidden constant "},
	{"a variable in global memory", "@g = global i32 7, align 4\n", TEXT, false,
		"@pmpp_user.g = global i32 7, section \"pmpp_variables\", align 4\n"},
	{"a static variable in global memory", "@g = internal global i32 7, align 4\n", TEXT, false,
		"@pmpp_user.g = hidden global i32 7, section \"pmpp_variables\", align 4\n"},
	{"initial values of a private array",
		"@__const.k.own = private constant [2 x i32] [i32 1, "
		"i32 2]\n",
		TEXT, true, "pmpp_constants"},
	{"#pragma unroll", "!9 = !{!\"llvm.loop.unroll.full\"}\n", TEXT, false,
		"!9 = !{!\"llvm.loop.unroll.disable\"}\n"},
	{"#pragma unroll 4", "!9 = !{!\"llvm.loop.unroll.count\", i32 4}\n", TEXT, false,
		"!9 = !{!\"llvm.loop.unroll.disable\"}\n"},
	{"calls of a convergent function stay apart",
		"attributes #1 = { convergent nounwind \"x\"=\"y\" }\n", TEXT, false,
		"attributes #1 = { nomerge convergent nounwind"},
	{"barriers on different lines",
		"  call void @pmpp_emu_barrier(i32 noundef 7, i32 1)\n"
		"  call void @pmpp_emu_barrier(i32 noundef 17, i32 1)\n",
		TEXT, false, "(i32 noundef 17, i32 1)"},
	{"two barriers on a line",
		"  call void @pmpp_emu_barrier(i32 noundef 7, i32 1), !dbg !2\n"
		"  call void @pmpp_emu_barrier(i32 noundef 7, i32 2), !dbg !3\n",
		TEXT, false,
		"(i32 noundef 7, i32 1), !dbg !2\n  call void @pmpp_emu_barrier(i32 noundef 0, i32 "
		"2), !dbg !3\n"},
	{"a built-in function", "declare float @_Z3fmafff(float, float, float) #1\n", NEEDS, false,
		"#define NEED_fma\n"},
	{"a function of C", "declare i32 @printf(i8*, ...)\n", NEEDS, false,
		"#define NEED_printf\n"},
	{"an intrinsic", "declare void @llvm.lifetime.start.p0i8(i64, i8*)\n", NEEDS, true, "NEED"},
	{"a hook", "declare void @__tsan_read4(i8*)\n", NEEDS, true, "NEED"},
	{"types of parameters",
		"declare void @_Z4someDv4_iPU8CLglobalKDv2_DhS1_S_P9ocl_eventj12memory_orderd()\n",
		NEEDS, false,
		"#define PMPP_ONLY\n#define PMPP_HAS_v2\n#define PMPP_HAS_v4\n#define PMPP_HAS_Dh\n"
		"#define PMPP_HAS_i\n#define PMPP_HAS_j\n#define PMPP_HAS_d\n#define NEED_some\n"},
	{"a long name", "declare float @" LONG_NAME "(float)\n", NEEDS, false,
		"#define NEED_" LONG_NAME "\n"},
	{"a long name of a kernel",
		"define spir_kernel void @" LONG_NAME "() !kernel_arg_addr_space !1 "
		"!kernel_arg_base_type !1 {\n}\n!1 = !{}\n",
		ENTRIES, false, "pmpp_emu_entry_" LONG_NAME " = {"},
	{"the start of another name", "x\ndeclare float @min3(i32)\ndeclare float @min(i32)\n",
		NEEDS, false, "#define NEED_min\n"},
	{"a conversion", "declare <4 x i8> @_Z22convert_uchar4_sat_rtzDv4_f(<4 x float>)\n", NEEDS,
		false, "PMPP_CONVERT(convert_uchar4_sat_rtz, uchar4, uchar, 4, 1, rtz)\n"},
	{"a conversion of a scalar", "declare float @_Z13convert_floati(i32)\n", NEEDS, false,
		"PMPP_CONVERT(convert_float, float, float, 1, 0, default)\n"},
	{"overloads have one text",
		"x\ndeclare float @_Z13convert_floati(i32)\ndeclare float @_Z13convert_floatj(i32)\n",
		NEEDS, false,
		"#define PMPP_ONLY\n#define PMPP_HAS_i\n#define PMPP_HAS_j\n"
		"PMPP_CONVERT(convert_float, float, float, 1, 0, default)\n"},
	{"the kinds of parameters",
		"define spir_kernel void @k(float* %0, i32 %1, i64 %2, float %3, i8* %4) "
		"!kernel_arg_addr_space !1 !kernel_arg_base_type !2 {\n}\n"
		"!1 = !{i32 1, i32 0, i32 0, i32 0, i32 3}\n"
		"!2 = !{!\"float*\", !\"int\", !\"ulong\", !\"float\", !\"char*\"}\n",
		ENTRIES, false, "pmpp_emu_entry_k = {pmpp_call_k, \"p48fl\", {0, 0, 0, }, 0, };"},
	{"a parameter that no argument fits",
		"define spir_kernel void @k(<8 x i32> %0) !kernel_arg_addr_space !1 "
		"!kernel_arg_base_type !2 {\n}\n!1 = !{i32 0}\n!2 = !{!\"int __attribute__((ext_"
		"vector_type(8)))\"}\n",
		ENTRIES, false, "\"?\", {"},
	{"the required sizes",
		"define spir_kernel void @k() !kernel_arg_addr_space !1 !kernel_arg_base_type !1 "
		"!reqd_work_group_size !2 !intel_reqd_sub_group_size !3 {\n}\n!1 = !{}\n"
		"!2 = !{i32 64, i32 2, i32 1}\n!3 = !{i32 16}\n",
		ENTRIES, false, "\"\", {64, 2, 1, }, 16, };"},
	{"words in a string are no variable",
		"@.str = private constant [9 x i8] c\"a = internal x global y undef\"\n", TEXT,
		true, "section"},
	{"a string with the call of a function",
		"@.str = private constant [9 x i8] c\"@printf(\"\n", TEXT, true, "pmpp_emu_printf"},
	{"no parameter",
		"define spir_kernel void @k() !kernel_arg_addr_space !1 !kernel_arg_base_type !1 "
		"{\n}\n!1 = !{}\n",
		ENTRIES, false, "pmpp_emu_entry_k = {pmpp_call_k, \"\", {"},
	{"a function that is no kernel", "define internal void @helper(i32 %0) #0 {\n}\n", ENTRIES,
		true, "helper"},
};

/* Local arrays whose size is checked before they are compiled. */
static const struct local_array {
	const char *ir;
	unsigned long long elements;
} local_arrays[] = {
	{"", 0},
	{"@k.flag = internal global i32 undef, align 4\n", 1},
	{"@k.a = internal global [4 x [8 x float]] undef\n@k.b = internal global [3 x i8] undef\n",
		32},
	{"@a = internal global [1500000000 x [1500000000 x [1500000000 x i32]]] undef\n",
		18446744073709551615ull},
	{"@table = internal addrspace(2) constant [64 x i8] zeroinitializer\n", 0},
};

TEST_ROWS(local_elements, local_arrays, "elements of local arrays %zu", i)
{
	FACTS facts = facts_of(row->ir);

	if (facts.largest_local != row->elements)
		test_fail("%llu elements, not %llu", facts.largest_local, row->elements);
}

TEST_ROWS(reading, readings, "reading: %s", row->name)
{
	FACTS facts = facts_of(row->ir);

	const char *const texts[] = {
		[TEXT] = facts.text, [ENTRIES] = facts.entries, [NEEDS] = facts.needs};
	const char *found = strstr(texts[row->output], row->part);
	if (!found != row->absent)
		test_fail("'%s' in: %s", row->part, texts[row->output]);
}

/* ---- Needs of functions -------------------------------------------------------------------- */

#define ONLY "#define PMPP_ONLY\n"
#define HAS_I "#define PMPP_HAS_i\n"
#define HAS_J "#define PMPP_HAS_j\n"
#define HAS_V4 "#define PMPP_HAS_v4\n"
#define MIN "#define NEED_min\n"
#define MIN3 "#define NEED_min3\n"

#define DECLARE_MIN(types) "declare void @_Z3min" types "()\n"
#define DECLARE_MIN3(types) "declare void @_Z4min3" types "()\n"

/* The declarations of a kernel file, and the texts of its functions. */
static const struct needing {
	const char *name, *ir, *want;
} needings[] = {
	{"no function", "x\n", ""},
	{"a function without parameters", "declare void @min()\n", ONLY MIN},
	{"equal types of parameters", DECLARE_MIN("ii"), ONLY HAS_I MIN},
	{"two functions", DECLARE_MIN3("j") DECLARE_MIN("i"), ONLY HAS_J MIN3 ONLY HAS_I MIN},
	{"overloads with another function between them",
		DECLARE_MIN("Dv4_j") DECLARE_MIN3("Dv4_P") DECLARE_MIN("i"),
		ONLY HAS_V4 HAS_I HAS_J MIN ONLY HAS_V4 MIN3},
};

TEST_ROWS(needing, needings, "needs: %s", row->name)
{
	FACTS facts = facts_of(row->ir);

	STRING(facts.needs, row->want);
}

/* ---- Parts of vectors ---------------------------------------------------------------------- */

#define LOAD "  %2 = load <4 x float>, <4 x float>* %1, align 16, !dbg !7\n"
#define STORE "  store <4 x float> %4, <4 x float>* %1, align 16, !dbg !7\n"
#define ADDRESS "getelementptr inbounds <4 x float>, <4 x float>* %1, i64 0, i64 "

/* Bodies of functions, and parts that the result has; NULL: unchanged. */
static const struct parts {
	const char *name, *body, *want[3];
} parts[] = {
	{"one element is stored",
		LOAD "  %4 = insertelement <4 x float> %2, float %0, i32 1, !dbg !7\n" STORE,
		{"  %2 = bitcast <4 x float> undef to <4 x float>, !dbg !7\n",
			ADDRESS "1, !dbg !7\n",
			"  store float %pmpp.v1, float* %pmpp.v2, align 4, !dbg !7\n"}},
	{"two elements are stored",
		LOAD
		"  %4 = shufflevector <4 x float> %2, <4 x float> %3, <4 x i32> <i32 0, i32 1, "
		"i32 4, i32 5>, !dbg !7\n" STORE,
		{"  %2 = bitcast", ADDRESS "2, !dbg !7\n",
			"  store <2 x float> %pmpp.v1, <2 x float>* %pmpp.v3, align 8, !dbg !7\n"}},
	{"two runs are stored",
		LOAD
		"  %4 = shufflevector <4 x float> %2, <4 x float> %3, <4 x i32> <i32 4, i32 1, "
		"i32 2, i32 5>\n" STORE,
		{ADDRESS "0", ADDRESS "3", "  store float %pmpp.v3, float* %pmpp.v4, align 4"}},
	{"an opaque pointer",
		"  %2 = load <4 x i32>, ptr %1, align 16\n"
		"  %4 = insertelement <4 x i32> %2, i32 %0, i64 3\n"
		"  store <4 x i32> %4, ptr %1, align 16\n",
		{"getelementptr inbounds <4 x i32>, ptr %1, i64 0, i64 3\n",
			"  store i32 %pmpp.v1, ptr %pmpp.v2, align 4\n", "  %2 = bitcast"}},
	{"one element is read", LOAD "  %3 = extractelement <4 x float> %2, i64 2, !dbg !7\n",
		{ADDRESS "2, !dbg !7\n", " = load float, float* %pmpp.v1, align 8, !dbg !7\n",
			"  %2 = bitcast <4 x float> %pmpp.v3 to <4 x float>, !dbg !7\n"}},
	{"three elements are read",
		LOAD
		"  %3 = shufflevector <4 x float> %2, <4 x float> poison, <3 x i32> <i32 0, i32 "
		"1, i32 2>\n",
		{ADDRESS "0", " = load <3 x float>, <3 x float>* %pmpp.v2, align 16"}},
	{"the whole vector is read",
		LOAD
		"  call void @f(<4 x float> %2)\n  %3 = extractelement <4 x float> %2, i32 0\n",
		{NULL}},
	{"the number of the element is a value",
		LOAD "  %3 = extractelement <4 x float> %2, i32 %0\n", {NULL}},
	{"the whole vector is stored", "  %4 = fadd <4 x float> %3, %3\n" STORE, {NULL}},
	{"memory changes before the store",
		LOAD "  %4 = insertelement <4 x float> %2, float %0, i32 1\n"
		     "  call void @f()\n" STORE,
		{NULL}},
	{"another vector",
		"  %2 = load <4 x float>, <4 x float>* %5, align 16\n"
		"  %4 = insertelement <4 x float> %2, float %0, i32 1\n" STORE,
		{NULL}},
	{"a volatile access",
		"  %2 = load volatile <4 x float>, <4 x float>* %1, align 16\n"
		"  %3 = extractelement <4 x float> %2, i32 0\n",
		{NULL}},
	{"a variable on the stack",
		"  %1 = alloca <4 x float>, align 16\n" LOAD
		"  %3 = extractelement <4 x float> %2, i32 0\n",
		{NULL}},
};

TEST_ROWS(split, parts, "parts of vectors: %s", row->name)
{
	FREED char *ir = NULL;

	IS(asprintf(&ir, "define void @f() {\n%s}\n!7 = !{}\n", row->body) > 0);
	FREED char *text = ir_split_vectors(ir);
	SOME(text);
	if (!row->want[0])
		STRING(text, ir);
	for (size_t i = 0; i < 3 && row->want[i]; i++)
		HAS(text, row->want[i]);
}

/* ---- Hooks --------------------------------------------------------------------------------- */

static const struct hooks {
	const char *name, *ir, *want; /* want: the text at its start; NULL: unchanged */
} hooks[] = {
	{"a vector of 32 bytes", "  %1 = load <8 x float>, <8 x float>* %0, align 32, !dbg !7\n",
		"  %pmpp.1 = bitcast <8 x float>* %0 to i8*, !dbg !7\n"
		"  call void @__tsan_read_range(i8* %pmpp.1, i64 32), !dbg !7\n"
		"  %1 = load <8 x float>"},
	{"an opaque pointer", "  %1 = load <16 x float>, ptr %0, align 64\n",
		"  call void @__tsan_read_range(ptr %0, i64 64)\n  %1 = load"},
	{"a store", "  store <4 x double> %1, <4 x double>* %0, align 32\n",
		"  %pmpp.1 = bitcast <4 x double>* %0 to i8*\n"
		"  call void @__tsan_write_range(i8* %pmpp.1, i64 32)\n  store"},
	{"three elements", "  store <3 x float> %1, <3 x float>* %0, align 16\n",
		"  %pmpp.1 = bitcast <3 x float>* %0 to i8*\n"
		"  call void @__tsan_write_range(i8* %pmpp.1, i64 12)\n  store"},
	{"three bytes", "  %1 = load <3 x i8>, ptr %0, align 4\n",
		"  call void @__tsan_read_range(ptr %0, i64 3)\n  %1 = load"},
	{"three longs", "  %1 = load <3 x i64>, ptr %0, align 32\n",
		"  call void @__tsan_read_range(ptr %0, i64 24)\n  %1 = load"},
	{"an integer of three bytes", "  store i24 %1, ptr %0, align 4\n",
		"  call void @__tsan_write_range(ptr %0, i64 3)\n  store"},
	{"volatile", "  store volatile <3 x half> %1, ptr %0, align 8, !dbg !3\n",
		"  call void @__tsan_write_range(ptr %0, i64 6), !dbg !3\n  store volatile"},
	{"an expression",
		"  %1 = load <8 x i32>, <8 x i32>* bitcast ([8 x i32]* @k.t to <8 x i32>*), align "
		"32\n",
		"  %pmpp.1 = bitcast <8 x i32>* bitcast ([8 x i32]* @k.t to <8 x i32>*) to i8*\n"
		"  call void @__tsan_read_range(i8* %pmpp.1, i64 32)\n"},
	{"16 bytes", "  %1 = load <4 x float>, <4 x float>* %0, align 16\n", NULL},
	{"2 bytes", "  store <2 x i8> %1, <2 x i8>* %0, align 2\n", NULL},
	{"a bit", "  %1 = load i1, i1* %0, align 1\n", NULL},
	{"a pointer", "  %1 = load i24*, i24** %0, align 8\n", NULL},
	{"a scalar", "  %1 = load float, float* %0, align 4\n", NULL},
	{"a copy",
		"  call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 4 %1, i8* align 4 %2, i64 12, i1 "
		"false), !dbg !5\n",
		"  call void @__tsan_read_range(i8* %2, i64 12), !dbg !5\n"
		"  call void @__tsan_write_range(i8* %1, i64 12), !dbg !5\n  call void @llvm."},
	{"a copy between long names",
		"  call void @llvm.memcpy.p0.p0.i64(ptr align 4 @" LONG_NAME LONG_NAME
		", ptr align 4 %2, i64 12, i1 false)\n",
		"  call void @__tsan_read_range(ptr %2, i64 12)\n"
		"  call void @__tsan_write_range(ptr @" LONG_NAME LONG_NAME ", i64 12)\n"},
	{"a fill", "  call void @llvm.memset.p0i8.i64(i8* align 4 %1, i8 0, i64 %2, i1 false)\n",
		"  call void @__tsan_write_range(i8* %1, i64 %2)\n  call void @llvm."},
};

/* A hook that is called is declared, with the type of its calls. */
static void check_declared(const char *text, const char *name)
{
	char call[64], declaration[64];

	for (int opaque = 0; opaque < 2; opaque++) {
		const char *type = opaque ? "ptr" : "i8*";
		snprintf(call, sizeof call, "call void @%s(%s ", name, type);
		snprintf(
			declaration, sizeof declaration, "declare void @%s(%s, i64)\n", name, type);
		if (!strstr(text, call) != !strstr(text, declaration))
			test_fail("%s: %s", declaration, text);
	}
}

TEST_ROWS(hook, hooks, "hooks: %s", row->name)
{
	const char *want = row->want ? row->want : row->ir;
	FREED char *text = ir_trace(row->ir);

	SOME(text);
	if (strncmp(text, want, strlen(want)) != 0)
		test_fail("%s", text);
	check_declared(text, "__tsan_read_range");
	check_declared(text, "__tsan_write_range");
}

/* Texts of many lengths: for some of them the output moves while a declaration is written. */
TEST(lengths, "hooks: texts of all lengths")
{
	static const char store[] = "  store <16 x float> %1, ptr %0, align 64\n";
	char ir[9000];

	mallopt(M_PERTURB, 0xb2); /* text that was moved is not there any more */
	for (size_t length = sizeof store; length < sizeof ir; length += 7) {
		memset(ir, '\n', length);
		memcpy(ir, store, sizeof store - 1);
		ir[length] = '\0';
		FREED char *text = ir_trace(ir);
		SOME(text);
		check_declared(text, "__tsan_write_range");
	}
	mallopt(M_PERTURB, 0);
}

/* ---- Order --------------------------------------------------------------------------------- */

/* The labels of a function in the order of the text, "v2 v5 v3 ". */
static void labels_of(const char *text, char *ret_labels, size_t size)
{
	*ret_labels = '\0';
	while (*text) {
		size_t length = strcspn(text, "\n");
		if (length > 0 && text[length - 1] == ':')
			snprintf(ret_labels + strlen(ret_labels), size - strlen(ret_labels),
				"%.*s ", (int)length - 1, text);
		text += length + (text[length] == '\n');
	}
}

static const struct order {
	const char *name, *ir, *labels;
} orders[] = {
	{"the exit of a loop after its body",
		"define void @f(i32 %0) {\n  br label %3\n\n2:\n  ret void\n\n3:\n  br i1 %x, label "
		"%2, label %3\n}\n",
		"v1 v3 v2 "},
	{"the sides of a branch in their order",
		"define void @f() {\n  br i1 %x, label %1, label %2\n\n1:\n  br label %3\n\n2:\n  br "
		"label %3\n\n3:\n  ret void\n}\n",
		"v0 v1 v2 v3 "},
	{"an early exit after the loop",
		"define void @f() {\n  br label %1\n\n1:\n  br i1 %x, label %2, label %3\n\n2:\n  ret "
		"void\n\n3:\n  br i1 %y, label %1, label %2\n}\n",
		"v0 v1 v3 v2 "},
	{"a loop in a loop",
		"define void @f() {\n  br label %outer\n\nend:\n  ret void\n\nlatch:\n  br i1 %x, "
		"label %outer, label %end\n\nouter:\n  br label %inner\n\ninner:\n  br i1 %y, label "
		"%latch, label %inner\n}\n",
		"v0 outer inner latch end "},
	{"a switch",
		"define void @f(i32 %0) {\n  switch i32 %0, label %4 [\n    i32 1, label %2\n    i32 "
		"2, label %3\n  ]\n\n2:\n  br label %4\n\n3:\n  br label %4\n\n4:\n  ret void\n}\n",
		"v1 v2 v3 v4 "},
	{"an entry with a label", "define void @f() {\nentry:\n  ret void\n}\n", "entry "},
	{"a block without a way to it", "define void @f() {\n  ret void\n\n1:\n  ret void\n}\n",
		"v0 v1 "},
};

TEST_ROWS(order, orders, "order: %s", row->name)
{
	char labels[200];
	FREED char *text = ir_trace(row->ir);

	SOME(text);
	labels_of(text, labels, sizeof labels);
	STRING(labels, row->labels);
}

TEST(names, "names in place of numbers")
{
	FREED char *text =
		ir_trace("@s = global [3 x i8] c\"%1\\00\"\n"
			 "define i32 @f(i32 %0, i32 %a) {\n  %2 = add i32 %0, %a, !dbg !3\n"
			 "  ret i32 %2\n}\n!3 = !{}\n");

	STRING(text, "@s = global [3 x i8] c\"%1\\00\"\n"
		     "define i32 @f(i32 %v0, i32 %a) {\nv1:\n  %v2 = add i32 %v0, %a, !dbg !3\n"
		     "  ret i32 %v2\n}\n!3 = !{}\n");
}

/* A switch with many labels. */
TEST(many_labels, "order: a switch with 100 labels")
{
	const char *cases = "", *blocks = "";

	for (int i = 3; i < 103; i++) {
		cases = test_text("%s    i32 %d, label %%%d\n", cases, i, i);
		blocks = test_text("%s\n%d:\n  br label %%2\n", blocks, i);
	}
	const char *ir = test_text("define void @f(i32 %%0) {\n  switch i32 %%0, label %%2 [\n%s"
				   "  ]\n\n2:\n  ret void\n%s}\n",
		cases, blocks);
	FREED char *text = ir_trace(ir);
	SOME(text);
	const char *first = strstr(text, "\nv3:\n");
	const char *last = strstr(text, "\nv102:\n");
	const char *end = strstr(text, "\nv2:\n");
	IS(first && last && end && first < last && last < end);
}

#define GAP(number)                                                                      \
	"@pmpp.gap." #number " = hidden constant [65536 x i8] zeroinitializer, section " \
	"\"pmpp_constants\"\n"

static const struct renamed {
	const char *name, *ir, *want; /* NULL: unchanged */
} renamed[] = {
	{"a function",
		"define float @expf(float %0) {\n  %2 = call float @expf(float %0)\n"
		"  %3 = call float @_Z3expf(float %0)\n}\ndeclare float @_Z3expf(float)\n",
		"define float @pmpp_user.expf(float %0) {\n"
		"  %2 = call float @pmpp_user.expf(float %0)\n"
		"  %3 = call float @_Z3expf(float %0)\n}\ndeclare float @_Z3expf(float)\n"},
	{"a variable", "@sinf = internal constant float 1.0\n@p = private constant ptr @sinf\n",
		GAP(1) "@pmpp_user.sinf = hidden constant float 1.0, section \"pmpp_constants\"\n" GAP(
			2) "@p = private constant ptr @pmpp_user.sinf\n"},
	{"a local variable of a kernel", "@k.tile = internal global [4 x float] undef\n",
		"@k.tile = hidden global [4 x float] undef, section \"pmpp_shared\"\n"},
	{"a static function", "define internal float @expf(float %0) {\n}\n", NULL},
	{"a name in a string",
		"@.str = private constant [6 x i8] c\"@expf\\00\"\ndefine void @k() {\n}\n",
		"@.str = private constant [6 x i8] c\"@expf\\00\"\n"
		"define void @pmpp_user.k() {\n}\n"},
	{"a name that starts with another", "define void @k() {\n  call void @k2()\n}\n",
		"define void @pmpp_user.k() {\n  call void @k2()\n}\n"},
};

TEST_ROWS(rename_all, renamed, "new names: %s", row->name)
{
	FACTS facts = facts_of(row->ir);

	STRING(facts.text, row->want ? row->want : row->ir);
}
