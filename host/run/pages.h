/*
 * Collects explanations: prints each as a page, or two variants side by side at the end, and keeps
 * the document for the file.
 */
#ifndef PMPP_HOST_RUN_PAGES_H
#define PMPP_HOST_RUN_PAGES_H

#include "common/model/exit_code.h"
#include "host/record/event.h"
#include "host/report/console.h"

/* A variant's explanations in the document. */
struct page {
	size_t first, count; /* count 0: not received yet */
};

struct pages {
	struct explain_document document; /* owned */
	const char *left;                 /* --diff: FAMILY/VARIANT of the left side; NULL: pages */
	struct page sides[2];             /* --diff */
};

/* left outlives the pages. */
void pages_init(struct pages *pages, int argc, char *const *argv, const char *left);
void pages_finish(struct pages *pages);

/* Moves the explanations of a variant out of the event, prints its page and counts its findings. */
void pages_add(struct pages *pages, struct event *event, struct console *console,
	struct exit_counts *counts);

/* --diff: prints both variants side by side, or the only one that was received. */
void pages_put_sides(const struct pages *pages, struct console *console);

#endif
