#include "host/record/inventory.h"

static const struct record_field backend_fields[] = {
	MEMBER(struct backend_record, name, TEXT, 0, NULL, "0.1", "name for --backend"),
	MEMBER(struct backend_record, usable, BOOL, 0, NULL, "0.1",
		"true: the backend has at least one device"),
	MEMBER(struct backend_record, reason, TEXT, 0, NULL, "0.1",
		"why the backend is not usable; empty: it is usable"),
	MEMBER(struct backend_record, library, TEXT, 0, NULL, "0.1",
		"driver library that was loaded; empty: none"),
};

const struct record_type backend_type = {"backend", "the state of a backend",
	sizeof(struct backend_record), backend_fields, MEMBER_COUNT(backend_fields), 0};

static const struct record_field inventory_fields[] = {
	MEMBER(struct inventory_document, schema, TEXT, 0, NULL, "0.1", "name and major version"),
	MEMBER_OF(struct inventory_document, devices, OBJECTS, 0, device_type, "0.1",
		"the physical devices of this machine"),
	MEMBER_OF(struct inventory_document, backends, OBJECTS, 0, backend_type, "0.1",
		"every backend, usable or not"),
};

const struct record_type inventory_document_type = {"inventory", "the devices of a machine",
	sizeof(struct inventory_document), inventory_fields, MEMBER_COUNT(inventory_fields), 0};
