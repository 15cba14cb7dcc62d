#include "host/record/fleet.h"

#include <stdlib.h>

static const struct record_field time_fields[] = {
	MEMBER(struct fleet_time, key, TEXT, 0, NULL, "0.1",
		"what the times of two ranks must have in common to be compared"),
	MEMBER(struct fleet_time, label, TEXT, 0, NULL, "0.1", "backend, variant and problem"),
	MEMBER(struct fleet_time, device_type, TEXT, FIELD_NULLABLE, NULL, "0.1",
		"type of the device; null: unknown"),
	MEMBER(struct fleet_time, medians_ns, NUMBERS, 0, "ns", "0.1", "medians of all runs"),
	MEMBER(struct fleet_time, half_width, NUMBER, FIELD_NULLABLE, "1", "0.1",
		"half-width of a run's 95 % interval / its median; null: unknown"),
	MEMBER(struct fleet_time, noise_sd, NUMBER, 0, "1", "0.1",
		"floor of noise: standard deviation of the logarithm of a run's median"),
	MEMBER(struct fleet_time, noise_dof, NUMBER, 0, "1", "0.1",
		"degrees of freedom of noise_sd"),
};

const struct record_type fleet_time_type = {"fleet time", "the time of a variant on a rank",
	sizeof(struct fleet_time), time_fields, MEMBER_COUNT(time_fields), 0};

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
	MEMBER(struct fleet_report, ok, INTEGER, 0, NULL, "0.1", "number of rows that passed"),
	MEMBER(struct fleet_report, failed, INTEGER, 0, NULL, "0.1",
		"number of rows that failed or have no result"),
	MEMBER(struct fleet_report, skipped, INTEGER, 0, NULL, "0.1",
		"number of rows that were not run or not verified"),
	MEMBER_OF(struct fleet_report, times, OBJECTS, FIELD_OMITTED, fleet_time_type, "0.1",
		"times of the rank's rows"),
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
