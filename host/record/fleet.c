#include "host/record/fleet.h"

#include <stdlib.h>

static const struct record_field report_fields[] = {
	MEMBER(struct fleet_report, rank, INTEGER, 0, NULL, "0.1", "number of the rank"),
	MEMBER(struct fleet_report, host, TEXT, FIELD_NULLABLE, NULL, "0.1", "name of the machine"),
	MEMBER(struct fleet_report, device, TEXT, FIELD_NULLABLE, NULL, "0.1",
		"name of the device"),
	MEMBER(struct fleet_report, uuid, TEXT, FIELD_NULLABLE, NULL, "0.1",
		"UUID, PCI address or label of the device"),
	MEMBER(struct fleet_report, exit_code, INTEGER, 0, NULL, "0.1",
		"exit code of the rank's job"),
	MEMBER(struct fleet_report, message, TEXT, FIELD_NULLABLE, NULL, "0.1", "what went wrong"),
	MEMBER(struct fleet_report, untimed, TEXT, FIELD_NULLABLE, NULL, "0.1",
		"why the rank measured no times"),
	MEMBER_OF(struct fleet_report, document, OBJECT, FIELD_OMITTED, result_document_type, "0.1",
		"the results of the rank"),
};

const struct record_type fleet_report_type = {"fleet report", "what a rank reports at its end",
	sizeof(struct fleet_report), report_fields, MEMBER_COUNT(report_fields), 0};

void fleet_report_list_finish(struct fleet_report_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		record_finish(&fleet_report_type, &list->items[i]);
	free(list->items);
	*list = (struct fleet_report_list){0};
}
