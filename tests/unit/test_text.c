/* Names, option lists, identities, kernel sources. */
#include "common/capability.h"
#include "common/model/opencl_report.h"
#include "common/text.h"
#include "host/gpu/backend_text.h"
#include "host/io/sources.h"
#include "tests/support/test.h"

#include <sys/stat.h>
#include <unistd.h>

TEST(backend_names, "backend names")
{
	enum gpu_backend_id id = GPU_BACKEND_COUNT;
	char words[200] = "";

	for (enum gpu_backend_id i = 0; i < GPU_BACKEND_COUNT; i++) {
		CHECK(IS(gpu_backend_find(gpu_backend_name(i), &id)), EQUAL(id, i),
			IS(strlen(gpu_backend_row(i)->text) > 0));
		strcat(strcat(words, gpu_backend_name(i)), ", ");
	}
	CHECK(STRING(words, GPU_BACKEND_WORDS),
		STRING(gpu_backend_name(GPU_BACKEND_CUDA_EMU), "cuda-emu"),
		IS(gpu_backend_row(GPU_BACKEND_CUDA_EMU)->on_request),
		STRING(gpu_backend_name(GPU_BACKEND_OPENCL_EMU), "opencl-emu"),
		IS(gpu_backend_row(GPU_BACKEND_OPENCL_EMU)->on_request),
		STRING(gpu_backend_kernel_extension(GPU_BACKEND_OPENCL_EMU), ".cl"),
		NOT(gpu_backend_find("OpenCL", &id)), NOT(gpu_backend_find("", &id)),
		EQUAL(id, GPU_BACKEND_COUNT - 1));
	/* This test registers no backend. */
	CHECK(STRING(gpu_backend_name(GPU_BACKEND_REGISTERED), "unknown"),
		NOT(gpu_backend_find("unknown", &id)), NOT(gpu_backend_find("fake", &id)),
		STRING(gpu_backend_kernel_folder(GPU_BACKEND_OPENCL), "cl_kernels"),
		STRING(gpu_backend_kernel_extension(GPU_BACKEND_OPENCL), ".cl"),
		STRING(gpu_backend_kernel_folder(GPU_BACKEND_CUDA_EMU), "cuda_kernels"),
		STRING(gpu_backend_kernel_extension(GPU_BACKEND_CUDA), ".cu"));
}

/* The order of backends when a device has several views. */
TEST(preference, "backends by preference")
{
	enum gpu_backend_id ids[GPU_BACKEND_COUNT];
	bool seen[GPU_BACKEND_COUNT] = {false};

	gpu_backends_by_preference(ids);
	CHECK(EQUAL(ids[0], GPU_BACKEND_CUDA), EQUAL(ids[1], GPU_BACKEND_OPENCL));
	for (size_t i = 0; i < GPU_BACKEND_COUNT; i++) {
		NOT(seen[ids[i]]);
		seen[ids[i]] = true;
		if (i > 0)
			IS(gpu_backend_row(ids[i - 1])->preference <
				gpu_backend_row(ids[i])->preference);
	}
}

TEST(math_names, "--math names and options")
{
	static const enum gpu_math all[] = {GPU_MATH_DEFAULT, GPU_MATH_STRICT, GPU_MATH_FAST};
	static const char *const names[] = {"default", "strict", "fast"};

	for (size_t i = 0; i < 3; i++) {
		STRING(gpu_math_name(all[i]), names[i]);
		for (size_t b = 0; b < GPU_BACKEND_COUNT; b++)
			SOME(gpu_math_options((enum gpu_backend_id)b, all[i]));
		/* The emulator never fuses multiply-adds, in any mode. */
		STRING(gpu_math_options(GPU_BACKEND_CUDA_EMU, all[i]), "-ffp-contract=off");
	}
	STRING(gpu_math_name(GPU_MATH_COUNT), "unknown");
	HAS(gpu_math_options(GPU_BACKEND_CUDA, GPU_MATH_STRICT), "-fmad=false");
	STRING(gpu_math_options(GPU_BACKEND_COUNT, GPU_MATH_FAST), "");
}

