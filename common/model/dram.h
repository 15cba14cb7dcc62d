/*
 * Channels and banks of a memory (PMPP 4th ed. 6.2, 3rd ed. 5.2).
 *
 * A channel is a bus that several banks share. A bank needs R transfer times to read a burst from
 * its cells, then one transfer time to send it. While it reads, other banks of the channel can
 * send. One bank keeps the bus busy for 1 / (R + 1) of the time; R + 1 banks keep it always busy.
 *
 * Addresses are interleaved (3rd ed. figure 5.9): neighbouring bursts are in neighbouring channels.
 * After the last channel the next bank follows. Real memories hash addresses instead.
 */
#ifndef PMPP_COMMON_MODEL_DRAM_H
#define PMPP_COMMON_MODEL_DRAM_H

#include "common/status.h"

#include <stdint.h>

/* ---- Utilisation --------------------------------------------------------------------------- */

/* The bus of a channel. */
struct dram_bus {
	int64_t banks_needed; /* that keep it always busy, at least: R + 1, rounded up */
	int64_t banks;        /* of the channel */
	double busy;          /* fraction of the time, 0 to 1 */
	/* The same for bursts in random banks. In R + 1 transfer times there are R + 1 bursts, and the
	 * bus transfers one for each different bank. */
	double busy_random;
};

/* ratio: R, cell latency / transfer time, >= 0, below 2^62. banks >= 1; 0: banks_needed. */
struct dram_bus dram_bus_of(double ratio, int64_t banks);

/* ---- Interleaving -------------------------------------------------------------------------- */

#define DRAM_MAX_CHANNELS 64
#define DRAM_MAX_BANKS 64

struct dram {
	int64_t burst_bytes; /* >= 1 */
	int64_t channels;    /* 1 to DRAM_MAX_CHANNELS */
	int64_t banks;       /* of each channel, 1 to DRAM_MAX_BANKS */
};

/* The channels and banks of the bursts of simultaneous accesses. */
struct dram_load {
	uint64_t channels; /* bit i: channel i has a burst */
	int64_t bursts;    /* number of different bursts */
	int64_t banks;     /* number of banks with a burst, summed over the channels */
	int64_t conflicts; /* bursts that wait because their bank serves another burst first */
	int64_t next_burst;
	int64_t of_bank[DRAM_MAX_CHANNELS][DRAM_MAX_BANKS]; /* bursts */
};

/* ---- Tiled matrix product ------------------------------------------------------------------ */

#define DRAM_MAX_MATRIX 4096

/* The loads of all blocks of a tiled matrix product in one phase (3rd ed. figures 5.10 and 5.11).
 * The matrices have n x n elements of f32, the tiles tile x tile. In phase p the blocks load tile p
 * of each row of tiles of the left matrix (ret_left), and tile p of each column of tiles of the
 * right matrix (ret_right). Both matrices begin at a multiple of burst x channels x banks. n must
 * be at most DRAM_MAX_MATRIX and a multiple of tile, and 0 <= phase < n / tile; else PMPP_USAGE. */
enum pmpp_status dram_tiles(const struct dram *dram, int64_t n, int64_t tile, int64_t phase,
	struct dram_load *ret_left, struct dram_load *ret_right, struct pmpp_error *error);

#define DRAM_MAX_MAP 64

/* A burst of a matrix of this product. The left matrix: the blocks of `tile_rows` load it in the
 * phases `tile_columns`. The right matrix: the blocks of `tile_columns`, in the phases `tile_rows`. */
struct dram_burst {
	int64_t first, last; /* elements, in the order of the rows */
	int64_t channel, bank;
	uint64_t tile_rows,
		tile_columns; /* bit i: rows (columns) i * tile to i * tile + tile - 1 */
};

/* Burst `index` of a matrix that dram_tiles() accepts. n <= DRAM_MAX_MAP, 0 <= index * burst_bytes <
 * 4 n^2, and burst_bytes a multiple of 4; else PMPP_USAGE. Index 0 checks the options. */
enum pmpp_status dram_burst_of(const struct dram *dram, int64_t n, int64_t tile, int64_t index,
	struct dram_burst *ret_burst, struct pmpp_error *error);

#endif
