#include "host/suite/peers.h"

#include <stdio.h>

/* "OpenBLAS 0.3.21, core SkylakeX, 2 threads" */
static void text_of(const struct gpu_library *library, char text[GPU_LIBRARY_TEXT_BYTES])
{
	snprintf(text, GPU_LIBRARY_TEXT_BYTES, "%s%s%s%s%s", library->name,
		*library->version ? " " : "", library->version, *library->detail ? ", " : "",
		library->detail);
}

enum pmpp_status peers_open(struct peers *peers, enum peer_library id,
	char ret_text[GPU_LIBRARY_TEXT_BYTES], struct pmpp_error *error)
{
	char note[GPU_LIBRARY_TEXT_BYTES + 40];
	bool opened = !peers->libraries[id];
	enum pmpp_status status = PMPP_OK;

	if (opened)
		status = gpu_library_open(peers->device, id, &peers->libraries[id], error);
	if (status != PMPP_OK)
		return status;
	text_of(peers->libraries[id], ret_text);
	snprintf(note, sizeof note, "peer: %s", ret_text);
	if (opened && peers->note)
		peers->note(peers->note_context, note);
	return PMPP_OK;
}

enum pmpp_status peers_bind(struct peers *peers, struct outcome *outcome,
	struct gpu_buffer *const *buffers, struct bound_run *ret_run, struct pmpp_error *error)
{
	enum peer_library id = outcome->config.variant->peer;
	char text[GPU_LIBRARY_TEXT_BYTES];
	enum pmpp_status status = peers_open(peers, id, text, error);

	if (status != PMPP_OK)
		return status;
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
