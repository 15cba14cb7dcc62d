/* Programs and their kernels. */
#include "host/gpu/gpu.h"

#include "common/words.h"
#include "host/gpu/backend.h"
#include "host/io/clock.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *gpu_cache_outcome_name(enum gpu_cache_outcome outcome)
{
	static const char *const names[] = {
		[GPU_CACHE_NONE] = "none",
		[GPU_CACHE_HIT] = "hit",
		[GPU_CACHE_MISS] = "miss",
		[GPU_CACHE_REBUILT] = "rebuilt",
	};
	return (size_t)outcome < sizeof names / sizeof *names ? names[outcome] : "unknown";
}

/* ---- Names of kernels ---------------------------------------------------------------------- */

/* A word, or one other character. Points into the source. */
struct token {
	const char *text;
	size_t length; /* 0: the end of the source */
};

static struct token next_token(const char **source)
{
	const char *text = *source;

	for (const char *end = text;; text = end) {
		text += strspn(text, " \t\r\n\f\v\\");
		end = skip_other(text);
		if (end == text)
			break;
	}
	size_t length = *text != '\0';
	while (length && is_word(text[length - 1]) && is_word(text[length]))
		length++;
	*source = text + length;
	return (struct token){text, length};
}

static bool is(struct token token, const char *text)
{
	return token.length == strlen(text) && strncmp(token.text, text, token.length) == 0;
}

/* "__launch_bounds__", "__attribute__" */
static bool is_reserved(struct token token)
{
	return token.length > 2 && strncmp(token.text, "__", 2) == 0;
}

/* Moves *source from behind a "(" to behind its ")". */
static void skip_parentheses(const char **source)
{
	struct token token;

	for (int depth = 1; depth > 0 && (token = next_token(source)).length;)
		depth += is(token, "(") - is(token, ")");
}

static bool names_have(const char *names, const char *name, size_t length)
{
	for (const char *text = names; *text;) {
		size_t found = strcspn(text, ",");
		if (found == length && strncmp(text, name, length) == 0)
			return true;
		text += found;
		text += strspn(text, ", ");
	}
	return false;
}

/* Finds the name behind the word __kernel: the last word before its parameters. length 0: none. */
static struct token read_name(const char **source)
{
	struct token name = {NULL, 0}, token;

	while ((token = next_token(source)).length) {
		if (is(token, ";") || is(token, "{") || is(token, "}") || is(token, "="))
			break;
		if (!is(token, "(")) {
			name = token;
			continue;
		}
		if (name.length && !is_reserved(name))
			return name;
		skip_parentheses(source);
	}
	return (struct token){NULL, 0};
}

/* Writes the names of the functions that a source declares __global__, __kernel or kernel, in their order:
 * "fine, coarse". "": none. A name that a macro makes is not found. */
static void kernel_names_text(const char *source, char *ret_text, size_t size)
{
	struct token token;

	*ret_text = '\0';
	while ((token = next_token(&source)).length) {
		const char *next = source;
		/* CUDA allows `kernel` as the name of a variable. */
		bool begins = is(token, "__global__") || is(token, "__kernel");
		if (is(token, "kernel")) {
			struct token type = next_token(&next);
			begins = is(type, "void") || is_reserved(type);
		}
		if (!begins)
			continue;
		struct token name = read_name(&source);
		size_t used = strlen(ret_text);
		if (name.length && !names_have(ret_text, name.text, name.length))
			snprintf(ret_text + used, size - used, "%s%.*s", used ? ", " : "",
				(int)name.length, name.text);
	}
}

void gpu_add_no_kernel(const struct gpu_kernel *kernel, struct pmpp_error *error)
{
	const struct gpu_device_info *info = &kernel->program->device->info;
	const char *names = kernel->program->kernels;

	/* The compiler of CUDA encodes the parameters in the name. */
	if (gpu_backend_row(info->backend)->language == GPU_LANGUAGE_CUDA_C &&
		names_have(names, kernel->entry, strlen(kernel->entry))) {
		pmpp_error_append(error,
			"; the file has this kernel, but without extern \"C\": declare it "
			"extern \"C\"");
		return;
	}
	pmpp_error_append(error, "; the file has no kernel of this name%s%s",
		*names ? ", only " : " and no other", names);
	pmpp_error_append(error, "; use the name of the project's kernel");
}

/* ---- Programs ------------------------------------------------------------------------------ */

static enum pmpp_status check_macro(const struct gpu_macro *macro, struct pmpp_error *error)
{
	size_t length = strlen(macro->name);

