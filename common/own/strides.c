/* The roles of sizes by the strides of index expressions. A kernel C = A B may call its sizes M, N and K in
 * another order than the family: with A of M x N and B of N x K, A[row * N + i] and C[row * K + col] show that N
 * is the inner size. */
#include "common/own/reader.h"

#include <string.h>

#include "common/words.h"

#define NO_PARAM PMPP_MAX_ARGS

/* The parameter that is a size and has this name. */
static size_t size_param(const struct own_kernel *kernel, const char *word, size_t length)
{
	for (size_t i = 0; i < kernel->param_count; i++)
		if (kernel->params[i].role == OWN_SIZE &&
			same_word(word, length, kernel->params[i].name))
			return i;
	return NO_PARAM;
}

/* The only size that is a factor in a text: "row * N + i". NO_PARAM: none, or several. */
static size_t factor_in(const struct own_kernel *kernel, struct span text)
{
	size_t found = NO_PARAM, length;

	for (const char *at = next_word(text.begin, text.end, &length); length > 0;
		at = next_word(at + length, text.end, &length)) {
		const char *before = at - 1, *after = at + length;
		while (before > text.begin && *before == ' ')
			before--;
		after += strspn(after, " ");
		size_t param = size_param(kernel, at, length);
		if (param == NO_PARAM || (*before != '*' && *after != '*'))
			continue;
		if (found != NO_PARAM && found != param)
			return NO_PARAM;
		found = param;
	}
	return found;
}

/* The stride in all indices of a pointer: A[...]. NO_PARAM: they have none, or different ones. */
static size_t stride_of(const struct own_reader *reader, const char *name)
{
	struct span body = reader->body;
	size_t found = NO_PARAM, length;

	for (const char *at = next_word(body.begin, body.end, &length); length > 0;
		at = next_word(at + length, body.end, &length)) {
		const char *open = at + length + strspn(at + length, " ");
		if (!same_word(at, length, name) || *open != '[' || !closing_bracket(open))
			continue;
		size_t param =
			factor_in(reader->kernel, (struct span){open + 1, closing_bracket(open)});
		if (param == NO_PARAM || (found != NO_PARAM && found != param))
			return NO_PARAM;
		found = param;
	}
	return found;
}

/* Whether the condition of a loop has the name. */
static bool bounds_loop(const struct own_reader *reader, const char *name)
{
	struct span body = reader->body;
	size_t length;

	for (const char *at = next_word(body.begin, body.end, &length); length > 0;
		at = next_word(at + length, body.end, &length)) {
		const char *begin = at + strcspn(at, ";");
		if (same_word(at, length, "for") && *begin &&
			has_word(begin, begin + 1 + strcspn(begin + 1, ";"), name))
			return true;
	}
	return false;
}

/* Binds the parameters of a product anew if the strides of all operands agree on other roles than the names have,
 * and the stride of the first operand, and no other size, bounds a loop. */
void own_bind_strides(const struct own_reader *reader)
{
	struct own_kernel *kernel = reader->kernel;
	const struct family *family = kernel->family;
	size_t param_of[PMPP_MAX_DIMS], used = 0, inner = NO_PARAM;

	if (family->dim_count != 3 || kernel->square || !family->takes_squares)
		return;
	for (size_t d = 0; d < 3; d++)
		param_of[d] = NO_PARAM;
	for (size_t i = 0; i < kernel->param_count; i++) {
		if (kernel->params[i].role != OWN_OPERAND)
			continue;
		const struct operand *operand = &family->operands[kernel->params[i].index];
		size_t stride = stride_of(reader, kernel->params[i].name);
		size_t *param = &param_of[operand->columns_dim];
		if (stride == NO_PARAM || (*param != NO_PARAM && *param != stride))
			return;
		*param = stride;
		if (operand == family->operands)
			inner = stride;
	}
	for (size_t i = 0; i < kernel->param_count; i++) {
		const struct own_param *param = &kernel->params[i];
		if (param->role != OWN_SIZE)
			continue;
		used++;
		if (bounds_loop(reader, param->name) != (i == inner))
			return;
		if (i == param_of[0] || i == param_of[1] || i == param_of[2])
			continue;
		for (size_t d = 0; d < 3; d++)
			if (param_of[d] == NO_PARAM) {
				param_of[d] = i;
				break;
			}
	}
	for (size_t d = 0; d < 3; d++)
		if (used != 3 || param_of[d] == NO_PARAM || param_of[d] == param_of[(d + 1) % 3])
			return;
	for (size_t d = 0; d < 3; d++)
		kernel->params[param_of[d]].index = d;
}
