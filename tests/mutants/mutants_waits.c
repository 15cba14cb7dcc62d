/* Waits for asynchronous copies: one wait is missing, and one waits for one group too few. */
#include "tests/mutants/mutants.h"

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

#define NO_WAIT(engines, size)                                                                     \
	{                                                                                          \
		"no wait for the copies", "prefetch", "async-copy", engines, size, REJECTED, LOOP, \
			"\n#undef WAIT_PRIOR\n#define WAIT_PRIOR(groups)\n\t" LOOP,                \
			"\n#define __pipeline_wait_prior(groups)\n\t" LOOP                         \
	}
#define TOO_FEW(engines, size)                                                                     \
	{                                                                                          \
		"a wait for one group too few", "prefetch", "async-copy", engines, size, REJECTED, \
			"(STAGES - 2);", "(STAGES - 1);", NULL                                     \
	}

const struct mutant mutants_waits[] = {
	{"unchanged", "prefetch", "async-copy", ON_ALL, SHORT, PASSES, NULL, NULL, NULL},
	{"unchanged", "prefetch", "async-copy", ON_DEVICES, LONG, PASSES, NULL, NULL, NULL},
	NO_WAIT(ON_EMULATORS, SHORT),
	NO_WAIT(ON_DEVICES, LONG),
	TOO_FEW(ON_EMULATORS, SHORT),
	TOO_FEW(ON_DEVICES, LONG),
	{NULL, NULL, NULL, 0, {0}, PASSES, NULL, NULL, NULL},
};
