/* A file as a variant. Every guess is part of the summary, and the verification shows a wrong one. */
#include "common/own/kernel.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/expression.h"
#include "common/host_code.h"
#include "common/integers.h"
#include "common/own/reader.h"
#include "common/text.h"
#include "common/words.h"

static void plan_add_copy(struct plan *plan, struct plan_arg target, struct plan_arg source)
{
	assert(plan->step_count < PMPP_MAX_STEPS);
	plan->steps[plan->step_count++] =
		(struct plan_step){.kind = PLAN_COPY, .as.copy = {target, source}};
}

/* A problem with all sizes 64, to see whether texts have values. */
static struct problem own_sample_problem(const struct own_kernel *kernel)
{
	struct problem problem = problem_default(kernel->family);

	for (size_t d = 0; d < PMPP_MAX_DIMS; d++)
		problem.dim[d] = 64;
	return problem;
}

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

static enum pmpp_status own_find_family(struct own_reader *reader)
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

/* Binds a parameter to the operand, size or scalar that has the name. If several sizes accept it, the first one that
 * no other parameter has. aliases: also by an alias. */
static void bind_name(
	const struct own_kernel *kernel, const char *name, bool aliases, struct own_param *param)
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
			is_called(plain, family->operands[i].name,
				aliases ? family->operands[i].aliases : NULL)) {
			param->role = OWN_OPERAND;
			param->index = i;
			return;
		}
	for (size_t i = 0; i < family->dim_count && !param->pointer && param->arg != PLAN_ARG_FLOAT;
		i++) {
		if (!is_called(
			    plain, family->dim_names[i], aliases ? family->dim_aliases[i] : NULL))
			continue;
		bool taken = size_is_bound(kernel, i);
		if (param->role == OWN_SIZE && taken)
			continue;
		param->role = OWN_SIZE;
		param->index = i;
		if (!taken)
			return;
	}
	for (size_t i = 0; i < family->scalar_count && param->role == OWN_UNBOUND; i++)
		if (!param->pointer && is_called(plain, family->scalars[i].name, NULL) &&
			parse_value(family->scalars[i].value, param, &param->value))
			param->role = OWN_VALUE;
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
		bind_name(kernel, value, false, param);
		if (param->role == OWN_UNBOUND)
			bind_name(kernel, value, true, param);
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

/* Binds a factor of C = alpha A B + beta C. */
static void bind_factor(struct own_param *param)
{
	static const struct {
		const char *name;
		float value;
	} factors[] = {{"alpha", 1}, {"beta", 0}};
	char plain[OWN_NAME_BYTES];

	plain_name(param->name, plain);
	for (size_t k = 0; k < COUNT(factors) && param->arg == PLAN_ARG_FLOAT; k++)
		if (!param->pointer && param->role == OWN_UNBOUND &&
			strcmp(plain, factors[k].name) == 0) {
			int32_t bits;
			memcpy(&bits, &factors[k].value, sizeof bits);
			param->role = OWN_VALUE;
			param->value = bits;
		}
}

