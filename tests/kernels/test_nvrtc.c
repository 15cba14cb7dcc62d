/*
 * Every .cu with every row's macros, compiled by NVRTC for each architecture that a row may run on,
 * without a warning. Neither a GPU nor a driver is needed.
 */
#include "common/compiler_log.h"
#include "common/family.h"
#include "host/gpu/backend_text.h"
#include "host/gpu/cuda/internal.h"
#include "host/gpu/cuda/nvrtc.h"
#include "host/gpu/ptx.h"
#include "host/io/sources.h"
#include "host/record/record.h"
#include "host/selftest/choice.h"
#include "host/selftest/mutants.h"
#include "host/suite/kernel_file.h"
#include "tests/support/test.h"
#include "tests/support/variants.h"

static const int architectures[] = {75, 80, 86, 90, 100, 120};
#define FEATURES_ARCH 90

struct row {
	const struct variant *variant;
	struct problem problem;
	struct choice_macros choices;
	int architecture;
};

struct cubin {
	void *bytes;
	size_t size;
};

/* The options that the backend gives, as far as they decide what is compiled. */
static enum pmpp_status compile(const struct row *row, const char *arch, const char *name,
	const char *source, struct cubin *ret_cubin, char **ret_log, struct pmpp_error *error)
{
	const struct variant *variant = row->variant;
	struct option_list options = {0};
	enum pmpp_status status;

	option_list_add(&options, "%s", arch);
	option_list_add_words(&options, gpu_math_options(GPU_BACKEND_CUDA, GPU_MATH_DEFAULT), NULL);
	for (size_t i = 0; variant->macros[i].name; i++)
		option_list_add(&options, "-D%s=%d", variant->macros[i].name,
			macro_default(&variant->macros[i], &kernel_shape_reference));
	for (size_t i = 0; variant->constants[i].name; i++)
		option_list_add(&options, "-D%s=%d", variant->constants[i].name,
			variant->constants[i].value);
	for (size_t i = 0; i < row->choices.count; i++)
		option_list_add(&options, "-D%s=1", row->choices.name[i]);
	status = nvrtc_compile(
		source, name, &options, &ret_cubin->bytes, &ret_cubin->size, ret_log, error);
	option_list_finish(&options);
	return status;
}

/* Compiles for sm_90. */
static enum pmpp_status compile_90(const char *source, const char *name, struct cubin *ret_cubin,
	char **ret_log, struct pmpp_error *error)
{
	struct option_list options = {0};

	option_list_add(&options, "-arch=sm_90");
	enum pmpp_status status = nvrtc_compile(
		source, name, &options, &ret_cubin->bytes, &ret_cubin->size, ret_log, error);
	option_list_finish(&options);
	return status;
}

/* The backend reads the number of parameters from the machine code. */
static void check_parameters(const struct row *row, const struct cubin *cubin)
{
	const struct config config = config_default(row->variant);
	struct problem problem = row->problem;
	struct plan plan = {0};

	problem_default_size(&problem, DEVICE_CLASS_GPU);
	config_plan(&config, &problem, &plan);
	for (size_t s = 0; s < plan.step_count; s++) {
		const struct plan_launch *launch = &plan.steps[s].as.launch;
		if (plan.steps[s].kind == PLAN_LAUNCH)
			EQUAL(cuda_image_parameters(cubin->bytes, cubin->size, launch->entry),
				launch->arg_count);
	}
}

static void run_row(const void *context)
{
	const struct row *row = context;
	const struct variant *variant = row->variant;
	bool specific = pmpp_capability_is_specific(variant->needs);
	const char *name = test_text("%s/%s.cu", variant_family(variant)->name, variant->file);
	char arch[40], *log = NULL, *source = NULL;
	struct cubin cubin = {0};
	enum pmpp_status status;

	status = nvrtc_arch_option(row->architecture, specific, arch, sizeof arch, &test_error);
	const char *wanted = test_text("-arch=sm_%d%s", row->architecture, specific ? "a" : "");
	if (status == PMPP_UNSUPPORTED || (status == PMPP_OK && strcmp(arch, wanted) != 0)) {
		pmpp_error_clear(&test_error);
		test_skip("this NVRTC (%d.%d) does not know sm_%d", nvrtc_library()->major,
			nvrtc_library()->minor, row->architecture);
	}
	test_ok(status);
	test_ok(source_load(NULL, test_text("cuda_kernels/%s", name), &source, &test_error));
	status = compile(row, arch, name, source, &cubin, &log, &test_error);
	free(source);
	test_ok(status);
	IS(cubin.size > 500);
	check_parameters(row, &cubin);
	free(cubin.bytes);
	if (log[0] != '\0')
		test_fail("the compiler said: %.1000s", log);
	free(log);
}

TEST_ON_CALL(no_library, "NVRTC")
{
	test_skip("%s", nvrtc_library()->reason);
}

