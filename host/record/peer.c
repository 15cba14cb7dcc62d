#include "host/record/peer.h"

#include <math.h>
#include <stdlib.h>

#define RECORD_TYPES
#define RECORDS "host/record/peer.def"
#include "host/record/records.inc"

const struct peer_record *peer_list_fastest(const struct peer_list *list)
{
	const struct peer_record *fastest = NULL;

	for (size_t i = 0; i < list->count; i++)
		if (isfinite(list->items[i].ratio) && list->items[i].ratio > 0 &&
			(!fastest || list->items[i].ratio < fastest->ratio))
			fastest = &list->items[i];
	return fastest;
}

void peer_list_finish(struct peer_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		record_finish(&peer_type, &list->items[i]);
	free(list->items);
	*list = (struct peer_list){0};
}
