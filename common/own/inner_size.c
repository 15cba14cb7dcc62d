/* The inner size of a product. A kernel C = A B may use the names M, N and K in another order than the family. If A is
 * M x N, N is the bound of the loop over the terms, and A[row * N + i] has N too. */
#include "common/own/reader.h"

#include <string.h>

#include "common/words.h"

/* Whether brackets after a word have a name: "for (...; i < N; ...)", "A[row * N + i]". */
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

/* Exchanges the inner size with the only size that bounds a loop, if the indices of the first operand have this size. */
void own_bind_inner_size(const struct own_reader *reader)
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
