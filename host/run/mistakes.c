#include "host/run/mistakes.h"

#include "host/gpu/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The line of the note TRACE_EXIT_NOTE among the notes of a row; 0: none. */
static int exit_line_of(const struct result_row *row)
{
	static const char some[] = ": some threads returned before";

	for (size_t i = 0; i < row->notes.count; i++) {
		const char *at = strstr(row->notes.items[i], some);
		int line = 0;
		if (!at)
			continue;
		while (at > row->notes.items[i] && at[-1] >= '0' && at[-1] <= '9')
			at--;
		if (sscanf(at, "%d", &line) == 1)
			return line;
	}
	return 0;
}

static struct problem problem_of(const struct family *family, const struct result_row *row)
{
	struct problem problem = {.family = family};

	for (size_t d = 0; d < family->dim_count; d++) {
		problem.dim[d] = 1;
		for (size_t i = 0; i < row->problem.count; i++)
			if (strcmp(row->problem.items[i].name, family->dim_names[d]) == 0)
				problem.dim[d] = row->problem.items[i].value;
	}
	return problem;
}

static void set_extents(
	const struct family *family, const struct result_row *row, struct mistake_size *size)
{
	const struct problem problem = problem_of(family, row);
	const struct operand *output = problem_output(&problem);

	memcpy(size->dim, problem.dim, sizeof size->dim);
	size->rows = operand_rows(output, &problem);
	size->columns = operand_columns(output, &problem);
	for (size_t k = 0; k < family->operand_count; k++) {
		int64_t elements = operand_rows(&family->operands[k], &problem) *
				   operand_columns(&family->operands[k], &problem);
		size->elements = elements > size->elements ? elements : size->elements;
	}
}

static struct mistake_size size_of(const struct family *family, const struct result_row *row)
{
	const struct symptoms_record *symptoms = &row->symptoms;
	const struct defect_record *defect = &symptoms->defect;
	struct mistake_size size = {.passed = row->status == OUTCOME_OK,
		.signs = symptoms->signs,
		.from_row = symptoms->from_row,
		.from_column = symptoms->from_column,
		.kind = row->data,
		.data = symptoms->data,
		.text = ""};

	set_extents(family, row, &size);
	/* A fill is a step without a kernel. */
	for (size_t i = 0; i < row->launches.count; i++)
		if (row->launches.items[i].kernel) {
			memcpy(size.grid, row->launches.items[i].grid, sizeof size.grid);
			memcpy(size.block, row->launches.items[i].block, sizeof size.block);
		}
	if (defect->record.present && defect->kind >= 0) {
		size.defect = (enum trace_defect_kind)defect->kind;
		size.line = defect->line > 0 ? (int)defect->line : 0;
		size.other_line = defect->other_line > 0 ? (int)defect->other_line : 0;
		size.text = text_or_empty(defect->text);
	}
	return size;
}

/* Whether the row shows if the kernel is right. */
static bool is_judged(const struct result_row *row)
{
	return row->status == OUTCOME_OK || row->status == OUTCOME_FAILED ||
	       row->status == OUTCOME_LAUNCH_ERROR || row->status == OUTCOME_CRASHED;
}

/* The rows of the emulator have the defects. On other devices a wrong kernel may be right by chance. */
static bool is_emulated(const struct result_row *row)
{
	enum gpu_backend_id backend;

	return row->backend && gpu_backend_find(row->backend, &backend) &&
	       gpu_backend_row(backend)->on_request;
}

static bool has_selection(const struct own_kernel *kernel)
{
	const char *op = kernel->op ? kernel->op : "";

	return strcmp(op, "max") == 0 || strcmp(op, "min") == 0 ||
	       strstr(kernel->family->title, "max");
}

/* The first size without an end. The time limit of an emulator has the line. */
static bool find_hang(const struct family *family, const struct result_row_list *rows,
	struct mistake *ret_mistake)
{
	char size[100];

	for (size_t i = 0; i < rows->count; i++) {
		const struct result_row *row = &rows->items[i];
		const struct problem problem = problem_of(family, row);
		if (row->status != OUTCOME_TIMEOUT)
			continue;
		const struct mistake_size at = size_of(family, row);
		*ret_mistake = (struct mistake){.name = "endless loop", .line = at.line};
		problem_text(&problem, size, sizeof size);
		snprintf(ret_mistake->text, sizeof ret_mistake->text,
			"%.100s at %s, or this size needs a longer limit",
			*at.text ? at.text : text_or_empty(row->reason), size);
		return true;
	}
	return false;
}

/* Replaces "argument 1" with the name of the parameter. */
static void name_argument(const struct own_kernel *kernel, struct mistake *mistake)
{
	static const char word[] = "argument ";
	char text[sizeof mistake->text], *rest;
	const char *at = strstr(mistake->text, word);
	size_t index = at ? strtoul(at + strlen(word), &rest, 10) : 0;

	if (index < 1 || index > kernel->param_count || kernel->next)
		return;
	snprintf(text, sizeof text, "%.*s'%.60s'%s", (int)(at - mistake->text), mistake->text,
		kernel->params[index - 1].name, rest);
	memcpy(mistake->text, text, sizeof text);
}

enum pmpp_status mistakes_find(const struct own_kernel *kernel, const struct result_row_list *rows,
	struct mistake *ret_mistake, bool *ret_found, struct pmpp_error *error)
{
	struct mistake_size *sizes = calloc(rows->count + 1, sizeof *sizes);
	struct code_item *code = NULL;
	struct mistake_evidence evidence = {.sizes = sizes,
		.dim_count = kernel->family->dim_count,
		.matrix = family_has_matrix(kernel->family),
		.window = family_window_dim(kernel->family),
		/* Windows of a problem file have a radius. */
		.least_window = kernel->family->own ? 1 : 2,
		.selects = has_selection(kernel)};
	bool built = true, emulated = false;

	for (size_t i = 0; i < rows->count; i++)
		emulated = emulated || is_emulated(&rows->items[i]);
	for (size_t i = 0; i < rows->count && sizes; i++) {
		built = built && rows->items[i].status != OUTCOME_BUILD_ERROR;
		if (!is_judged(&rows->items[i]) || (emulated && !is_emulated(&rows->items[i])))
			continue;
		sizes[evidence.size_count++] = size_of(kernel->family, &rows->items[i]);
		if (evidence.exit_line == 0)
			evidence.exit_line = exit_line_of(&rows->items[i]);
	}
	if (!sizes || !own_kernel_code(kernel, &code, &evidence.code_count)) {
		free(sizes);
		return PMPP_NO_MEMORY(error, "the name of a mistake");
	}
	evidence.code = code;
	*ret_found = find_hang(kernel->family, rows, ret_mistake) ||
		     (built && mistake_find(&evidence, ret_mistake));
	if (*ret_found)
		name_argument(kernel, ret_mistake);
	free(code);
	free(sizes);
	return PMPP_OK;
}
