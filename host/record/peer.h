/*
 * Comparison of a row with a peer: a library that solves the same problem (pmpp-run --peers).
 */
#ifndef PMPP_HOST_RECORD_PEER_H
#define PMPP_HOST_RECORD_PEER_H

#include "host/record/record.h"

struct peer_record {
	struct record record;
	char *variant;                    /* of the peer's own row */
	char *library, *version, *detail; /* version, detail: NULL = unknown */
	double median_ns; /* of the peer's samples, taken in turn with those of the row */
	double ratio;     /* time of the peer / time of the row */
	double ci95[2];
};

struct peer_list {
	struct peer_record *items;
	size_t count;
};

extern const struct record_type peer_type;

/* Returns the peer with the smallest ratio: the fastest. NULL if no ratio is known. */
const struct peer_record *peer_list_fastest(const struct peer_list *list);

/* Frees all records; the list is then empty. */
void peer_list_finish(struct peer_list *list);

#endif
