#include "host/run/engine.h"

#include <stdlib.h>

/* PoCL reads these variables when it creates its devices. They divide the cores among shards. */
static void set_environment(const void *state, bool sharded)
{
	(void)state;
	if (sharded) {
		setenv("POCL_MAX_PTHREAD_COUNT", "1", 0);
		setenv("POCL_AFFINITY", "0", 0);
	}
}

const struct engine engine_devices = {
	.name = "devices",
	.set_environment = set_environment,
};

const struct engine *const engines[] = {&engine_devices, &engine_oclgrind};
const size_t engine_count = sizeof engines / sizeof *engines;
const char *const engine_words[] = {"devices", "oclgrind", NULL};
