#include "host/record/peer.h"

#include <math.h>
#include <stdlib.h>

static const struct record_field peer_fields[] = {
	MEMBER(struct peer_record, variant, TEXT, 0, NULL, "0.1",
		"variant of the peer's own row in this file"),
	MEMBER(struct peer_record, library, TEXT, 0, NULL, "0.1", "name of the library"),
	MEMBER(struct peer_record, version, TEXT, FIELD_OMITTED, NULL, "0.1",
		"version of the library; absent: unknown"),
	MEMBER(struct peer_record, detail, TEXT, FIELD_OMITTED, NULL, "0.1",
		"OpenBLAS: the CPU core that its kernels are for, and the number of threads; "
		"absent: nothing to report"),
	MEMBER(struct peer_record, median_ns, NUMBER, FIELD_NULLABLE, "ns", "0.1",
		"median of the peer's samples that were taken in turn with those of this row; "
		"with repetitions: the median over the runs"),
	MEMBER(struct peer_record, ratio, NUMBER, FIELD_NULLABLE, "1", "0.1",
		"time of the peer / time of this row: median of the ratios of the rounds. Above "
		"1, this row is faster. With repetitions: the geometric mean over the runs; null if "
		"a run lacks it"),
	MEMBER(struct peer_record, ci95, INTERVAL, FIELD_NULLABLE, "1", "0.1",
		"95 % interval of `ratio`; null: unknown"),
};

const struct record_type peer_type = {"peer", "a row compared with a library (--peers)",
	sizeof(struct peer_record), peer_fields, MEMBER_COUNT(peer_fields), 0};

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
