/*
 * Libraries of a device, for the rows of peers.
 */
#ifndef PMPP_HOST_SUITE_PEERS_H
#define PMPP_HOST_SUITE_PEERS_H

#include "host/gpu/library.h"
#include "host/suite/launch.h"
#include "host/suite/options.h"
#include "host/suite/outcome.h"

/* Zero-initialise it, then set device and note. */
struct peers {
	struct gpu_device *device; /* not owned; must outlive the peers */
	suite_note_fn *note;       /* receives name, version and detail of libraries; may be NULL */
	void *note_context;
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

void peers_finish(struct peers *peers);

#endif
