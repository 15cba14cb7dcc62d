/*
 * The devices of this machine, as all backends list them.
 *
 * inventory_take() calls drivers, and a driver may crash: call it in a worker process.
 */
#ifndef PMPP_HOST_RUN_INVENTORY_H
#define PMPP_HOST_RUN_INVENTORY_H

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

/* Enumerates the devices of the backends (BACKEND_BIT). A missing driver is not an error. The
 * caller calls inventory_finish(). PMPP_OUT_OF_MEMORY. */
enum pmpp_status inventory_take(
	unsigned backends, struct inventory *ret_inventory, struct pmpp_error *error);
void inventory_finish(struct inventory *inventory);

/* "opencl:0.0" */
void device_label(const struct gpu_device_info *info, char *ret_text, size_t size);

#endif
