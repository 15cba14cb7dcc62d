#include "tests/mutants/mutants.h"

const struct mutant *const mutant_tables[] = {
	mutants_kernels,
	mutants_bounds,
	mutants_trips,
	mutants_locals,
	mutants_waits,
	mutants_uninitialised,
	mutants_data,
	mutants_races,
	mutants_hopper,
	NULL,
};
