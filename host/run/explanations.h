/*
 * Collects explanations: prints each as a page, or two variants side by side at the end, and keeps
 * the document for the file.
 */
#ifndef PMPP_HOST_RUN_EXPLANATIONS_H
#define PMPP_HOST_RUN_EXPLANATIONS_H

#include "common/model/exit_code.h"
#include "host/record/event.h"
#include "host/report/console.h"

/* A variant's explanations in the document. */
struct explained {
	size_t first, count; /* count 0: not received yet */
};

struct explanations {
	struct explain_document document; /* owned */
	const char *left;                 /* --diff: FAMILY/VARIANT of the left side; NULL: pages */
	bool twins;                       /* --diff --twins: CUDA comes first, then OpenCL */
	struct explained sides[2];        /* --diff */
};

/* left outlives the explanations. */
void explanations_init(struct explanations *explanations, int argc, char *const *argv,
	const char *left, bool twins);
void explanations_finish(struct explanations *explanations);

/* Moves the explanations of a variant out of the event, prints its page and counts its findings. */
void explanations_add(struct explanations *explanations, struct event *event,
	struct console *console, struct exit_counts *counts);

/* --diff: prints both variants side by side, or the only one that was received. */
void explanations_put_sides(const struct explanations *explanations, struct console *console);

#endif
