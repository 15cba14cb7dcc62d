/*
 * Text for people: numbers with units (more in common/text.h), padding, colours. Every
 * function that fills a buffer cuts what does not fit.
 */
#ifndef PMPP_HOST_REPORT_FORMAT_H
#define PMPP_HOST_REPORT_FORMAT_H

#include "common/model/outcome.h"
#include "common/text.h"
#include "host/record/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* ---- Numbers ------------------------------------------------------------------------------- */

/* "1.25x"; "-" for NaN. */
void format_factor(double value, char *text, size_t size);

/* A ratio of times with three decimals: "0.988", "1.250". Below 0.1 and from 10 on, it has three
 * significant digits: "0.000613", "31.2". "-" for NaN. */
void format_ratio(double value, char *text, size_t size);

/* "12.5%"; "-" for NaN. */
void format_percent(double value, char *text, size_t size);

/* "m=n=k=2048", "rows=4096 columns=512": sizes of a problem. */
void format_sizes(const struct named_list *problem, char *text, size_t size);

/* Appends " TILE=16 UNROLL=4" to a text. */
void format_macros(const struct named_list *macros, char *text, size_t size);

/* The limit of a row, with the largest floor if that is another resource: "shared", "latency
 * (shared 38 %)", "unknown (compute 7 %)"; "-" if no limit and no floor is known. Files of
 * pmpp-timing/1 have no floor. */
void format_limit(const struct derived_record *derived, char *text, size_t size);

/* Shortens a driver for tables: "3.1+debian, OpenCL 3.0 PoCL 3.1+debian  Linux, RELOC, ..." becomes
 * "PoCL 3.1+debian". The OpenCL specification defines "OpenCL 3.0 " at the start of the platform
 * version. If the driver's own version does not follow, only the driver's own version is left:
 * "580.159.04" of "580.159.04, OpenCL 3.0 CUDA 13.0.98". The platform is added in front if the
 * text does not begin with it: "NVIDIA CUDA 580.159.04". NULL or "": no platform. */
void format_driver(const char *platform, const char *driver, char *text, size_t size);

/* The text of a number for one expression: as_text(format_ns, 1500).text is "1.50 µs". */
typedef void format_fn(double value, char *text, size_t size);
struct short_text {
	char text[64];
};
struct short_text as_text(format_fn *format, double value);

/* ---- Lines --------------------------------------------------------------------------------- */

/* Prints a text and blanks, together |width| columns (UTF-8). A negative width aligns the text to
 * the right. A longer text is printed completely. */
void format_put_padded(FILE *out, const char *text, int width);

/* ---- Colours ------------------------------------------------------------------------------- */

enum style {
	STYLE_PLAIN,
	STYLE_BOLD,
	STYLE_DIM,
	STYLE_RED,
	STYLE_YELLOW,
	STYLE_GREEN
};

/* Escape sequence that begins a style; "" without colour. STYLE_PLAIN ends every style. */
const char *style_code(bool colour, enum style style);

/* The style for a status. Every value of a status member of a record is allowed. */
enum style format_status_style(int status);

/* "build error" for OUTCOME_BUILD_ERROR; "unknown" for a value outside the enumeration. */
struct short_text format_status(int status);

#endif
