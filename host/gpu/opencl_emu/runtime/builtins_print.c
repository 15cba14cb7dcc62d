/*
 * printf of kernels (OpenCL C 6.12.13), on stdout. C, because OpenCL C has no variable
 * arguments: compile it with the -march of the kernel. The host replaces @printf by
 * @pmpp_emu_printf in the IR before it is optimised. Otherwise the optimiser would replace calls
 * by puts() and putchar().
 *
 * Vectors: %v4hlf and so on. One call prints its text at once.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* support.c */
__attribute__((visibility("hidden"))) void pmpp_emu_library_begin(void);
__attribute__((visibility("hidden"))) void pmpp_emu_library_end(const void *pc);

#define VECTOR(T, name, n) typedef T name##n __attribute__((ext_vector_type(n)));
#define VECTORS(T, name)   \
	VECTOR(T, name, 2) \
	VECTOR(T, name, 3) VECTOR(T, name, 4) VECTOR(T, name, 8) VECTOR(T, name, 16)
VECTORS(char, pmpp_char)
VECTORS(short, pmpp_short)
VECTORS(int, pmpp_int)
VECTORS(long, pmpp_long)
VECTORS(float, pmpp_float)
VECTORS(double, pmpp_double)

/* A conversion specification. */
struct spec {
	char start[40]; /* '%', flags, width and precision */
	int size;       /* elements of a vector; 1: a scalar */
	char length[3]; /* "", "hh", "h", "hl", "l" */
	char letter;
};

/* The elements of an argument, as the C library's printf gets them. */
struct elements {
	long integers[16];
	double floats[16];
};

/* The width of integers is that of the modifier; C's modifiers are the same except hl. */
static long narrow(const struct spec *spec, long value)
{
	int is_signed = spec->letter == 'd' || spec->letter == 'i';

	if (strcmp(spec->length, "hh") == 0)
		return is_signed ? (long)(signed char)value : (long)(unsigned char)value;
	if (strcmp(spec->length, "h") == 0)
		return is_signed ? (long)(short)value : (long)(unsigned short)value;
	if (strcmp(spec->length, "l") == 0)
		return value;
	return is_signed ? (long)(int)value : (long)(unsigned)value;
}

/* The list is passed by address: after another function has used a copy, the list is undefined. */
#define TAKE(T, n, member)                                  \
	if (spec->size == n) {                              \
		T##n taken = va_arg(*list, T##n);           \
		for (int i = 0; i < n; i++)                 \
			ret_elements->member[i] = taken[i]; \
	}
#define TAKE_ALL(T, member) \
	TAKE(T, 2, member)  \
	TAKE(T, 3, member) TAKE(T, 4, member) TAKE(T, 8, member) TAKE(T, 16, member)

static void take_vector(
	const struct spec *spec, int is_float, va_list *list, struct elements *ret_elements)
{
	if (is_float && strcmp(spec->length, "l") == 0) {
		TAKE_ALL(pmpp_double, floats)
	} else if (is_float) {
		TAKE_ALL(pmpp_float, floats)
	} else if (strcmp(spec->length, "hh") == 0) {
		TAKE_ALL(pmpp_char, integers)
	} else if (strcmp(spec->length, "h") == 0) {
		TAKE_ALL(pmpp_short, integers)
	} else if (strcmp(spec->length, "l") == 0) {
		TAKE_ALL(pmpp_long, integers)
	} else {
		TAKE_ALL(pmpp_int, integers)
	}
}

static void print_argument(FILE *out, const struct spec *spec, va_list *list)
{
	int is_float = strchr("fFeEgGaA", spec->letter) != NULL;
	struct elements elements = {{0}, {0}};
	char format[48];

	if (spec->letter == 's' || spec->letter == 'p') {
		snprintf(format, sizeof format, "%s%c", spec->start, spec->letter);
		fprintf(out, format, va_arg(*list, void *));
		return;
	}
	if (spec->size > 1)
		take_vector(spec, is_float, list, &elements);
	else if (is_float)
		elements.floats[0] = va_arg(*list, double);
	else if (strcmp(spec->length, "l") == 0)
		elements.integers[0] = va_arg(*list, long);
	else
		elements.integers[0] = va_arg(*list, int);
	snprintf(format, sizeof format, "%s%s%c", spec->start,
		is_float || spec->letter == 'c' ? "" : "l", spec->letter);
	for (int i = 0; i < spec->size; i++) {
		if (i > 0)
			fputc(',', out);
		if (is_float)
			fprintf(out, format, elements.floats[i]);
		else if (spec->letter == 'c')
			fprintf(out, format, (int)elements.integers[i]);
		else
			fprintf(out, format, narrow(spec, elements.integers[i]));
	}
}

/* Reads "%-8.3v4hlf" after the '%'. Returns the text after it; NULL: not a specification. */
static const char *read_spec(const char *at, struct spec *ret_spec)
{
	size_t length = strspn(at, "-+ #0123456789.");
	struct spec spec = {.size = 1};

	if (length > sizeof spec.start - 2)
		return NULL;
	spec.start[0] = '%';
	memcpy(spec.start + 1, at, length);
	at += length;
	if (*at == 'v') {
		at++;
		spec.size = 0;
		while (*at >= '0' && *at <= '9' && spec.size < 100)
			spec.size = spec.size * 10 + (*at++ - '0');
		if (!spec.size || !strchr("\2\3\4\10\20", spec.size))
			return NULL;
	}
	for (length = 0; length < 2 && (*at == 'h' || *at == 'l'); length++)
		spec.length[length] = *at++;
	spec.letter = *at;
	if (!*at || !strchr("diouxXcspfFeEgGaA", *at))
		return NULL;
	*ret_spec = spec;
	return at + 1;
}

__attribute__((visibility("hidden"))) int pmpp_emu_printf(const char *format, ...)
{
	char *text = NULL;
	size_t size = 0;
	va_list list;

	pmpp_emu_library_begin();
	FILE *out = open_memstream(&text, &size);
	if (!out) {
		pmpp_emu_library_end(__builtin_return_address(0));
		return -1;
	}
	va_start(list, format);
	while (*format) {
		struct spec spec;
		size_t plain = strcspn(format, "%");
		const char *after = format[plain] ? read_spec(format + plain + 1, &spec) : NULL;

		fwrite(format, 1, plain, out);
		format += plain;
		if (after) {
			print_argument(out, &spec, &list);
			format = after;
		} else if (*format) {
			/* "%%", or text that is no specification. */
			fputc('%', out);
			format += format[1] == '%' ? 2 : 1;
		}
	}
	va_end(list);
	if (fclose(out) == 0) {
		fputs(text, stdout);
		fflush(stdout);
	}
	__builtin_free(text);
	pmpp_emu_library_end(__builtin_return_address(0));
	return 0;
}
