/*
 * The variants of a device on two backends: from parity rows, else from the two sides of the page.
 */
#ifndef PMPP_HOST_PAGE_PARITY_PAIRS_H
#define PMPP_HOST_PAGE_PARITY_PAIRS_H

#include "common/model/verdict.h"
#include "host/page/section.h"

struct parity_pair {
	char *family, *variant, *problem; /* "n=64 TILE=16": size and macros; owned */
	double ratio; /* time on the first side / time on the second side; > 0 */
	double ci95[2], tolerance;
	enum verdict verdict; /* SAME, FAST, SLOW or AMBG: of the first side */
	enum record_truth bit_identical;
	bool in_turn;    /* a parity row; else the two sides were compared as `compare` does */
	int64_t samples; /* of each side in a parity row */
};

/* The two sides of a device. OpenCL is the first one where the device has it. */
struct parity_sides {
	size_t sides[2];
	struct parity_pair *items; /* in the order of the files; owned */
	size_t count;
};

struct parity_pairs {
	struct parity_sides *items; /* one for each device with pairs; owned */
	size_t count;
};

/* false for lack of memory; *ret_pairs is then empty. */
bool parity_pairs_make(const struct page *page, struct parity_pairs *ret_pairs);
void parity_pairs_finish(struct parity_pairs *pairs);

#endif
