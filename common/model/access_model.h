/*
 * The parameters of the access model (access.h): how many lanes of a GPU run in lockstep, and the
 * sectors, lines and banks of its memories. One row for each GPU with published parameters, and for
 * each number of lanes. The option --width and the records call this number the width.
 */
#ifndef PMPP_COMMON_MODEL_ACCESS_MODEL_H
#define PMPP_COMMON_MODEL_ACCESS_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum {
	MIN_LANES = 8, /* of all models */
	MAX_LANES = 64,
	MAX_BANKS = 32,
	MAX_LINE_BYTES = 128
};

/* All known figures are powers of two. */
struct access_model {
	const char *name;      /* "sm_90", at every number of lanes */
	uint32_t lanes;        /* that run in lockstep, MIN_LANES to MAX_LANES */
	uint32_t sector_bytes; /* global memory transfers whole sectors */
	uint32_t line_bytes;   /* of a cache; sector_bytes to MAX_LINE_BYTES */
	uint32_t banks;        /* of shared memory, <= MAX_BANKS; 0: unknown */
	uint32_t bank_bytes;   /* of a word of a bank; 0: unknown, as banks */
	bool joins_pairs;      /* shared memory: two phases with paired lanes are one (access.h) */
};

/* NVIDIA, compute capability 9.0, 32 lanes. All models are constants with static lifetime: two
 * of these models are equal if their addresses are equal. */
const struct access_model *access_model_default(void);

/* Returns the model with the lanes of its GPU; NULL: there is no model with this name. */
const struct access_model *access_model_find(const char *name);

/* Returns the row of the same GPU with other lanes; NULL: `lanes` is not 8, 16, 32 or 64. */
const struct access_model *access_model_with_lanes(
	const struct access_model *model, uint32_t lanes);

/* The names of the models, the default first; ended by NULL. */
extern const char *const access_model_words[];

#endif