TEST(option_lists, "option lists")
{
	struct option_list list = {0};
	const struct gpu_macro macros[] = {{"TILE", 32}, {"OFFSET", -1}, {"LARGE", INT64_MAX}};
	char *text;

	text = option_list_join(&list);
	STRING(text, "");
	free(text);
	option_list_add(&list, "-arch=%s", "sm_90");
	option_list_add_words(&list, "  -a -omit -omitted  -b ", "-omit");
	option_list_add_macros(&list, macros, 3);
	text = option_list_join(&list);
	STRING(text, "-arch=sm_90 -a -omitted -b -DTILE=32 -DOFFSET=-1 "
		     "-DLARGE=9223372036854775807");
	EQUAL(list.count, 7);
	free(text);
	option_list_finish(&list);
	EQUAL(list.count, 0);
}

TEST(identities, "UUID and PCI texts")
{
	static const unsigned char uuid[16] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
		0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
	char text[40], pci[16];

	gpu_uuid_text(uuid, text);
	STRING(text, "00112233-4455-6677-8899-aabbccddeeff");
	gpu_pci_text(0, 0xf, 0, 0, pci);
	STRING(pci, "0000:0f:00.0");
	gpu_pci_text(0x10000, 0xab, 0x1f, 7, pci);
	STRING(pci, "0000:ab:1f.7");
}

TEST(capabilities, "capability texts")
{
	STRING(pmpp_capability_text(0), "nothing");
	HAS(pmpp_capability_text(PMPP_CAP_OPENCL_CPU), "OpenCL CPU");
	STRING(pmpp_capability_text(PMPP_CAP_OPENCL_CPU | PMPP_CAP_FP64),
		pmpp_capability_text(PMPP_CAP_OPENCL_CPU));
	assert_string_not_equal(
		pmpp_capability_text(PMPP_CAP_FP64), pmpp_capability_text(PMPP_CAP_NVIDIA_PTX));
}

/* ---- Kernel sources ------------------------------------------------------------------------ */

TEST(embedded, "embedded sources")
{
	char *text = NULL;

	IS(embedded_file_count > 0);
	for (size_t i = 0; i < embedded_file_count; i++) {
		IS(embedded_files[i].path && embedded_files[i].text);
		if (i > 0)
			IS(strcmp(embedded_files[i - 1].path, embedded_files[i].path) < 0);
		SAME(sources_embedded(embedded_files[i].path), embedded_files[i].text);
	}
	NIL(sources_embedded("cl_kernels/none.cl"));
	test_ok(source_load(NULL, embedded_files[0].path, &text, &test_error));
	STRING(text, embedded_files[0].text);
	free(text);
	text = NULL;
	test_refused(source_load(NULL, "cl_kernels/none.cl", &text, &test_error), PMPP_INTERNAL,
		"none.cl");
	NIL(text);
}

TEST(from_folder, "sources from a folder")
{
	const char *root = test_folder();
	const char *path = test_text("%s/cl_kernels/own.cl", root);
	char long_root[5000], *text = NULL;

	test_write_file(path, "__kernel\n", 9);
	test_ok(source_load(root, "cl_kernels/own.cl", &text, &test_error));
	STRING(text, "__kernel\n");
	free(text);
	text = NULL;
	test_write_file(path, "", 0);
	test_refused(source_load(root, "cl_kernels/own.cl", &text, &test_error), PMPP_USAGE,
		"it is empty");
	test_write_file(path, "a\0b", 3);
	test_refused(
		source_load(root, "cl_kernels/own.cl", &text, &test_error), PMPP_USAGE, "NUL byte");
	IS(unlink(path) == 0 && mkfifo(path, 0600) == 0);
	test_refused(source_load(root, "cl_kernels/own.cl", &text, &test_error), PMPP_USAGE,
		"not a file");
	test_refused(
		source_load(root, "cl_kernels/none.cl", &text, &test_error), PMPP_USAGE, "none.cl");
	test_refused(source_load(root, "cl_kernels", &text, &test_error), PMPP_USAGE, "cl_kernels");
	memset(long_root, 'x', sizeof long_root - 1);
	long_root[sizeof long_root - 1] = '\0';
	test_refused(source_load(long_root, "a", &text, &test_error), PMPP_USAGE, "too long");
	NIL(text);
	test_ok(source_check_root(root, &test_error));
	test_refused(source_check_root(path, &test_error), PMPP_USAGE, "not a folder");
	test_refused(source_check_root("/nonexistent", &test_error), PMPP_USAGE, "No such file");
}

