#include "host/record/history.h"

#define RECORD_TYPES
#define RECORDS "host/record/history.def"
#include "common/records.inc"
