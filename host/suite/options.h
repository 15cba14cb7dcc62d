/*
 * Options of a suite.
 */
#ifndef PMPP_HOST_SUITE_OPTIONS_H
#define PMPP_HOST_SUITE_OPTIONS_H

#include "common/family.h"
#include "host/gpu/gpu.h"
#include "host/sensors/sensors.h"

/* A stage of long work, for the progress line. */
typedef void suite_progress_fn(void *context, const char *text);

/* A note for the user, one line. The same note may be reported more than once. */
typedef void suite_note_fn(void *context, const char *text);

struct suite_options {
	enum gpu_math math;
	const char *kernel_dir; /* root to read kernels from; NULL: embedded */
	bool as_project;        /* judge kernels of kernel_dir as the project's: mutants */
	bool bitwise;           /* kernels of kernel_dir must keep the promise of equal bits */
	bool no_roofs;          /* do not measure roofs; those of earlier runs are used */
	const char *roof_dir;   /* root of the roof kernels; for tests only */
	bool traced;            /* emulators: also verify with the traced build (exact bounds) */
	const struct access_model *model; /* of an emulator; NULL: the default; others ignore it */
	bool fenced;    /* buffers between unmapped pages, if the device allows them; no timing */
	bool unguarded; /* no guards: the engine checks the bounds of operands itself */
	bool flush;     /* flush the last-level cache before cold samples (default) */
	double min_time_ms; /* minimum sum of all samples */
	size_t min_samples; /* 0: the default of sampling_limits_of() */
	size_t max_samples;
	suite_progress_fn *progress; /* may be NULL */
	void *progress_context;
	suite_note_fn *note; /* receives the compilers' warnings; may be NULL */
	void *note_context;
	/* INPUT_USER: host arrays by rows, in the order of family->operands; NULL = none. The
	 * caller owns them. */
	const void *user_inputs[PMPP_MAX_OPERANDS];
	struct sensor_places sensor_places; /* for tests only */
};

/* min_time 50 ms, the default number of samples up to 200, flush on. */
#define SUITE_OPTIONS_DEFAULT \
	((struct suite_options){.flush = true, .min_time_ms = 50, .max_samples = 200})

#endif