static struct device_shape shape_of(const char *extensions, bool has_sub_groups)
{
	const struct opencl_report report = {
		.extensions = extensions, .has_sub_groups = has_sub_groups};

	return opencl_report_shape(&report);
}

TEST(extensions, "functions by OpenCL's extensions")
{
	enum {
		FP16 = 1,
		SHUFFLE = 2,
		REDUCE = 4
	};
	static const struct {
		const char *extensions;
		unsigned functions;
	} rows[] = {
		{"", 0},
		{"cl_khr_fp16", FP16},
		{"cl_khr_fp160 x_cl_khr_fp16", 0},
		/* Intel's OpenCL for CPUs 2026.2, Mesa 25.0 and PoCL 6.0, shortened. */
		{"cl_khr_fp64 cl_khr_fp16 cl_khr_subgroup_shuffle_relative cl_intel_subgroups",
			FP16 | SHUFFLE | REDUCE},
		{"cl_khr_subgroup_shuffle cl_khr_subgroup_shuffle_relative cl_arm_svm", 0},
		{"cl_khr_subgroups cl_khr_subgroup_shuffle cl_intel_subgroups", REDUCE},
		{"cl_khr_subgroup_shuffle_relative cl_khr_subgroups ", SHUFFLE | REDUCE},
		/* ROCm 5.2 and 6.0, shortened. */
		{"cl_khr_fp64 cl_khr_subgroups cl_amd_device_attribute_query", REDUCE},
		{"cl_khr_subgroups_x cl_intel_subgroups_short", 0},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct device_shape shape = shape_of(rows[i].extensions, false);

		EQUAL(shape.of[SHAPE_FP16].value * FP16 + shape.of[SHAPE_SHUFFLE].value * SHUFFLE +
				shape.of[SHAPE_SUB_GROUP_REDUCE].value * REDUCE,
			rows[i].functions);
	}
}

TEST(nvidia, "capabilities of NVIDIA GPUs by version of CUDA")
{
	const unsigned old = PMPP_CAP_ASYNC_COPY | PMPP_CAP_TENSOR;
	const unsigned hopper = old | PMPP_CAP_BULK_COPY | PMPP_CAP_CLUSTER;
	const struct {
		const char *driver;
		uint32_t major; /* of the compute capability */
		unsigned capabilities;
	} rows[] = {
		{"580.159.04", 7, 0}, {"580.159.04", 8, old}, {"580.159.04", 9, hopper},
		{"525.60.13", 9, hopper}, {"525.60.13", 10, hopper},
		{"520.61.05", 9, old}, /* CUDA 11.8 */
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		EQUAL(gpu_nvidia_capabilities(
			      rows[i].major, gpu_nvidia_driver_cuda(rows[i].driver)),
			rows[i].capabilities);
}

TEST(sub_groups, "functions of sub-groups")
{
	struct device_shape found = shape_of("", false);

	EQUAL(found.of[SHAPE_SHUFFLE].value + found.of[SHAPE_SUB_GROUP_REDUCE].value, 0);
	found = shape_of("cl_khr_subgroup_shuffle_relative", true);
	STRING(found.of[SHAPE_SHUFFLE].origin, "cl_khr_subgroup_shuffle_relative");
	STRING(found.of[SHAPE_SUB_GROUP_REDUCE].origin, "__opencl_c_subgroups");
	EQUAL(found.of[SHAPE_SHUFFLE].value + found.of[SHAPE_SUB_GROUP_REDUCE].value, 2);
	found = shape_of("cl_khr_subgroup_shuffle_relative cl_intel_subgroups", true);
	CHECK(STRING(found.of[SHAPE_SHUFFLE].origin, "cl_khr_subgroup_shuffle_relative"),
		STRING(found.of[SHAPE_SUB_GROUP_REDUCE].origin, "cl_intel_subgroups"),
		IS(text_has_item("a b", ' ', "b")), NOT(text_has_item("ab", ' ', "b")));
}
