/*
 * Pairs of times of a variant, on one device through two backends: from parity rows, else from the
 * two sides of the page.
 */
#ifndef PMPP_HOST_PAGE_PARITY_PAIRS_H
#define PMPP_HOST_PAGE_PARITY_PAIRS_H

#include "common/model/verdict.h"
#include "host/page/section.h"

struct parity_pair {
	char *family, *variant, *problem; /* "n=64 TILE=16": size and macros; owned */
	double ratio; /* time on the first side / time on the second side; > 0 */
	double ci95[2], tolerance;
	enum verdict verdict; /* of the first side: SAME, FAST, SLOW or AMBG */
	enum record_truth bit_identical;
	bool in_turn;    /* from a parity row; else the two sides were compared as in `compare` */
	int64_t samples; /* samples of each side in a parity row */
};

/* The two sides of a device. If the device has OpenCL, it is the first side. */
struct parity_sides {
	size_t sides[2];
	struct parity_pair *items; /* in the order of the files; owned */
	size_t count;
};

struct parity_pairs {
	struct parity_sides *items; /* one for each device with pairs; owned */
	size_t count;
};

/* Returns false if there is no memory; *ret_pairs is then empty. */
bool parity_pairs_make(const struct page *page, struct parity_pairs *ret_pairs);
void parity_pairs_finish(struct parity_pairs *pairs);

#endif