/* NVRTC tells what is wrong, and where. */
TEST_ON_CALL(broken, "a broken kernel")
{
	static const char source[] =
		"extern \"C\" __global__ void f(int *x)\n{\n\t*x = nothing;\n}\n";
	struct cubin cubin = {0};
	char *log = NULL;
	enum pmpp_status status = compile_90(source, "matmul/broken.cu", &cubin, &log, &test_error);

	CHECK(SOME(test_error.log), HAS(test_error.log, "matmul/broken.cu(3)"), NIL(cubin.bytes),
		NIL(log));
	test_refused(status, PMPP_BUILD, NULL);
}

/* ---- Resources ----------------------------------------------------------------------------- */

/* Two kernels: shared memory and no array of its own; an array in local memory, because it is
 * indexed by what is not known. */
static const char resources_source[] = "extern \"C\" __global__ void turn(float *a)\n"
				       "{\n"
				       "\t__shared__ float tile[COUNT];\n"
				       "\ttile[threadIdx.x] = a[threadIdx.x];\n"
				       "\t__syncthreads();\n"
				       "\ta[threadIdx.x] = tile[COUNT - 1 - threadIdx.x];\n"
				       "}\n"
				       "extern \"C\" __global__ void keep(int *a, int n)\n"
				       "{\n"
				       "\tint own[64];\n"
				       "\tfor (int i = 0; i < n; i++)\n"
				       "\t\town[a[i] & 63] = i;\n"
				       "\ta[0] = own[n & 63];\n"
				       "}\n";
static const struct gpu_macro resources_macro = {.name = "COUNT", .value = 300};
static const struct gpu_program_desc resources_desc = {.name = "test/resources.cu",
	.source = resources_source,
	.macros = &resources_macro,
	.macro_count = 1};

TEST_ON_CALL(resources, "resources of two kernels")
{
	static const char *const entries[] = {"keep", "turn"};
	struct gpu_kernel_resources got[2];

	test_ok(gpu_source_resources(
		GPU_BACKEND_CUDA, &resources_desc, "sm_90", entries, 2, got, &test_error));
	CHECK(EQUAL(got[0].shared_bytes, 0), EQUAL(got[0].spill_bytes, 256),
		EQUAL(got[1].shared_bytes, 1200), EQUAL(got[1].spill_bytes, 0));
	for (int i = 0; i < 2; i++) {
		assert_in_range(got[i].registers, 4, 64);
		EQUAL(got[i].max_block_threads, -1);
	}
}

TEST_ON_CALL(no_resources, "resources that cannot be told")
{
	static const char *const entries[] = {"turn", "tur"};
	struct gpu_kernel_resources got[2] = {{.registers = 7}};
	struct gpu_program_desc broken_desc = resources_desc;

	test_refused(gpu_source_resources(GPU_BACKEND_CUDA, &resources_desc, "sm_90", entries, 2,
			     got, &test_error),
		PMPP_BUILD, "'tur'");
	test_refused(gpu_source_resources(GPU_BACKEND_CUDA, &resources_desc, "sm_10", entries, 1,
			     got, &test_error),
		PMPP_UNSUPPORTED, "sm_10");
	test_refused(gpu_source_resources(GPU_BACKEND_CUDA, &resources_desc, "sm_999", entries, 1,
			     got, &test_error),
		PMPP_UNSUPPORTED, "sm_999");
	broken_desc.macro_count = 0;
	test_refused(gpu_source_resources(
			     GPU_BACKEND_CUDA, &broken_desc, "sm_90", entries, 1, got, &test_error),
		PMPP_BUILD, "test/resources.cu for sm_90");
	EQUAL(got[0].registers, 7);
}

/* ---- Parameters ---------------------------------------------------------------------------- */

static const char parameters_source[] =
	"struct five { int of[5]; };\n"
	"extern \"C\" __global__ void none() {}\n"
	"extern \"C\" __global__ void some(five s, float *a, short h) { a[h] = s.of[3]; }\n"
	"extern \"C\" __global__ void unused(float *a, int, int, int, int, int, int, int, int, int,\n"
	"	int, int, int, int, int, int, int, int, int, int, int, double) { *a = 1; }\n"
	"extern \"C\" __global__ void device_only(float *a) { *a = 1; }\n";

/* A damaged image has an unknown number of parameters. */
TEST_ON_CALL(parameters, "the number of parameters")
{
	static const struct {
		const char *entry;
		int count;
	} wanted[] = {{"none", 0}, {"some", 3}, {"unused", 22}, {"device_only", 1}, {"so", -1}};
	struct cubin cubin = {0};
	FREED char *log = NULL;

	test_ok(compile_90(parameters_source, "test/parameters.cu", &cubin, &log, &test_error));
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
		EQUAL(cuda_image_parameters(cubin.bytes, cubin.size, wanted[i].entry),
			wanted[i].count);
	for (size_t size = 0; size < cubin.size; size++) {
		FREED char *part =
			malloc(size + 1); /* a sanitizer detects an access beyond the end */
		SOME(part);
		memcpy(part + 1, cubin.bytes, size);
		int count = cuda_image_parameters(part + 1, size, "some");
		IS(count == -1 || count == 3);
	}
	for (size_t i = 0; i < cubin.size; i++) {
		((char *)cubin.bytes)[i] ^= (char)0xff;
		int count = cuda_image_parameters(cubin.bytes, cubin.size, "some");
		((char *)cubin.bytes)[i] ^= (char)0xff;
		assert_in_range(count + 1, 0, 4);
	}
	free(cubin.bytes);
}

