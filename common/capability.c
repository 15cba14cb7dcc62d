#include "common/capability.h"

#include <stdio.h>
#include <string.h>

static const struct {
	unsigned bit;
	const char *text;
} rows[] = {
#define XX(name, bit, text) {PMPP_CAP_##name, text},
	PMPP_CAPABILITY_MAP(XX)
#undef XX
};

const char *pmpp_capability_text(unsigned mask)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (mask & rows[i].bit)
			return rows[i].text;
	return "nothing";
}

void pmpp_capability_texts(unsigned mask, char *ret_text, size_t size)
{
	size_t used = 0;

	snprintf(ret_text, size, "nothing");
	for (size_t i = 0; i < sizeof rows / sizeof *rows && used < size; i++)
		if (mask & rows[i].bit)
			used += (size_t)snprintf(ret_text + used, size - used, "%s%s",
				used ? " and " : "", rows[i].text);
}

bool pmpp_capability_is_specific(unsigned mask)
{
	return mask & PMPP_CAP_WGMMA;
}

bool pmpp_mma_reaches_rate(const char *arch)
{
	static const char *const larger[] = {"sm_90", "sm_100", "sm_103", "sm_110"};

	for (size_t i = 0; i < sizeof larger / sizeof *larger; i++)
		if (strcmp(arch, larger[i]) == 0)
			return false;
	return true;
}

int pmpp_capability_min_cc(unsigned mask)
{
	if (mask & (PMPP_CAP_WGMMA | PMPP_CAP_BULK_COPY | PMPP_CAP_CLUSTER))
		return 90;
	return mask & (PMPP_CAP_ASYNC_COPY | PMPP_CAP_TENSOR) ? 80 : 75;
}
