/*
 * The metric of a family.
 */
#ifndef PMPP_COMMON_MODEL_FIGURES_H
#define PMPP_COMMON_MODEL_FIGURES_H

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
