/*
 * The contract of gpu.h on every backend. The same rows run on each engine of the word in the first
 * argument (fake, opencl, cuda, cuda-emu, cuda-emu-traced).
 */
#include "host/io/sources.h"
#include "tests/gpu/conformance.h"
#include "tests/support/loader.h"

struct row {
	struct conf *conf;
	const struct conf_check *check;
};

struct gpu_device *conf_device(struct conf *conf)
{
	if (!conf->device)
		conf->device = engine_open(&conf->engine);
	return conf->device;
}

char *conf_source(const struct conf *conf)
{
	char path[100];
	char *text = NULL;

	snprintf(path, sizeof path, "tests/gpu/kernels/conformance%s",
		gpu_backend_kernel_extension(conf->engine.backend));
	test_ok(source_load(PMPP_SOURCE_ROOT, path, &text, &test_error));
	return text;
}

struct gpu_program *conf_program(struct conf *conf)
{
	const struct gpu_macro macros[] = {{"CONF_VALUE", CONF_DEFAULT}};
	enum pmpp_status status;
	char *source;

	if (conf->program)
		return conf->program;
	conf_device(conf);
	source = conf_source(conf);
	status = gpu_program_create(conf->device,
		&(struct gpu_program_desc){.name = "tests/conformance",
			.source = source,
			.macros = macros,
			.macro_count = 1,
			.traced = conf->engine.traced},
		&conf->program, &test_error);
	free(source);
	test_ok(status);
	return conf->program;
}

struct gpu_kernel *conf_kernel(struct conf *conf, const char *entry)
{
	struct gpu_kernel *kernel = NULL;

	test_ok(gpu_kernel_create(conf_program(conf), entry, &kernel, &test_error));
	CHECK(STRING(kernel->entry, entry), SAME(kernel->program, conf->program));
	return kernel;
}

struct gpu_buffer *conf_buffer(struct conf *conf, uint64_t bytes)
{
	struct gpu_device *device = conf_device(conf);
	struct gpu_buffer *buffer = NULL;

	test_ok(gpu_buffer_create(device, bytes, 4096, &buffer, &test_error));
	return buffer;
}

void conf_launch(struct gpu_kernel *kernel, uint64_t groups, uint32_t block, uint32_t shared_bytes,
	const struct gpu_arg *args, size_t arg_count)
{
	const struct gpu_launch launch = {.groups = {groups, 1, 1},
		.block = {block, 1, 1},
		.shared_bytes = shared_bytes,
		.args = args,
		.arg_count = arg_count};

	test_ok(gpu_launch(kernel, &launch, &test_error));
	test_ok(gpu_finish(kernel->program->device, &test_error));
}

static void run_check(const void *context)
{
	const struct row *row = context;

	row->check->run(row->conf);
}

static void no_device(const void *context)
{
	const struct conf *conf = context;

	engine_skip(&conf->engine, conf->engine.reason);
}

#define MAX_ROWS 1000

int main(int argc, char **argv)
{
	static const struct conf_check *const groups[] = {conf_device_checks, conf_buffer_checks,
		conf_program_checks, conf_launch_checks, conf_library_checks};
	static struct engine engines[MAX_ENGINES];
	static struct conf confs[MAX_ENGINES];
	static struct row rows[MAX_ROWS];
	size_t row_count = 0;
	size_t count;
	int code;

	conf_fake_setup();
	loader_add_rows();
	count = argc > 1 ? engine_list(argv[1], engines) : 0;
	for (size_t e = 0; e < count; e++) {
		confs[e].engine = engines[e];
		if (!engines[e].usable)
			test_add(no_device, &confs[e], "%s", engines[e].name);
		for (size_t g = 0; engines[e].usable && g < sizeof groups / sizeof *groups; g++)
			for (const struct conf_check *c = groups[g];
				c->name && row_count < MAX_ROWS; c++) {
				rows[row_count] = (struct row){&confs[e], c};
				test_add(run_check, &rows[row_count++], "%s: %s", engines[e].name,
					c->name);
			}
	}
	code = test_run(argc - 1, argv + 1);
	for (size_t e = 0; e < count; e++) {
		gpu_program_destroy(&confs[e].program);
		gpu_close(&confs[e].device);
	}
	return code;
}
