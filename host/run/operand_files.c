#include "host/run/operand_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "host/io/atomic_file.h"
#include "host/io/ppm.h"
#include "host/run/choices.h"

/* ---- One file -------------------------------------------------------------------------------- */

static enum pmpp_status find_operand(const struct family *family, const char *option,
	const char *name, enum operand_role role, size_t *ret_index, struct pmpp_error *error)
{
	const char *names[PMPP_MAX_OPERANDS];
	size_t count = 0;

	for (size_t i = 0; i < family->operand_count; i++) {
		if (family->operands[i].role != role)
			continue;
		if (strcmp(family->operands[i].name, name) == 0) {
			*ret_index = i;
			return PMPP_OK;
		}
		names[count++] = family->operands[i].name;
	}
	char list[96] = "";
	size_t used = 0;
	for (size_t i = 0; i < count && used < sizeof list; i++)
		used += (size_t)snprintf(
			list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
	return PMPP_FAIL(error, PMPP_USAGE, "--%s: %s has no %s '%s': use one of %s", option,
		family->name, role == OPERAND_IN ? "input" : "output", name, list);
}

/* The dimension of an operand from its extent in a file, extent = dimension * scale + plus. 0: no
 * dimension gives this extent. */
static int64_t unscaled(int64_t extent, int64_t scale, int64_t plus)
{
	scale = scale ? scale : 1;
	return extent > plus && (extent - plus) % scale == 0 ? (extent - plus) / scale : 0;
}

/* The rows and columns of the operand. The file of an image has three dimensions; the last one has
 * the columns_scale elements of a pixel. Returns false if it has another extent. */
static bool file_matrix(
	const struct operand *operand, const struct npy_array *array, int64_t ret_extent[2])
{
	ret_extent[0] = array->shape[0];
	ret_extent[1] = array->shape[1];
	if (array->rank < 3)
		return true;
	return array->shape[2] == operand->columns_scale &&
	       !__builtin_mul_overflow(array->shape[1], array->shape[2], &ret_extent[1]);
}

/* The file of a vector may have one dimension, the file of a scalar none. */
static enum pmpp_status file_extents(const struct operand *operand, const char *path,
	const struct npy_array *array, int64_t ret_extent[2], struct pmpp_error *error)
{
	bool row = operand->rows_dim == DIM_ONE && operand->rows_scale <= 1;
	bool column = operand->columns_dim == DIM_ONE && operand->columns_scale <= 1;
	int rank = 2 - row - column;

	if (array->rank < rank)
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: the array has %d dimension%s, but %s has %d: reshape it", path,
			array->rank, array->rank == 1 ? "" : "s", operand->name, rank);
	if (!file_matrix(operand, array, ret_extent))
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: the array has 3 dimensions, (%" PRId64 ", %" PRId64 ", %" PRId64
			"), but %s has %d",
			path, array->shape[0], array->shape[1], array->shape[2], operand->name,
			rank);
	if (array->rank == 1 && row) {
		ret_extent[0] = 1;
		ret_extent[1] = array->shape[0];
	}
	if ((row && ret_extent[0] != 1) || (column && ret_extent[1] != 1))
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: the shape is (%" PRId64 ", %" PRId64 "), but %s is a vector", path,
			array->shape[0], array->shape[1], operand->name);
	ret_extent[0] = unscaled(ret_extent[0], operand->rows_scale, operand->rows_plus);
	ret_extent[1] = unscaled(ret_extent[1], operand->columns_scale, 0);
	/* An extent of the operand that depends on no dimension is fixed. */
	if (ret_extent[0] < 1 || ret_extent[1] < 1 ||
		(operand->rows_dim == DIM_ONE && ret_extent[0] != 1) ||
		(operand->columns_dim == DIM_ONE && ret_extent[1] != 1))
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s: the shape (%" PRId64 ", %" PRId64 ") is not possible for %s", path,
			array->shape[0], array->shape[1], operand->name);
	return PMPP_OK;
}

/* The types that a file may have (bits: DTYPE_BIT). If the operand has the type of the problem:
 * the family's types that the options allow. */
