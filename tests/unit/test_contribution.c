/* Contributed files: rounding, private texts, identities of devices, unknown keys, lines. */
/* The filter is made of functions of this file. */
#include "host/contribute/contribute.c"
#include "host/record/identity.h"
#include "tests/support/records.h"
#include "tests/support/result_example.h"
#include "tests/support/result_files.h"
#include "tests/support/test.h"

/* ---- Rounding -------------------------------------------------------------------------------- */

static const struct rounding_test {
	const char *name;
	double value, time, other;
} rounding_rows[] = {
	{"a long time", 17642559.051513672, 17642559.1, 17642559},
	{"a time of 1234.56 ns", 1234.5678, 1234.6, 1234.568},
	{"a short time", 12.3456789, 12.346, 12.34568},
	{"a fraction", 0.000123456789, 0.00012346, 0.0001234568},
	{"a whole number", 17179869184.0, 17179869184.0, 17179869184.0},
	{"zero", 0, 0, 0},
	{"a negative number", -1.23456789, -1.2346, -1.234568},
};

TEST_ROWS(rounding, rounding_rows, "rounded: %s", row->name)
{
	SCOPED_FILES files = {0};
	struct result_document *document = test_small_file(&files, "a", &test_gpu_a, 1000);
	struct result_row *result = &document->results.items[0];

	IS(number_list_set(&result->timing.cold.ns, &row->value, 1));
	result->timing.cold.median = row->value;
	result->derived.record.present = true;
	result->derived.gflops = row->value;
	result->derived.step_ci95[0] = result->derived.step_ci95[1] = row->value;
	round_document(document);
	CHECK(IS(result->timing.cold.median == row->time),
		IS(result->timing.cold.ns.items[0] == row->time),
		IS(result->derived.gflops == row->other),
		IS(result->derived.step_ci95[1] == row->other), IS(isnan(result->derived.step)));
}

/* ---- Paths ----------------------------------------------------------------------------------- */

static const struct path_test {
	const char *text, *hidden; /* NULL: it has no path */
} path_rows[] = {
	{"GFLOP/s, docs/measuring.md, a / b, 1/2/3", NULL},
	{"https://example.org/a/b", NULL},
	{"needs PTX (an NVIDIA GPU); -DTILE=16", NULL},
	{"/usr/lib/x.so: cannot open", "PATH: cannot open"},
	{"error in '/opt/k/a.cl' line 3", "error in 'PATH' line 3"},
	{"-I/home/ann/kernels -DA=1", "-IPATH -DA=1"},
	{"a=/x/y,b=/z/w", "a=PATH,b=PATH"},
	{"file:///Users/ann/a.cl", "file://PATH"},
	{"/home/j\303\274rgen/src/k.cl: no", "PATH: no"},
	{"see /nfs/Alice Smith/x.cl", "see PATH"},
	{"'/nfs/Alice Smith/x.cl' line 3", "'PATH' line 3"},
	{"/nfs/Alice Smith/x.cl\nnext line", "PATH\nnext line"},
	{"-I/nfs/alice/inc -DA=1", "-IPATH -DA=1"},
	{"-I../alice/inc -DA=1", "-IPATH -DA=1"},
	{"file:///nfs/alice/k.cl", "file://PATH"},
	{"(cl)/nfs/alice/x", "(cl)PATH"},
	{"in ../alice/x.cl:3", "in PATH:3"},
	{"in ~/x.cl:3", "in PATH:3"},
	{"C:\\Users\\alice\\x.cl(3)", "PATH(3)"},
	{"at D:/alice/x.cl", "at PATH"},
	{"\\\\server\\alice\\x", "PATH"},
	{"//nfs/alice/x", "PATH"},
	{"Foo/Bar (/opt/emu/cpu)", "Foo/Bar (PATH)"},
	{"first\n/opt/alice/x", "first\nPATH"},
	{"1.5 GFLOP/s, 3.2 GB/s/core", NULL},
	{"1/2 and/or 3/4/5", NULL},
	{"OpenCL 3.0 CUDA 13.0.1, LLVM 16/17", NULL},
	{"read/write/copy: 3 ... 5", NULL},
	{"variant A:\nread-write/copy/move", NULL},
	{"tensor-f16/a/b, 12:/3", NULL},
};

