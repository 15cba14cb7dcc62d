/*
 * Every .cu with every row's macros, compiled by NVRTC for each architecture that a row may run on,
 * without a warning. Neither a GPU nor a driver is needed.
 */
#include "common/family.h"
#include "host/gpu/backend_text.h"
#include "host/gpu/math_options.h"
#include "host/io/sources.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef PMPP_TEST_NO_CUDA

static void no_toolkit(const void *context)
{
	(void)context;
	test_skip("built without the CUDA Toolkit");
}

int main(int argc, char **argv)
{
	struct test_list list = {0};

	test_add(&list, no_toolkit, NULL, "NVRTC");
	return test_run(&list, argc, argv);
}

#else

#include "host/gpu/cuda/nvrtc.h"

#define ROWS_MAX 1000

static const int architectures[] = {75, 80, 86, 90, 100, 120};

static struct row {
	const struct variant *variant;
	int architecture;
} rows[ROWS_MAX];

/* The options that the backend gives, as far as they decide what is compiled. */
static enum pmpp_status compile(const struct variant *variant, const char *arch, const char *name,
	const char *source, size_t *ret_size, char **ret_log, struct pmpp_error *error)
{
	struct option_list options = {0};
	void *cubin = NULL;
	enum pmpp_status status;

	option_list_add(&options, "%s", arch);
	option_list_add_words(&options, gpu_math_options(GPU_BACKEND_CUDA, GPU_MATH_DEFAULT), NULL);
	for (size_t i = 0; variant->macros[i].name; i++)
		option_list_add(
			&options, "-D%s=%d", variant->macros[i].name, variant->macros[i].value);
	status = nvrtc_compile(source, name, (const char *const *)options.items, options.count,
		&cubin, ret_size, ret_log, error);
	option_list_finish(&options);
	free(cubin);
	return status;
}

static void run_row(const void *context)
{
	const struct row *row = context;
	const struct variant *variant = row->variant;
	struct pmpp_error error = PMPP_ERROR_INIT;
	char path[300], name[200], arch[40], wanted[40];
	char *log = NULL;
	size_t size = 0;
	enum pmpp_status status;

	status = nvrtc_arch_option(row->architecture, arch, sizeof arch, &error);
	snprintf(wanted, sizeof wanted, "-arch=sm_%d", row->architecture);
	if (status == PMPP_UNSUPPORTED || (status == PMPP_OK && strcmp(arch, wanted) != 0)) {
		pmpp_error_clear(&error);
		test_skip("this NVRTC (%d.%d) does not know sm_%d", nvrtc_library()->major,
			nvrtc_library()->minor, row->architecture);
	}
	test_ok(status, &error);
	snprintf(name, sizeof name, "%s/%s.cu", variant_family(variant)->name, variant->file);
	snprintf(path, sizeof path, "cuda_kernels/%s", name);
	if (!embedded_source(path))
		test_fail("no %s", path);
	status = compile(variant, arch, name, embedded_source(path), &size, &log, &error);
	test_ok(status, &error);
	assert_true(size > 500);
	if (log[0] != '\0')
		test_fail("the compiler said: %.1000s", log);
	free(log);
}

static void no_library(const void *context)
{
	(void)context;
	test_skip("%s", nvrtc_library()->reason);
}

/* NVRTC tells what is wrong, and where. */
static void broken(const void *context)
{
	static const char source[] =
		"extern \"C\" __global__ void f(int *x)\n{\n\t*x = nothing;\n}\n";
	const char *options[] = {"-arch=sm_90"};
	struct pmpp_error error = PMPP_ERROR_INIT;
	void *cubin = NULL;
	size_t size = 0;
	char *log = NULL;
	enum pmpp_status status =
		nvrtc_compile(source, "matmul/broken.cu", options, 1, &cubin, &size, &log, &error);

	(void)context;
	assert_non_null(error.log);
	assert_non_null(strstr(error.log, "matmul/broken.cu(3)"));
	assert_null(cubin);
	assert_null(log);
	test_refused(status, PMPP_BUILD, &error, NULL);
}

static size_t add_variant(struct test_list *list, const struct variant *variant, size_t count)
{
	for (size_t a = 0; a < sizeof architectures / sizeof *architectures; a++) {
		if (count == ROWS_MAX)
			return count;
		rows[count] = (struct row){variant, architectures[a]};
		test_add(list, run_row, &rows[count++], "%s/%s sm_%d",
			variant_family(variant)->name, variant->name, architectures[a]);
	}
	return count;
}

int main(int argc, char **argv)
{
	struct test_list list = {0};
	size_t count = 0;

	if (nvrtc_library()->path[0] == '\0') {
		test_add(&list, no_library, NULL, "NVRTC");
		return test_run(&list, argc, argv);
	}
	printf("%s, version %d.%d\n", nvrtc_library()->path, nvrtc_library()->major,
		nvrtc_library()->minor);
	test_add(&list, broken, NULL, "a broken kernel");
	for (size_t f = 0; f < family_count; f++)
		for (size_t v = 0; v < families[f]->variant_count; v++)
			if (!families[f]->variants[v].one_sided)
				count = add_variant(&list, &families[f]->variants[v], count);
	return test_run(&list, argc, argv);
}

#endif
