#include "common/capability.h"

#include <stddef.h>

const char *pmpp_capability_text(unsigned mask)
{
	static const struct {
		unsigned bit;
		const char *text;
	} rows[] = {
#define XX(name, bit, text) {PMPP_CAP_##name, text},
		PMPP_CAPABILITY_MAP(XX)
#undef XX
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (mask & rows[i].bit)
			return rows[i].text;
	return "nothing";
}

bool pmpp_capability_is_specific(unsigned mask)
{
	return mask & PMPP_CAP_WGMMA;
}

int pmpp_capability_min_cc(unsigned mask)
{
	if (mask & (PMPP_CAP_WGMMA | PMPP_CAP_BULK_COPY))
		return 90;
	return mask & (PMPP_CAP_ASYNC_COPY | PMPP_CAP_TENSOR) ? 80 : 75;
}
