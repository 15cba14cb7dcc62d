#include "host/suite/peers.h"

#include <stdio.h>

/* "OpenBLAS 0.3.21, core SkylakeX, 2 threads" */
static void text_of(const struct gpu_library *library, char text[160])
{
	snprintf(text, 160, "%s%s%s%s%s", library->name, *library->version ? " " : "",
		library->version, *library->detail ? ", " : "", library->detail);
}

static enum pmpp_status open_library(
	struct peers *peers, enum peer_library id, struct pmpp_error *error)
{
	char text[160], note[200];
	enum pmpp_status status = gpu_library_open(peers->device, id, &peers->libraries[id], error);

	if (status != PMPP_OK || !peers->note)
		return status;
	text_of(peers->libraries[id], text);
	snprintf(note, sizeof note, "peer: %s", text);
	peers->note(peers->note_context, note);
	return PMPP_OK;
}

enum pmpp_status peers_bind(struct peers *peers, struct outcome *outcome,
	struct gpu_buffer *const *buffers, struct bound_run *ret_run, struct pmpp_error *error)
{
	enum peer_library id = outcome->config.variant->peer;
	enum pmpp_status status = PMPP_OK;
	char text[160];

	if (!peers->libraries[id])
		status = open_library(peers, id, error);
	if (status != PMPP_OK)
		return status;
	text_of(peers->libraries[id], text);
	text_set(&outcome->row.peer, text);
	launch_bind_library(peers->libraries[id], &outcome->plan, buffers, ret_run);
	return PMPP_OK;
}

void peers_describe(
	const struct peers *peers, const struct outcome *peer, struct peer_record *record)
{
	const struct gpu_library *library = peers->libraries[peer->config.variant->peer];

	text_set(&record->variant, peer->config.variant->name);
	text_set(&record->library, library->name);
	text_set_known(&record->version, library->version);
	text_set_known(&record->detail, library->detail);
}

void peers_finish(struct peers *peers)
{
	for (size_t i = 0; i < PEER_LIBRARY_COUNT; i++)
		gpu_library_close(&peers->libraries[i]);
}
