/*
 * The file of `list --json` (schema pmpp-list/1): families, their variants and tunables. The tables
 * in listing.c give the meanings; docs/result-format.md shows them.
 */
#ifndef PMPP_HOST_RECORD_LISTING_H
#define PMPP_HOST_RECORD_LISTING_H

#include "common/family.h"
#include "host/record/record.h"

/* A macro that --set can change. */
struct tunable_record {
	struct record record;
	char *name; /* key in `tunables` */
	int64_t value;
	struct integer_list choices;
};

struct tunable_record_list {
	struct tunable_record *items;
	size_t count;
};

struct claim_limits_record {
	struct record record;
	char *text;
	double at_least, at_most; /* limits of the ratio of times; 0 = no limit */
	char *meant_for;          /* execution model; NULL: any GPU */
};

struct variant_record {
	struct record record;
	char *name, *technique, *idea, *book, *file, *entry;
	char *base;     /* NULL: the first rung */
	unsigned needs; /* enum pmpp_capability */
	struct tunable_record_list tunables;
	char *repro;
	bool one_sided, cuda_only;
	struct claim_limits_record claim;
};

struct variant_record_list {
	struct variant_record *items;
	size_t count;
};

struct family_record {
	struct record record;
	char *name, *title, *problem, *book;
	struct text_list dimensions, dtypes, ops, data;
	struct variant_record_list variants;
};

struct family_record_list {
	struct family_record *items;
	size_t count;
};

struct listing_document {
	struct record record;
	char *schema;
	struct family_record_list families;
};

#define LISTING_SCHEMA "pmpp-list/1"

extern const struct record_type listing_document_type;

/* Appends a family with `count` of its variants. */
enum pmpp_status listing_add_family(struct listing_document *document, const struct family *family,
	const struct variant *const *variants, size_t count, struct pmpp_error *error);

#endif
