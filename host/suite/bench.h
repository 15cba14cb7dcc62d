/*
 * The bench: one open device with the modules that use it.
 */
#ifndef PMPP_HOST_SUITE_BENCH_H
#define PMPP_HOST_SUITE_BENCH_H

#include "common/family.h"
#include "host/gpu/gpu.h"
#include "host/gpu/library.h"
#include "host/sensors/sensors.h"
#include "host/suite/fallback.h"
#include "host/suite/launch.h"
#include "host/suite/outcome.h"
#include "host/suite/timing.h"
#include "host/suite/verify.h"

struct earlier_row {
	struct config config;
	struct problem problem; /* with the rounding of the variant's inputs */
	double median_ns;       /* of its primary samples; NAN = unknown */
	char output_sha256[65]; /* of its verified output; "" = unknown */
};

/* Zero-initialised: none. */
struct earlier_rows {
	struct earlier_row *items; /* owned */
	size_t count;
};

/* Adds a timed outcome, or a peer that another process has timed, after removing the rows of other
 * problems. Removes all rows if there is no memory. Ignores rows of internal families. */
void earlier_rows_add(struct earlier_rows *rows, const struct outcome *outcome);

/* Returns the row of the named variant for the outcome's problem; NULL if there is none. In a sweep
 * ladder_find() selects the row. */
const struct earlier_row *earlier_rows_find(
	const struct earlier_rows *rows, const char *variant, const struct outcome *outcome);

/* Gets the rows of all peers that solve the outcome's problem with the same rounding of the inputs.
 * Returns their number, at most `max`; 0 for the outcome of a peer. */
size_t earlier_rows_peers(const struct earlier_rows *rows, const struct outcome *outcome,
	const struct earlier_row **ret_peers, size_t max);

/* Zero-initialise it, then set programs. */
struct peers {
	const struct programs *programs; /* not owned: the device, and notes about libraries */
	struct gpu_library *libraries[PEER_LIBRARY_COUNT]; /* owned; NULL = not open */
};

/* Opens a library, if it is not open, and writes its name, version and detail. It stays open until
 * peers_finish(). Fails like gpu_library_open(). */
enum pmpp_status peers_open(struct peers *peers, enum peer_library id,
	char ret_text[GPU_LIBRARY_TEXT_BYTES], struct pmpp_error *error);

/* Binds the plan of a peer's outcome to its library, which stays open until peers_finish(). Sets
 * row.peer. buffers: as in launch_bind(). Fails like gpu_library_open(). */
enum pmpp_status peers_bind(struct peers *peers, struct outcome *outcome,
	struct gpu_buffer *const *buffers, struct bound_run *ret_run, struct pmpp_error *error);

/* Fills in library and version of a peer whose plan is bound. */
void peers_describe(
	const struct peers *peers, const struct outcome *peer, struct peer_record *record);

/* Bytes that the problem can use: free memory, and memory that will be freed for the problem. */
struct memory_room {
	double device, host;
};

/* Formats two amounts of bytes, "12.3 GB", with enough digits to show their difference. */
void memory_amounts_text(double needed, double available, char ret_needed[GPU_TEXT_BYTES],
	char ret_available[GPU_TEXT_BYTES]);

/* true: the needs are at most 80 % of the device memory and half of the host memory of the room.
 * For the choice of default sizes. */
bool memory_fits_well(const struct memory_needs *needs, const struct memory_room *room,
	const struct gpu_device_info *info);

/* Zero-initialised: closed. Do not copy it: its members point to each other. */
struct bench {
	struct gpu_device *device;           /* owned */
	const struct suite_options *options; /* of the next variant; not owned */
	bool lost;                           /* the device no longer responds */
	struct problem problem;              /* problem of the arrays below; family NULL = none */
	struct inputs inputs;
	struct programs programs;
	struct peers peers;
	struct operands operands;
	struct verifier verifier;
	struct timer timer;
	struct earlier_rows earlier;
	struct fallbacks fallbacks;
	struct sensor_places sensor_places;
	struct sensors sensors; /* open after bench_calibrate() */
};

/* options: must outlive the bench. Fails as gpu_open(). */
enum pmpp_status bench_open(struct bench *bench, const struct gpu_device_info *info,
	const struct suite_options *options, struct pmpp_error *error);
void bench_close(struct bench *bench);

/* PMPP_TOO_LARGE if the variant's problem does not fit in the free memory plus the memory of the
 * last problem. Call it before anything is allocated for the problem. Frees the memory of the last
 * problem if both do not fit together. keeps_copy: see memory_needs_of(). */
enum pmpp_status bench_check_memory(struct bench *bench, const struct config *config,
	const struct problem *problem, bool keeps_copy, struct pmpp_error *error);

/* Returns the bytes of memory that the next problem can use: the free bytes, and the bytes that the
 * last problem, the flush and the probe's memory part hold. */
struct memory_room bench_room(const struct bench *bench);

/* Places the problem's operands on the device, with layouts for the variant. */
enum pmpp_status bench_place(struct bench *bench, const struct config *config,
	const struct problem *problem, struct pmpp_error *error);

/* Frees all that was allocated for the last problem, on the device and on the host. */
void bench_release_problem(struct bench *bench);

/* Frees the problem, the programs and what is known about variants, so that a kernel can be built
 * from a changed file. The bench must not have timed anything. */
void bench_forget_kernels(struct bench *bench);

/* Opens the device's sensors and calibrates its timer, once. */
enum pmpp_status bench_calibrate(struct bench *bench, enum gpu_math math, struct pmpp_error *error);

/* Reads the state of the device and the machine into the outcome's row. Call it after the last
 * sample. */
void bench_read_state(const struct bench *bench, struct outcome *outcome);

/* Frees the outcome's times, its device state and its ratios of times: a row that does not pass has
 * no times. */
void bench_drop_times(struct outcome *outcome);

/* Stores a failure of the variant as the outcome's status and reason, and returns PMPP_OK. If the
 * status is already FAILED, it stays FAILED. After a failed launch the contents of the device's
 * buffers are unknown. If memory ran out, the memory of the problem is freed. Returns all other
 * failures, unless the status is FAILED. */
enum pmpp_status bench_absorb(struct bench *bench, struct outcome *outcome, enum pmpp_status status,
	struct pmpp_error *error);

/* Reports the stage of the outcome's variant: "matmul/tiled: timing". */
void bench_progress(const struct bench *bench, const struct outcome *outcome, const char *stage);

#endif
