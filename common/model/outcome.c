#include "common/model/outcome.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *name;
	enum outcome_class class;
} rows[OUTCOME_STATUS_COUNT] = {
#define XX(name, text, class) [OUTCOME_##name] = {text, OUTCOME_CLASS_##class},
	OUTCOME_MAP(XX)
#undef XX
};

const char *outcome_status_name(enum outcome_status status)
{
	return (size_t)status < OUTCOME_STATUS_COUNT ? rows[status].name : "unknown";
}

bool outcome_status_find(const char *name, enum outcome_status *ret_status)
{
	for (size_t i = 0; i < OUTCOME_STATUS_COUNT; i++)
		if (strcmp(rows[i].name, name) == 0) {
			*ret_status = (enum outcome_status)i;
			return true;
		}
	return false;
}

enum outcome_class outcome_class_of(enum outcome_status status)
{
	return rows[status].class;
}
