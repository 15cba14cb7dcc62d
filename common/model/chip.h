/*
 * The table of known chips. It has the figures that no driver reports, and those that some drivers
 * report wrongly. A row holds for all chips of one architecture. Figures that the models of access
 * (access_model.h) and occupancy (occupancy.h) have are not repeated here. chip.c has the rows
 * with their sources; chip_names.c has the names by which drivers report the chips.
 */
#ifndef PMPP_COMMON_MODEL_CHIP_H
#define PMPP_COMMON_MODEL_CHIP_H

#include "common/model/shape.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A figure of 0 is unknown. */
struct chip {
	const char *name;   /* "sm_90", "gfx90a", "xe-hpg", "apple-m1", "mali-g77", "adreno-6xx" */
	const char *source; /* of the figures */
	const char *access; /* name of the access model with the chip's sectors, lines and banks */
	const char *model;  /* name of the model of access and occupancy; NULL: none */

	/* Set of widths: the sum of 4, 8, 16, 32, 64 and 128. lanes: the usual width. */
	uint32_t widths, lanes;

	/* What holds blocks, and its parts: a work-group processor has 2 compute units. Some drivers
	 * report parts in place of units. part NULL: a unit has no such parts. */
	const char *unit, *part;
	uint32_t parts;

	uint32_t unit_threads, unit_shared_bytes, l1_bytes;
	bool shared_on_chip, shared_in_memory; /* neither: unknown */
};

/* The rows of the chips that the model of occupancy does not have. */
extern const struct chip chips[];
extern const size_t chip_count;

/* Gets the chip with the name: a row, or a unit of the model of occupancy. Returns false if there is
 * none. */
bool chip_of_name(const char *name, struct chip *ret_chip);

/* Texts as the driver reports them. NULL or "": the driver has no such text. */
struct chip_facts {
	const char *vendor;  /* "Advanced Micro Devices, Inc." */
	const char *name;    /* "gfx90a:sramecc+:xnack-", "Intel(R) Graphics [0x56a0]" */
	const char *board;   /* CL_DEVICE_BOARD_NAME_AMD */
	const char *version; /* CL_DEVICE_VERSION: "OpenCL 3.0 Adreno(TM) 730" */
	const char *arch;    /* "sm_90" */
	uint32_t pci_id;     /* of an Intel device: 0x56a0; 0: unknown */
};

/* Gets the chip of a GPU. Returns false if it is not known. */
bool chip_find(const struct chip_facts *facts, struct chip *ret_chip);

/* The model of a product, as people write its name: "h100", "rtx4090", "RX 7900 XTX", "mi300x", "a770". NULL: not
 * known. */
const char *chip_model_of_product(const char *product);

/* Adds the row's figures to the values of the shape that have no source yet, and sets the widths if
 * there are none, the unit and the model. */
void chip_fill(const struct chip *chip, struct device_shape *shape);

#endif
