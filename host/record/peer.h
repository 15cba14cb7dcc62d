/*
 * Comparison of a row with a peer: a library that solves the same problem (pmpp-run --peers).
 */
#ifndef PMPP_HOST_RECORD_PEER_H
#define PMPP_HOST_RECORD_PEER_H

#include "host/record/record.h"

#define RECORDS "host/record/peer.def"
#include "host/record/records.inc"

/* Returns the peer with the smallest ratio: the fastest. NULL if no ratio is known. */
const struct peer_record *peer_list_fastest(const struct peer_list *list);

/* Frees all records; the list is then empty. */
void peer_list_finish(struct peer_list *list);

#endif
