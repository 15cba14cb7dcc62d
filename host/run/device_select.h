/*
 * Selects the devices that a command runs on: --backend and --device, or the command's default.
 */
#ifndef PMPP_HOST_RUN_DEVICE_SELECT_H
#define PMPP_HOST_RUN_DEVICE_SELECT_H

#include <string.h>

#include "host/gpu/gpu.h"

struct inventory_device {
	struct gpu_device_info info;
	size_t physical; /* number of the physical device, the same for all its views; 0, 1, ... in
			  * the order of the inventory */
};

/* Zero-initialise. */
struct inventory {
	struct gpu_backend_state states[GPU_BACKEND_COUNT]; /* of the enumerated backends */
	unsigned looked;                  /* the enumerated backends (BACKEND_BIT) */
	struct inventory_device *devices; /* in the order of preference of backends; owned */
	size_t count;
	size_t physical_count;
};

#define BACKEND_BIT(id) (1u << (id))
#define EVERY_BACKEND (BACKEND_BIT(GPU_BACKEND_COUNT) - 1)

/* Whether a value of --backend or --device is "all". text: NULL = not given */
static inline bool device_word_is_all(const char *text)
{
	return text && strcmp(text, "all") == 0;
}

/* Enumerates the devices of the backends (BACKEND_BIT). A missing driver is not an error. The
 * caller calls inventory_finish(). PMPP_OUT_OF_MEMORY. */
enum pmpp_status inventory_take(
	unsigned backends, struct inventory *ret_inventory, struct pmpp_error *error);
void inventory_finish(struct inventory *inventory);

/* "opencl:0.0" */
struct device_label {
	char text[32];
};
struct device_label device_label(const struct gpu_device_info *info);

enum device_rule {
	DEVICE_RULE_ONE,          /* the best view: cuda before opencl; emulators only if named */
	DEVICE_RULE_EACH_BACKEND, /* one device of every usable backend, emulators included */
	DEVICE_RULE_EVERY_VIEW    /* the device of the best view, through each of its backends; if a
				   * backend lists it twice (two drivers), only the first time */
};

struct device_query {
	const char *backend; /* --backend; NULL = not given */
	const char *device;  /* --device */
	/* Option or environment variable that set each of them, for messages. */
	const char *backend_from, *device_from;
	enum device_rule rule;
	bool on_host;      /* only CPU devices and emulators */
	bool one_language; /* only backends with kernels in this language */
	enum gpu_language language;
};

/* Sets *ret_backends to the backends of a query (BACKEND_BIT). PMPP_USAGE for an unknown backend,
 * also before the colon of --device. */
enum pmpp_status device_query_backends(
	const struct device_query *query, unsigned *ret_backends, struct pmpp_error *error);

/* Selects the devices to run on, in this order. *ret_devices points into the inventory; the caller
 * frees the array. --device=all selects every device of the host with its preferred backend; with
 * --backend=all or DEVICE_RULE_EACH_BACKEND, every device with every backend. PMPP_UNAVAILABLE: no
 * device matches, or several devices match a name. The message has the reasons of the backends, or
 * the candidates.
 *
 * for_ranks: the devices that are distributed among the ranks of a fleet. They are one view of each
 * physical device that the query names. Without --device: the GPUs, else the CPUs. A name may match
 * several devices. */
enum pmpp_status device_select(const struct device_query *query, bool for_ranks,
	const struct inventory *inventory, const struct gpu_device_info ***ret_devices,
	size_t *ret_count, struct pmpp_error *error);

/* Restricts a query to the device of a rank. device: a value for --device, which must outlive the
 * query. on_host: the device is the CPU of the host, or an emulator. A query for each backend then
 * keeps all backends on the host. */
void device_query_take_place(struct device_query *query, const char *device, bool on_host);

struct device_pair {
	const struct gpu_device_info *opencl, *cuda; /* each may be emulated */
	bool same; /* one physical device: times can be compared */
};

/* Selects two views of one physical device for parity. Without such a device, selects the first
 * OpenCL device and the first CUDA device. PMPP_UNAVAILABLE: a backend has no device. */
enum pmpp_status device_select_pair(const struct device_query *query,
	const struct inventory *inventory, struct device_pair *ret_pair, struct pmpp_error *error);

#endif
