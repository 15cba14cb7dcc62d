/* The problem of a kernel, and what its parameters stand for. */
#include "common/own/reader.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/words.h"

/* ---- Names -------------------------------------------------------------------------------------- */

/* Returns the name in small letters without underscores, and without the marks of device memory: d_A, A_d. */
static void plain_name(const char *name, char ret_plain[OWN_NAME_BYTES])
{
	static const char *const before[] = {"d_", "dev_", "device_", "g_", "gpu_", "p_"};
	static const char *const after[] = {"_d", "_dev", "_device", "_gpu", "_ptr"};
	size_t used = 0, length = strlen(name);

	for (size_t i = 0; i < COUNT(before); i++)
		if (strncmp(name, before[i], strlen(before[i])) == 0 && name[strlen(before[i])]) {
			name += strlen(before[i]);
			length = strlen(name);
			break;
		}
	for (size_t i = 0; i < COUNT(after); i++)
		if (length > strlen(after[i]) && strncmp(name + length - strlen(after[i]), after[i],
							 strlen(after[i])) == 0) {
			length -= strlen(after[i]);
			break;
		}
	for (size_t i = 0; i < length && used + 1 < OWN_NAME_BYTES; i++)
		if (name[i] != '_')
			ret_plain[used++] = (char)tolower((unsigned char)name[i]);
	ret_plain[used] = '\0';
}

/* Whether the name of a parameter is a name, or one of the aliases. */
static bool is_called(const char *plain, const char *name, const char *aliases)
{
	char own[OWN_NAME_BYTES];

	plain_name(name, own);
	return strcmp(plain, own) == 0 ||
	       (aliases && has_word(aliases, aliases + strlen(aliases), plain));
}

/* ---- The problem ------------------------------------------------------------------------------ */

/* The length of the longest name of the family in a text; 0: none. */
static size_t family_match(const struct family *family, const char *plain)
{
	size_t best = strstr(plain, family->name) ? strlen(family->name) : 0, length;
	const char *end = family->aliases ? family->aliases + strlen(family->aliases) : NULL;

	for (const char *at = end ? next_word(family->aliases, end, &length) : NULL; at && length;
		at = next_word(at + length, end, &length))
		if (length > best && memmem(plain, strlen(plain), at, length))
			best = length;
	return best;
}

enum pmpp_status own_find_family(struct own_reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	char wanted[OWN_TEXT_BYTES], plain[2][OWN_NAME_BYTES];
	size_t best = 0;
	bool several = false;

	kernel->family = reader->wishes->family;
	if (kernel->family)
		return PMPP_OK;
	own_wish(reader, reader->wishes->problem, "problem", wanted);
	plain_name(kernel->entry, plain[0]);
	plain_name(kernel->name, plain[1]);
	for (size_t i = 0; i < family_count; i++) {
		size_t match = 0;
		for (size_t k = 0; k < 2 && !*wanted && match == 0; k++)
			match = family_match(families[i], plain[k]);
		if (*wanted)
			match = strcmp(wanted, families[i]->name) == 0;
		if (families[i]->internal || match == 0 || match < best)
			continue;
		several = match == best;
		best = match;
		kernel->family = families[i];
	}
	if (best && !several)
		return PMPP_OK;
	if (*wanted)
		return OWN_REFUSE(reader,
			"no problem '%s'; pmpp-run list has the names, and a file FILE.c can be one",
			wanted);
	return OWN_REFUSE(reader,
		"the problem of %s is not known: give --problem=NAME, or add the line "
		"'//pmpp: problem = NAME' (names: pmpp-run list)",
		kernel->entry);
}

/* ---- Binding ---------------------------------------------------------------------------------- */

static bool operand_is_bound(const struct own_kernel *kernel, size_t operand)
{
	for (size_t i = 0; i < kernel->param_count; i++)
		if (kernel->params[i].role == OWN_OPERAND && kernel->params[i].index == operand)
			return true;
	return false;
}

static bool size_is_bound(const struct own_kernel *kernel, size_t dim)
{
	for (size_t i = 0; i < kernel->param_count; i++)
		if (kernel->params[i].role == OWN_SIZE && kernel->params[i].index == dim)
			return true;
	return false;
}

