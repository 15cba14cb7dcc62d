#include "tests/mutants/texts.h"

/* Whether a statement starts at `at`: its line has only blanks before it. So a barrier in a macro does
 * not count, because the macro may be for another device, nor does the end of sub_group_barrier. */
static bool starts_statement(const char *text, const char *at)
{
	while (at > text && (at[-1] == ' ' || at[-1] == '\t'))
		at--;
	return at == text || at[-1] == '\n';
}

/* Returns the barrier after `from` in `text`, NULL if there is none. *ret_length: up to the
 * semicolon. */
static const char *find_barrier(
	const char *text, const char *from, enum gpu_backend_id backend, size_t *ret_length)
{
	const char *find = gpu_backend_row(backend)->language == GPU_LANGUAGE_CUDA_C
				   ? "__syncthreads()"
				   : "barrier(CLK_";
	const char *found = strstr(from, find);

	while (found && !starts_statement(text, found))
		found = strstr(found + 1, find);
	*ret_length = found ? strcspn(found, ";\n") : 0;
	return found;
}

/* Whether the variant's kernel is right without its barriers on this backend. The barrier of
 * prefetch/async-copy separates the reads of a buffer from its next copy. In the OpenCL emulator each
 * work-item copies the element that it reads, so this order is not needed there. */
static bool needs_no_barrier(const struct variant *variant, enum gpu_backend_id backend)
{
	return strcmp(variant->file, "async_copy") == 0 &&
	       strcmp(gpu_backend_name(backend), "opencl-emu") == 0;
}

/* The number of barriers of a block in the code of a kernel. */
static size_t count_barriers(const char *text, enum gpu_backend_id backend)
{
	size_t count = 0, length;

	for (const char *at = text; (at = find_barrier(text, at, backend, &length)); at += length)
		count++;
	return count;
}

char *text_without_barrier(const char *text, enum gpu_backend_id backend, size_t number)
{
	char *result = strdup(text);
	char *at = result;
	size_t length;

	SOME(result);
	while ((at = (char *)find_barrier(result, at, backend, &length)) && number-- > 0)
		at += length;
	SOME(at);
	memset(at, ' ', length);
	return result;
}

struct problem text_problem_of_tiles(const struct config *config)
{
	struct problem problem = problem_default(variant_family(config->variant));

	for (size_t d = 0; d < PMPP_MAX_DIMS; d++)
		problem.dim[d] = config_tile(config, d);
	for (size_t i = 0; i < problem.family->dim_count; i++)
		problem.dim[i] = problem.family->dim_default[i] ? problem.family->dim_default[i]
				 : i == 2                       ? 3 * problem.dim[i] + 1
								: problem.dim[i] + 1;
	session_choose_inside(config, &problem);
	return problem;
}

static bool is_first_of_file(const struct family *family, size_t v)
{
	for (size_t w = 0; w < v; w++)
		if (strcmp(family->variants[w].file, family->variants[v].file) == 0)
			return false;
	return true;
}

void text_add_barriers(
	const struct family *family, const struct engine *engine, test_fn *run, bool is_long)
{
	for (size_t v = 0; v < family->variant_count; v++) {
		struct barrier_row row = {.variant = &family->variants[v]};

		if (row.variant->needs & ~engine->info.capabilities ||
			needs_no_barrier(row.variant, engine->backend) ||
			!is_first_of_file(family, v))
			continue; /* what cannot run here would not be rejected */
		const char *text = session_kernel(row.variant, engine->backend);
		size_t barriers = text ? count_barriers(text, engine->backend) : 0;
		for (; row.number < barriers; row.number++) {
			test_add_copy(run, &row, sizeof row, "%s/%s: without barrier %zu of %zu",
				family->name, row.variant->name, row.number + 1, barriers);
			if (is_long)
				test_mark_long();
		}
	}
}
