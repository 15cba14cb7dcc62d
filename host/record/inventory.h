/*
 * The file of `devices --json` (schema pmpp-devices/1): the devices of this machine and the state
 * of each backend. The tables in inventory.c give the meanings; docs/result-format.md shows
 * them.
 */
#ifndef PMPP_HOST_RECORD_INVENTORY_H
#define PMPP_HOST_RECORD_INVENTORY_H

#include "host/record/measurement.h"

struct backend_record {
	struct record record;
	char *name;
	bool usable;
	char *reason;  /* "" = usable */
	char *library; /* "" = no library was loaded */
};

struct backend_list {
	struct backend_record *items;
	size_t count;
};

struct inventory_document {
	struct record record;
	char *schema;
	struct device_list devices;
	struct backend_list backends;
};

#define INVENTORY_SCHEMA "pmpp-devices/1"

extern const struct record_type backend_type, inventory_document_type;

#endif