TEST_ROWS(paths, path_rows, "paths: %.*s", (int)strcspn(row->text, "\n"), row->text)
{
	SCOPED_FILES files = {0};
	struct result_document *document = test_small_file(&files, "a", &test_gpu_a, 1000);

	EQUAL(has_path(row->text), row->hidden != NULL);
	text_set(&document->results.items[0].reason, row->text);
	CHECK(IS(text_list_add(&document->results.items[0].build.warnings, row->text)),
		IS(make_public(document)),
		STRING(document->results.items[0].reason, row->hidden ? row->hidden : row->text));
}

/* ---- Identities ------------------------------------------------------------------------------ */

static void same_device_as_public(const struct test_device *device)
{
	SCOPED_FILES files = {0};
	struct result_document *one = test_small_file(&files, "a", device, 1000);
	struct result_document *two = test_small_file(&files, "b", device, 1000);
	char key[100];

	IS(make_public(one));
	snprintf(key, sizeof key, "%s", one->devices.items[0].key);
	CHECK(NIL(one->devices.items[0].pci), STRING(one->results.items[0].device, key),
		IS(same_device(one, &one->devices.items[0], two, &two->devices.items[0])),
		IS(same_device(two, &two->devices.items[0], one, &one->devices.items[0])),
		IS(make_public(one)), STRING(one->devices.items[0].key, key));
}

static const struct test_device no_uuid = {
	"pci:0000:3b:00.0", NULL, "0000:3b:00.0", "GPU P", "gpu", "opencl", "1"};

TEST(identities, "devices that are the same")
{
	SCOPED_FILES files = {0};
	struct result_document *a = test_small_file(&files, "a", &test_gpu_a, 1000);
	struct result_document *b = test_small_file(&files, "b", &test_gpu_b, 1000);
	struct result_document *p = test_small_file(&files, "p", &no_uuid, 1000);
	struct result_document *q = test_small_file(&files, "q", &no_uuid, 1000);

	same_device_as_public(&test_gpu_a);
	same_device_as_public(&no_uuid);
	same_device_as_public(&test_cpu);
	NOT(same_device(a, &a->devices.items[0], b, &b->devices.items[0]));
	IS(same_device(p, &p->devices.items[0], q, &q->devices.items[0]));
	/* The same PCI address on another machine. */
	text_set(&q->run.host_id, "host-two");
	NOT(same_device(p, &p->devices.items[0], q, &q->devices.items[0]));
	IS(make_public(a));
	/* printf 'pmpp device uuid:aaaaaaaa-0000' | sha256sum */
	STRING(a->devices.items[0].uuid, "273a7802a6dc6b80febc3f9812c7f26d-sha256");
	IS(is_public_uuid(a->devices.items[0].uuid));
	NOT(is_public_uuid("d1830a82-2491-d9b7-4397-db63ce07d8ac"));
	NOT(is_public_uuid(NULL));
}

/* Device and CPU names that look like a path are hidden before the digests are computed. */
TEST(path_like_names, "names that look like a path")
{
	static const char name[] = "Foo/Bar (/opt/emu/cpu)";
	const struct test_device device = {
		"name:Foo/Bar (/opt/emu/cpu)", NULL, NULL, name, "cpu", "opencl", "1"};
	SCOPED_FILES files = {0};
	struct result_document *public = test_small_file(&files, "a", &device, 1000);
	struct result_document *own = test_small_file(&files, "b", &device, 1000);

	public->host.record.present = true;
	text_set(&public->host.cpu, name);
	text_set(&own->host.cpu, name);
	CHECK(IS(make_public(public)), STRING(public->host.cpu, "Foo/Bar (PATH)"),
		STRING(public->devices.items[0].key, "name:Foo/Bar (PATH)"),
		STRING(public->results.items[0].device, "name:Foo/Bar (PATH)"));
	FREED char *host_id = public_host_id(public);
	STRING(public->run.host_id, host_id);
	IS(same_device(public, &public->devices.items[0], own, &own->devices.items[0]));
}

