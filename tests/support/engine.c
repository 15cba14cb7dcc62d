#include "tests/support/engine.h"

#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void name_engine(struct engine *engine)
{
	snprintf(engine->name, sizeof engine->name, "%s:%s%s", gpu_backend_name(engine->backend),
		engine->info.index, engine->traced ? " traced" : "");
}

/* PMPP_TEST_TYPE=gpu leaves the devices of other types to another run. */
static bool is_wanted(const struct gpu_device_info *info)
{
	const char *type = getenv("PMPP_TEST_TYPE");

	return !type || !*type || strcmp(type, gpu_device_type_name(info->type)) == 0;
}

size_t engine_list(const char *word, struct engine ret_engines[ENGINES_MAX])
{
	bool traced = strcmp(word, "cuda-emu-traced") == 0;
	struct gpu_device_info *infos = NULL;
	struct gpu_backend_state state = {0};
	struct pmpp_error error = PMPP_ERROR_INIT;
	enum gpu_backend_id id;
	size_t count = 0;

	if (!gpu_backend_find(traced ? "cuda-emu" : word, &id))
		return 0;
	if (gpu_enumerate(id, &infos, &count, &state, &error) != PMPP_OK)
		snprintf(state.reason, sizeof state.reason, "%.290s", error.message);
	pmpp_error_clear(&error);
	if (count > ENGINES_MAX)
		count = ENGINES_MAX;
	size_t wanted = 0;
	for (size_t i = 0; i < count; i++) {
		if (!is_wanted(&infos[i]))
			continue;
		ret_engines[wanted] = (struct engine){
			.backend = id, .traced = traced, .usable = true, .info = infos[i]};
		name_engine(&ret_engines[wanted++]);
	}
	free(infos);
	if (wanted > 0)
		return wanted;

	ret_engines[0] = (struct engine){.backend = id, .traced = traced};
	snprintf(ret_engines[0].info.index, sizeof ret_engines[0].info.index, "none");
	snprintf(ret_engines[0].reason, sizeof ret_engines[0].reason, "%s",
		state.reason[0] ? state.reason : "no device, and no reason given");
	name_engine(&ret_engines[0]);
	return 1;
}

struct gpu_device *engine_open(const struct engine *engine)
{
	struct gpu_device *device = NULL;
	struct pmpp_error error = PMPP_ERROR_INIT;

	if (!engine->usable)
		test_skip_backend(engine->backend, engine->reason);
	test_ok(gpu_open(&engine->info, &device, &error), &error);
	return device;
}