/* Whether a pointer can be an operand: outputs are not constant. If as many pointers are constant as there are
 * inputs, the others are no inputs. */
static bool may_be(const struct own_kernel *kernel, const struct own_param *param, size_t operand)
{
	const struct family *family = kernel->family;
	size_t inputs = 0, read_only = 0;

	for (size_t i = 0; i < family->operand_count; i++)
		inputs += family->operands[i].role == OPERAND_IN && !family->operands[i].in_place;
	for (size_t i = 0; i < kernel->param_count; i++)
		read_only += kernel->params[i].pointer && kernel->params[i].read_only;
	/* A later launch reads what an earlier one wrote. */
	if (kernel->several)
		return !family->operands[operand].in_place;
	if (family->operands[operand].in_place || operand_is_bound(kernel, operand))
		return false;
	return family->operands[operand].role == OPERAND_IN ? param->read_only || read_only < inputs
							    : !param->read_only;
}

/* Binds a parameter to the operand or size that has the name. If several sizes accept it, the first one that no
 * other parameter has. */
static void bind_name(const struct own_kernel *kernel, const char *name, struct own_param *param)
{
	const struct family *family = kernel->family;
	char plain[OWN_NAME_BYTES];

	plain_name(name, plain);
	for (size_t i = 0; i < kernel->scratch_count && param->pointer; i++)
		if (is_called(plain, kernel->scratch[i].name, NULL)) {
			param->role = OWN_SCRATCH;
			param->index = i;
			return;
		}
	for (size_t i = 0; i < family->operand_count && param->pointer; i++)
		if (may_be(kernel, param, i) &&
			is_called(plain, family->operands[i].name, family->operands[i].aliases)) {
			param->role = OWN_OPERAND;
			param->index = i;
			return;
		}
	for (size_t i = 0; i < family->dim_count && !param->pointer && param->arg != PLAN_ARG_FLOAT;
		i++) {
		if (!is_called(plain, family->dim_names[i], family->dim_aliases[i]))
			continue;
		bool taken = size_is_bound(kernel, i);
		if (param->role == OWN_SIZE && taken)
			continue;
		param->role = OWN_SIZE;
		param->index = i;
		if (!taken)
			return;
	}
}

static bool parse_value(const char *text, const struct own_param *param, int64_t *ret_value)
{
	char *end;
	float real = strtof(text, &end);
	int32_t bits;

	if (!*text || *end)
		return false;
	if (param->arg != PLAN_ARG_FLOAT) {
		*ret_value = strtoll(text, &end, 0);
		return *end == '\0';
	}
	memcpy(&bits, &real, sizeof bits);
	*ret_value = bits;
	return true;
}

/* Whether the text has a value at a problem with all sizes 64. */
static bool is_expression(const struct own_kernel *kernel, const char *text)
{
	const struct problem problem = own_sample_problem(kernel);
	char reason[EXPRESSION_PROBLEM_BYTES];
	int64_t value;

	return problem_value(&problem, text, &value, reason);
}

/* Binds the parameters that comments name: "//pmpp: alpha = 1", "//pmpp: width = n". */
static enum pmpp_status bind_comments(const struct own_reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	char value[OWN_TEXT_BYTES];

	for (size_t i = 0; i < kernel->param_count; i++) {
		struct own_param *param = &kernel->params[i];
		if (!own_comment(reader, param->name, value))
			continue;
		bind_name(kernel, value, param);
		if (param->role == OWN_UNBOUND && !param->pointer &&
			parse_value(value, param, &param->value))
			param->role = OWN_VALUE;
		if (param->role == OWN_UNBOUND && !param->pointer && param->arg != PLAN_ARG_FLOAT &&
			is_expression(kernel, value)) {
			param->role = OWN_COMPUTED;
			snprintf(param->text, sizeof param->text, "%s", value);
		}
		if (param->role == OWN_UNBOUND)
			return OWN_REFUSE(reader, "'//pmpp: %s = %s': %s has no such %s",
				param->name, value, kernel->family->name,
				param->pointer ? "operand" : "size, and the value is not a number");
	}
	return PMPP_OK;
}

