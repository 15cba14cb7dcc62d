/*
 * Figures of a timed run: rates, the limit, and the metric of the family.
 */
#ifndef PMPP_COMMON_MODEL_FIGURES_H
#define PMPP_COMMON_MODEL_FIGURES_H

#include "common/model/limit.h"

/* Work of one run, and its time. */
struct figures_run {
	double ns; /* median; NAN = not timed */
	double flops;
	double bytes_compulsory; /* each input read once, each output written once */
	struct floors floors;    /* of the run on its device */
};

/* NAN and LIMITED_BY_UNKNOWN where a figure is unknown. */
struct figures {
	double gflops;
	double gbps; /* of the compulsory bytes */
	struct limit_finding finding;
};

/* Every figure is unknown unless ns > 0. */
struct figures figures_of(const struct figures_run *run);

/* A figure of a family in addition to GFLOP/s or GB/s. */
enum metric_kind {
	METRIC_NONE,
	METRIC_NS_EACH,  /* ns for each thing counted */
	METRIC_PER_CYCLE /* things per cycle of a multiprocessor, at the clock of the device */
};

/* count: things counted in a run of ns. clock_mhz, multiprocessors: 0 = unknown. NAN where the
 * figure is unknown. */
double figures_metric(
	enum metric_kind kind, double count, double ns, double clock_mhz, double multiprocessors);

#endif
