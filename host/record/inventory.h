/*
 * The file of `devices --json` (schema pmpp-devices/1): the devices of this machine and the state
 * of each backend. inventory.def gives the meanings; docs/result-format.md shows them.
 */
#ifndef PMPP_HOST_RECORD_INVENTORY_H
#define PMPP_HOST_RECORD_INVENTORY_H

#include "host/record/measurement.h"

#define RECORDS "host/record/inventory.def"
#include "host/record/records.inc"

#define INVENTORY_SCHEMA "pmpp-devices/1"

#endif