/* Binds a parameter to the scalar that has the name. plain: of the parameter. */
static void bind_scalar(const struct own_kernel *kernel, const char *plain, struct own_param *param)
{
	const struct family *family = kernel->family;

	for (size_t i = 0; i < family->scalar_count && param->role == OWN_UNBOUND; i++)
		if (!param->pointer && is_called(plain, family->scalars[i].name, NULL) &&
			parse_value(family->scalars[i].value, param, &param->value))
			param->role = OWN_VALUE;
}

static void bind_names(struct own_kernel *kernel)
{
	static const struct {
		const char *name;
		float value;
	} factors[] = {{"alpha", 1}, {"beta", 0}}; /* of C = alpha A B + beta C */
	char plain[OWN_NAME_BYTES];

	for (size_t i = 0; i < kernel->param_count; i++) {
		struct own_param *param = &kernel->params[i];
		if (param->local)
			param->role = OWN_LOCAL;
		/* The kernel cannot read a parameter without a name. */
		if (!param->pointer && !*param->name)
			param->role = OWN_VALUE;
		if (param->role != OWN_UNBOUND)
			continue;
		bind_name(kernel, param->name, param);
		plain_name(param->name, plain);
		bind_scalar(kernel, plain, param);
		for (size_t k = 0; k < COUNT(factors) && param->arg == PLAN_ARG_FLOAT; k++)
			if (!param->pointer && param->role == OWN_UNBOUND &&
				strcmp(plain, factors[k].name) == 0) {
				int32_t bits;
				memcpy(&bits, &factors[k].value, sizeof bits);
				param->role = OWN_VALUE;
				param->value = bits;
			}
	}
}

/* Binds the other pointers in order. */
static void bind_pointers(struct own_kernel *kernel)
{
	for (size_t i = 0; i < kernel->param_count; i++) {
		struct own_param *param = &kernel->params[i];
		for (size_t k = 0; k < kernel->family->operand_count; k++) {
			if (param->role == OWN_UNBOUND && param->pointer &&
				may_be(kernel, param, k)) {
				param->role = OWN_OPERAND;
				param->index = k;
			}
		}
	}
}

/* Whether the kernel need not have a parameter for each size without a default. A problem of the user may have sizes
 * that only its data need. */
static bool takes_any(const struct own_kernel *kernel)
{
	return kernel->square || kernel->family->own;
}

/* Binds the other integers in order, if there are as many sizes. A single integer is all sizes. */
static void bind_sizes(struct own_kernel *kernel)
{
	const struct family *family = kernel->family;
	size_t integers = 0, left = 0, dims = 0, required = 0;

	for (size_t i = 0; i < kernel->param_count; i++) {
		const struct own_param *param = &kernel->params[i];
		bool integer = !param->pointer && param->arg != PLAN_ARG_FLOAT &&
			       param->role != OWN_VALUE && param->role != OWN_COMPUTED;
		integers += integer;
		left += integer && param->role == OWN_UNBOUND;
	}
	for (size_t d = 0; d < family->dim_count; d++) {
		dims += !size_is_bound(kernel, d) && family->dim_default[d] == 0;
		required += family->dim_default[d] == 0;
	}
	kernel->square = integers == 1 && required > 1 && family->takes_squares;
	for (size_t i = 0, d = 0;
		i < kernel->param_count && !kernel->several && (kernel->square || left == dims);
		i++) {
		struct own_param *param = &kernel->params[i];
		if (param->pointer || param->role != OWN_UNBOUND || param->arg == PLAN_ARG_FLOAT)
			continue;
		while (d < family->dim_count &&
			(size_is_bound(kernel, d) || family->dim_default[d]))
			d++;
		if (d < family->dim_count) {
			param->role = OWN_SIZE;
			param->index = d;
		}
	}
	for (size_t d = 0; d < family->dim_count; d++)
		if (!size_is_bound(kernel, d) && (family->dim_default[d] || !takes_any(kernel)))
			kernel->unbound |= 1u << d;
}

