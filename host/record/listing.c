#include "host/record/listing.h"

#include "common/capability.h"

/* ---- Tables -------------------------------------------------------------------------------- */

static const char *const capability_words[] = {
#define XX(name, bit, text) [bit] = text,
	PMPP_CAPABILITY_MAP(XX)
#undef XX
		NULL};

#define RECORD_TYPES
#define RECORDS "host/record/listing.def"
#include "common/records.inc"
