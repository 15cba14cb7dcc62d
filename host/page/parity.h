/*
 * Times of a variant on one device through two backends: from parity rows, which time both in turn,
 * else from the two sides of the page.
 */
#ifndef PMPP_HOST_PAGE_PARITY_H
#define PMPP_HOST_PAGE_PARITY_H

#include "common/model/verdict.h"
#include "host/page/section.h"

struct parity_pair {
	const char *family, *variant;
	char *problem;  /* "n=64 TILE=16": size and macros; owned */
	double ratio;   /* time on the first side / time on the second side; > 0 */
	double ci95[2]; /* NAN: unknown */
	double tolerance;
	enum verdict verdict;   /* of the first side: SAME, FAST, SLOW or AMBG */
	enum record_truth bits; /* whether the results have identical bits */
	bool in_turn;           /* from a parity row */
	int64_t samples;        /* of each side */
};

/* The pairs of a device. If the device has OpenCL, it is the first side. */
struct parity_pairs {
	size_t sides[2];
	struct parity_pair *items; /* owned */
	size_t count;
};

/* Makes page->pairs: one element for each device of the page; count 0: none. Returns false if there
 * is no memory. */
bool parity_pairs_make(struct page *page);
void parity_pairs_free(struct parity_pairs *pairs);

/* Returns the number of pairs whose ratio is within 5 %. */
size_t parity_pairs_near(const struct parity_pairs *pairs);

#endif