/* ---- The inner size of a product -------------------------------------------------------------------
 * A kernel C = A B may use the names M, N and K in another order than the family. If A is M x N, N is the bound of the
 * loop over the terms, and A[row * N + i] contains N too. */

/* Whether brackets after a word contain a name: "for (...; i < N; ...)", "A[row * N + i]". */
static bool has_after(const struct own_reader *reader, const char *word, const char *name)
{
	struct span body = reader->body;
	size_t length;

	for (const char *at = next_word(body.begin, body.end, &length); length > 0;
		at = next_word(at + length, body.end, &length)) {
		const char *open = at + length + strspn(at + length, " ");
		const char *close = same_word(at, length, word) && (*open == '(' || *open == '[')
					    ? closing_bracket(open)
					    : NULL;
		if (close && has_word(open, close, name))
			return true;
	}
	return false;
}

/* Exchanges the inner size with the only size that bounds a loop, if the indices of the first operand contain this
 * size. */
static void bind_inner_size(const struct own_reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	const struct family *family = kernel->family;
	struct own_param *inner = NULL, *bound = NULL;
	const char *first = "";

	if (family->dim_count != 3 || kernel->square || !family->takes_squares)
		return;
	for (size_t i = 0; i < kernel->param_count; i++) {
		struct own_param *param = &kernel->params[i];
		if (param->role == OWN_OPERAND && param->index == 0)
			first = param->name;
		if (param->role != OWN_SIZE)
			continue;
		if ((int)param->index == family->operands[0].columns_dim)
			inner = param;
		if (!has_after(reader, "for", param->name))
			continue;
		if (bound)
			return;
		bound = param;
	}
	if (!inner || !bound || !has_after(reader, first, bound->name))
		return;
	size_t index = inner->index;
	inner->index = bound->index;
	bound->index = index;
}

/* ---- Checks ------------------------------------------------------------------------------------ */

/* Every parameter must be bound, and every operand and size. */
static enum pmpp_status check_binding(const struct own_reader *reader)
{
	const struct own_kernel *kernel = reader->kernel;
	const struct family *family = kernel->family;

	for (size_t i = 0; i < kernel->param_count; i++)
		if (kernel->params[i].role == OWN_UNBOUND)
			return OWN_REFUSE(reader,
				"parameter '%s' of %s is not bound: add the line '//pmpp: %s = %s', "
				"with %s (pmpp-run list %s)",
				kernel->params[i].name, kernel->entry, kernel->params[i].name,
				kernel->params[i].pointer
					? family->operands[family->operand_count - 1].name
					: family->dim_names[0],
				kernel->params[i].pointer ? "an operand of the problem"
							  : "a size of the problem or a number",
				family->name);
	for (size_t i = 0; i + 1 < kernel->param_count; i++)
		if (kernel->params[i].role == OWN_LOCAL)
			return OWN_REFUSE(reader,
				"only the last parameter of %s can be a __local pointer",
				kernel->entry);
	for (size_t k = 0; k < family->operand_count; k++)
		if (!kernel->several && !family->operands[k].in_place &&
			!operand_is_bound(kernel, k))
			return OWN_REFUSE(reader, "no parameter of %s is %s of %s (%s)",
				kernel->entry, family->operands[k].name, family->name,
				family->title);
	return PMPP_OK;
}

/* The types of the elements choose the type of the problem. */
static enum pmpp_status check_types(const struct own_reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	const struct family *family = kernel->family;

	for (size_t i = 0; i < kernel->param_count; i++) {
		const struct own_param *param = &kernel->params[i];
		if (param->role != OWN_OPERAND || !param->has_dtype)
			continue;
		const struct operand *operand = &family->operands[param->index];
		bool good = param->dtype == operand->dtype;
		if (operand->dtype_of_problem) {
			good = !kernel->has_dtype || kernel->dtype == param->dtype;
			kernel->has_dtype = true;
			kernel->dtype = param->dtype;
			bool takes = family->dtype_count == 0 && param->dtype == DTYPE_F32;
			for (size_t k = 0; k < family->dtype_count; k++)
				takes |= family->dtypes[k] == param->dtype;
			good &= takes;
		}
		/* Pixels of 3 bytes are no vectors of 4. */
		if (operand->columns_scale > 1 && param->lanes)
			good &= operand->columns_scale % param->lanes == 0;
		if (!good)
			return OWN_REFUSE(reader,
				"the elements of parameter '%s' have another type than %s of "
				"%s (%s)",
				param->name, operand->name, family->name, family->size_help);
	}
	return PMPP_OK;
}

