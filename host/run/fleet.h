/*
 * A fleet: `mpirun -n N pmpp-run --fleet run ...` is one job for each rank.
 *
 * fleet_create() forks. The process that mpirun started becomes the agent (fleet_agent.c), which
 * does all MPI calls. Its child, in a session of its own, returns and runs the job: mpirun did not
 * start this process, and does not end it when another rank dies.
 *
 * The ranks exchange MPI messages at the start (fleet_seat.h), and at the end if all agents still
 * run. Otherwise the jobs of one host report through a folder in TMPDIR (fleet_gather.h).
 */
#ifndef PMPP_HOST_RUN_FLEET_H
#define PMPP_HOST_RUN_FLEET_H

#include <limits.h>
#include <stdbool.h>

#include "common/status.h"
#include "host/run/fleet_wire.h"

struct fleet {
	struct fleet_hello hello;
	int fd;              /* socket to the agent; -1: the agent has ended */
	bool noticed;        /* mpirun is ending the agent, or has ended it */
	char host_name[256]; /* of this machine */

	char folder[PATH_MAX]; /* of the fleet on this host; "" before fleet_join() */
	int lock;              /* file that is locked while this job runs; -1 = none */
};

/* Finds the agent's program. ret_text: the name of MPI; if the result is false, the reason. */
bool fleet_find_agent(char *ret_text, size_t size);

/* Starts the agent and waits until MPI has started. Returns in the child only. PMPP_USAGE: this
 * program has no MPI. */
enum pmpp_status fleet_create(struct fleet **ret_fleet, struct pmpp_error *error);
void fleet_destroy(struct fleet **fleet); /* NULL is allowed */

/* The texts of all ranks: items[i] is NULL if rank i has ended. */
struct fleet_texts {
	char **items;     /* owned */
	int64_t *lengths; /* < 0: fleet_wire_ended(); owned */
	size_t count;
};

void fleet_texts_finish(struct fleet_texts *texts);

/* Sends a text to all ranks, and receives theirs; called FLEET_EXCHANGES times. PMPP_UNAVAILABLE:
 * the agent has ended. */
enum pmpp_status fleet_exchange(struct fleet *fleet, const char *text,
	struct fleet_texts *ret_texts, struct pmpp_error *error);

/* Makes the fleet's folder of this host, and locks this rank's file in it. `id`: a text of digits
 * and letters, the same for all ranks. PMPP_IO with the reason; the fleet is then without a
 * folder. */
enum pmpp_status fleet_join(struct fleet *fleet, const char *id, struct pmpp_error *error);

/* "out.rank3.json" for "out.json" and rank 3; "out.rank3" for "out". */
void fleet_path(const char *path, int64_t rank, char *ret_path, size_t size);

#endif
