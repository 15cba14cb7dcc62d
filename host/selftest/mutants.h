/* Kernels with one thing wrong, made from the real ones by a change of their text. */
#ifndef PMPP_HOST_SELFTEST_MUTANTS_H
#define PMPP_HOST_SELFTEST_MUTANTS_H

#include "common/family.h"

enum mutant_engines {
	ON_OPENCL = 1 << 0,
	ON_CUDA = 1 << 1,
	ON_EMULATOR = 1 << 2,
	ON_TRACED = 1 << 3,    /* the CUDA emulator */
	ON_CL_TRACED = 1 << 4, /* the OpenCL emulator */
	ON_ALL = ON_OPENCL | ON_CUDA | ON_EMULATOR | ON_TRACED | ON_CL_TRACED,
	ON_DEVICES = ON_OPENCL | ON_CUDA
};

enum mutant_verdict {
	PASSES,        /* a control: the change does no harm */
	REJECTED,      /* wrong answer, or ended by an error */
	GUARD_NOTICED, /* ... because a guard was written; the traced emulator may stop it instead
			*/
	INPUT_NOTICED, /* ... because an input was written */
	NAN_NOTICED,   /* rejected because of an element that is not finite */
	UNSET_NOTICED  /* rejected because of an uninitialised local variable */
};

struct mutant {
	const char *name;
	const char *family, *variant;
	unsigned engines;
	int64_t dim[PMPP_MAX_DIMS];
	enum mutant_verdict verdict;
	const char *find; /* at least once in the file; NULL: nothing is changed */
	const char *replace_cl, *replace_cu; /* replace_cu NULL: as replace_cl */
	unsigned needs; /* enum pmpp_capability bits of the engine, in addition to the variant's */
	enum dtype dtype; /* of the problem; 0, the default of most families: DTYPE_F32 */
	size_t op;        /* index into the family's operations */
	size_t data;      /* index into family->data */
};

/*
 * Each file has one table, ended by a row without a name. To add a table, add a file
 * mutants_<subject>.c, its declaration here, and a line each in mutant_tables[] (tables.c) and in
 * meson.build.
 */
extern const struct mutant mutants_kernels[];       /* mutants.c */
extern const struct mutant mutants_bounds[];        /* sizes where the bound of a sum is wide */
extern const struct mutant mutants_trips[];         /* loops that skip one trip */
extern const struct mutant mutants_locals[];        /* uninitialised local variables */
extern const struct mutant mutants_waits[];         /* waits for asynchronous copies */
extern const struct mutant mutants_uninitialised[]; /* uninitialised elements of shared memory */
extern const struct mutant mutants_data[];          /* defects that only some data show */
extern const struct mutant mutants_races[];         /* data races in global memory */
extern const struct mutant mutants_hopper[]; /* rungs that only compute capability 9.0 runs */

/* A kind of mistake. */
struct mutant_table {
	const char *kind;          /* for users */
	const struct mutant *rows; /* ended by a row without a name */
};

#define MUTANT_TABLE_COUNT 9

extern const struct mutant_table mutant_tables[MUTANT_TABLE_COUNT];

#endif
