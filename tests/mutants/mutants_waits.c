/* The waits for asynchronous copies, one missing and one for a group too few. */
#include "tests/mutants/mutants.h"

/* More tiles for each block than stages: what an earlier launch left in shared memory is another
 * tile, so that only the copies can bring the right one. (prefetch launches 264 blocks of 256.) */
#define TILES 5
#define SIZE                                   \
	{                                      \
		(int64_t) TILES * 264 * 256, 1 \
	}

#define LOOP "for (; tile < n; tile += step) {"

const struct mutant mutants_waits[] = {
	{"unchanged", "prefetch", "async-copy", ON_ALL, SIZE, PASSES, NULL, NULL, NULL},
	{"no wait for the copies", "prefetch", "async-copy", ON_ALL, SIZE, REJECTED, LOOP,
		"\n#undef WAIT_PRIOR\n#define WAIT_PRIOR(groups)\n\t" LOOP,
		"\n#define __pipeline_wait_prior(groups)\n\t" LOOP},
	{"a wait for a group too few", "prefetch", "async-copy", ON_ALL, SIZE, REJECTED,
		"(STAGES - 2);", "(STAGES - 1);", NULL},
	{NULL, NULL, NULL, 0, {0}, PASSES, NULL, NULL, NULL},
};
