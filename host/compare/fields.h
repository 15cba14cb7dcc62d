/*
 * The rows of files, the fields that identify a row, and the fields that can be compared.
 */
#ifndef PMPP_HOST_COMPARE_FIELDS_H
#define PMPP_HOST_COMPARE_FIELDS_H

#include "host/record/result.h"

/* An input file. */
struct compared_file {
	const char *path;
	const char *name; /* name of the run if the path has several runs; else NULL */
	bool shipped;     /* the file of a device that ships with the program */
	struct result_document document;
	bool has_lost_rows; /* rows were removed, so the file may be empty */
	size_t dropped;     /* number of removed rows: their ladder is from another file */
};

/* --by can name the fields before ROW_FAMILY. */
enum compare_field {
	ROW_DEVICE,
	ROW_BACKEND,
	ROW_DRIVER,
	ROW_RUN,
	ROW_LABEL,
	ROW_HOST,
	ROW_MATH,
	ROW_MACROS,
	ROW_FAMILY,
	ROW_VARIANT,
	ROW_DTYPE,
	ROW_OP,
	ROW_DATA,
	ROW_PROBLEM,
	ROW_CONTRACT,
	ROW_FIELD_COUNT
};

/* A row of a file. The texts are owned. */
struct compared_row {
	const struct result_row *row;
	const struct compared_file *of;
	const struct result_document *document;
	const struct device_record *device; /* NULL: the file has no such device */
	size_t file, side, order;
	char *texts[ROW_FIELD_COUNT]; /* NULL: unknown */
	char *key;                    /* the identity without the compared fields */
};

struct compared_rows {
	struct compared_row *items; /* of all files, in their order; owned */
	size_t count;
};

/* Makes the rows of the files and their texts. hosts_apart: ROW_DEVICE is device_identity_on_host(). Returns
 * false if there is no memory. compared_rows_finish() in both cases. */
bool compared_rows_make(const struct compared_file *files, size_t count, bool hosts_apart,
	struct compared_rows *ret_rows);
void compared_rows_finish(struct compared_rows *rows);

/* Bit of a field in a set of fields. */
#define COMPARE_BIT(field) (1u << (field))

/* Name of a field, for --by and for messages. */
const char *compare_field_name(enum compare_field field);

/* Parses "device,backend". PMPP_USAGE for an unknown name. */
enum pmpp_status compare_fields_parse(
	const char *text, unsigned *ret_fields, struct pmpp_error *error);

/* Sets the key: the identity without the fields of a set. A kernel of the user joins the project's kernel
 * only in a comparison of runs. Returns false if there is no memory. */
bool compared_row_set_key(struct compared_row *row, unsigned without);

/* Returns the fields of the identity in which two rows differ, without the fields of a set. An unknown
 * text (NULL) equals every text. */
unsigned compared_row_difference(
	const struct compared_row *a, const struct compared_row *b, unsigned without);

/* Returns the identity of a device: UUID, else PCI address with machine and name, else name. It
 * does not contain the driver. malloc'ed; NULL if there is no memory. */
char *device_identity(const struct device_record *device, const struct result_document *document);

/* Returns the identity that a device has both in contributions and in other files: its key in a
 * contribution. A UUID or PCI address becomes "uuid:", 32 hexadecimal digits of the SHA-256 digest of "pmpp device " and
 * device_identity(), and "-sha256". */
char *device_public_identity(
	const struct device_record *device, const struct result_document *document);

/* Returns whether a UUID is such a digest. */
bool is_public_uuid(const char *uuid);

/* Returns the first digits of the SHA-256 digest of a text; malloc'ed. NULL: no text, or no memory. */
char *text_digest(const char *text, int digits);

/* Like device_public_identity(), but the identity of a device that has only a name also contains its host:
 * run.host_id, else CPU, cores and memory of the host. */
char *device_identity_on_host(
	const struct device_record *device, const struct result_document *document);

/* The device of result_row.device; NULL = the file has no such device. */
const struct device_record *device_of_key(const struct result_document *document, const char *key);

/* The view of a device through a backend; NULL = none. */
const struct view_record *device_view(const struct device_record *device, const char *backend);

/* Appends the values of a list. Returns false if there is no memory. */
bool copy_named(const struct named_list *from, struct named_list *to);

#endif
