/* Runs clang in the build folder. */
#include "host/gpu/opencl_emu/internal.h"

#include <stdlib.h>
#include <string.h>

enum pmpp_status opencl_no_memory(const struct opencl_build *build)
{
	return PMPP_FAIL(
		build->error, PMPP_OUT_OF_MEMORY, "%s: no memory to build it", build->desc->name);
}

enum pmpp_status opencl_run(const struct opencl_build *build, const char *text,
	const char *const *const *lists, char **log)
{
	struct emu_command command = {.count = 0};
	char compiler[sizeof build->compiler];
	char *words = strdup(text);

	if (!words)
		return opencl_no_memory(build);
	memcpy(compiler, build->compiler, sizeof compiler);
	emu_command_add_words(&command, compiler);
	emu_command_add_words(&command, words);
	for (size_t i = 0; lists[i]; i++)
		emu_command_add_all(&command, lists[i]);
	enum pmpp_status status =
		emu_command_run(&command, build->folder, build->desc->name, log, build->error);
	free(words);
	return status;
}

enum pmpp_status opencl_run_silent(
	const struct opencl_build *build, const char *const *const *lists)
{
	char *log = NULL;
	enum pmpp_status status = opencl_run(build, "", lists, &log);

	free(log);
	return status;
}
