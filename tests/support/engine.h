/* Engines, on which device tests run: a backend, one of its devices and the kind of build. */
#ifndef PMPP_TESTS_SUPPORT_ENGINE_H
#define PMPP_TESTS_SUPPORT_ENGINE_H

#include "host/gpu/gpu.h"

#define MAX_ENGINES 16

struct engine {
	char name[96]; /* "opencl:0.0 (PoCL ...)", "cuda-emu:0 traced" */
	enum gpu_backend_id backend;
	bool traced;
	bool usable;
	const char *required; /* name of the engine in PMPP_REQUIRE */
	char reason[700];     /* why the engine is not usable */
	struct gpu_device_info info;
};

/* Lists the engines of a word: the name of a backend, cuda-emu-traced, opencl-emu-traced, or an
 * OpenCL implementation for the CPU (pocl, rusticl, intel). Returns their number, or 0 for an
 * unknown word. A backend without devices has one unusable engine with the reason. */
size_t engine_list(const char *word, struct engine ret_engines[MAX_ENGINES]);

/* The first engine of a word. Ends the program for an unknown word, or without a word (NULL). */
struct engine engine_first(const char *word);

/* Returns whether the engine is usable. If it is not, adds a row that engine_skip() ends. The engine must
 * outlive test_run(). */
bool engine_add_rows(const struct engine *engine);

/* Whether the device is tested. PMPP_TEST_DEVICES=cuda:0,opencl:0.0 leaves out all others. */
bool engine_is_selected(const struct gpu_device_info *info);

/* Ends the row as skipped, or as failed if PMPP_REQUIRE names the engine. */
_Noreturn void engine_skip(const struct engine *engine, const char *reason);

/* Opens the engine's device. Ends the row with engine_skip() if the engine is not usable. */
struct gpu_device *engine_open(const struct engine *engine);

#endif
