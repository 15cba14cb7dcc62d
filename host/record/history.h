/*
 * History of one variant: series of its stored results (schema pmpp-history/1). The tables in
 * history.c give units and meanings.
 */
#ifndef PMPP_HOST_RECORD_HISTORY_H
#define PMPP_HOST_RECORD_HISTORY_H

#include "host/record/result.h"

/* One result. */
struct history_point {
	struct record record;
	char *run, *started_utc, *host_id;
	char *label, *driver; /* label: NULL = none; driver: NULL = unknown */
	char *git;
	int status; /* enum outcome_status */
	char *reason;
	double median_ns, half_width; /* NaN: not timed (median_ns) or unknown (half_width) */
};

struct history_point_list {
	struct history_point *items;
	size_t count;
};

/* A change of the time (common/model/change_points.h). */
struct history_change {
	struct record record;
	int64_t point; /* index of the first point after the change */
	double ratio;  /* time after the change / time before it */
};

struct history_change_list {
	struct history_change *items;
	size_t count;
};

/* Results in order of time. They agree in all members from backend to own_kernel. */
struct history_series {
	struct record record;
	char *backend, *device, *device_name, *device_type;
	char *dtype, *op, *data;
	struct named_list problem, macros;
	char *math, *contract; /* NULL: no result was built (math) or timed (contract) */
	bool own_kernel;       /* kernels of the user, not of the project */
	double noise_sd;
	struct history_point_list points;
	struct history_change_list changes;
};

struct history_series_list {
	struct history_series *items;
	size_t count;
};

struct history_document {
	struct record record;
	char *schema;
	struct tool_record tool;
	char *family, *variant;
	struct history_series_list series;
};

#define HISTORY_SCHEMA "pmpp-history/1"

extern const struct record_type history_point_type, history_change_type, history_series_type,
	history_document_type;

#endif
