/*
 * The families and variants that the words FAMILY[/VARIANT]... select.
 */
#ifndef PMPP_HOST_RUN_TARGETS_H
#define PMPP_HOST_RUN_TARGETS_H

#include "common/family.h"
#include "common/status.h"

struct target {
	const struct family *family;
	const struct variant **variants; /* in ladder order; owned */
	size_t variant_count;
};

/* Zero-initialise. */
struct target_list {
	struct target *items; /* in the order of the registry; owned */
	size_t count;
};

/* Resolves words such as "matmul", "matmul/tiled32", "all". PMPP_USAGE: an unknown name; the
 * message has similar names. The caller calls targets_finish(). */
enum pmpp_status targets_parse(const char *const *words, size_t word_count,
	struct target_list *ret_list, struct pmpp_error *error);

/* PMPP_USAGE if the word is the name of a kernel file (.cu, .cl). The message has the way to use the
 * file. */
enum pmpp_status targets_refuse_file(const char *word, struct pmpp_error *error);

void targets_finish(struct target_list *list);

#endif
