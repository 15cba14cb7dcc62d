#include "host/selftest/mutants.h"

const struct mutant_table mutant_tables[MUTANT_TABLE_COUNT] = {
	{"wrong results", mutants_kernels},
	{"long sums", mutants_bounds},
	{"loops", mutants_trips},
	{"uninitialised variables", mutants_locals},
	{"waits for copies", mutants_waits},
	{"uninitialised shared memory", mutants_uninitialised},
	{"only some data", mutants_data},
	{"races", mutants_races},
	{"kernels for Hopper", mutants_hopper},
};
