#include "common/model/outcome.h"

#include <stddef.h>

const char *const outcome_status_words[OUTCOME_STATUS_COUNT + 1] = {
#define XX(name, text, class) [OUTCOME_##name] = text,
	OUTCOME_MAP(XX)
#undef XX
};

const char *outcome_status_name(enum outcome_status status)
{
	return (size_t)status < OUTCOME_STATUS_COUNT ? outcome_status_words[status] : "unknown";
}

enum outcome_class outcome_class_of(enum outcome_status status)
{
	static const enum outcome_class classes[OUTCOME_STATUS_COUNT] = {
#define XX(name, text, class) [OUTCOME_##name] = OUTCOME_CLASS_##class,
		OUTCOME_MAP(XX)
#undef XX
	};

	return classes[status];
}

bool outcome_is_skipped(int status)
{
	return status >= 0 && status < OUTCOME_STATUS_COUNT &&
	       outcome_class_of((enum outcome_status)status) == OUTCOME_CLASS_SKIPPED;
}

int outcome_badness(int status)
{
	return (int)(status >= 0 && status < OUTCOME_STATUS_COUNT
			     ? outcome_class_of((enum outcome_status)status)
			     : OUTCOME_CLASS_UNVERIFIED);
}