static unsigned file_dtypes(const struct job_options *options, const struct family *family,
	const struct operand *operand)
{
	struct problem problem = problem_default(family);
	unsigned mask = 0;

	if (!operand->dtype_of_problem)
		return DTYPE_BIT(operand->dtype);
	for (size_t c = 0; c < family_choice_count(family); c++) {
		problem_choose(&problem, c);
		if (choices_allow(options, &problem))
			mask |= DTYPE_BIT(problem.dtype);
	}
	return mask;
}

/* One pass over the files of --in. */
struct reader {
	const struct job_options *options;
	const struct family *family;
	struct user_inputs *inputs;
	struct pmpp_error *error;
	const char *dim_origin[PMPP_MAX_DIMS]; /* file or option that gave each dimension */
	const char *dtype_origin;              /* the file that gave the type; NULL = none yet */
};

/* All files with the element type of --dtype must have the same type. */
static enum pmpp_status set_dtype(struct reader *reader, const struct operand *operand,
	const struct npy_array *array, const char *path)
{
	enum dtype *dtype = &reader->inputs->dtype;

	if (!operand->dtype_of_problem)
		return PMPP_OK;
	if (reader->dtype_origin && *dtype != array->dtype)
		return PMPP_FAIL(reader->error, PMPP_USAGE, "%s has elements of %s, but %s of %s",
			reader->dtype_origin, dtype_info(*dtype)->name, path,
			dtype_info(array->dtype)->name);
	*dtype = array->dtype;
	reader->dtype_origin = path;
	return PMPP_OK;
}

/* Compares one extent of a file with the known value of the dimension. */
static enum pmpp_status set_dim(struct reader *reader, int dim, int64_t extent, const char *path)
{
	const struct family *family = reader->family;
	int64_t *known = reader->inputs->dim;

	if (dim == DIM_ONE)
		return PMPP_OK;
	const char *name = family->dim_names[dim];
	if (extent > family->dim_max)
		return PMPP_FAIL(reader->error, PMPP_USAGE,
			"%s: %s=%" PRId64 " is too large: the maximum of %s is %" PRId64, path,
			name, extent, family->name, family->dim_max);
	if (known[dim] && known[dim] != extent)
		return PMPP_FAIL(reader->error, PMPP_USAGE,
			"%s has %s=%" PRId64 ", but %s has %s=%" PRId64, reader->dim_origin[dim],
			name, known[dim], path, name, extent);
	known[dim] = extent;
	reader->dim_origin[dim] = path;
	return PMPP_OK;
}

/* An operand whose elements are the channels of pixels may be an image file. */
static enum pmpp_status read_array(struct reader *reader, const struct operand *operand,
	const char *path, struct npy_array *ret_array)
{
	unsigned dtypes = file_dtypes(reader->options, reader->family, operand);
	bool pixels = operand->columns_scale == 3 && dtypes & DTYPE_BIT(DTYPE_U8);
	FILE *file = fopen(path, "rbe"); /* open once: it may be a pipe */

	if (!file)
		return PMPP_FAIL(
			reader->error, PMPP_USAGE, "%s: cannot be read: %s", path, strerror(errno));
	enum pmpp_status status = pixels && ppm_is(path, file)
					  ? ppm_read(path, file, ret_array, reader->error)
					  : npy_read(path, file, dtypes, ret_array, reader->error);
	fclose(file);
	return status;
}

/* Reads one file: elements, type and sizes. */
static enum pmpp_status read_input(struct reader *reader, const struct operand_file *file)
{
	const struct family *family = reader->family;
	const char *path = file->path;
	int64_t extent[2] = {0, 0};
	size_t index = 0;
	enum pmpp_status status =
		find_operand(family, "in", file->name, OPERAND_IN, &index, reader->error);

	if (status != PMPP_OK)
		return status;
	const struct operand *operand = &family->operands[index];
	struct npy_array *array = &reader->inputs->arrays[index];
	npy_array_finish(array);
	status = read_array(reader, operand, path, array);
	if (status == PMPP_OK && !family->check_inputs)
		status = npy_check_finite(path, array, reader->error);
	if (status == PMPP_OK)
		status = set_dtype(reader, operand, array, path);
	if (status == PMPP_OK)
		status = file_extents(operand, path, array, extent, reader->error);
	if (status == PMPP_OK)
		status = set_dim(reader, operand->rows_dim, extent[0], path);
	if (status == PMPP_OK)
		status = set_dim(reader, operand->columns_dim, extent[1], path);
	return status;
}

