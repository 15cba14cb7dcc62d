/*
 * The file of `list --json` (schema pmpp-list/1): families, their variants and tunables. listing.def
 * gives the meanings; docs/result-format.md shows them.
 */
#ifndef PMPP_HOST_RECORD_LISTING_H
#define PMPP_HOST_RECORD_LISTING_H

#include "common/family.h"
#include "host/record/record.h"

#define RECORDS "host/record/listing.def"
#include "common/records.inc"

#define LISTING_SCHEMA "pmpp-list/1"

#endif
