/*
 * The values of which records consist. common/records.inc makes the structs of records from a list, and
 * host/record reads, writes and frees them (host/record/record.h).
 */
#ifndef PMPP_COMMON_RECORD_H
#define PMPP_COMMON_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Members of a JSON object that are not in the table. A rewrite of the file keeps them. */
struct record_extra;

/* First member of every record. */
struct record {
	bool present;               /* false: the value in the parent object is null */
	uint64_t absent;            /* bit i: the JSON object does not have field i of the table */
	struct record_extra *extra; /* owned; NULL = none */
};

struct text_list {
	char **items; /* the list and its texts are owned */
	size_t count;
};

struct number_list {
	double *items; /* owned */
	size_t count;
};

struct integer_list {
	int64_t *items; /* owned */
	size_t count;
};

/* {"m": 512, "n": 768} */
struct named_value {
	char *name; /* owned */
	int64_t value;
};

struct named_list {
	struct named_value *items; /* owned */
	size_t count;
};

/* true, false, or unknown (null in files). */
enum record_truth {
	TRUTH_UNKNOWN,
	TRUTH_NO,
	TRUTH_YES
};

#endif
