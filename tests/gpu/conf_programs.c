/* Programs and kernels: logs, macros, entries, resources, the cache. */
#include "tests/gpu/conformance.h"
#include "tests/support/fake.h"

#include "common/compiler_log.h"
#include "common/ptx.h"
#include "host/gpu/ptx.h"

#include <glob.h>
#include <unistd.h>

static enum pmpp_status build(struct conf *conf, const char *source, int64_t value,
	enum gpu_math math, struct gpu_program **ret_program, struct pmpp_error *error)
{
	const struct gpu_macro macros[] = {{"CONF_VALUE", value}};

	return gpu_program_create(conf_device(conf),
		&(struct gpu_program_desc){.name = "tests/broken.cx",
			.source = source,
			.macros = macros,
			.macro_count = 1,
			.math = math,
			.traced = conf->engine.traced},
		ret_program, error);
}

/* What conf_value writes. */
static int64_t run_value(struct conf *conf, struct gpu_program *program)
{
	struct gpu_buffer *buffer = conf_buffer(conf, 16);
	struct gpu_kernel *kernel = NULL;
	int64_t got[2] = {-1, -1};

	test_ok(gpu_kernel_create(program, "conf_value", &kernel, &test_error));
	conf_launch(kernel, 1, 1, 0, &ARG_BUFFER(buffer), 1);
	test_ok(gpu_buffer_read(buffer, 0, got, sizeof got, &test_error));
	gpu_kernel_destroy(&kernel);
	gpu_buffer_destroy(&buffer);
	return got[0];
}

/* ---- Logs ---------------------------------------------------------------------------------- */

/* "NAME:3" or "NAME(3)". */
static bool names_line(const char *log, const char *name, int line)
{
	return log && (strstr(log, test_text("%s:%d:", name, line)) ||
			      strstr(log, test_text("%s(%d)", name, line)));
}

static void build_log(struct conf *conf)
{
	static const char source[] = "/* line 1 */\n\n#error broken on purpose\n";
	struct gpu_program *program = NULL;
	enum pmpp_status status = build(conf, source, 1, GPU_MATH_DEFAULT, &program, &test_error);

	NIL(program);
	if (!names_line(test_error.log, "tests/broken.cx", 3))
		test_fail("the log lacks tests/broken.cx and line 3: %s",
			test_error.log ? test_error.log : "(none)");
	HAS(test_error.log, "broken on purpose");
	bool fake = conf->engine.backend == GPU_BACKEND_FAKE;
	const char *folder = fake ? "tests/support/" : "host/gpu/";
	/* The name of the driver's function, without its arguments. */
	CHECK(NIL(strchr(test_error.call, '(')), EQUAL(test_error.status, PMPP_BUILD),
		IS(test_error.line > 0 && strstr(test_error.file, folder) == test_error.file));
	test_refused(status, PMPP_BUILD, "tests/broken.cx");
}

/* An error of the compiler, not of the preprocessor, has the right line in every math mode. */
static void build_log_of_code(struct conf *conf)
{
	static const enum gpu_math modes[] = {GPU_MATH_DEFAULT, GPU_MATH_STRICT, GPU_MATH_FAST};
	char *source = conf_source(conf);
	char *at = strstr(source, "out[0] = CONF_VALUE");
	int line = 1;

	if (conf->engine.backend == GPU_BACKEND_FAKE) {
		free(source);
		test_skip("the fake reads no code");
	}
	SOME(at);
	for (const char *c = source; c < at; c++)
		line += *c == '\n';
	memcpy(at, "out[0] = NO_SUCH_VAR", 19);
	for (size_t i = 0; i < 3; i++) {
		struct gpu_program *program = NULL;
		enum pmpp_status status = build(conf, source, 1, modes[i], &program, &test_error);

		if (status == PMPP_BUILD && !names_line(test_error.log, "tests/broken.cx", line))
			test_fail("the log lacks tests/broken.cx and line %d: %s", line,
				test_error.log ? test_error.log : "(none)");
		test_refused(status, PMPP_BUILD, NULL);
	}
	free(source);
	struct gpu_program *again = conf_program(conf); /* the device still compiles */
	EQUAL(run_value(conf, again), CONF_DEFAULT);
}

