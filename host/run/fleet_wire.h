/*
 * The socket between a rank's job and its MPI process (fleet_agent.c).
 *
 * The agent sends a struct fleet_hello. Then FLEET_EXCHANGES times: the job sends a message
 * (int64_t length, bytes), and the agent answers with the messages of all ranks in their order. A
 * length below 0 has no bytes: it is fleet_wire_ended() of a job that has ended. The agent may send
 * FLEET_NOTICE before any answer: mpirun is ending the agents.
 */
#ifndef PMPP_HOST_RUN_FLEET_WIRE_H
#define PMPP_HOST_RUN_FLEET_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The devices of the ranks; a barrier after all ranks hold their locks; the reports. Only the
 * lowest rank that has not ended receives the reports: the others get empty messages. */
#define FLEET_EXCHANGES 3
#define FLEET_NOTICE INT64_MIN

struct fleet_hello {
	int64_t rank, ranks;
	int64_t host; /* the lowest rank on this rank's host */
};

/* Encodes the wait status of a job that has ended as a negative length. */
int64_t fleet_wire_ended(int wait_status);

/* The wait status of a negative length. */
int fleet_wire_status(int64_t length);

/* false: the other side has ended. There is no SIGPIPE. */
bool fleet_wire_send(int fd, const void *data, size_t size);
bool fleet_wire_receive(int fd, void *ret_data, size_t size);

#endif
