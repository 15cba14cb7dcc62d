/*
 * Values of arithmetic expressions in C, such as the size of a grid: "(n + 255) / 256".
 */
#ifndef PMPP_COMMON_EXPRESSION_H
#define PMPP_COMMON_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

struct number {
	double value; /* an integer unless `real` */
	bool real;
};

/* Where names have their values. */
struct expression_names {
	/* Sets the value of a name, which may have points: "block.x". Returns false if there is no such name. */
	bool (*find)(void *context, const char *name, size_t length, struct number *ret_number);
	void *context;
	/* false: as in C, 7 / 2 is 3. true: quotients inside of ceil() and floor() are exact. */
	bool exact;
	bool all_exact; /* all quotients are exact */
};

#define EXPRESSION_PROBLEM_BYTES 80

/*
 * Computes the value of the text. Operators: + - * / % << >>, brackets, and casts to int, unsigned, size_t,
 * float and double. Functions: ceil, floor, min, max, and a rounded-up quotient under its usual names
 * (ceil_div, divUp, cdiv). Capital letters and underscores of these names do not matter. If there is no value, returns
 * false and writes the reason: "no value for 'N'".
 */
bool expression_value(const char *text, size_t length, const struct expression_names *names,
	struct number *ret_number, char ret_problem[EXPRESSION_PROBLEM_BYTES]);

#endif