/* An alias of a size can be the name of another size or of a scalar: all names are bound before aliases. */
static void bind_names(struct own_kernel *kernel)
{
	for (size_t i = 0; i < kernel->param_count; i++) {
		struct own_param *param = &kernel->params[i];
		if (param->local)
			param->role = OWN_LOCAL;
		/* The kernel cannot read a parameter without a name. */
		if (!param->pointer && !*param->name)
			param->role = OWN_VALUE;
		if (param->role == OWN_UNBOUND)
			bind_name(kernel, param->name, false, param);
	}
	for (size_t i = 0; i < kernel->param_count; i++) {
		struct own_param *param = &kernel->params[i];
		if (param->role == OWN_UNBOUND)
			bind_name(kernel, param->name, true, param);
		bind_factor(param);
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

static enum pmpp_status own_bind_parameters(const struct own_reader *reader)
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

/* ---- Block, grid and dynamic shared memory ------------------------------------------------------ */

#define DEFAULT_THREADS 256
#define DEFAULT_SIDE 16 /* of a two-dimensional block */
#define MAX_GUESSED_THREADS 1024
#define MAX_THREADS \
	(1 << 20) /* of a dimension. The limit of a device is checked before the launch */

/* ---- Names in expressions ----------------------------------------------------------------------- */

#define MAX_STEPS 1000 /* lookups of one expression */
#define MAX_LOOKUPS 16 /* of variables that have variables as values */

struct lookup {
	const struct own_kernel *kernel;
	const int64_t *dim; /* the sizes; NULL: they have no value yet */
	int depth;
	bool exact;
	int *steps; /* lookups that are left: a macro may have the next one many times */
};

static bool evaluate(const struct lookup *lookup, struct span text, struct number *ret_number,
	char ret_problem[EXPRESSION_PROBLEM_BYTES]);

/* The size that a name stands for: a name of the family, of a parameter, or of an argument of the launch. */
static bool find_size(const struct own_kernel *kernel, const char *name, size_t *ret_dim)
{
	const struct family *family = kernel->family;

	for (size_t i = 0; i < kernel->param_count; i++)
		if (kernel->params[i].role == OWN_SIZE &&
			(strcmp(kernel->params[i].name, name) == 0 ||
				strcmp(kernel->arguments[i], name) == 0)) {
			*ret_dim = kernel->params[i].index;
			return true;
		}
	for (size_t d = 0; d < family->dim_count; d++)
		if (strcmp(family->dim_names[d], name) == 0) {
			*ret_dim = d;
			return true;
		}
	return false;
}

static struct span all_code(const struct own_kernel *kernel)
{
	return span_of(kernel->code);
}

/* Finds the value of a variable: NAME = VALUE; */
static bool find_variable(struct span code, const char *name, struct span *ret_value)
{
	const char *end = code.end;
	size_t length;

	for (const char *at = next_word(code.begin, end, &length); length > 0;
		at = next_word(at + length, end, &length)) {
		const char *after = at + length + strspn(at + length, " \t\r\n");
		if (!same_word(at, length, name) || after[0] != '=' || after[1] == '=')
			continue;
		struct span rest = {after + 1, after + 1 + strcspn(after + 1, ";")};
		if (span_take_part(&rest, ret_value))
			return true;
	}
	return false;
}

/* Finds the values of a variable of the type dim3: NAME(x, y), NAME = dim3(x, y), NAME{x, y}. */
static bool find_dim3(const char *code, const char *name, struct span *ret_values)
{
	const char *end = code + strlen(code);
	size_t length, name_length;

	for (const char *at = next_word(code, end, &length); length > 0;
		at = next_word(at + length, end, &length)) {
		if (!same_word(at, length, "dim3"))
			continue;
		/* One declaration may have several variables. */
		const char *stop = at + strcspn(at, ";");
		for (const char *word = next_word(at + length, stop, &name_length); name_length > 0;
			word = next_word(word + name_length, stop, &name_length)) {
			const char *open = word + name_length + strcspn(word + name_length, "({;,");
			if (same_word(word, name_length, name) && *open && strchr("({", *open) &&
				closing_bracket(open)) {
				*ret_values = (struct span){open + 1, closing_bracket(open)};
				return true;
			}
		}
	}
	return false;
}

/* The value of `NAME.x` of a variable of the type dim3. A missing value is 1. */
static bool find_member(const struct lookup *lookup, const char *name, const char *member,
	struct number *ret_number)
{
	struct span values, part = {0};
	char problem[EXPRESSION_PROBLEM_BYTES];
	size_t index = *member ? (size_t)(*member - 'x') : 3;

	if (index > 2 || !find_dim3(lookup->kernel->code, name, &values))
		return false;
	*ret_number = (struct number){1, false};
	for (size_t i = 0; i <= index; i++)
		if (!span_take_part(&values, &part))
			return true;
	return evaluate(lookup, part, ret_number, problem);
}

static bool find_value(void *context, const char *name, size_t length, struct number *ret_number)
{
	struct lookup inner = *(const struct lookup *)context;
	const struct own_kernel *kernel = inner.kernel;
	char text[OWN_NAME_BYTES], problem[EXPRESSION_PROBLEM_BYTES];
	struct span value;
	size_t dim;

	if (length >= sizeof text || ++inner.depth > MAX_LOOKUPS || --*inner.steps < 0)
		return false;
	snprintf(text, sizeof text, "%.*s", (int)length, name);
	char *point = strchr(text, '.');
	if (point) {
		*point = '\0';
		return find_member(&inner, text, point + 1, ret_number);
	}
	if (find_size(kernel, text, &dim)) {
		if (inner.dim)
			*ret_number = (struct number){(double)inner.dim[dim], false};
		return inner.dim != NULL;
	}
	for (size_t i = 0; i < kernel->template_count; i++)
		if (strcmp(kernel->template_params[i].name, text) == 0) {
			const char *argument = kernel->template_params[i].value;
			value = span_of(argument);
			return evaluate(&inner, value, ret_number, problem);
		}
	return (own_find_macro(kernel, text, &value) ||
		       find_variable(all_code(kernel), text, &value)) &&
	       evaluate(&inner, value, ret_number, problem);
}

static bool evaluate(const struct lookup *lookup, struct span text, struct number *ret_number,
	char ret_problem[EXPRESSION_PROBLEM_BYTES])
{
	struct lookup copy = *lookup;
	const struct expression_names names = {find_value, &copy, lookup->exact};
	int steps = MAX_STEPS;

	copy.steps = lookup->steps ? lookup->steps : &steps;
	text = span_trim(text);
	return expression_value(
		text.begin, (size_t)(text.end - text.begin), &names, ret_number, ret_problem);
}

/* ---- The launch --------------------------------------------------------------------------------- */

/* Returns the place of <<< after the name of a kernel, and sets the arguments of its template, if it has any. NULL:
 * the name does not begin a launch. */
static const char *launch_after(const char *name_end, struct span *ret_instance)
{
	const char *open = name_end + strspn(name_end, " \t\r\n");

	if (*open == '<' && strncmp(open, "<<<", 3) != 0) {
		const char *close = open + strcspn(open, ">;");
		if (*close != '>')
			return NULL;
		*ret_instance = (struct span){open + 1, close};
		open = close + 1 + strspn(close + 1, " \t\r\n");
	}
	return strncmp(open, "<<<", 3) == 0 ? open : NULL;
}

static void own_find_call(struct own_reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	const char *end = kernel->code + strlen(kernel->code);
	size_t length;

	for (const char *at = next_word(kernel->code, end, &length);
		length > 0 && kernel->cuda && reader->call_count == 0;
		at = next_word(at + length, end, &length)) {
		const char *open = same_word(at, length, kernel->entry)
					   ? launch_after(at + length, &reader->instance)
					   : NULL;
		const char *close = open ? strstr(open, ">>>") : NULL;
		if (!close)
			continue;
		struct span rest = {open + 3, close};
		while (reader->call_count < 3 &&
			span_take_part(&rest, &reader->call[reader->call_count]))
			reader->call_count++;
		const char *brackets = close + 3 + strspn(close + 3, " \t\r\n");
		if (*brackets == '(' && closing_bracket(brackets))
			reader->call[3] = (struct span){brackets + 1, closing_bracket(brackets)};
	}
	struct span rest = reader->call[3], part;
	for (size_t i = 0; i < PMPP_MAX_ARGS && span_take_part(&rest, &part); i++)
		span_copy(part, kernel->arguments[i], sizeof kernel->arguments[i]);
}

/* Splits an argument of the launch into the texts of its dimensions. Returns false if it cannot be read. */
static bool split_argument(
	const struct own_kernel *kernel, struct span argument, struct span ret_parts[3])
{
	char name[OWN_NAME_BYTES];
	struct span values = argument;
	size_t length;
	const char *word = next_word(argument.begin, argument.end, &length);

	span_copy(argument, name, sizeof name);
	if (same_word(word, length, "dim3") &&
		closing_bracket(word + length + strcspn(word + length, "({")))
		values = (struct span){
			word + length + strcspn(word + length, "({") + 1, argument.end - 1};
	else if (!find_dim3(kernel->code, name, &values)) {
		ret_parts[0] = argument;
		return true;
	}
	for (size_t i = 0; i < 3 && span_take_part(&values, &ret_parts[i]); i++)
		;
	return ret_parts[0].begin != NULL;
}

/* Splits "16x16", "TILE x TILE" or "256, 4". An x between two numbers, or with spaces around it, separates. */
static void split_wish(char *text, struct span ret_parts[3])
{
	size_t count = 1;

	ret_parts[0] = span_of(text);
	for (char *at = text + 1, *last = text; *text && at[0] && at[1] && count < 3; at++) {
		bool separates =
			*at == 'x' &&
			((isspace((unsigned char)at[-1]) && isspace((unsigned char)at[1])) ||
				(isdigit((unsigned char)at[-1]) && isdigit((unsigned char)at[1])));
		if (*at == ',') {
			struct span rest = {last, at};
			separates = true;
			for (const char *c = rest.begin; c < rest.end; c++)
				if (*c == '(' && (!closing_bracket(c) || closing_bracket(c) > at))
					separates = false;
		}
		if (!separates)
			continue;
		ret_parts[count - 1].end = at;
		ret_parts[count++] = (struct span){at + 1, text + strlen(text)};
		last = at + 1;
	}
}

/* Sets the block from the texts of its dimensions. Returns false with the reason if there is no value. */
static bool set_block(struct own_kernel *kernel, const struct span parts[3], bool exact,
	char ret_problem[EXPRESSION_PROBLEM_BYTES])
{
	const struct lookup lookup = {.kernel = kernel, .exact = exact};
	uint32_t block[3] = {1, 1, 1};

	for (size_t i = 0; i < 3 && parts[i].begin; i++) {
		struct number number;
		if (!evaluate(&lookup, parts[i], &number, ret_problem))
			return false;
		if (!(number.value >= 1 && number.value <= MAX_THREADS)) {
			snprintf(ret_problem, EXPRESSION_PROBLEM_BYTES,
				"each dimension of a block has 1 to %d threads", MAX_THREADS);
			return false;
		}
		block[i] = (uint32_t)number.value;
	}
	memcpy(kernel->block, block, sizeof block);
	return true;
}

static void set_grid(struct own_kernel *kernel, const struct span parts[3], bool exact)
{
	for (size_t i = 0; i < 3; i++) {
		kernel->grid[i].exact = exact;
		if (parts[i].begin)
			span_copy(parts[i], kernel->grid[i].text, sizeof kernel->grid[i].text);
	}
}

/* The block that an attribute of the head requires: __launch_bounds__(N), reqd_work_group_size(x, y, z). */
static bool find_attribute(
	const struct own_reader *reader, const char *name, struct span ret_parts[3])
{
	const char *at = memmem(reader->head.begin, (size_t)(reader->head.end - reader->head.begin),
		name, strlen(name));
	const char *open = at ? at + strlen(name) + strspn(at + strlen(name), " \t\r\n") : NULL;

	if (!open || *open != '(' || !closing_bracket(open))
		return false;
	struct span values = {open + 1, closing_bracket(open)};
	for (size_t i = 0; i < 3 && span_take_part(&values, &ret_parts[i]); i++)
		;
	return true;
}

/* A macro with the usual name of a tile or block, for kernels whose launch is not in the file. */
static bool find_tile(
	const struct own_kernel *kernel, struct span *ret_value, const char **ret_name)
{
	static const char *const names[] = {"TILE_WIDTH", "TILE_SIZE", "TILE_DIM", "TILE",
		"BLOCK_SIZE", "BLOCK_DIM", "BLOCK_WIDTH", "BLOCKSIZE", "BLOCK", "BLOCK_THREADS",
		"THREADS"};

	for (size_t i = 0; i < COUNT(names); i++)
		if (own_find_macro(kernel, names[i], ret_value) ||
			find_variable(all_code(kernel), names[i], ret_value)) {
			*ret_name = names[i];
			return true;
		}
	return false;
}

/* The block if no option, comment, attribute or launch has it. */
static void guess_block(struct own_reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	char problem[EXPRESSION_PROBLEM_BYTES];
	struct span parts[3] = {{0}};

	reader->block_from = "the default";
	if (find_tile(kernel, &parts[0], &reader->block_from)) {
		if (kernel->two_dimensional && !own_find_macro(kernel, "BLOCK_ROWS", &parts[1]) &&
			!find_variable(all_code(kernel), "BLOCK_ROWS", &parts[1]))
			parts[1] = parts[0];
		if (set_block(kernel, parts, false, problem) &&
			kernel->block[0] * kernel->block[1] <= MAX_GUESSED_THREADS)
			return;
		reader->block_from = "the default";
	}
	kernel->block[0] = kernel->two_dimensional ? DEFAULT_SIDE : DEFAULT_THREADS;
	kernel->block[1] = kernel->two_dimensional ? DEFAULT_SIDE : 1;
	kernel->block[2] = 1;
}

static enum pmpp_status find_block(struct own_reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	char text[OWN_TEXT_BYTES], problem[EXPRESSION_PROBLEM_BYTES];
	struct span wish[3] = {{0}}, attribute[3] = {{0}}, call[3] = {{0}}, bounds[3] = {{0}};

	own_wish(reader, reader->wishes->block, "block", text);
	if (*text) {
		split_wish(text, wish);
		reader->block_from = "given";
		if (set_block(kernel, wish, true, problem))
			return PMPP_OK;
		return OWN_REFUSE(reader, "the block '%s': %s", text, problem);
	}
	reader->block_from = "from the attribute";
	if (find_attribute(reader, "reqd_work_group_size", attribute) &&
		set_block(kernel, attribute, false, problem))
		return PMPP_OK;
	reader->block_from = "from the launch";
	if (reader->call_count > 1 && split_argument(kernel, reader->call[1], call) &&
		set_block(kernel, call, false, problem))
		return PMPP_OK;
	reader->block_from = "__launch_bounds__";
	if (!kernel->two_dimensional && find_attribute(reader, "__launch_bounds__", bounds)) {
		bounds[1] = bounds[2] = (struct span){0};
		if (set_block(kernel, bounds, false, problem))
			return PMPP_OK;
	}
	guess_block(reader);
	return PMPP_OK;
}

/* Whether a value depends on an index, directly or through a variable of the kernel. */
static bool depends_on(
	const struct own_reader *reader, struct span value, enum index_kind kind, size_t axis)
{
	bool cuda = reader->kernel->cuda;
	size_t length;

	if (own_uses_index(value, kind, axis, cuda))
		return true;
	for (const char *at = next_word(value.begin, value.end, &length); length > 0;
		at = next_word(at + length, value.end, &length)) {
		char name[OWN_NAME_BYTES];
		struct span inner;
		span_copy((struct span){at, at + length}, name, sizeof name);
		if (find_variable(reader->body, name, &inner) &&
			own_uses_index(inner, kind, axis, cuda))
			return true;
	}
	return false;
}

/* The size that a word of the kernel names; -1: none. */
static int size_of_word(const struct own_kernel *kernel, const char *word, size_t length)
{
	for (size_t i = 0; i < kernel->param_count; i++)
		if (kernel->params[i].role == OWN_SIZE &&
			same_word(word, length, kernel->params[i].name))
			return (int)kernel->params[i].index;
	return -1;
}

/* Finds the size, or the product of sizes, that bounds a variable: `NAME < size` or `NAME >= size`, alone on its
 * side. */
static struct own_extent bound_of(
	const struct own_reader *reader, const char *name, size_t name_length)
{
	const char *end = reader->body.end;
	size_t length;

	for (const char *at = next_word(reader->body.begin, end, &length); length > 0;
		at = next_word(at + length, end, &length)) {
		struct own_extent found = {0};
		const char *before = at - 1, *after = at + length + strspn(at + length, " \t\r\n");
		while (before > reader->body.begin && isspace((unsigned char)*before))
			before--;
		bool compares = (after[0] == '<' && after[1] != '<') ||
				(after[0] == '>' && after[1] == '=');
		if (length != name_length || memcmp(at, name, length) != 0 || !compares ||
			strchr("+-*/%.", *before))
			continue;
		after += 1 + (after[1] == '=');
		while (found.count < OWN_MAX_EXTENT) {
			after += strspn(after, " \t\r\n");
			const char *word = next_word(after, end, &length);
			int size = word == after ? size_of_word(reader->kernel, word, length) : -1;
			if (size < 0)
				break;
			found.dims[found.count++] = size;
			after = word + length + strspn(word + length, " \t\r\n");
			if (strchr(");&|", *after))
				return found;
			if (*after++ != '*')
				break;
		}
		length = name_length;
	}
	return (struct own_extent){0};
}

/* Finds how many threads, or blocks of one index, the kernel needs in a dimension: from the bound of a variable
 * with the index, such as `x < width` for `x = blockIdx.x * blockDim.x + threadIdx.x`. */
static void find_extent(const struct own_reader *reader, size_t axis)
{
	struct own_extent *extent = &reader->kernel->extent[axis];
	const char *end = reader->body.end;
	size_t length;

	for (const char *at = next_word(reader->body.begin, end, &length);
		length > 0 && extent->count == 0; at = next_word(at + length, end, &length)) {
		const char *after = at + length + strspn(at + length, " \t\r\n");
		struct span rest = {after + 1, after + strcspn(after, ";")}, value;
		if (after[0] != '=' || after[1] == '=' || !span_take_part(&rest, &value) ||
			!depends_on(reader, value, INDEX_BLOCK, axis) ||
			depends_on(reader, value, INDEX_BLOCK, 1 - axis))
			continue;
		*extent = bound_of(reader, at, length);
		extent->blocks = !depends_on(reader, value, INDEX_THREAD, axis) &&
				 !depends_on(reader, value, INDEX_THREAD, 1 - axis);
	}
}

/* The threads of a dimension, if the file has no grid: the size that bounds the index of the threads, else the
 * elements of the output, or those of the input if there are more. */
static int64_t default_threads(
	const struct own_kernel *kernel, const struct problem *problem, size_t axis)
{
	const struct operand *input = &kernel->family->operands[0];
	const struct operand *output = problem_output(problem);
	int64_t rows = operand_rows(output, problem), columns = operand_columns(output, problem);

	if (kernel->extent[axis].count > 0) {
		int64_t threads = kernel->extent[axis].blocks ? kernel->block[axis] : 1;
		for (size_t i = 0; i < kernel->extent[axis].count; i++)
			threads *= problem->dim[kernel->extent[axis].dims[i]];
		return threads;
	}
	if (kernel->two_dimensional)
		return axis == 0 ? columns : rows;
	return operand_rows(input, problem) > rows * columns ? operand_rows(input, problem)
							     : rows * columns;
}

/* The grid of a problem. Returns false with the reason if a text has no value. */
static bool grid_of(const struct own_kernel *kernel, const struct problem *problem,
	uint64_t ret_groups[3], char ret_problem[EXPRESSION_PROBLEM_BYTES])
{
	const struct lookup lookup = {.kernel = kernel, .dim = problem->dim};

	ret_groups[0] = ret_groups[1] = ret_groups[2] = 1;
	*ret_problem = '\0';
	for (size_t i = 0; !*kernel->grid[0].text && i < (kernel->two_dimensional ? 2 : 1); i++)
		ret_groups[i] =
			(uint64_t)ceil_div(default_threads(kernel, problem, i), kernel->block[i]);
	for (size_t i = 0; i < 3 && *kernel->grid[i].text; i++) {
		const char *text = kernel->grid[i].text;
		struct lookup copy = lookup;
		struct number number;
		copy.exact = kernel->grid[i].exact;
		if (!evaluate(&copy, span_of(text), &number, ret_problem))
			return false;
		ret_groups[i] = number.value >= 1 ? (uint64_t)number.value : 0;
	}
	return true;
}

static enum pmpp_status find_given_grid(struct own_reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	const struct problem problem = own_sample_problem(kernel);
	char text[OWN_TEXT_BYTES], reason[EXPRESSION_PROBLEM_BYTES] = "";
	struct span wish[3] = {{0}}, call[3] = {{0}};
	uint64_t groups[3];

	own_wish(reader, reader->wishes->grid, "grid", text);
	reader->grid_from = "given";
	if (*text) {
		split_wish(text, wish);
		set_grid(kernel, wish, true);
		if (grid_of(kernel, &problem, groups, reason))
			return PMPP_OK;
		return OWN_REFUSE(reader,
			"the grid '%s': %s: use the sizes of the problem, parameters and macros",
			text, reason);
	}
	reader->grid_from = "from the launch";
	if (reader->call_count > 0 && split_argument(kernel, reader->call[0], call)) {
		set_grid(kernel, call, false);
		if (grid_of(kernel, &problem, groups, reason))
			return PMPP_OK;
	}
	if (reader->call_count > 0)
		snprintf(reader->no_grid, sizeof reader->no_grid, "%s",
			*reason ? reason : "it cannot be read");
	for (size_t i = 0; i < 3; i++)
		*kernel->grid[i].text = '\0';
	for (size_t i = 0; i < 2; i++)
		find_extent(reader, i);
	reader->grid_from = "the default";
	return PMPP_OK;
}

/* Whether the grid, given or of the launch, depends on a size. */
static bool grid_depends_on(const struct own_kernel *kernel, size_t dim)
{
	struct problem problem = own_sample_problem(kernel);
	uint64_t groups[2][3];
	char reason[EXPRESSION_PROBLEM_BYTES];

	if (!*kernel->grid[0].text || !grid_of(kernel, &problem, groups[0], reason))
		return false;
	problem.dim[dim] *= 1 << 10;
	return grid_of(kernel, &problem, groups[1], reason) &&
	       memcmp(groups[0], groups[1], sizeof groups[0]) != 0;
}

static enum pmpp_status find_grid(struct own_reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	const struct family *family = kernel->family;
	enum pmpp_status status = find_given_grid(reader);

	for (size_t d = 0; d < family->dim_count && status == PMPP_OK; d++) {
		if (kernel->several || !(kernel->unbound >> d & 1) || family->dim_default[d])
			continue;
		if (!kernel->several && !grid_depends_on(kernel, d))
			status = OWN_REFUSE(reader,
				"no parameter of %s is the size %s of %s: add a parameter, so "
				"that several sizes can be checked, or a grid that depends on %s",
				kernel->entry, family->dim_names[d], family->name,
				family->dim_names[d]);
		kernel->unbound &= ~(1u << d);
	}
	return status;
}

static enum pmpp_status find_shared(struct own_reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	const struct problem sample = own_sample_problem(kernel);
	char problem[EXPRESSION_PROBLEM_BYTES];
	struct lookup lookup = {.kernel = kernel, .dim = sample.dim, .exact = true};
	struct number number;

	own_wish(reader, reader->wishes->shared, "shared", kernel->shared.text);
	kernel->shared.exact = true;
	if (!*kernel->shared.text && reader->call_count > 2) {
		span_copy(reader->call[2], kernel->shared.text, sizeof kernel->shared.text);
		kernel->shared.exact = lookup.exact = false;
	}
	const char *text = kernel->shared.text;
	if (!*text && kernel->param_count && kernel->params[kernel->param_count - 1].local)
		return OWN_REFUSE(reader,
			"the size of '%s' is missing: add the line '//pmpp: shared = BYTES'",
			kernel->params[kernel->param_count - 1].name);
	bool known = !*text || evaluate(&lookup, span_of(text), &number, problem);
	if (known && *text && number.value > UINT32_MAX)
		return OWN_REFUSE(reader,
			"dynamic shared memory of %.0f bytes: no block has so much", number.value);
	if (known)
		return PMPP_OK;
	return OWN_REFUSE(reader,
		"the size of the dynamic shared memory '%s': %s: add the line '//pmpp: shared = "
		"BYTES'",
		text, problem);
}

static enum pmpp_status own_read_launch(struct own_reader *reader)
{
	enum pmpp_status status = find_block(reader);

	if (status == PMPP_OK)
		status = find_grid(reader);
	return status == PMPP_OK ? find_shared(reader) : status;
}

static uint32_t shared_bytes_of(const struct own_kernel *kernel, const struct problem *problem)
{
	const struct lookup lookup = {
		.kernel = kernel, .dim = problem->dim, .exact = kernel->shared.exact};
	const char *text = kernel->shared.text;
	char reason[EXPRESSION_PROBLEM_BYTES];
	struct number number;

	if (!*text || !evaluate(&lookup, span_of(text), &number, reason))
		return 0;
	return (uint32_t)fmin(fmax(number.value, 0), UINT32_MAX);
}

/* Sets grid, block and dynamic shared memory of the launch for a problem. */
static void own_launch_set(
	const struct own_kernel *kernel, const struct problem *problem, struct plan_launch *launch)
{
	char reason[EXPRESSION_PROBLEM_BYTES];
	uint64_t groups[3];
	bool known = grid_of(kernel, problem, groups, reason);

	for (size_t i = 0; i < 3; i++) {
		launch->groups[i] = known ? groups[i] : 1;
		launch->block[i] = kernel->block[i];
	}
	launch->shared_bytes = shared_bytes_of(kernel, problem);
}

/* ---- Scratch buffers --------------------------------------------------------------------------- */

/* Reads "partial[ceil(n / 256)] f32". */
static bool read_scratch(struct span text, struct own_scratch *ret_scratch)
{
	const char *open = span_find(text, '[');
	const char *close = open ? closing_bracket(open) : NULL;
	char type[OWN_NAME_BYTES];

	if (!close || close >= text.end)
		return false;
	span_copy((struct span){text.begin, open}, ret_scratch->name, OWN_NAME_BYTES);
	span_copy((struct span){open + 1, close}, ret_scratch->elements, OWN_TEXT_BYTES);
	span_copy((struct span){close + 1, text.end}, type, sizeof type);
	for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++)
		if (strcmp(dtype_info(dtype)->name, type) == 0) {
			ret_scratch->dtype = dtype;
			return true;
		}
	return false;
}

static enum pmpp_status read_scratch_buffers(const struct own_reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	const struct problem sample = own_sample_problem(kernel);
	char value[OWN_TEXT_BYTES], reason[EXPRESSION_PROBLEM_BYTES];
	struct span part;
	int64_t elements;

	if (!own_comment(reader, "scratch", value))
		return PMPP_OK;
	for (struct span rest = span_of(value); span_take_part(&rest, &part);) {
		if (kernel->scratch_count == PMPP_MAX_SCRATCH)
			return OWN_REFUSE(reader, "more than %d scratch buffers", PMPP_MAX_SCRATCH);
		struct own_scratch *scratch = &kernel->scratch[kernel->scratch_count++];
		if (!read_scratch(part, scratch))
			return OWN_REFUSE(reader,
				"'//pmpp: scratch = %s': write NAME[ELEMENTS] TYPE, such as "
				"partial[ceil(n / 256)] f32",
				value);
		if (!problem_value(&sample, scratch->elements, &elements, reason))
			return OWN_REFUSE(reader,
				"the scratch buffer '%s': %s: use the sizes of the problem",
				scratch->name, reason);
	}
	return PMPP_OK;
}

/* variant.scratch */
static void scratch_bytes(const struct config *config, const struct problem *problem,
	uint64_t ret_bytes[PMPP_MAX_SCRATCH])
{
	const struct own_kernel *kernel = config->variant->own;
	char reason[EXPRESSION_PROBLEM_BYTES];

	for (size_t i = 0; i < kernel->scratch_count; i++) {
		int64_t elements = 1;
		problem_value(problem, kernel->scratch[i].elements, &elements, reason);
		double bytes = (double)(elements > 1 ? elements : 1) *
			       (double)dtype_info(kernel->scratch[i].dtype)->bytes;
		/* More than any device has: the memory check reports it. */
		ret_bytes[i] = bytes < 0x1p60 ? ((uint64_t)bytes + 3) / 4 * 4 : (uint64_t)1 << 60;
	}
}

/* ---- The variant -------------------------------------------------------------------------------- */

static struct plan_arg arg_of(const struct own_param *param, const struct problem *problem)
{
	char reason[EXPRESSION_PROBLEM_BYTES];
	int64_t value = 0;

	switch (param->role) {
	case OWN_OPERAND:
		return (struct plan_arg){PLAN_ARG_OPERAND, (int64_t)param->index};
	case OWN_SIZE:
		return (struct plan_arg){param->arg, problem->dim[param->index]};
	case OWN_SCRATCH:
		return (struct plan_arg){PLAN_ARG_SCRATCH, (int64_t)param->index};
	case OWN_COMPUTED:
		/* The text had a value for other sizes. */
		problem_value(problem, param->text, &value, reason);
		return (struct plan_arg){param->arg, value};
	case OWN_VALUE:
	case OWN_UNBOUND:
	case OWN_LOCAL:
		break;
	}
	return (struct plan_arg){param->arg, param->value};
}

static void add_launch(
	const struct own_kernel *kernel, const struct problem *problem, struct plan *ret_plan)
{
	struct plan_launch *launch =
		plan_add_kernel(ret_plan, kernel->launched, 1, kernel->block[0], NULL, 0);

	own_launch_set(kernel, problem, launch);
	for (size_t i = 0; i < kernel->param_count; i++)
		if (kernel->params[i].role != OWN_LOCAL) {
			struct plan_arg arg = arg_of(&kernel->params[i], problem);
			plan_launch_add(launch, arg.kind, arg.value);
		}
}

/* variant.plan */
static void plan_own(
	const struct config *config, const struct problem *problem, struct plan *ret_plan)
{
	const struct own_kernel *kernel = config->variant->own;

	for (size_t i = 0; i < kernel->family->operand_count; i++)
		if (kernel->family->operands[i].in_place)
			plan_add_copy(ret_plan,
				(struct plan_arg){PLAN_ARG_OPERAND,
					(int64_t)kernel->family->operand_count - 1},
				(struct plan_arg){PLAN_ARG_OPERAND, (int64_t)i});
	for (size_t i = 0; i < kernel->family->operand_count; i++)
		if (kernel->cleared >> i & 1)
			plan_add_fill(ret_plan, (struct plan_arg){PLAN_ARG_OPERAND, (int64_t)i}, 0);
	for (size_t i = 0; i < kernel->scratch_count; i++)
		if (kernel->cleared_scratch >> i & 1)
			plan_add_fill(ret_plan, (struct plan_arg){PLAN_ARG_SCRATCH, (int64_t)i}, 0);
	for (; kernel; kernel = kernel->next)
		add_launch(kernel, problem, ret_plan);
}

void own_kernel_fit(const struct own_kernel *kernel, int64_t dim[PMPP_MAX_DIMS])
{
	const struct family *family = kernel->family;

	for (size_t d = 0; d < family->dim_count; d++)
		if (kernel->unbound >> d & 1)
			dim[d] = family->dim_default[d];
		else if (kernel->square && family->dim_default[d] == 0)
			dim[d] = dim[0];
}

/* variant.domain */
static const char *outside(const struct config *config, const struct problem *problem)
{
	const struct own_kernel *kernel = config->variant->own;
	const struct family *family = kernel->family;
	int64_t dim[PMPP_MAX_DIMS];

	memcpy(dim, problem->dim, sizeof dim);
	own_kernel_fit(kernel, dim);
	if (kernel->has_dtype && family->dtype_count > 1 && kernel->dtype != problem->dtype)
		return "the kernel has elements of another type";
	if (memcmp(dim, problem->dim, sizeof dim) != 0)
		return kernel->square
			       ? "the kernel has one parameter for all sizes, so they must be equal"
			       : "the kernel has no parameter for a size that is not the default";
	for (; kernel; kernel = kernel->next)
		for (size_t i = 0; i < kernel->param_count; i++)
			if (kernel->params[i].role == OWN_SIZE &&
				kernel->params[i].arg == PLAN_ARG_INT &&
				dim[kernel->params[i].index] > INT32_MAX)
				return "a size does not fit in the kernel's parameter of 32 bits";
	return NULL;
}

static void make_variant(struct own_kernel *kernel)
{
	const struct family *family = kernel->family;
	const struct operand *output = &family->operands[family->operand_count - 1];

	snprintf(kernel->launched, sizeof kernel->launched, "%s%s", kernel->entry,
		kernel->template_count ? "_instance" : "");
	kernel->variant = (struct variant){.name = kernel->name,
		.technique = "your kernel",
		.idea = "a file of yours; `pmpp-run try` checks its result",
		.book = "-",
		.base = family->variant_count ? family->variants[0].name : NULL,
		.file = kernel->name,
		.entry = kernel->launched,
		.own = kernel,
		.one_sided = !kernel->cuda,
		.cuda_only = kernel->cuda,
		.repro = REPRO_BOUND,
		.plan = plan_own,
		.scratch = kernel->scratch_count ? scratch_bytes : NULL,
		.domain = outside};
	for (size_t d = 0; d < family->dim_count; d++)
		if (family->dim_default[d] == 0)
			kernel->variant.tile[d].times =
				(int)kernel->block[kernel->two_dimensional &&
						   (int)d == output->rows_dim];
}

static void add_dims(const struct own_kernel *kernel, char *text)
{
	const struct family *family = kernel->family;

	for (size_t d = 0; d < family->dim_count; d++)
		if (family->dim_default[d] == 0)
			text_append(text, OWN_SUMMARY_BYTES, " = %s", family->dim_names[d]);
}

/* " for n x m threads", " for rows blocks", " for one thread per element". */
static void add_default_grid(const struct own_kernel *kernel, char *text)
{
	size_t axes = kernel->two_dimensional ? 2 : 1;
	bool known = true;

	for (size_t i = 0; i < axes; i++)
		known &= kernel->extent[i].count > 0;
	text_append(text, OWN_SUMMARY_BYTES, "for ");
	for (size_t i = 0; i < axes && known; i++)
		for (size_t k = 0; k < kernel->extent[i].count; k++)
			text_append(text, OWN_SUMMARY_BYTES, "%s%s",
				k   ? " * "
				: i ? " x "
				    : "",
				kernel->family->dim_names[kernel->extent[i].dims[k]]);
	text_append(text, OWN_SUMMARY_BYTES, "%s",
		!known                     ? "one thread per element"
		: kernel->extent[0].blocks ? " blocks"
					   : " threads");
}

static void write_summary(const struct own_reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	const struct family *family = kernel->family;
	char *text = kernel->summary;

	snprintf(
		text, OWN_SUMMARY_BYTES, "%s: %s by %s", kernel->file, family->name, kernel->entry);
	for (size_t i = 0; i < kernel->template_count; i++)
		text_append(text, OWN_SUMMARY_BYTES, "%s%s%s", i ? ", " : "<",
			kernel->template_params[i].value,
			i + 1 == kernel->template_count ? ">" : "");
	text_append(text, OWN_SUMMARY_BYTES, "(");
	for (size_t i = 0; i < kernel->param_count; i++) {
		const struct own_param *param = &kernel->params[i];
		const char *bound = param->role == OWN_OPERAND ? family->operands[param->index].name
				    : param->role == OWN_SIZE  ? family->dim_names[param->index]
				    : param->role == OWN_SCRATCH
					    ? kernel->scratch[param->index].name
				    : param->role == OWN_COMPUTED ? param->text
								  : NULL;
		text_append(text, OWN_SUMMARY_BYTES, "%s%s", i ? ", " : "",
			*param->name ? param->name : "without a name");
		if (param->role == OWN_SIZE && kernel->square)
			add_dims(kernel, text);
		else if (bound && strcmp(bound, param->name) != 0)
			text_append(text, OWN_SUMMARY_BYTES, " = %s", bound);
	}
	text_append(text, OWN_SUMMARY_BYTES, "), block %u", kernel->block[0]);
	for (size_t i = 1; i < 3 && (kernel->block[i] > 1 || kernel->block[2] > 1); i++)
		text_append(text, OWN_SUMMARY_BYTES, "x%u", kernel->block[i]);
	text_append(text, OWN_SUMMARY_BYTES, " (%s), grid ", reader->block_from);
	for (size_t i = 0; i < 3 && *kernel->grid[i].text; i++)
		text_append(text, OWN_SUMMARY_BYTES, "%s%s", i ? ", " : "", kernel->grid[i].text);
	if (!*kernel->grid[0].text)
		add_default_grid(kernel, text);
	if (strcmp(reader->grid_from, "the default") != 0)
		text_append(text, OWN_SUMMARY_BYTES, " (%s)", reader->grid_from);
	if (*reader->no_grid)
		text_append(text, OWN_SUMMARY_BYTES, " (the grid of the launch has no value: %s)",
			reader->no_grid);
	if (*kernel->shared.text)
		text_append(text, OWN_SUMMARY_BYTES, ", %s bytes of dynamic shared memory",
			kernel->shared.text);
}

/* ---- All kernels -------------------------------------------------------------------------------- */

/* Whether one of the kernels has the operand as a parameter. */
static bool binds_operand(const struct own_kernel *first, size_t operand)
{
	for (const struct own_kernel *kernel = first; kernel; kernel = kernel->next)
		for (size_t i = 0; i < kernel->param_count; i++)
			if (kernel->params[i].role == OWN_OPERAND &&
				kernel->params[i].index == operand)
				return true;
	return false;
}

/* The kernels of a file with several launches together must have each operand. Sets `unbound` of the first one. */
static enum pmpp_status check_launches(const struct own_reader *reader, struct own_kernel *first)
{
	const struct family *family = first->family;
	size_t steps = 0, index = 0;
	unsigned cleared = 0, cleared_scratch = 0;

	for (struct own_kernel *kernel = first; kernel; kernel = kernel->next) {
		first->unbound &= kernel->unbound;
		cleared |= kernel->cleared;
		cleared_scratch |= kernel->cleared_scratch;
		steps++;
		enum pmpp_status status = own_check_launch(reader, kernel, index++);
		if (status == PMPP_OK && kernel->template_count && first->next)
			status = OWN_REFUSE(reader,
				"%s is a template: a file with several launches has no templates",
				kernel->entry);
		if (status != PMPP_OK)
			return status;
	}
	first->cleared = cleared;
	first->cleared_scratch = cleared_scratch;
	for (size_t i = 0; i < family->operand_count; i++) {
		steps += (cleared >> i & 1) + family->operands[i].in_place;
		if (!family->operands[i].in_place && !binds_operand(first, i))
			return OWN_REFUSE(reader, "no parameter of a launch is %s of %s (%s)",
				family->operands[i].name, family->name, family->title);
	}
	for (size_t i = 0; i < PMPP_MAX_SCRATCH; i++)
		steps += cleared_scratch >> i & 1;
	return steps <= PMPP_MAX_STEPS
		       ? PMPP_OK
		       : OWN_REFUSE(reader, "more than %d launches and cleared buffers",
				 PMPP_MAX_STEPS);
}

/* ---- Reading ------------------------------------------------------------------------------------ */

/* Sets names and language from the path. */
static enum pmpp_status read_path(const struct own_reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	const char *file = path_name(reader->path);
	const char *point = strrchr(file, '.');

	if (!point || point == file || (strcmp(point, ".cu") != 0 && strcmp(point, ".cl") != 0))
		return PMPP_FAIL(reader->error, PMPP_USAGE,
			"%s: the name of a kernel file is NAME.cu or NAME.cl", reader->path);
	if (strlen(file) > OWN_FILE_CHARACTERS)
		return OWN_REFUSE(reader, "the name of a kernel file has at most %d characters",
			OWN_FILE_CHARACTERS);
	kernel->cuda = strcmp(point, ".cu") == 0;
	kernel->folder = path_folder(reader->path);
	if (!kernel->folder)
		return PMPP_FAIL(
			reader->error, PMPP_OUT_OF_MEMORY, "no memory for %s", reader->path);
	span_copy((struct span){file, point}, kernel->name, sizeof kernel->name);
	for (char *at = kernel->name; *at; at++)
		if (!is_word(*at) && !strchr("-.", *at))
			*at = '_';
	return PMPP_OK;
}

bool own_kernel_problem(const char *text, char ret_name[OWN_TEXT_BYTES])
{
	struct own_kernel kernel = {.text = (char *)(uintptr_t)text};
	const struct own_reader reader = {.kernel = &kernel};

	return own_comment(&reader, "problem", ret_name);
}

/* Options must fit in the texts of the kernel. */
static enum pmpp_status check_wishes(const struct own_reader *reader)
{
	const struct own_wishes *wishes = reader->wishes;
	const char *const texts[] = {wishes->problem, wishes->kernel, wishes->instance,
		wishes->block, wishes->grid, wishes->shared};

	for (size_t i = 0; i < COUNT(texts); i++)
		if (texts[i] && strlen(texts[i]) >= OWN_TEXT_BYTES)
			return PMPP_FAIL(reader->error, PMPP_USAGE,
				"'%.40s...': the value of an option has at most %d characters",
				texts[i], OWN_TEXT_BYTES - 1);
	return PMPP_OK;
}

static enum pmpp_status read_all(struct own_reader *reader)
{
	enum pmpp_status status = check_wishes(reader);

	if (status == PMPP_OK)
		status = own_read_macros(reader);
	if (status == PMPP_OK)
		status = own_find_kernel(reader);
	if (status == PMPP_OK) {
		own_find_call(reader);
		reader->kernel->body = reader->body.begin;
		reader->kernel->launch = reader->call_count ? reader->call[0].begin : NULL;
		status = own_read_parameters(reader);
	}
	if (status == PMPP_OK)
		status = own_check_comments(reader);
	if (status == PMPP_OK)
		status = own_find_family(reader);
	if (status == PMPP_OK && !reader->kernel->family->reference)
		status = OWN_REFUSE(reader,
			"the variants of %s have different results: choose another problem",
			reader->kernel->family->name);
	if (status == PMPP_OK)
		status = read_scratch_buffers(reader);
	if (status == PMPP_OK)
		status = own_bind_parameters(reader);
	return status == PMPP_OK ? own_read_launch(reader) : status;
}

/* Reads one kernel with its launch. launch.begin NULL: the file has no line of a launch. */
static enum pmpp_status read_launch(struct own_reader *reader, const char *text, struct span launch,
	struct own_kernel **ret_kernel)
{
	struct own_kernel *kernel = calloc(1, sizeof *kernel);
	enum pmpp_status status = PMPP_OK;

	reader->kernel = kernel;
	reader->launch = launch;
	if (kernel) {
		kernel->text = strdup(text);
		kernel->code = source_code_copy(text);
		kernel->several = launch.begin != NULL;
	}
	if (!kernel || !kernel->text || !kernel->code)
		status = PMPP_FAIL(
			reader->error, PMPP_OUT_OF_MEMORY, "no memory for %s", reader->path);
	if (status == PMPP_OK)
		status = read_path(reader);
	if (status == PMPP_OK)
		status = read_all(reader);
	if (status == PMPP_OK) {
		kernel->file = path_name(reader->path);
		make_variant(kernel);
		write_summary(reader);
		*ret_kernel = kernel;
		return PMPP_OK;
	}
	own_kernel_destroy(kernel);
	return status;
}

enum pmpp_status own_kernel_read(const char *path, const char *text,
	const struct own_wishes *wishes, struct own_kernel **ret_kernel, struct pmpp_error *error)
{
	struct own_kernel *first = NULL, **end = &first;
	struct own_reader reader = {.path = path, .error = error};
	struct span launch = {0};
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; status == PMPP_OK && (own_find_launch(text, i, &launch) || i == 0);
		i++) {
		reader = (struct own_reader){.path = path, .wishes = wishes, .error = error};
		status = i == PMPP_MAX_STEPS
				 ? PMPP_FAIL(error, PMPP_USAGE, "%s: more than %d launches", path,
					   PMPP_MAX_STEPS)
				 : read_launch(&reader, text, launch, end);
		if (status != PMPP_OK)
			break;
		if (i > 0)
			text_append(first->summary, OWN_SUMMARY_BYTES, "; then %s",
				strstr((*end)->summary, " by ") + strlen(" by "));
		end = &(*end)->next;
	}
	if (status == PMPP_OK && first->several)
		status = check_launches(&reader, first);
	if (status == PMPP_OK)
		*ret_kernel = first;
	else
		own_kernel_destroy(first);
	return status;
}

void own_kernel_destroy(struct own_kernel *kernel)
{
	if (!kernel)
		return;
	own_kernel_destroy(kernel->next);
	free(kernel->folder);
	free(kernel->code);
	free(kernel->text);
	free(kernel);
}
