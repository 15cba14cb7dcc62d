#include "host/gpu/arguments.h"

#include "common/words.h"

#include <stdio.h>
#include <string.h>

/* ---- Names of kernels ---------------------------------------------------------------------- */

/* A word, or one other character. Points into the source. */
struct token {
	const char *text;
	size_t length; /* 0: the end of the source */
};

/* Returns the end of the comment or the literal at text; text itself if there is none. */
static const char *skip_other(const char *text)
{
	if (strncmp(text, "//", 2) == 0)
		return text + strcspn(text, "\n");
	if (strncmp(text, "/*", 2) == 0) {
		const char *end = strstr(text + 2, "*/");
		return end ? end + 2 : text + strlen(text);
	}
	if (*text != '"' && *text != '\'')
		return text;
	const char quote = *text++;
	while (*text && *text != quote && *text != '\n')
		text += *text == '\\' && text[1] ? 2 : 1;
	return text + (*text == quote);
}

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

void kernel_names_text(const char *source, char *ret_text, size_t size)
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

void gpu_add_no_kernel(
	const struct gpu_program *program, const char *entry, struct pmpp_error *error)
{
	const char *names = program->kernels;

	/* The compiler of CUDA encodes the parameters in the name. */
	if (gpu_backend_row(program->device->info.backend)->language == GPU_LANGUAGE_CUDA_C &&
		names_have(names, entry, strlen(entry))) {
		pmpp_error_append(error,
			"; the file has this kernel, but without extern \"C\": declare it "
			"extern \"C\"");
		return;
	}
	pmpp_error_append(error, "; the file has no kernel of this name%s%s",
		*names ? ", only " : " and no other", names);
	pmpp_error_append(error, "; use the name of the project's kernel");
}

/* ---- Arguments ----------------------------------------------------------------------------- */

#define ADVICE "use the parameter list of the project's kernel"

/* Size of the text of all arguments of a launch. */
#define LIST_BYTES 400

static const char *const kind_words[][2] = {
	[GPU_ARG_BUFFER] =
		{[GPU_LANGUAGE_OPENCL_C] = "__global pointer", [GPU_LANGUAGE_CUDA_C] = "pointer"},
	[GPU_ARG_INT] = {[GPU_LANGUAGE_OPENCL_C] = "int", [GPU_LANGUAGE_CUDA_C] = "int"},
	[GPU_ARG_UINT] = {[GPU_LANGUAGE_OPENCL_C] = "uint", [GPU_LANGUAGE_CUDA_C] = "unsigned int"},
	[GPU_ARG_ULONG] =
		{[GPU_LANGUAGE_OPENCL_C] = "ulong", [GPU_LANGUAGE_CUDA_C] = "unsigned long long"},
	[GPU_ARG_FLOAT] = {[GPU_LANGUAGE_OPENCL_C] = "float", [GPU_LANGUAGE_CUDA_C] = "float"},
	/* OpenCL has no such parameter. */
	[GPU_ARG_TILE_MAP] =
		{[GPU_LANGUAGE_OPENCL_C] = "tensor_map", [GPU_LANGUAGE_CUDA_C] = "tensor_map"},
};

/* Writes "ulong" or "pointer B". Returns the full length, even if the text does not fit. */
static size_t write_expected(const struct gpu_device_info *info, const struct gpu_launch *launch,
	size_t index, char *ret_text, size_t size)
{
	const struct gpu_arg *arg = &launch->args[index];

	if (index >= launch->arg_count)
		return (size_t)snprintf(ret_text, size, "__local pointer");
	const char *word = kind_words[arg->kind][gpu_backend_row(info->backend)->language];
	if (arg->name)
		return (size_t)snprintf(ret_text, size, "%s %s", word, arg->name);
	return (size_t)snprintf(ret_text, size, "%s", word);
}

size_t gpu_argument_count(const struct gpu_device_info *info, const struct gpu_launch *launch)
{
	bool shared = launch->shared_bytes > 0 &&
		      gpu_backend_row(info->backend)->language == GPU_LANGUAGE_OPENCL_C;

	return launch->arg_count + shared;
}

enum pmpp_status gpu_refuse_count(const struct gpu_device_info *info,
	const struct gpu_launch *launch, size_t parameters, struct pmpp_error *error)
{
	size_t count = gpu_argument_count(info, launch);
	char list[LIST_BYTES] = "";
	size_t used = 0;

	for (size_t i = 0; i < count && used < sizeof list; i++) {
		used += (size_t)snprintf(list + used, sizeof list - used, "%s", i ? ", " : ": ");
		if (used < sizeof list)
			used += write_expected(info, launch, i, list + used, sizeof list - used);
	}
	return PMPP_FAIL(error, PMPP_LAUNCH, "%zu parameter%s; expected %zu%s; " ADVICE, parameters,
		parameters == 1 ? "" : "s", count, list);
}

enum pmpp_status gpu_refuse_argument(const struct gpu_device_info *info,
	const struct gpu_launch *launch, size_t index, const char *found, struct pmpp_error *error)
{
	char expected[LIST_BYTES];

	write_expected(info, launch, index, expected, sizeof expected);
	return PMPP_FAIL(error, PMPP_LAUNCH, "argument %zu: expected %s; %s; " ADVICE, index + 1,
		expected, found);
}

const void *gpu_argument_value(const struct gpu_arg *arg, size_t bytes, int64_t *room)
{
	const int64_t value = arg->kind == GPU_ARG_INT    ? arg->as.i
			      : arg->kind == GPU_ARG_UINT ? arg->as.u
							  : (int64_t)arg->as.ul;
	const size_t own = arg->kind == GPU_ARG_ULONG ? sizeof arg->as.ul : sizeof arg->as.i;
	const int32_t narrow = (int32_t)value;

	if (bytes == own || arg->kind == GPU_ARG_FLOAT)
		return bytes == own || bytes == 0 ? &arg->as : NULL;
	/* All machines with a GPU are little-endian, so a kernel can read 4 or 8 bytes of the value. */
	*room = value;
	if (bytes == sizeof narrow)
		memcpy(room, &narrow, sizeof narrow);
	bool fits =
		bytes == 0 || bytes == sizeof value || (bytes == sizeof narrow && narrow == value);
	return fits ? room : NULL;
}
