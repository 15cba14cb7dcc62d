#include "host/run/targets.c"
#include "tests/support/test.h"

/* A list as text: "7x5x3 m=1,k=2 9". */
static void list_text(const struct size_list *list, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < list->count; i++)
		for (size_t d = 0; d < list->items[i].count; d++) {
			const struct size *item = &list->items[i];
			const char *before = d ? (item->named ? "," : "x") : i ? " " : "";
			used += (size_t)snprintf(text + used, size - used, "%s%s%s%lld", before,
				item->named ? item->name[d] : "", item->named ? "=" : "",
				(long long)item->value[d]);
		}
}

static const struct good_row {
	const char *text, *sizes;
} good_rows[] = {
	{"1024", "1024"},
	{"1", "1"},
	{"1024x512x768", "1024x512x768"},
	{"m=7,n=5,k=3", "m=7,n=5,k=3"},
	{"k=3", "k=3"},
	{"256,512", "256 512"},
	{"256,512,37x41x43", "256 512 37x41x43"},
	{"2^10", "1024"},
	{"2^0", "1"},
	{"10^6x3", "1000000x3"},
	{"2^62", "4611686018427387904"},
	{"9223372036854775807", "9223372036854775807"},
	{"2^10:2^14:*4", "1024 4096 16384"},
	{"2^10:2^13:*4", "1024 4096"},
	{"1:9:+2", "1 3 5 7 9"},
	{"1:8:+3,5", "1 4 7 5"},
	{"4:4:*2", "4"},
	{"9223372036854775806:9223372036854775807:+1", "9223372036854775806 9223372036854775807"},
	{"2^61:2^62:*2", "2305843009213693952 4611686018427387904"},
	{"0001", "1"},
	{"1^999999999", "1"},
	{"1e9", "1000000000"},
	{"25E3x1e0", "25000x1"},
	{"1e3:1e5:*10", "1000 10000 100000"},
	{"m=1e3,n=2", "m=1000,n=2"},
	{"1.5e9", "1500000000"},
	{"1.50e1x2.0", "15x2"},
	{"1.5e3:2.5e3:+500", "1500 2000 2500"},
	{"9e18", "9000000000000000000"},
};

TEST_ROWS(good, good_rows, "size '%s'", row->text)
{
	struct size_list list = {0};
	char text[500];

	test_ok(sizes_parse(row->text, &list, &test_error));
	list_text(&list, text, sizeof text);
	sizes_finish(&list);
	CHECK(STRING(text, row->sizes), NIL(list.items));
}

static const struct bad_row {
	const char *text, *part; /* of the message */
} bad_rows[] = {
	{"", "number"},
	{"0", "at least 1"},
	{"-1", "at least 1"},
	{"-5x3", "at least 1"},
	{"3x0x5", "at least 1"},
	{"m=0", "at least 1"},
	{"m=-1,n=2", "at least 1"},
	{"9223372036854775808", "overflow"},
	{"99999999999999999999999", "overflow"},
	{"2^63", "overflow"},
	{"3^41", "overflow"},
	{"-2^63", NULL},
	{"2^-1", "number"},
	{"2^", "number"},
	{"^2", "number"},
	{"abc", "number"},
	{"1.5", "--size: 1.5 is not an integer"},
	{"1e", "'1e' is not a number"},
	{"1e3e3", "unexpected text 'e3'"},
	{"1e19", "1e19 overflows 64 bits"},
	{"0e999999999", "0e999999999: a size is at least 1"},
	{"1.25e1", "--size: 1.25e1 is not an integer"},
	{"1.", "number"},
	{".5e3", "number"},
	{"1.5^2", "1.5 is not an integer"},
	{"1.0^2", "unexpected text '^2'"},
	{"1.5e20", "1.5e20 overflows 64 bits"},
	{"12k", "unexpected text"},
	{"5 6", "unexpected text"},
	{" 5", "number"},
	{"5x", "number"},
	{"x5", "number"},
	{"5,,6", "number"},
	{"5,", "number"},
	{",5", "number"},
	{"1x2x3x4x5", "more than 4"},
	{"a=1,b=2,c=3,d=4,e=5", "more than 4"},
	{"m=1,m=2", "twice"},
	{"m=1,5", "mixes"},
	{"5,m=1", "mixes"},
	{"=5", "name of a dimension"},
	{"averylongdimensionname=5", "name of a dimension"},
	{"m=", "number"},
	{"m=1,", NULL},
	{"1:5", "range"},
	{"1:5:2", "range"},
	{"1:5:*1", "never ends"},
	{"1:5:*0", "at least 1"},
	{"1:5:+0", "at least 1"},
	{"5:1:+1", "less than the first"},
	{"1:100000:+1", "more than"},
	{"1:2:+", "number"},
	{"1x2:5:+1", "unexpected text"},
};

TEST_ROWS(bad, bad_rows, "refused '%s'", row->text)
{
	FINISHED(sizes_finish) struct size_list list = {0};
	enum pmpp_status status = sizes_parse(row->text, &list, &test_error);

	test_refused(status, PMPP_USAGE, row->part);
}

TEST(appended, "lists grow")
{
	struct size_list list = {0};
	char text[100];

	test_ok(sizes_parse("1,2", &list, &test_error));
	test_ok(sizes_parse("m=3", &list, &test_error));
	list_text(&list, text, sizeof text);
	sizes_finish(&list);
	sizes_finish(&list);
	STRING(text, "1 2 m=3");
}

static const struct dims_row {
	const char *family, *text;
	int64_t dim[3]; /* 0 first: refused */
	const char *part;
} dims_rows[] = {
	{"matmul", "9", {9, 9, 9}, NULL},
	{"matmul", "7x5x3", {7, 5, 3}, NULL},
	{"matmul", "k=3,m=7", {7, 0, 3}, NULL},
	{"vecadd", "1000", {1000}, NULL},
	{"vecadd", "n=1000", {1000}, NULL},
	{"vecadd", "2^40", {(int64_t)1 << 40}, NULL},
	{"matmul", "7x5", {0}, "m x n x k"},
	{"matmul", "1x2x3x4", {0}, "m x n x k"},
	{"vecadd", "2x2", {0}, "vecadd"},
	{"vecadd", "m=5", {0}, "'m'"},
	{"matmul", "width=5", {0}, "m x n x k"},
	{"matmul", "2147483647", {0}, "too large"},
	{"vecadd", "2^41", {0}, "too large"},
};

TEST_ROWS(dims, dims_rows, "%s of '%s'", row->family, row->text)
{
	const struct family *family = family_find(row->family);
	FINISHED(sizes_finish) struct size_list list = {0};
	int64_t dim[PMPP_MAX_DIMS] = {-7, -7, -7, -7};
	enum pmpp_status status;

	test_ok(sizes_parse(row->text, &list, &test_error));
	status = size_dims(&list.items[0], family, dim, &test_error);
	if (row->dim[0] == 0) {
		test_refused(status, PMPP_USAGE, row->part);
		EQUAL(dim[0], -7);
		return;
	}
	test_ok(status);
	for (size_t i = 0; i < family->dim_count; i++)
		EQUAL(dim[i], row->dim[i]);
}

TEST(dims_texts, "dimension texts")
{
	char text[40], small[8];

	family_dims_text(family_find("matmul"), text, sizeof text);
	STRING(text, "m x n x k");
	family_dims_text(family_find("vecadd"), text, sizeof text);
	STRING(text, "n");
	memset(small, '#', sizeof small);
	family_dims_text(family_find("matmul"), small, 4);
	CHECK(SOME(memchr(small, '\0', 4)), EQUAL(small[4], '#'));
}
