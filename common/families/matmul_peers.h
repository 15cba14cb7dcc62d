/*
 * Libraries that compute C = A B, for --peers.
 */
#ifndef PMPP_COMMON_FAMILIES_MATMUL_PEERS_H
#define PMPP_COMMON_FAMILIES_MATMUL_PEERS_H

#include "common/family.h"

#define MATMUL_PEER_COUNT 5

extern const struct variant matmul_peers[MATMUL_PEER_COUNT];

#endif
