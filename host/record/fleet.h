/*
 * Report that a rank of a fleet (pmpp-run --fleet) makes at its end.
 */
#ifndef PMPP_HOST_RECORD_FLEET_H
#define PMPP_HOST_RECORD_FLEET_H

#include "host/record/result.h"

/* Times of one row. */
struct fleet_time {
	struct record record;
	char *key;   /* the times of two ranks can be compared if their keys are equal */
	char *label; /* "cuda matmul/tiled16 m=512 n=512 k=512" */
	char *device_type;
	struct number_list medians_ns; /* one for each run; at least one */
	double half_width;             /* half-width of one run / its median; NaN = unknown */
	double noise_sd, noise_dof;    /* struct noise_floor */
};

struct fleet_time_list {
	struct fleet_time *items;
	size_t count;
};

struct fleet_report {
	struct record record;
	int64_t rank;
	char *host;                  /* name of the machine; NULL = unknown */
	char *device;                /* name of the device; NULL = unknown */
	char *uuid;                  /* UUID, PCI address or label; NULL = unknown */
	int64_t exit_code;           /* exit code of the job; negative = the rank did not report */
	char *message;               /* error message; NULL = no error */
	char *untimed;               /* why there are no times; NULL = measured, or not requested */
	int64_t ok, failed, skipped; /* numbers of rows */
	struct fleet_time_list times;
};

struct fleet_report_list {
	struct fleet_report *items; /* in order of ranks; owned */
	size_t count;
};

extern const struct record_type fleet_time_type;
extern const struct record_type fleet_report_type;

void fleet_report_list_finish(struct fleet_report_list *list);

#endif
