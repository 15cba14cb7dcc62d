/* An engine: a backend, one of its devices and the kind of build. What device tests run on. */
#ifndef PMPP_TESTS_SUPPORT_ENGINE_H
#define PMPP_TESTS_SUPPORT_ENGINE_H

#include "host/gpu/gpu.h"

#define MAX_ENGINES 16

struct engine {
	char name[96]; /* "opencl:0.0 (PoCL ...)", "cuda-emu:0 traced" */
	enum gpu_backend_id backend;
	bool traced;
	bool usable;
	const char *required; /* the name that PMPP_REQUIRE has for it */
	char reason[300];     /* why not */
	struct gpu_device_info info;
};

/* The engines of one word: a backend's name, cuda-emu-traced, or an OpenCL implementation for the
 * CPU (pocl, rusticl, intel). At least one: an unusable engine with the reason stands for a
 * backend without devices. 0 for an unknown word. */
size_t engine_list(const char *word, struct engine ret_engines[MAX_ENGINES]);

/* Ends the row as skipped, or as failed if PMPP_REQUIRE names the engine. */
_Noreturn void engine_skip(const struct engine *engine, const char *reason);

/* Opens the engine's device; skips the row where there is none. */
struct gpu_device *engine_open(const struct engine *engine);

#endif
