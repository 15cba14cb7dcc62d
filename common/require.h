/*
 * Conditions over the figures of a kernel, such as "correct; sectors(A) <= 4; floor <= 0.5 * floor(naive)". Semicolons and
 * line ends separate conditions; "#" begins a comment.
 *
 *     [N points:] correct
 *     [N points:] no defects
 *     [N points:] EXPRESSION <= EXPRESSION         also < >= > == !=; "50 %" is 0.5
 *
 * Expressions have figures (require_figures) and the operators of common/expression.h; quotients are exact.
 */
#ifndef PMPP_COMMON_REQUIRE_H
#define PMPP_COMMON_REQUIRE_H

#include "common/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum require_figure_id {
	FIGURE_CORRECT, /* 1 or 0 */
	FIGURE_DEFECTS,
	FIGURE_SECTORS,
	FIGURE_BANK_WAYS,
	FIGURE_OCCUPANCY,
	FIGURE_REGISTERS,
	FIGURE_SPILLED_BYTES,
	FIGURE_SHARED_BYTES,
	FIGURE_DIVERGENCE,
	FIGURE_BARRIERS,
	FIGURE_FLOOR,
	FIGURE_STEP,
	FIGURE_COUNT
};

/* What stands in brackets after a figure: sectors(A), step(naive). */
enum require_argument {
	ARGUMENT_NONE,
	ARGUMENT_OPERAND,
	ARGUMENT_RUNG /* a variant of the family */
};

extern const struct require_figure_row {
	const char *name;
	enum require_argument argument;
	bool optional;    /* the argument may be left out */
	const char *unit; /* "%", "ns"; NULL = a plain number */
} require_figures[FIGURE_COUNT];

#define REQUIRE_NAME_BYTES 48
#define REQUIRE_TEXT_BYTES 160
#define REQUIRE_MAX_FIGURES 4 /* of a condition */
#define REQUIRE_MAX_CONDITIONS 40

struct require_figure {
	enum require_figure_id id;
	char argument[REQUIRE_NAME_BYTES]; /* "" = none */
};

struct require_condition {
	char text[REQUIRE_TEXT_BYTES];     /* as written, without points */
	char sides[2][REQUIRE_TEXT_BYTES]; /* expressions, in which "figureN" is figures[N] */
	double scales[2];                  /* 0.01 for a side in % */
	int comparison;                    /* index into a table of operators */
	struct require_figure figures[REQUIRE_MAX_FIGURES]; /* in the order of the text */
	size_t figure_count;
	int64_t points; /* 0: not given */
};

struct require_list {
	struct require_condition items[REQUIRE_MAX_CONDITIONS];
	size_t count;
};

/* The names that conditions may have as arguments. */
struct require_names {
	const char *const *operands, *const *rungs;
	size_t operand_count, rung_count;
};

/* Adds the conditions of a text to a list. from: where the text is, for messages. names: NULL = any name is allowed.
 * PMPP_USAGE: an unknown figure, operand or variant, with the names that there are; or a text that is no condition. */
enum pmpp_status require_add(const char *from, const char *text, const struct require_names *names,
	struct require_list *list, struct pmpp_error *error);

/* The conditions of the comments "//pmpp: require = ..." of a source, separated by line ends. malloc'ed; NULL: no
 * memory. */
char *require_comments(const char *source);

/* Whether a condition has a figure. */
bool require_uses(const struct require_condition *condition, enum require_figure_id id);

/* ---- Values ---------------------------------------------------------------------------------- */

#define REQUIRE_REASON_BYTES 160

struct require_value {
	double value;                      /* NAN: unknown */
	bool skipped;                      /* unknown, and no reason to fail: there is no device */
	char reason[REQUIRE_REASON_BYTES]; /* why it is unknown */
	int64_t line;                      /* of the source with the worst value; 0: none */
	const char *text;                  /* of the line; NULL = none */
	double right;                      /* require_decide(): the right side of the comparison */
};

typedef void require_find_fn(
	void *context, const struct require_figure *figure, struct require_value *ret_value);

enum require_state {
	REQUIRE_HOLDS,
	REQUIRE_FAILS, /* also if a value is unknown */
	REQUIRE_SKIPPED
};

/* Decides a condition. *ret_value: of its first figure, or of the one that is unknown. */
enum require_state require_decide(const struct require_condition *condition, require_find_fn *find,
	void *context, struct require_value *ret_value);

#endif
