/*
 * A rank of a fleet: one of several processes of one command, which a launcher starts at the same
 * time (mpirun, srun, torchrun, GNU parallel). Ranks do not communicate: each one takes a device,
 * runs the job on it and writes its own files.
 */
#ifndef PMPP_HOST_RUN_FLEET_H
#define PMPP_HOST_RUN_FLEET_H

#include <limits.h>

#include "host/run/device_select.h"

struct fleet_rank {
	int64_t rank, ranks;  /* 0 <= rank < ranks */
	int64_t local;        /* number of the rank on its host; = rank if it is unknown */
	char id[200];         /* the same for all ranks of one start, and for no other start */
	char locks[PATH_MAX]; /* folder of the locks of the devices of this host */
};

/* Finds the rank of this process: from --rank=I/N, else from the variables of a launcher. text:
 * I/N; NULL: not given. label: the id if there is no launcher, or if it sets no id; NULL: not
 * given. Makes the folder of the locks. PMPP_USAGE: no rank, a wrong rank, or no id. PMPP_IO: no
 * folder. */
enum pmpp_status fleet_rank_find(
	const char *text, const char *label, struct fleet_rank *ret_rank, struct pmpp_error *error);

/* "out.3.json" for "out.json" and rank 3; "out.3" for "out". */
void fleet_path(const char *path, int64_t rank, char *ret_path, size_t size);

/* Forks. Returns true in the child, which runs the job. The parent returns false when the child has
 * ended. It passes signals on, and sets *ret_exit: 130 or 141 if a signal or a closed pipe ended
 * the job, else 0, also after a crash: mpirun and torchrun end all ranks as soon as one of them
 * ends with another exit code. PMPP_INTERNAL: no process. */
enum pmpp_status fleet_split(
	const struct fleet_rank *rank, bool *ret_job, int *ret_exit, struct pmpp_error *error);

struct fleet_device {
	char spec[100]; /* --device: "uuid:...", "pci:..." or a label */
	char name[200];
	bool on_host;      /* the device is the CPU of the host, or an emulator */
	bool has_own_lock; /* else: the lock of all devices that are no GPU with an identity */
	int lock;          /* locked file; -1: none */
};

/* Takes a device of the query for this process alone, and waits while other ranks use all of them.
 * All CPU devices and emulators of a host are one device, because they run on the same cores. GPUs
 * without a UUID and a PCI address count as this device too. The first choice of rank `local` is
 * device `local` modulo their number. Prints a note before it waits, unless `quiet`.
 * PMPP_UNAVAILABLE: no device. PMPP_IO: the file cannot be locked. The lock ends with
 * fleet_device_release(), or with this process. */
enum pmpp_status fleet_device_take(const struct device_query *query, const struct fleet_rank *rank,
	bool quiet, struct fleet_device *ret_device, struct pmpp_error *error);
void fleet_device_release(struct fleet_device *device);

#endif
