/*
 * What the suite finds out about a variant and about a device, as plain data.
 */
#ifndef PMPP_HOST_SUITE_OUTCOME_H
#define PMPP_HOST_SUITE_OUTCOME_H

#include "common/family.h"
#include "common/model/limit.h"
#include "common/model/outcome.h"
#include "common/stats.h"
#include "host/gpu/gpu.h"
#include "host/record/measurement.h"

/* ---- Verification -------------------------------------------------------------------------- */

struct verify_result {
	bool done;
	char coverage[96];   /* "all elements", "8 rows and 8 columns; all on integers" */
	double max_ratio;    /* largest error as a fraction of its bound; infinity on NaN */
	uint64_t nan;        /* non-finite or unwritten elements of those looked at */
	uint64_t mismatches; /* elements beyond their bound, nan included */
	int64_t first_row, first_column; /* of the first mismatch; -1 = none */
	double first_got;
	double first_want;
	bool canary_ok; /* guards of every operand are untouched */
	bool inputs_intact;
	/* Of the output's bits, by rows: SHA-256 of the SHA-256 digests of its pieces of 1 MiB.
	 * "" before a run. */
	char output_sha256[65];
};

/* true when the answer passed in every respect. */
bool verify_passed(const struct verify_result *result);

/* ---- Timing -------------------------------------------------------------------------------- */

/* "below_resolution", ...; for one bit. */
const char *timing_flag_name(enum timing_flag flag);
#define TIMING_FLAG_COUNT 5

struct sample_set {
	double *ns; /* owned; in the order taken */
	struct stats stats;
};

/* Contract pmpp-timing/1: docs/measuring.md. Times of one run, in ns. */
struct timing {
	bool done;
	char reason[128];       /* why there is none ("emulated: ...") */
	struct sample_set cold; /* device interval, cache flushed before */
	struct sample_set hot;  /* device interval of a batch over its length */
	struct sample_set host; /* host clock around launch + finish */
	bool primary_is_hot;
	unsigned flags;
};

/* The samples that stand for the variant (cold, or hot where that is primary). */
const struct sample_set *timing_primary(const struct timing *timing);

void timing_finish(struct timing *timing);

/* ---- The device ---------------------------------------------------------------------------- */

struct roofs {
	double copy_gbps, read_gbps, fma_gflops, shared_gbps, h2d_gbps, d2h_gbps; /* NAN: unknown */
	double age_s; /* since measured; 0 = now */
};

/* Every figure NAN. */
struct roofs roofs_unknown(void);

struct calibration {
	double empty_launch_ns;     /* device interval of an empty kernel, median */
	double host_launch_ns;      /* host clock around launch + finish of it, median */
	double timer_resolution_ns; /* smallest step seen between device intervals */
	bool device_timer_ok;       /* sanity on both sides, host clock is used otherwise */
	char reason[160];           /* why not ok */
};

/* ---- One variant --------------------------------------------------------------------------- */

struct outcome {
	enum outcome_status status;
	char reason[600];
	char *log; /* compiler log of a build error; owned */

	struct config config;
	struct problem problem;
	struct plan plan;

	char source_sha256[65];
	char options[512];
	enum gpu_math math;
	double compile_ms;
	enum gpu_cache_outcome cache;
	struct gpu_kernel_resources resources;                      /* of the first launch */
	struct gpu_kernel_resources step_resources[PMPP_MAX_STEPS]; /* beside plan.steps */

	struct verify_result verify;
	struct timing timing;

	double flops, bytes_compulsory, bytes_issued;
	/* Of the primary median; NAN where untimed or the roof is unknown. */
	double gflops, gbps, intensity, fraction_of_roof;
	double metric; /* family->metric; NAN where it has none */
	enum limited_by limited_by;
};

/* Makes an outcome that owns nothing, with every figure unknown. */
void outcome_init(
	struct outcome *outcome, const struct config *config, const struct problem *problem);
void outcome_finish(struct outcome *outcome); /* frees what it owns */

/* Sets status and reason (what, then detail); returns false. */
bool outcome_refuse(
	struct outcome *outcome, enum outcome_status status, const char *what, const char *detail);

#endif
