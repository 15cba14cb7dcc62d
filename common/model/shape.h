/*
 * The shape of a device: the figures that kernels, defaults and models depend on, each with its
 * source. A figure comes from a query of the driver, else from the table of known chips (chip.h),
 * else it is unknown. No figure is ever assumed without a word.
 */
#ifndef PMPP_COMMON_MODEL_SHAPE_H
#define PMPP_COMMON_MODEL_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(ID, key in files and in `devices -v`, unit, meaning) */
#define SHAPE_MAP(X)                                                                              \
	X(LANES, "lanes", "threads",                                                              \
		"execution width: threads of a warp (wavefront, sub-group) that run in lockstep") \
	X(LINE, "line_bytes", "bytes", "line of the caches")                                      \
	X(SECTOR, "sector_bytes", "bytes", "smallest transfer of global memory")                  \
	X(BANKS, "banks", NULL, "banks of shared memory")                                         \
	X(BANK_BYTES, "bank_bytes", "bytes", "word of a bank")                                    \
	X(BLOCK_THREADS, "block_threads", "threads", "largest usable block")                      \
	X(BLOCK_SHARED, "block_shared_bytes", "bytes", "shared memory of a block")                \
	X(SHARED_ON_CHIP, "shared_on_chip", NULL,                                                 \
		"1: shared memory is on the chip; 0: it is a part of global memory")              \
	X(UNITS, "units", NULL, "units that hold blocks")                                         \
	X(UNIT_THREADS, "unit_threads", "threads", "resident threads of a unit")                  \
	X(UNIT_SHARED, "unit_shared_bytes", "bytes", "shared memory of a unit")                   \
	X(L1, "l1_bytes", "bytes", "first-level cache of a unit")                                 \
	X(L2, "l2_bytes", "bytes", "one second-level cache")                                      \
	X(LAST_CACHE, "last_cache_bytes", "bytes", "last-level cache")                            \
	X(UNIFIED, "unified_memory", NULL, "1: the device's memory is host memory")               \
	X(FP64, "fp64", NULL, "1: arithmetic in f64")                                             \
	X(FP16, "fp16", NULL, "1: arithmetic in f16")                                             \
	X(SHUFFLE, "shuffle", NULL, "1: lanes exchange registers")                                \
	X(SUB_GROUP_REDUCE, "sub_group_reduce", NULL, "1: sub_group_reduce functions")            \
	X(TIMER, "timer_ns", "ns", "step of the device timer")                                    \
	X(CLOCK, "clock_mhz", "MHz", "clock that the driver reports")

enum shape_id {
#define XX(id, key, unit, text) SHAPE_##id,
	SHAPE_MAP(XX)
#undef XX
	SHAPE_COUNT
};

enum shape_source {
	SHAPE_UNKNOWN, /* value is 0 */
	SHAPE_QUERY,   /* the driver reports it */
	SHAPE_TABLE,   /* common/model/chip.c */
	SHAPE_SOURCE_COUNT
};

/* By source: "unknown", "query", "table"; ended by NULL. */
extern const char *const shape_source_words[SHAPE_SOURCE_COUNT + 1];

struct shape_value {
	int64_t value;
	enum shape_source source;
	/* The query, or the source of the table's figure. Of an unknown value: why the report of the
	 * driver is not used; NULL: the driver reports nothing. Static lifetime. */
	const char *origin;
};

#define SHAPE_MAX_WIDTHS 8

struct device_shape {
	struct shape_value of[SHAPE_COUNT];
	/* All widths that the device executes, ascending; of[SHAPE_LANES] is the usual one. */
	uint32_t widths[SHAPE_MAX_WIDTHS];
	size_t width_count;
	const char *unit; /* what a unit is: "multiprocessor", "Xe core"; NULL: unknown */
	/* Parts of a unit, which some drivers count in place of units: "EU", 16. NULL: none. */
	const char *part;
	uint32_t parts;
	const char *model; /* name of its access model and occupancy model: "gfx942"; NULL: none */
};

struct shape_row {
	const char *key, *unit, *text; /* unit: NULL = none */
};

/* By enum shape_id. */
extern const struct shape_row shape_rows[SHAPE_COUNT];

/* The value; `otherwise` if it is unknown. */
int64_t shape_value_or(const struct device_shape *shape, enum shape_id id, int64_t otherwise);

/* Set a value that has no source yet; later calls change nothing. A value below 0 is unknown. */
void shape_set(struct device_shape *shape, enum shape_id id, int64_t value,
	enum shape_source source, const char *origin);

/* Set the reason why a value stays unknown; the next shape_set() replaces it. */
void shape_refuse(struct device_shape *shape, enum shape_id id, const char *reason);

/* Set the widths from the sum of powers of two, or from a list in any order. Other numbers, and
 * those beyond SHAPE_MAX_WIDTHS, are left out. If there are widths already, nothing changes. */
void shape_set_widths(struct device_shape *shape, uint64_t widths);
void shape_set_width_list(struct device_shape *shape, const size_t *widths, size_t count);

struct access_model; /* common/model/access_model.h */

/* Replace the width, the sectors, lines and banks, and the model, for an emulator of that GPU. */
void shape_set_model(struct device_shape *shape, const struct access_model *model);

/* ---- What kernels and plans get --------------------------------------------------------------- */

/* Members of struct kernel_shape, for kernel_shape.assumed. */
enum {
	KERNEL_SHAPE_LANES = 1 << 0,
	KERNEL_SHAPE_UNITS = 1 << 1,
	KERNEL_SHAPE_UNIT_THREADS = 1 << 2,
	KERNEL_SHAPE_UNIT_SHARED = 1 << 3,
	KERNEL_SHAPE_SECTOR = 1 << 4
};

/* The figures that rows read: the macro LANES, grids, resident blocks, sectors. */
struct kernel_shape {
	int32_t lanes;
	int64_t units, unit_threads, unit_shared_bytes;
	int64_t sector_bytes;
	/* Bit set of the members that are unknown on the device. They have the value of the
	 * reference. A row that reads one says so. */
	unsigned assumed;
	/* Cores (compute units) of a CPU, for kernels for CPUs; 0 on other devices. On a CPU the
	 * other members have the reference's values, so that a CPU verifies the grids of a GPU. */
	int64_t cores;
};

/* The NVIDIA H200, for which the defaults were chosen: 32 lanes, 132 units of 2048 threads with
 * 228 KiB of shared memory, sectors of 32 bytes. */
extern const struct kernel_shape kernel_shape_reference;

/* The figures of a GPU. Unknown figures are those of the reference; they are `assumed`. For a CPU or
 * an emulator, callers use kernel_shape_reference in place of this function (suite_kernel_shape()):
 * the launches, and so the results and counts, are then the same on every machine. Exception: the
 * launches and counts of kernels for CPUs depend on the cores. The bits of their results do not. */
struct kernel_shape kernel_shape_of(const struct device_shape *shape);

#endif
