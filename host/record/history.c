#include "host/record/history.h"

static const struct record_field point_fields[] = {
	MEMBER(struct history_point, run, TEXT, 0, NULL, "0.1", "id of the run"),
	MEMBER(struct history_point, started_utc, TEXT, 0, NULL, "0.1",
		"start of the run, UTC, ISO 8601"),
	MEMBER(struct history_point, host_id, TEXT, 0, NULL, "0.1",
		"anonymous identity of the machine"),
	MEMBER(struct history_point, label, TEXT, FIELD_NULLABLE, NULL, "0.1", "name of the run"),
	MEMBER(struct history_point, driver, TEXT, FIELD_NULLABLE, NULL, "0.1",
		"driver of the device; null: unknown"),
	MEMBER(struct history_point, git, TEXT, 0, NULL, "0.1", "git commit of the program"),
	MEMBER_IN(struct history_point, status, WORD, 0, outcome_status_words, "0.1",
		"outcome; only `ok` is a verified result"),
	MEMBER(struct history_point, reason, TEXT, FIELD_NULLABLE, NULL, "0.1",
		"why the status is not ok, or why there is no time"),
	MEMBER(struct history_point, median_ns, NUMBER, FIELD_NULLABLE, "ns", "0.1",
		"median of the primary samples; null: not timed"),
	MEMBER(struct history_point, half_width, NUMBER, FIELD_NULLABLE, "1", "0.1",
		"half of the 95 % interval of the median / median; null: unknown"),
};

const struct record_type history_point_type = {"history point", "one stored result",
	sizeof(struct history_point), point_fields, MEMBER_COUNT(point_fields), 0};

static const struct record_field change_fields[] = {
	MEMBER(struct history_change, point, INTEGER, 0, NULL, "0.1",
		"index of the first point after the change"),
	MEMBER(struct history_change, ratio, NUMBER, 0, "1", "0.1",
		"time after the change / time before it"),
};

const struct record_type history_change_type = {"history change", "a change of the time",
	sizeof(struct history_change), change_fields, MEMBER_COUNT(change_fields), 0};

static const struct record_field series_fields[] = {
	MEMBER(struct history_series, backend, TEXT, 0, NULL, "0.1",
		"backend that ran the variant"),
	MEMBER(struct history_series, device, TEXT, 0, NULL, "0.1",
		"identity of the device: UUID, else PCI address, else name"),
	MEMBER(struct history_series, device_name, TEXT, 0, NULL, "0.1", "name of the device"),
	MEMBER(struct history_series, device_type, TEXT, FIELD_NULLABLE, NULL, "0.1",
		"gpu, cpu, emulated or other; null: unknown"),
	MEMBER(struct history_series, dtype, TEXT, 0, NULL, "0.1", "element type"),
	MEMBER(struct history_series, op, TEXT, FIELD_NULLABLE, NULL, "0.1",
		"operation; null: the family has only one"),
	MEMBER(struct history_series, data, TEXT, 0, NULL, "0.1", "kind of input data"),
	MEMBER(struct history_series, problem, NAMED, 0, NULL, "0.1", "size of each dimension"),
	MEMBER(struct history_series, macros, NAMED, 0, NULL, "0.1",
		"values of the kernel's macros"),
	MEMBER(struct history_series, math, TEXT, FIELD_NULLABLE, NULL, "0.1",
		"value of --math; null: nothing was built"),
	MEMBER(struct history_series, contract, TEXT, FIELD_NULLABLE, NULL, "0.1",
		"timing contract; null: nothing was timed"),
	MEMBER(struct history_series, own_kernel, BOOL, FIELD_OMITTED, NULL, "0.1",
		"true: results of kernels of --kernel-dir; absent: of the project's kernel"),
	MEMBER(struct history_series, noise_sd, NUMBER, 0, "1", "0.1",
		"floor of noise: minimum standard deviation of the logarithm of a median"),
	MEMBER_OF(struct history_series, points, OBJECTS, 0, history_point_type, "0.1",
		"the results in order of time"),
	MEMBER_OF(struct history_series, changes, OBJECTS, 0, history_change_type, "0.1",
		"points at which the time changes"),
};

const struct record_type history_series_type = {"history series",
	"results of one variant that can be compared", sizeof(struct history_series), series_fields,
	MEMBER_COUNT(series_fields), 0};

static const struct record_field document_fields[] = {
	MEMBER(struct history_document, schema, TEXT, 0, NULL, "0.1", HISTORY_SCHEMA),
	MEMBER_OF(struct history_document, tool, OBJECT, 0, tool_type, "0.1",
		"the program that wrote the file"),
	MEMBER(struct history_document, family, TEXT, 0, NULL, "0.1",
		"name of the family (the problem)"),
	MEMBER(struct history_document, variant, TEXT, 0, NULL, "0.1", "name of the variant"),
	MEMBER_OF(struct history_document, series, OBJECTS, 0, history_series_type, "0.1",
		"one series for each device, backend, problem and configuration"),
};

const struct record_type history_document_type = {"history", "the stored results of one variant",
	sizeof(struct history_document), document_fields, MEMBER_COUNT(document_fields), 0};