/* ---- Macros and modes ---------------------------------------------------------------------- */

static void macros_arrive(struct conf *conf)
{
	static const int64_t values[] = {0, 1, -7, INT32_MIN, (int64_t)1 << 40};
	FREED char *source = conf_source(conf);

	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		struct gpu_program *program = NULL;

		test_ok(build(conf, source, values[i], GPU_MATH_DEFAULT, &program, &test_error));
		EQUAL(run_value(conf, program), values[i]);
		CHECK(HAS(program->options, test_text("-DCONF_VALUE=%lld", (long long)values[i])),
			SOME(program->log), IS(program->compile_ms >= 0));
		gpu_program_destroy(&program);
		NIL(program);
	}
}

static void macro_names(struct conf *conf)
{
	static const char *const names[] = {"T", "TIL", "TILE SIZE", "TILE-X", "TILE=1", ""};
	struct gpu_program *program = NULL;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const struct gpu_macro macro = {.name = names[i], .value = 1};
		test_refused(gpu_program_create(conf_device(conf),
				     &(struct gpu_program_desc){.name = "a",
					     .source = "",
					     .macros = &macro,
					     .macro_count = 1},
				     &program, &test_error),
			PMPP_INTERNAL, names[i]);
	}
	NIL(program);
}

static void math_modes(struct conf *conf)
{
	static const enum gpu_math modes[] = {GPU_MATH_DEFAULT, GPU_MATH_STRICT, GPU_MATH_FAST};
	FREED char *source = conf_source(conf);

	for (size_t i = 0; i < 3; i++) {
		FINISHED(gpu_program_destroy) struct gpu_program *program = NULL;

		test_ok(build(conf, source, 5, modes[i], &program, &test_error));
		EQUAL(run_value(conf, program), 5);
	}
}

/* Atomic operations with the scope of the device compile only on request, and only where the device
 * has them. */
static void device_scope(struct conf *conf)
{
	static const char scoped[] =
		"#if __OPENCL_C_VERSION__ < 200\n"
		"#error no scope\n"
		"#endif\n"
		"__kernel void conf_count(__global volatile atomic_uint *a)\n"
		"{\n"
		"	atomic_fetch_add_explicit(a, 1u, memory_order_acq_rel, memory_scope_device);\n"
		"}\n";
	bool is_opencl = conf->engine.backend == GPU_BACKEND_OPENCL;
	FREED char *source = conf_source(conf);
	const struct gpu_macro macro = {.name = "CONF_VALUE", .value = 1};
	struct gpu_program_desc desc = {.name = "tests/scope",
		.source = is_opencl ? scoped : source,
		.macros = &macro,
		.macro_count = 1,
		.traced = conf->engine.traced};
	FINISHED(gpu_program_destroy) struct gpu_program *program = NULL;
	enum pmpp_status status;

	if (is_opencl)
		test_refused(gpu_program_create(conf_device(conf), &desc, &program, &test_error),
			PMPP_BUILD, "tests/scope");
	desc.device_scope = true;
	status = gpu_program_create(conf_device(conf), &desc, &program, &test_error);
	if (is_opencl && test_error.log && strstr(test_error.log, "no scope")) {
		pmpp_error_clear(&test_error);
		test_release(&source);
		test_skip("this device has no atomic operations with the scope of the device");
	}
	test_ok(status);
}

/* Two programs exist at the same time, each with its own kernels. */
static void side_by_side(struct conf *conf)
{
	FREED char *source = conf_source(conf);
	struct gpu_program *first = NULL, *second = NULL;

	test_ok(build(conf, source, 11, GPU_MATH_DEFAULT, &first, &test_error));
	test_ok(build(conf, source, 22, GPU_MATH_DEFAULT, &second, &test_error));
	CHECK(EQUAL(run_value(conf, first), 11), EQUAL(run_value(conf, second), 22));
	gpu_program_destroy(&first);
	EQUAL(run_value(conf, second), 22);
	gpu_program_destroy(&second);
	gpu_program_destroy(&second);
	gpu_program_destroy(NULL);
}

/* ---- Entries and resources ----------------------------------------------------------------- */

