#include "host/record/inventory.h"

#define RECORD_TYPES
#define RECORDS "host/record/inventory.def"
#include "host/record/records.inc"
