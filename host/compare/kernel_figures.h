/*
 * The figures of conditions (common/require.h), from the explanations of a kernel and from its times.
 */
#ifndef PMPP_HOST_COMPARE_KERNEL_FIGURES_H
#define PMPP_HOST_COMPARE_KERNEL_FIGURES_H

#include "common/model/mistake.h"
#include "common/require.h"
#include "host/record/explanation.h"

/* What is known about a kernel. Nothing is owned. */
struct kernel_figures {
	const struct explanation_record *launches; /* of the kernel; count 0: it was not traced */
	size_t launch_count;
	enum record_truth correct;
	const struct mistake *mistake;        /* why it is not correct; NULL = unknown */
	const struct explanation_list *rungs; /* of other variants, for floor(RUNG) */
	/* Checks of the kernel, for defects; its times and those of other variants, for step(RUNG). NULL = none. */
	const struct result_row_list *rows;
	const char *not_timed; /* why there are no times; NULL = there are times */
	const char *variant;   /* name of the kernel in `rows` */
};

/* A require_find_fn. context: struct kernel_figures. The line is that of the place with the worst value. */
void kernel_figure_find(
	void *context, const struct require_figure *figure, struct require_value *ret_value);

#endif
