#include "host/gpu/fake/internal.h"
#include "host/gpu/math_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The "compiler": a line "#error TEXT" is an error of that line, "#warning TEXT" goes to the log.
 */
static enum pmpp_status compile(
	const struct gpu_program_desc *desc, char **ret_log, struct pmpp_error *error)
{
	bool failed = false;
	char *log = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&log, &size);
	unsigned line = 1;

	if (!stream)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the compiler's log");
	for (const char *text = desc->source; *text; line++) {
		int length = (int)strcspn(text, "\n");
		const char *kind = strncmp(text, "#error ", 7) == 0     ? "error"
				   : strncmp(text, "#warning ", 9) == 0 ? "warning"
									: NULL;

		if (kind)
			fprintf(stream, "%s:%u: %s: %.*s\n", desc->name, line, kind, length, text);
		failed |= kind && kind[0] == 'e';
		text += length + (text[length] == '\n');
	}
	fclose(stream);
	if (!log)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for the compiler's log");
	if (!failed) {
		*ret_log = log;
		return PMPP_OK;
	}
	PMPP_FAIL(error, PMPP_BUILD, "the fake compiler rejected the source");
	error->log = log;
	return PMPP_BUILD;
}

static char *join_options(const struct gpu_program_desc *desc)
{
	char *options = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&options, &size);

	if (!stream)
		return NULL;
	fprintf(stream, "%s", gpu_math_options(GPU_BACKEND_FAKE, desc->math));
	for (size_t i = 0; i < desc->macro_count; i++)
		fprintf(stream, " -D%s=%lld", desc->macros[i].name,
			(long long)desc->macros[i].value);
	fclose(stream);
	return options;
}

static bool copy_macros(struct fake_program *program, const struct gpu_program_desc *desc)
{
	program->macros = calloc(desc->macro_count + 1, sizeof *program->macros);
	if (!program->macros)
		return false;
	for (size_t i = 0; i < desc->macro_count; i++) {
		program->macros[i] = (struct gpu_macro){
			.name = strdup(desc->macros[i].name), .value = desc->macros[i].value};
		program->macro_count++;
		if (!program->macros[i].name)
			return false;
	}
	return true;
}

static void free_program(struct fake_program *program)
{
	for (size_t i = 0; i < program->macro_count; i++)
		free((char *)program->macros[i].name);
	free(program->macros);
	free(program->source);
	free(program);
}

enum pmpp_status fake_program_create(struct gpu_device *device, const struct gpu_program_desc *desc,
	struct gpu_program **ret_program, struct pmpp_error *error)
{
	struct fake_program *program = NULL;
	enum pmpp_status status = fake_record(FAKE_SLOT_program_create, error);

	if (status != PMPP_OK)
		return status;
	program = calloc(1, sizeof *program);
	if (!program)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for a program");
	status = compile(desc, &program->base.log, error);
	if (status != PMPP_OK)
		goto out;
	if (fake_control.rejects && fake_control.rejects(desc->macros, desc->macro_count)) {
		status = PMPP_FAIL(error, PMPP_BUILD, "the fake compiler rejected the block");
		goto out;
	}
	program->source = strdup(desc->source);
	program->base.options = join_options(desc);
	if (!program->source || !program->base.options || !copy_macros(program, desc)) {
		status = PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for %s", desc->name);
		goto out;
	}
	program->base.cache = GPU_CACHE_NONE;
	program->device = (struct fake_device *)device;
	program->device->live++;
	fake_count_live(1);
	*ret_program = &program->base;
	program = NULL;
out:
	if (program) {
		free(program->base.log);
		free(program->base.options);
		free_program(program);
	}
	return status;
}

void fake_program_destroy(struct gpu_program *program)
{
	struct fake_program *fake = (struct fake_program *)program;

	if (fake->live > 0)
		fake_note_misuse(
			"program destroyed with %llu live kernels", (unsigned long long)fake->live);
	fake->device->live--;
	fake_count_live(-1);
	free_program(fake); /* the front frees options and log */
}

enum pmpp_status fake_program_ptx(
	struct gpu_program *program, char **ret_ptx, struct pmpp_error *error)
{
	const char *text = fake_control.ptx[fake_control.ptx_requests++ % 2];
	char *copy = text ? strdup(text) : NULL;

	if (!text)
		return PMPP_FAIL(error, PMPP_UNSUPPORTED, "the program binary of %s is not PTX",
			program->device->info.name);
	if (!copy)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for PTX");
	*ret_ptx = copy;
	return PMPP_OK;
}

/* ---- Kernels ------------------------------------------------------------------------------- */

/* A program has an entry if the entry is registered and the source has "ENTRY(". */
static const struct fake_kernel_row *find_row(const struct fake_program *program, const char *entry)
{
	size_t length = strlen(entry);
	bool named = false;

	for (const char *at = strstr(program->source, entry); at; at = strstr(at + 1, entry))
		named = named || at[length] == '(';
	for (size_t i = 0; named && i < fake_control.kernel_count; i++)
		if (strcmp(fake_control.kernels[i].entry, entry) == 0)
			return &fake_control.kernels[i];
	return NULL;
}

enum pmpp_status fake_kernel_create(struct gpu_program *program, const char *entry,
	struct gpu_kernel **ret_kernel, struct pmpp_error *error)
{
	struct fake_program *fake = (struct fake_program *)program;
	const struct fake_kernel_row *row;
	struct fake_kernel *kernel;
	enum pmpp_status status = fake_record(FAKE_SLOT_kernel_create, error);

	if (status != PMPP_OK)
		return status;
	row = find_row(fake, entry);
	if (!row)
		return PMPP_FAIL(error, PMPP_BUILD, "the program has no entry %s", entry);
	kernel = calloc(1, sizeof *kernel);
	if (!kernel)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "no memory for a kernel");
	kernel->program = fake;
	kernel->row = row;
	fake->live++;
	fake_count_live(1);
	*ret_kernel = &kernel->base;
	return PMPP_OK;
}

void fake_kernel_destroy(struct gpu_kernel *kernel)
{
	struct fake_kernel *fake = (struct fake_kernel *)kernel;

	fake->program->live--;
	fake_count_live(-1);
	free(fake);
}

enum pmpp_status fake_kernel_resources(struct gpu_kernel *kernel,
	struct gpu_kernel_resources *ret_resources, struct pmpp_error *error)
{
	const struct fake_kernel *fake = (const struct fake_kernel *)kernel;
	enum pmpp_status status = fake_record(FAKE_SLOT_kernel_resources, error);

	if (status != PMPP_OK)
		return status;
	*ret_resources = (struct gpu_kernel_resources){
		.registers = fake_control.registers ? fake_control.registers : -1,
		.shared_bytes = fake_control.shared ? fake_control.shared(fake->program->macros,
							      fake->program->macro_count)
						    : fake->row->static_shared_bytes,
		.spill_bytes = -1,
		.max_block_threads = fake_control.kernel_threads
					     ? (int)fake_control.kernel_threads
					     : (int)fake_control.info.limits.max_block_threads};
	return PMPP_OK;
}
