/*
 * Channels and banks of a memory (PMPP 4th ed. 6.2, 3rd ed. 5.2).
 *
 * A channel is a bus with a few banks behind it. A bank needs R transfer times to read a burst from
 * its cells, then one to send it; while it reads, other banks of the channel can send. One bank
 * keeps the bus busy for 1 / (R + 1) of the time, R + 1 banks all of it.
 *
 * Addresses are interleaved (3rd ed. figure 5.9): neighbouring bursts lie in neighbouring channels,
 * and one bank further each time the channels are through. Real memories hash addresses instead.
 */
#ifndef PMPP_COMMON_MODEL_DRAM_H
#define PMPP_COMMON_MODEL_DRAM_H

#include "common/status.h"

#include <stdint.h>

/* ---- Utilisation --------------------------------------------------------------------------- */

/* Part of the time, 0 to 1, in which the bus of a channel is busy. ratio: cell latency over
 * transfer time, >= 0; banks >= 1. */
double dram_utilisation(double ratio, int64_t banks);

/* Least count of banks that keeps the bus busy: R + 1, rounded up. ratio >= 0, below 2^62. */
int64_t dram_banks_needed(double ratio);

/* ---- Interleaving -------------------------------------------------------------------------- */

#define DRAM_MAX_CHANNELS 64
#define DRAM_MAX_BANKS 64

struct dram {
	int64_t burst_bytes; /* >= 1 */
	int64_t channels;    /* 1 to DRAM_MAX_CHANNELS */
	int64_t banks;       /* of each channel, 1 to DRAM_MAX_BANKS */
};

struct dram_place {
	int64_t channel, bank; /* from 0; the bank counts within its channel */
};

struct dram_place dram_place(const struct dram *dram, uint64_t address);

/* Where the bursts of simultaneous accesses lie. Zero-initialise. */
struct dram_load {
	uint64_t channels; /* bit i: channel i has one */
	int64_t bursts;    /* different ones */
	int64_t banks;     /* that have one, of all channels together */
	int64_t conflicts; /* bursts that wait because their bank has another to serve first */
	int64_t next_burst;
	int64_t of_bank[DRAM_MAX_CHANNELS][DRAM_MAX_BANKS]; /* bursts */
};

/* Adds the bursts of an access of bytes >= 1 at an address. Accesses come in ascending order: bytes
 * of a burst that was counted already add nothing (a cache, or coalescing, serves both). */
void dram_load_add(
	const struct dram *dram, struct dram_load *load, uint64_t address, uint64_t bytes);

/* ---- Tiled matrix product ------------------------------------------------------------------ */

#define DRAM_MAX_MATRIX 4096

/* What all blocks of a tiled product of n x n matrices of f32 by tiles of tile x tile load at a
 * time (3rd ed. figures 5.10 and 5.11): in phase p the tiles p of all rows of tiles of the left
 * matrix (ret_left) and of all columns of tiles of the right one (ret_right). Both begin at a
 * multiple of burst x channels x banks. n is at most DRAM_MAX_MATRIX and a multiple of tile; 0 <=
 * phase < n / tile; else PMPP_USAGE. */
enum pmpp_status dram_tiles(const struct dram *dram, int64_t n, int64_t tile, int64_t phase,
	struct dram_load *ret_left, struct dram_load *ret_right, struct pmpp_error *error);

#endif