	if (length < 4)
		return PMPP_FAIL(error, PMPP_INTERNAL,
			"macro %s: names of fewer than four letters break vendors' headers",
			macro->name);
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)macro->name[i]) && macro->name[i] != '_')
			return PMPP_FAIL(error, PMPP_INTERNAL, "macro '%s' is not an identifier",
				macro->name);
	return PMPP_OK;
}

/* Adds the first line of a compiler's log that contains an error. */
static void append_first_error(struct pmpp_error *error)
{
	const char *line = error->log;

	while (line && *line) {
		size_t length = strcspn(line, "\n");

		if (memmem(line, length, "error", strlen("error"))) {
			pmpp_error_append(
				error, ": %.*s", (int)(length < 300 ? length : 300), line);
			return;
		}
		line += length + (line[length] == '\n');
	}
}

enum pmpp_status gpu_program_create(struct gpu_device *device, const struct gpu_program_desc *desc,
	struct gpu_program **ret_program, struct pmpp_error *error)
{
	char name[GPU_TEXT_BYTES];
	enum pmpp_status status;

	for (size_t i = 0; i < desc->macro_count; i++) {
		status = check_macro(&desc->macros[i], error);
		if (status != PMPP_OK)
			return status;
	}
	struct gpu_program *program = calloc(1, device->backend->bytes->program);
	if (!program)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory");
	program->device = device;
	double begin_ns = host_clock_ns();
	status = device->backend->program_create(program, desc, error);
	if (status != PMPP_OK) {
		pmpp_error_prefix(
			error, "%s on %s", desc->name, gpu_device_text(&device->info, name));
		append_first_error(error);
		gpu_program_destroy(&program);
		return status;
	}
	kernel_names_text(desc->source, program->kernels, sizeof program->kernels);
	program->compile_ms = (host_clock_ns() - begin_ns) * 1e-6;
	*ret_program = program;
	return PMPP_OK;
}

void gpu_program_destroy(struct gpu_program **program)
{
	if (!program || !*program)
		return;
	(*program)->device->backend->program_destroy(*program);
	free((*program)->options);
	free((*program)->log);
	free(*program);
	*program = NULL;
}

/* ---- Kernels ------------------------------------------------------------------------------- */

/* Some drivers detect too much shared memory only at the launch; PoCL 3.1 aborts the process. */
static enum pmpp_status check_static_shared(
	const struct gpu_kernel *kernel, struct pmpp_error *error)
{
	const struct gpu_device *device = kernel->program->device;
	char name[GPU_TEXT_BYTES];

	if (kernel->resources.shared_bytes <= (int64_t)device->info.limits.shared_bytes)
		return PMPP_OK;
	PMPP_FAIL(error, PMPP_UNSUPPORTED,
		"kernel %s: %lld bytes of shared memory per block, %s has %lu", kernel->entry,
		(long long)kernel->resources.shared_bytes, gpu_device_text(&device->info, name),
		(unsigned long)device->info.limits.shared_bytes);
	return pmpp_error_set_block_limit(error);
}

enum pmpp_status gpu_kernel_create(struct gpu_program *program, const char *entry,
	struct gpu_kernel **ret_kernel, struct pmpp_error *error)
{
	const struct gpu_backend *backend = program->device->backend;
	struct gpu_kernel *kernel;

	if (strlen(entry) >= sizeof kernel->entry)
		return PMPP_FAIL(error, PMPP_INTERNAL, "the entry name %s is too long", entry);
	kernel = calloc(1, backend->bytes->kernel);
	if (!kernel)
		return PMPP_FAIL(error, PMPP_OUT_OF_MEMORY, "out of host memory");
	kernel->program = program;
	snprintf(kernel->entry, sizeof kernel->entry, "%s", entry);
	enum pmpp_status status = backend->kernel_create(kernel, error);
	if (status == PMPP_OK)
		status = check_static_shared(kernel, error);
	else
		pmpp_error_prefix(error, "kernel %s", entry);
	if (status != PMPP_OK) {
		gpu_kernel_destroy(&kernel);
		return status;
	}
	*ret_kernel = kernel;
	return PMPP_OK;
}

void gpu_kernel_destroy(struct gpu_kernel **kernel)
{
	if (!kernel || !*kernel)
		return;
	(*kernel)->program->device->backend->kernel_destroy(*kernel);
	free(*kernel);
	*kernel = NULL;
}
