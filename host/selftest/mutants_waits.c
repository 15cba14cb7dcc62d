/* Waits for asynchronous copies: waits are missing, and one waits for one group too few. */
#include "host/selftest/mutants.h"

/* Each block has more tiles than stages. Old tiles in shared memory are then wrong, and only the
 * copies write the right tile. On a device the copies may complete in time by chance. There every
 * block has so many tiles that some copies are too late. (prefetch launches 264 blocks of 256.) */
#define TILES(count)                            \
	{                                       \
		(int64_t)(count) * 264 * 256, 1 \
	}
#define SHORT TILES(5)
#define LONG TILES(300)
#define ON_EMULATORS (ON_EMULATOR | ON_TRACED)

#define LOOP "for (; tile < n; tile += step) {"

/* Devices: only PTX, because other drivers may copy at once. */
#define NO_WAIT(engines, size, needs)                                                              \
	{                                                                                          \
		"no wait for the copies", "prefetch", "async-copy", engines, size, REJECTED, LOOP, \
			"\n#define wait_for(copy)\n\t" LOOP,                                       \
			"\n#define __pipeline_wait_prior(groups)\n\t" LOOP, needs                  \
	}
#define TOO_FEW(engines, size, needs)                                                              \
	{                                                                                          \
		"a wait for one group too few", "prefetch", "async-copy", engines, size, REJECTED, \
			"(STAGES - 2);", "(STAGES - 1);", NULL, needs                              \
	}

/* Three pairs of tiles. Copies of devices may complete in time by chance. */
#define TILES_LOOP "for (int k0 = 0; k0 < k; k0 += TILE_K) {"
#define NO_WAIT_FOR_TILES(variant)                                                       \
	{                                                                                \
		"no wait for the tiles", "matmul", variant, ON_EMULATORS | ON_CL_TRACED, \
			{129, 257, 40}, REJECTED, TILES_LOOP,                            \
			"\n#define wait_for_tiles(copy)\n\t" TILES_LOOP,                 \
			"\n#define wait_for_tiles()\n\t" TILES_LOOP, 0                   \
	}

const struct mutant mutants_waits[] = {
	{"unchanged", "prefetch", "async-copy", ON_ALL, SHORT, PASSES, NULL, NULL, NULL, 0},
	{"unchanged", "prefetch", "async-copy", ON_DEVICES, LONG, PASSES, NULL, NULL, NULL,
		PMPP_CAP_NVIDIA_PTX},
	NO_WAIT(ON_EMULATORS | ON_CL_TRACED, SHORT, 0),
	NO_WAIT(ON_DEVICES, LONG, PMPP_CAP_NVIDIA_PTX),
	TOO_FEW(ON_EMULATORS, SHORT, 0),
	TOO_FEW(ON_DEVICES, LONG, PMPP_CAP_NVIDIA_PTX),
	{"a wait for the wrong copy", "prefetch", "async-copy", ON_CL_TRACED, SHORT, REJECTED,
		"wait_for(&copies[which]);", "wait_for(&copies[which ? which - 1 : STAGES - 1]);",
		NULL, 0},
	NO_WAIT_FOR_TILES("async-tiles"),
	NO_WAIT_FOR_TILES("block-order"),
	{"a wait for one group too few", "matmul", "f16-mma", ON_EMULATORS, {5, 7, 400}, REJECTED,
		"__pipeline_wait_prior(STAGES - 2)", NULL, "__pipeline_wait_prior(STAGES - 1)", 0},
	/* The next copies overwrite a stage that other warps read. */
	{"no barrier between stages", "matmul", "f16-mma", ON_TRACED | ON_CL_TRACED, {5, 7, 400},
		REJECTED, "copies_wait();\n\t\t\t\t", "copies_wait();\n//", NULL, 0},
	{NULL, NULL, NULL, 0, {0}, PASSES, NULL, NULL, NULL, 0},
};
