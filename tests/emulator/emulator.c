#include "tests/emulator/emulator.h"

#include "host/io/sources.h"

#include <sys/stat.h>

#define GUARD_BYTES 256

const struct emu_language emu_cuda = {GPU_BACKEND_CUDA_EMU, ".cu"};
const struct emu_language emu_opencl = {GPU_BACKEND_OPENCL_EMU, ".cl"};
static const struct emu_language *used = &emu_cuda;

void emu_use(const struct emu_language *language)
{
	used = language;
}

const struct emu_language *emu_language(void)
{
	return used;
}

struct emu emu_start(const char *workers, const char *timeout_s)
{
	FREED struct gpu_device_info *infos = NULL;
	struct gpu_backend_state state = {0};
	struct emu emu = {.device = NULL};
	size_t count = 0;

	test_variable("PMPP_EMU_WORKERS", workers);
	test_variable("PMPP_EMU_TIMEOUT_S", timeout_s);
	test_ok(gpu_enumerate(used->backend, &infos, &count, &state, &test_error));
	if (count == 0)
		test_skip_backend(used->backend, state.reason);
	test_ok(gpu_open(&infos[0], &emu.device, &test_error));
	return emu;
}

void emu_use_compiler(const char *script)
{
	char path[600], text[600];

	snprintf(path, sizeof path, "%s/compiler", test_folder());
	int length = snprintf(text, sizeof text, "#!/bin/sh\n%s\n", script);
	test_write_file(path, text, (size_t)length);
	EQUAL(chmod(path, 0700), 0);
	test_variable("CXX", path);
}

void emu_build_file(struct emu *emu, const char *name, bool traced)
{
	char path[128];
	FREED char *source = NULL;

	snprintf(path, sizeof path, "tests/emulator/kernels/%s%s", name, used->extension);
	test_ok(source_load(PMPP_SOURCE_ROOT, path, &source, &test_error));
	enum pmpp_status status = emu_build_text(emu, source, traced);
	if (status == PMPP_BUILD && test_error.log)
		test_note("%s", test_error.log);
	test_ok(status);
}

enum pmpp_status emu_build_text(struct emu *emu, const char *source, bool traced)
{
	const struct gpu_macro macros[] = {{"TILE_SIZE", 8}};

	gpu_program_destroy(&emu->program);
	free(emu->source);
	emu->source = strdup(source);
	snprintf(emu->name, sizeof emu->name, "tests/text%s", used->extension);
	return gpu_program_create(emu->device,
		&(struct gpu_program_desc){.name = emu->name,
			.source = source,
			.macros = macros,
			.macro_count = 1,
			.device_scope = used == &emu_opencl, /* OpenCL C 2.0 */
			.traced = traced},
		&emu->program, &test_error);
}

void emu_stop(struct emu *emu)
{
	gpu_program_destroy(&emu->program);
	gpu_close(&emu->device);
	free(emu->source);
	emu->source = NULL;
}

int emu_line(const struct emu *emu, const char *mark)
{
	char text[64];
	int line = 1;

	snprintf(text, sizeof text, "@%s ", mark);
	const char *found = strstr(emu->source, text);
	if (!found)
		test_fail("no line is marked %s", text);
	for (const char *at = emu->source; at < found; at++)
		line += *at == '\n';
	return line;
}

static enum pmpp_status create_args(struct emu *emu, const struct emu_run *run,
	struct gpu_arg *args, struct gpu_buffer **buffers)
{
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; i < run->arg_count && status == PMPP_OK; i++) {
		const struct emu_arg *arg = &run->args[i];

		args[i] = (struct gpu_arg){.kind = arg->kind, .as.ul = arg->value};
		if (arg->kind != GPU_ARG_BUFFER)
			continue;
		status = gpu_buffer_create(
			emu->device, arg->count * 4, GUARD_BYTES, &buffers[i], &test_error);
		if (status == PMPP_OK)
			status = gpu_buffer_write(
				buffers[i], 0, arg->words, arg->count * 4, &test_error);
		args[i].as.buffer = buffers[i];
	}
	return status;
}

enum pmpp_status emu_run(struct emu *emu, const struct emu_run *run)
{
	struct gpu_arg args[EMU_ARGS];
	struct gpu_buffer *buffers[EMU_ARGS] = {0};
	struct gpu_kernel *kernel = NULL;
	struct gpu_launch launch = {
		.shared_bytes = run->shared_bytes, .args = args, .arg_count = run->arg_count};
	enum pmpp_status status;

	for (int i = 0; i < 3; i++) {
		launch.groups[i] = run->groups[i] ? run->groups[i] : 1;
		launch.block[i] = run->block[i] ? run->block[i] : 1;
	}
	status = gpu_kernel_create(emu->program, run->entry, &kernel, &test_error);
	if (status == PMPP_OK)
		status = create_args(emu, run, args, buffers);
	if (status == PMPP_OK)
		status = gpu_launch(kernel, &launch, &test_error);
	if (status == PMPP_OK)
		status = gpu_finish(emu->device, &test_error);
	for (size_t i = 0; i < run->arg_count; i++) {
		if (buffers[i] && status == PMPP_OK)
			status = gpu_buffer_read(buffers[i], 0, run->args[i].words,
				run->args[i].count * 4, &test_error);
		gpu_buffer_destroy(&buffers[i]);
	}
	gpu_kernel_destroy(&kernel);
	return status;
}