/* Whether the host code sets an argument of the launch to 0: cudaMemset(d_sum, 0, ...). */
static bool is_set_to_zero(const struct own_kernel *kernel, const char *argument)
{
	const char *end = kernel->code + strlen(kernel->code);
	size_t length;

	for (const char *at = next_word(kernel->code, end, &length); length > 0;
		at = next_word(at + length, end, &length)) {
		const char *open = at + length + strspn(at + length, " \t\r\n");
		struct span rest = {open + 1, end}, name, value;
		if ((!same_word(at, length, "cudaMemset") &&
			    !same_word(at, length, "cudaMemsetAsync")) ||
			*open != '(' || !span_take_part(&rest, &name) ||
			!span_take_part(&rest, &value))
			continue;
		if (span_is(name, argument) && span_is(value, "0"))
			return true;
	}
	return false;
}

/* Operands that the host code sets to 0 before the launch. */
static void bind_host_zeros(struct own_kernel *kernel)
{
	for (size_t i = 0; i < kernel->param_count; i++)
		if (kernel->params[i].role == OWN_OPERAND && *kernel->arguments[i] &&
			is_set_to_zero(kernel, kernel->arguments[i]))
			kernel->cleared |= 1u << kernel->params[i].index;
}

static enum pmpp_status bind_cleared(const struct own_reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	char value[OWN_TEXT_BYTES];
	const char *output = "";
	bool known = kernel->several;

	if (!own_comment(reader, "clear", value)) {
		bind_host_zeros(kernel);
		return PMPP_OK;
	}
	for (size_t i = 0; i < kernel->param_count; i++) {
		const struct own_param *param = &kernel->params[i];
		bool has_buffer = param->role == OWN_OPERAND || param->role == OWN_SCRATCH;
		if (param->role == OWN_OPERAND &&
			kernel->family->operands[param->index].role == OPERAND_OUT)
			output = param->name;
		if (!has_buffer || !has_word(value, value + strlen(value), param->name))
			continue;
		*(param->role == OWN_SCRATCH ? &kernel->cleared_scratch : &kernel->cleared) |=
			1u << param->index;
		known = true;
	}
	if (known)
		return PMPP_OK;
	return OWN_REFUSE(reader,
		"'//pmpp: clear = %s': give the parameter of an operand (here: %s)", value, output);
}

static enum pmpp_status find_operation(const struct own_reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	char value[OWN_TEXT_BYTES];

	if (!own_comment(reader, "op", value))
		return PMPP_OK;
	for (size_t i = 0; i < PMPP_MAX_CHOICES && kernel->family->ops[i]; i++)
		if (strcmp(kernel->family->ops[i], value) == 0)
			kernel->op = kernel->family->ops[i];
	if (kernel->op)
		return PMPP_OK;
	return OWN_REFUSE(
		reader, "'//pmpp: op = %s': %s has no such operation", value, kernel->family->name);
}

enum pmpp_status own_bind_parameters(const struct own_reader *reader)
{
	enum pmpp_status status = bind_comments(reader);

	if (status != PMPP_OK)
		return status;
	bind_names(reader->kernel);
	/* With several launches, only names say what a parameter is. */
	if (!reader->kernel->several)
		bind_pointers(reader->kernel);
	bind_sizes(reader->kernel);
	bind_inner_size(reader);
	status = check_binding(reader);
	if (status == PMPP_OK)
		status = check_types(reader);
	if (status == PMPP_OK)
		status = find_operation(reader);
	return status == PMPP_OK ? bind_cleared(reader) : status;
}