/* ---- Uninitialised local variables --------------------------------------------------------- */

/* On a GPU such a variable may have the right value by chance: the compiler must report a certain
 * use. */
static void certain(const void *context)
{
	const struct mutant *mutant = context;
	const struct variant *variant = variant_find(family_find(mutant->family), mutant->variant);
	const struct problem problem = problem_default(variant_family(variant));
	const struct row row = {.variant = variant, .choices = problem_macros(&problem)};
	struct compiler_warning warning = {.kind = WARNING_OTHER};
	FREED char *log = NULL, *text = NULL;
	struct cubin cubin = {0};

	test_ok(mutant_text(mutant, GPU_BACKEND_CUDA, &text, &test_error));
	test_ok(compile(&row, "-arch=sm_90", "mutant.cu", text, &cubin, &log, &test_error));
	free(cubin.bytes);
	const char *at = log;
	while (warning.kind != WARNING_UNINITIALISED && compiler_log_next(&at, &warning))
		;
	test_note("%s", log);
	EQUAL(warning.kind, WARNING_UNINITIALISED);
}

/* ---- Constructs ---------------------------------------------------------------------------- */

/* tests/emulator/constructs.def says what NVRTC compiles. */
static const struct construct {
	const char *name, *head, *body;
	bool compiles;
} constructs[] = {
#define TAKEN(name, head, body) {name, head, body, true},
#define NOTED(name, head, body) {name, head, body, false},
#define REFUSED(name, head, body) {name, head, body, false},
#define LACK(lack, name, head, body) {name, head, body, true},
#include "tests/emulator/constructs.def"
#undef TAKEN
#undef NOTED
#undef REFUSED
#undef LACK
};

TEST_ROWS_ON_CALL(construct, constructs, true, "construct: %s", row->name)
{
	struct cubin cubin = {0};
	char *log = NULL;
	const char *source = test_text(
		"%s\nextern \"C\" __global__ void k(float *a, const float *b, int n)\n{\n"
		"	int i = (int)threadIdx.x;\n	bool ok = true;\n	(void)b, (void)n;\n"
		"	%s\n	__syncthreads();\n	a[32 + i] = ok ? 2 : 3;\n}\n",
		row->head, row->body);
	enum pmpp_status status =
		compile_90(source, "test/construct.cu", &cubin, &log, &test_error);
	free(cubin.bytes);
	free(log);
	if (row->compiles)
		test_ok(status);
	else
		test_refused(status, PMPP_BUILD, NULL);
}

static void add_row(const struct variant *variant, const struct problem *problem, int arch)
{
	const struct row row = {variant, *problem, problem_macros(problem), arch};
	char text[80] = "";

	for (size_t i = 0; i < row.choices.count; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text), " %s",
			row.choices.name[i]);
	test_add_copy(run_row, &row, sizeof row, "%s/%s%s sm_%d", problem->family->name,
		variant->name, text, arch);
}

static bool is_allowed(const struct variant *variant, int arch)
{
	int least = pmpp_capability_min_cc(variant->needs);

	return arch == least || (arch > least && !pmpp_capability_is_specific(variant->needs));
}

/* Every architecture that the row's needs allow, and every choice that the kernel sees. The short form has the
 * oldest of these architectures and compute capability 9.0, whose features kernels ask for. */
static void add_variant(const struct variant *variant)
{
	const struct family *family = variant_family(variant);
	struct problem problem = problem_default(family);
	bool oldest;

	for (size_t c = 0; c < family_choice_count(family); c++) {
		problem_choose(&problem, c);
		if (problem.data > 0) /* data is no macro */
			continue;
		oldest = true;
		for (size_t a = 0; a < sizeof architectures / sizeof *architectures; a++) {
			if (!is_allowed(variant, architectures[a]))
				continue;
			add_row(variant, &problem, architectures[a]);
			if (!oldest && architectures[a] != FEATURES_ARCH)
				test_mark_long();
			oldest = false;
		}
	}
}

int main(int argc, char **argv)
{
	if (nvrtc_library()->path[0] == '\0') {
		no_library_add();
		return test_run(argc, argv);
	}
	printf("%s, version %d.%d\n", nvrtc_library()->path, nvrtc_library()->major,
		nvrtc_library()->minor);
	broken_add();
	resources_add();
	no_resources_add();
	parameters_add();
	construct_add();
	for (const struct mutant *m = mutants_locals; m->name; m++)
		if (m->engines & ON_CUDA)
			test_add(certain, m, "%s/%s: %s", m->family, m->variant, m->name);
	EACH_VARIANT (variant)
		if (!variant->one_sided)
			add_variant(variant);
	return test_run(argc, argv);
}