/* ---- All files ------------------------------------------------------------------------------- */

/* Checks that every input has a file and every dimension a value. */
static enum pmpp_status check_complete(
	const struct family *family, struct user_inputs *inputs, struct pmpp_error *error)
{
	for (size_t i = 0; i < family->operand_count; i++)
		if (family->operands[i].role == OPERAND_IN && !inputs->arrays[i].data)
			return PMPP_FAIL(error, PMPP_USAGE,
				"--in: %s is missing: give a file for every input of %s, or for none",
				family->operands[i].name, family->name);
	for (size_t i = 0; i < family->dim_count; i++)
		if (inputs->dim[i] == 0)
			inputs->dim[i] = family->dim_default[i];
	for (size_t i = 0; i < family->dim_count; i++)
		if (inputs->dim[i] == 0)
			return PMPP_FAIL(error, PMPP_USAGE,
				"--size: the files do not set %s of %s: add --size=%s=...",
				family->dim_names[i], family->name, family->dim_names[i]);
	return PMPP_OK;
}

/* Rules of the family for its inputs. */
static enum pmpp_status check_values(const struct job_options *options, const struct family *family,
	const struct user_inputs *inputs, struct pmpp_error *error)
{
	struct problem problem = problem_default(family);
	const void *arrays[PMPP_MAX_OPERANDS];
	char text[200];

	choices_set(options, &problem);
	problem.dtype = inputs->dtype;
	problem.source = INPUT_USER;
	memcpy(problem.dim, inputs->dim, sizeof problem.dim);
	for (size_t i = 0; i < PMPP_MAX_OPERANDS; i++)
		arrays[i] = inputs->arrays[i].data;
	const char *wrong = family->invalid ? family->invalid(&problem) : NULL;
	if (wrong)
		return PMPP_FAIL(error, PMPP_USAGE, "%s: %s", family->name, wrong);
	if (family->check_inputs && !family->check_inputs(&problem, arrays, text, sizeof text))
		return PMPP_FAIL(error, PMPP_USAGE, "--in: %s", text);
	return PMPP_OK;
}

enum pmpp_status user_inputs_read(const struct job_options *options, const struct family *family,
	struct user_inputs *inputs, struct pmpp_error *error)
{
	struct reader reader = {
		.options = options, .family = family, .inputs = inputs, .error = error};
	struct problem start = problem_default(family);
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; i < PMPP_MAX_DIMS; i++)
		reader.dim_origin[i] = "--size";
	choices_set(options, &start);
	inputs->dtype = start.dtype;
	for (size_t i = 0; i < options->in.count && status == PMPP_OK; i++)
		status = read_input(&reader, &options->in.items[i]);
	if (status == PMPP_OK)
		status = check_complete(family, inputs, error);
	inputs->given = status == PMPP_OK;
	return status == PMPP_OK ? check_values(options, family, inputs, error) : status;
}

void user_inputs_finish(struct user_inputs *inputs)
{
	for (size_t i = 0; i < PMPP_MAX_OPERANDS; i++)
		npy_array_finish(&inputs->arrays[i]);
}

static bool is_stdout(const char *path)
{
	return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

enum pmpp_status operand_files_find_output(const struct job_options *options,
	const struct family *family, const char **ret_path, struct pmpp_error *error)
{
	const struct operand_file_list *files = &options->out;
	size_t index = 0;

	*ret_path = NULL;
	if (files->count == 0)
		return PMPP_OK;
	if (files->count > 1)
		return PMPP_FAIL(error, PMPP_USAGE, "--out: %s has one output", family->name);
	enum pmpp_status status =
		find_operand(family, "out", files->items[0].name, OPERAND_OUT, &index, error);
	if (status == PMPP_OK && is_stdout(files->items[0].path))
		status = PMPP_FAIL(error, PMPP_USAGE,
			"--out %s=%s: the tables go to stdout: give a file, or another pipe",
			files->items[0].name, files->items[0].path);
	if (status == PMPP_OK)
		status = atomic_file_check(files->items[0].path, error);
	if (status == PMPP_OK)
		*ret_path = files->items[0].path;
	return status;
}
