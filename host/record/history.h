/*
 * History of one variant: series of its stored results (schema pmpp-history/1). history.def
 * gives units and meanings.
 */
#ifndef PMPP_HOST_RECORD_HISTORY_H
#define PMPP_HOST_RECORD_HISTORY_H

#include "host/record/result.h"

#define RECORDS "host/record/history.def"
#include "common/records.inc"

#define HISTORY_SCHEMA "pmpp-history/1"

#endif