static void unknown_entries(struct conf *conf)
{
	struct gpu_program *program = conf_program(conf);
	struct gpu_kernel *kernel = NULL;
	enum pmpp_status status;
	char longest[100];

	memset(longest, 'e', sizeof longest);
	longest[sizeof longest - 1] = '\0';
	status = gpu_kernel_create(program, "conf_none", &kernel, &test_error);
	if (test_error.call[0]) {
		CHECK(HAS(test_error.message, test_text("%s failed: %s (%ld)", test_error.call,
						      test_error.symbol, test_error.code)),
			NIL(strchr(test_error.call, '(')));
	}
	test_refused(status, PMPP_BUILD, "conf_none");
	test_refused(
		gpu_kernel_create(program, "conf_valu", &kernel, &test_error), PMPP_BUILD, NULL);
	test_refused(gpu_kernel_create(program, longest, &kernel, &test_error), PMPP_INTERNAL,
		"too long");
	NIL(kernel);
	kernel = conf_kernel(conf, "conf_value");
	gpu_kernel_destroy(&kernel);
	NIL(kernel);
	gpu_kernel_destroy(&kernel);
	gpu_kernel_destroy(NULL);
}

static void resources(struct conf *conf)
{
	FINISHED(gpu_kernel_destroy) struct gpu_kernel *kernel = conf_kernel(conf, "conf_static");
	const struct gpu_kernel_resources got = kernel->resources;

	test_note("%d registers, %lld bytes of shared memory, %lld spilled, blocks of %d",
		got.registers, (long long)got.shared_bytes, (long long)got.spill_bytes,
		got.max_block_threads);
	CHECK(IS(got.registers == -1 || (got.registers > 0 && got.registers <= 255)),
		IS(got.shared_bytes == -1 ||
			(got.shared_bytes >= 4096 && got.shared_bytes <= 4096 + 1024)),
		IS(got.spill_bytes >= -1),
		IS(got.max_block_threads == -1 || got.max_block_threads >= 64));
}

/* ---- The cache on disk --------------------------------------------------------------------- */

/* Overwrites the middle of every entry. */
static size_t damage_entries(const char *cache)
{
	FINISHED(globfree) glob_t found = {0};

	glob(test_text("%s/pmpp/programs/*", cache), 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		FILE *file = fopen(found.gl_pathv[i], "r+b");
		SOME(file);
		fseek(file, 0, SEEK_END);
		fseek(file, ftell(file) / 2, SEEK_SET);
		fwrite("damage", 1, 6, file);
		fclose(file);
	}
	return found.gl_pathc;
}

static enum gpu_cache_outcome build_and_run(struct conf *conf, const char *source)
{
	struct gpu_program *program = NULL;
	enum gpu_cache_outcome outcome;

	test_ok(build(conf, source, 77, GPU_MATH_DEFAULT, &program, &test_error));
	EQUAL(run_value(conf, program), 77);
	outcome = program->cache;
	gpu_program_destroy(&program);
	return outcome;
}

static void check_cache(struct conf *conf, const char *source, const char *folder)
{
	enum gpu_backend_id backend = conf->engine.backend;
	enum gpu_cache_outcome first = build_and_run(conf, source);

	if (first == GPU_CACHE_NONE) {
		IS(backend == GPU_BACKEND_FAKE || backend == GPU_BACKEND_OPENCL);
		EQUAL(build_and_run(conf, source), GPU_CACHE_NONE);
		EQUAL(damage_entries(folder), 0);
		test_note("pmpp has no program cache on this backend");
		return;
	}
	CHECK(EQUAL(first, GPU_CACHE_MISS), EQUAL(build_and_run(conf, source), GPU_CACHE_HIT),
		IS(damage_entries(folder) >= 1),
		EQUAL(build_and_run(conf, source), GPU_CACHE_REBUILT),
		EQUAL(build_and_run(conf, source), GPU_CACHE_HIT));
	setenv("PMPP_NO_CACHE", "1", 1);
	assert_int_not_equal(build_and_run(conf, source), GPU_CACHE_HIT);
	unsetenv("PMPP_NO_CACHE");
}

/* ---- Warnings ------------------------------------------------------------------------------ */