/* Two machines with the same CPU. uuid: OpenCL may have one UUID for all CPUs of a model. */
static const char *const cpu_uuids[] = {NULL, "42db"};

TEST_ROWS(same_cpu, cpu_uuids, "CPUs of two machines%s", *row ? " that have one UUID" : "")
{
	SCOPED_FILES files = {0};
	struct result_document *a = test_small_file(&files, "a", &test_cpu, 1000);
	struct result_document *b = test_small_file(&files, "b", &test_cpu, 1000);

	text_set(&a->devices.items[0].uuid, *row);
	text_set(&b->devices.items[0].uuid, *row);
	a->host.cores = b->host.cores = 4;
	IS(same_device(a, &a->devices.items[0], b, &b->devices.items[0]));
	b->host.cores = 8;
	NOT(same_device(a, &a->devices.items[0], b, &b->devices.items[0]));
}

/* A public file and a file of the same device have one identity. */
TEST(joined, "a public file joins the file of its device")
{
	static const struct test_device *const devices[] = {&test_gpu_a, &no_uuid};

	for (size_t i = 0; i < 2; i++) {
		SCOPED_FILES files = {0};
		struct result_document *public = test_small_file(&files, "a", devices[i], 1000);
		struct result_document *other = test_small_file(&files, "b", &test_gpu_b, 1000);
		struct result_document *own = test_small_file(&files, "c", devices[i], 1000);
		CHECK(IS(make_public(public)), IS(make_public(other)));
		FREED char *a = device_public_identity(&public->devices.items[0], public);
		FREED char *b = device_public_identity(&own->devices.items[0], own);
		FREED char *c = device_public_identity(&other->devices.items[0], other);
		CHECK(STRING(a, b), STRING(a, public->devices.items[0].key),
			STRING(c, other->devices.items[0].key));
	}
}

/* ---- Records --------------------------------------------------------------------------------- */

struct found {
	size_t records, members;
	const char *unknown;
};

static void count_record(void *context, const struct record_type *type, struct record *record)
{
	struct found *found = context;

	(void)type;
	found->records++;
	if (record_unknown_key(record))
		found->unknown = record_unknown_key(record);
}

static void count_member(void *context, const struct record_field *field, void *member)
{
	(void)field, (void)member;
	((struct found *)context)->members++;
}

TEST(walk, "all records are visited")
{
	static const char text[] = "{\"name\": \"p\", \"version\": \"1\", \"git\": \"g\", "
				   "\"compiler\": \"c\", \"argv\": [], \"newer\": 1}";
	struct found found = {0};
	const struct record_visitor visitor = {
		.context = &found, .record = count_record, .member = count_member};
	TEST_DOCUMENT document;
	struct tool_record tool;

	result_example(&document);
	size_t rows = document.results.count;
	record_walk(&result_document_type, &document, &visitor);
	/* The document, tool, run, host, the device and its parts; at least six records of a row.
	 */
	CHECK(IS(found.records > 6 * rows + 6), IS(found.members > 5 * found.records),
		NIL(found.unknown));
	test_ok(record_read(&tool_type, text, strlen(text), "x", &tool, &test_error));
	record_walk(&tool_type, &tool, &visitor);
	STRING(found.unknown, "newer");
	record_finish(&tool_type, &tool);
}

/* A line for each row, and the same content. */
TEST(lines, "a line for each row")
{
	struct result_document document, again;

	result_example(&document);
	round_document(&document);
	const char *text = test_record_text(&result_document_type, &document, RECORD_ROWS);
	/* Seven keys, the two ends, two lines for each of the two lists with records. */
	EQUAL(test_count(text, "\n"),
		9 + 2 * 2 + (document.results.count - 1) + (document.devices.count - 1));
	test_ok(record_read(&result_document_type, text, strlen(text), "x", &again, &test_error));
	STRING(test_record_text(&result_document_type, &document, RECORD_INDENTED),
		test_record_text(&result_document_type, &again, RECORD_INDENTED));
	record_finish(&result_document_type, &again);
	record_finish(&result_document_type, &document);
}
