/*
 * The table of known chips. It has the figures that no driver reports, and those that some drivers
 * report wrongly. A row holds for all chips of one architecture. chip.c has the figures with their
 * sources; chip_names.c has the names by which drivers report the chips.
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
	const char *source; /* of the figures of this row */

	/* Sectors, lines and banks are those of the access model with the chip's name, else of the
	 * access model `access`; without both, those of the row. */
	const char *access;
	uint32_t sector_bytes, line_bytes, banks, bank_bytes;

	/* Set of widths: the sum of 4, 8, 16, 32, 64 and 128. lanes: the usual width. */
	uint32_t widths, lanes;

	/* What holds blocks, and its parts: a work-group processor has 2 compute units. Parts that
	 * some drivers report in place of units; NULL: a unit has no such parts. */
	const char *unit, *part;
	uint32_t parts;

	uint32_t unit_threads, unit_shared_bytes, l1_bytes;
	bool shared_on_chip, shared_in_memory; /* neither: unknown */
	bool modelled; /* the models of access and occupancy have a row with this name */
};

/* The rows of all chips. */
extern const struct chip chips[];
extern const size_t chip_count;

/* Returns the row with the name; NULL: none. */
const struct chip *chip_of_name(const char *name);

/* Texts as the driver reports them. NULL or "": the driver has no such text. */
struct chip_facts {
	const char *vendor;  /* "Advanced Micro Devices, Inc." */
	const char *name;    /* "gfx90a:sramecc+:xnack-", "Intel(R) Graphics [0x56a0]" */
	const char *board;   /* CL_DEVICE_BOARD_NAME_AMD */
	const char *version; /* CL_DEVICE_VERSION: "OpenCL 3.0 Adreno(TM) 730" */
	const char *arch;    /* "sm_90" */
	uint32_t pci_id;     /* of an Intel device: 0x56a0; 0: unknown */
};

/* Returns the row of a GPU's chip; NULL: the table does not have the chip. */
const struct chip *chip_find(const struct chip_facts *facts);

/* Adds the row's figures to the values of the shape that have no source yet, and sets the widths if
 * there are none, the unit and the model. */
void chip_fill(const struct chip *chip, struct device_shape *shape);

/* Returns the number of units of a device whose driver reports `reported` compute units. of_parts:
 * the driver counts parts. At least 1; 0 for reported = 0. */
int64_t chip_units(const struct chip *chip, int64_t reported, bool of_parts);

#endif
