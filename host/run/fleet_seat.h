/*
 * Selects the device of a rank of a fleet.
 */
#ifndef PMPP_HOST_RUN_FLEET_SEAT_H
#define PMPP_HOST_RUN_FLEET_SEAT_H

#include "host/run/device_select.h"
#include "host/run/fleet.h"

struct fleet_place {
	char spec[100]; /* --device of this rank: "uuid:...", "pci:..." or a label */
	char name[200]; /* of the device */
	/* Why this rank measures no times: "ranks 0, 1 share this device ..."; "" = it has a device
	 * of its own. */
	char untimed[240];
	/* The device is the CPU of the host, or an emulator. */
	bool on_host;
	/* Warning for the user: why the fleet has no folder; "" = it has one. */
	char warning[PATH_MAX + 200];
};

/* Lists the devices of the query in a separate process, and distributes them among the ranks of
 * this host (common/model/fleet.h). Then joins the fleet's folder. Uses two exchanges. All CPU
 * devices and emulators of a host are one device, because they run on the same cores. GPUs are
 * identified by UUID or PCI address. Ranks with a GPU that has neither count as ranks that share
 * one device. PMPP_UNAVAILABLE: no device fits, or MPI has ended. */
enum pmpp_status fleet_take_place(struct fleet *fleet, const struct device_query *query,
	struct fleet_place *ret_place, struct pmpp_error *error);

#endif
