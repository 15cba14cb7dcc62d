/* Object files that OpenCL programs share: built-in functions, the support functions in C, hooks. */
#include "host/gpu/opencl_emu/internal.h"

#include "host/io/sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUPPORT_FILE "support.c"

/* ---- Commands: all words --------------------------------------------------------------------- */

#define C_WORDS OPENCL_TARGET_FLAGS, "-O2", "-fno-omit-frame-pointer", "-I.", "-c"
#define BUILTIN_WORDS                                                                              \
	OPENCL_TARGET_FLAGS, "-x", "cl", "-cl-std=CL2.0", "-O1", "-fwrapv", "-ffp-contract=off",   \
		"-fno-strict-aliasing", "-fno-omit-frame-pointer", "-Wno-everything", "-c", "-I.", \
		"builtins.cl"
#define OBJECT_WORDS C_WORDS, "object.c"
#define SUPPORT_WORDS C_WORDS, SUPPORT_FILE
#define PRINT_WORDS C_WORDS, "builtins_print.c"
#define HOOK_WORDS C_WORDS, "-x", "c++", EMU_HOOKS_FILE
#define TRACED_WORDS "-DPMPP_EMU_TRACED"

static const char *const builtin_command[] = {BUILTIN_WORDS, NULL};
static const char *const object_command[] = {OBJECT_WORDS, NULL};
static const char *const support_command[] = {SUPPORT_WORDS, NULL};
static const char *const print_command[] = {PRINT_WORDS, NULL};
static const char *const hook_command[] = {HOOK_WORDS, NULL};
static const char *const traced_words[] = {TRACED_WORDS, NULL};
static const char *const plain_words[] = {NULL};

const char *const opencl_part_words[] = {
	BUILTIN_WORDS, OBJECT_WORDS, SUPPORT_WORDS, PRINT_WORDS, HOOK_WORDS, TRACED_WORDS, NULL};

/* ---- Parts ----------------------------------------------------------------------------------- */

/* Takes the object file from the cache, or makes it. needs: the text of needs.h; NULL: the command reads
 * none. */
static enum pmpp_status take(const struct emu_build *build, const char *const *command,
	const char *kind, const char *needs, const char *file)
{
	const char *const output[] = {"-o", file, NULL};
	char *inputs = NULL;

	if (asprintf(&inputs, "%s\n%s", build->desc->traced ? "traced" : "plain",
		    needs ? needs : "") < 0)
		return emu_no_memory(build);
	enum pmpp_status status = needs ? emu_write_file(build, "needs.h", needs) : PMPP_OK;
	if (status == PMPP_OK)
		status = emu_part_make(build, kind, inputs, file,
			(const char *const *const[]){command,
				build->desc->traced ? traced_words : plain_words, output, NULL});
	free(inputs);
	return status;
}

#define HALF_NEEDS "#define PMPP_ONLY\n#define PMPP_HALF_CALLS\n"
#define PRINT_NEED "#define NEED_printf\n"

/* Parts whose contents do not depend on the program. */
static const struct fixed_part {
	const char *kind, *file;
	const char *const *command;
	const char *needs; /* as in take() */
	bool first;        /* linked first, so it is not in OPENCL_PARTS_FILE */
	bool traced_only;
	const char *need; /* only for programs that need this function; NULL: for all */
} fixed_parts[] = {
	{"object", "object.o", object_command, NULL, true, false, NULL},
	{"support", "support.o", support_command, NULL, false, false, NULL},
	{"builtin", "half.o", builtin_command, HALF_NEEDS, false, false, NULL},
	{"print", "print.o", print_command, NULL, false, false, PRINT_NEED},
	{"hooks", "hooks.o", hook_command, NULL, false, true, NULL},
};

/* ---- Built-in functions ---------------------------------------------------------------------- */

/* Whether the C file defines the function: BUILTIN("_Z12get_local_idj") for "#define
 * NEED_get_local_id" as last line of the text. builtins.cl does not define these functions. */
static bool is_in_support(const char *need)
{
	static const char start[] = "#define NEED_";
	const char *support = sources_embedded("host/gpu/opencl_emu/runtime/" SUPPORT_FILE);
	const char *found = strstr(need, start);
	char name[64], symbol[2][80];

	if (!support || !found || sscanf(found + strlen(start), "%63s", name) != 1)
		return false;
	snprintf(symbol[0], sizeof symbol[0], "BUILTIN(\"%s\",", name);
	snprintf(symbol[1], sizeof symbol[1], "BUILTIN(\"_Z%zu%s", strlen(name), name);
	return strstr(support, symbol[0]) || strstr(support, symbol[1]);
}

/* One object file for each function. Writes their names to `list`. */
static enum pmpp_status make_builtins(const struct emu_build *build, char *const *needs, FILE *list)
{
	enum pmpp_status status = PMPP_OK;
	char file[40];

	for (size_t i = 0; needs[i] && status == PMPP_OK; i++) {
		if (is_in_support(needs[i]) || strstr(needs[i], PRINT_NEED))
			continue;
		snprintf(file, sizeof file, "builtin%zu.o", i);
		status = take(build, builtin_command, "builtin", needs[i], file);
		fprintf(list, "%s\n", file);
	}
	return status;
}

static enum pmpp_status make_fixed(const struct emu_build *build, const char *needs, FILE *list)
{
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; i < sizeof fixed_parts / sizeof *fixed_parts && status == PMPP_OK; i++) {
		const struct fixed_part *part = &fixed_parts[i];
		if ((part->traced_only && !build->desc->traced) ||
			(part->need && !strstr(needs, part->need)))
			continue;
		status = take(build, part->command, part->kind, part->needs, part->file);
		if (!part->first)
			fprintf(list, "%s\n", part->file);
	}
	return status;
}

enum pmpp_status opencl_make_parts(const struct emu_build *build, const char *needs)
{
	char **functions = needs_split(needs);
	char *names = NULL;
	size_t size;
	FILE *list = functions ? open_memstream(&names, &size) : NULL;
	enum pmpp_status status = list ? PMPP_OK : emu_no_memory(build);

	if (list) {
		status = make_builtins(build, functions, list);
		if (status == PMPP_OK)
			status = make_fixed(build, needs, list);
		if (fclose(list) != 0 && status == PMPP_OK)
			status = emu_no_memory(build);
	}
	if (status == PMPP_OK)
		status = emu_write_file(build, OPENCL_PARTS_FILE, names);
	free(names);
	needs_free(functions);
	return status;
}