/* A kernel with an uninitialised variable, after the source of the other kernels. */
static const char *source_with_a_warning(const struct conf *conf, int *ret_line)
{
	static const char body[] = "\n{\n\tint never_set;\n\tout[0] = never_set + 1;\n}\n";
	const char *head = gpu_backend_row(conf->engine.backend)->language == GPU_LANGUAGE_OPENCL_C
				   ? "__kernel void conf_warned(__global int *out)"
				   : "extern \"C\" __global__ void conf_warned(int *out)";
	FREED char *source = conf_source(conf);

	*ret_line = 4;
	for (const char *at = source; *at; at++)
		*ret_line += *at == '\n';
	return test_text("%s%s%s", source, head, body);
}

static void expect_warning(struct conf *conf, const char *source, int line)
{
	struct compiler_warning warning = {.line = 0};
	FINISHED(gpu_program_destroy) struct gpu_program *program = NULL;

	test_ok(build(conf, source, 3, GPU_MATH_DEFAULT, &program, &test_error));
	test_note("%s: %s", gpu_cache_outcome_name(program->cache), program->log);
	const char *at = program->log;
	if (!compiler_log_next(&at, &warning))
		test_fail("no warning in the log of a build that the cache calls '%s'",
			gpu_cache_outcome_name(program->cache));
	CHECK(STRING(warning.file, "tests/broken.cx"), EQUAL(warning.line, line),
		EQUAL(warning.kind, WARNING_UNINITIALISED), STRING(warning.name, "never_set"),
		NOT(compiler_log_next(&at, &warning)));
}

/* A successful build keeps the compiler's warnings, also for a program from the cache. */
static void warnings(struct conf *conf)
{
	struct compiler_warning warning;
	const char *at = conf_program(conf)->log;
	int line;

	if (conf->engine.backend == GPU_BACKEND_FAKE)
		test_skip("the fake compiler has no such warning");
	if (strstr(conf->engine.info.name, "llvmpipe"))
		test_skip("Mesa's rusticl has no log of a successful build");
	NOT(compiler_log_next(&at, &warning));
	const char *source = source_with_a_warning(conf, &line);
	expect_warning(conf, source, line);
	expect_warning(conf, source, line);
}

/* NVIDIA's OpenCL returns the PTX of its programs, new or from the cache. Others refuse. */
static void opencl_ptx(struct conf *conf)
{
	if (conf->engine.backend != GPU_BACKEND_OPENCL)
		test_skip("only programs of OpenCL are read");

	bool is_nvidia = conf_device(conf)->info.capabilities & PMPP_CAP_NVIDIA_PTX;
	FREED char *source = conf_source(conf);
	for (int round = 0; round < 2; round++) {
		FINISHED(gpu_program_destroy) struct gpu_program *program = NULL;
		FREED char *ptx = NULL;

		test_ok(build(conf, source, 5, GPU_MATH_DEFAULT, &program, &test_error));
		enum pmpp_status status = gpu_program_ptx(program, &ptx, &test_error);
		if (is_nvidia) {
			test_ok(status);
			CHECK(IS(ptx_is(ptx)), HAS(ptx, ".entry conf_value"));
		} else {
			NIL(ptx);
			test_refused(status, PMPP_UNSUPPORTED, "not PTX");
		}
	}
}

static void cache(struct conf *conf)
{
	const char *folder = test_folder();
	FREED char *source = conf_source(conf);

	conf_device(conf);
	test_variable("XDG_CACHE_HOME", folder);
	check_cache(conf, source, folder);
}

const struct conf_check conf_program_checks[] = {
	{"build log: file and line", build_log},
	{"build log: an error of the code", build_log_of_code},
	{"macros arrive", macros_arrive},
	{"macro names are checked", macro_names},
	{"math modes build", math_modes},
	{"programs side by side", side_by_side},
	{"atomic operations with the scope of the device", device_scope},
	{"unknown entries are refused", unknown_entries},
	{"resources", resources},
	{"the cache: miss, hit, rebuilt", cache},
	{"warnings of a successful build, new and from the cache", warnings},
	{"OpenCL's PTX", opencl_ptx},
	{NULL, NULL},
};
