#include "host/run/job.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/access_model.h"
#include "common/model/occupancy.h"
#include "common/nearest.h"
#include "host/io/atomic_file.h"
#include "host/io/npy.h"
#include "host/run/targets.h"
#include "host/suite/problem_reference.h"

/* ---- Operands in files ---------------------------------------------------------------------- */

/* Operands of one family in the user's files: --in and --out. */

/* ---- One file -------------------------------------------------------------------------------- */

static enum pmpp_status find_operand(const struct family *family, const char *option,
	const char *name, enum operand_role role, size_t *ret_index, struct pmpp_error *error)
{
	const char *names[PMPP_MAX_OPERANDS];
	char list[NAMES_TEXT_BYTES];
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
	return PMPP_FAIL(error, PMPP_USAGE, "--%s: %s has no %s '%s': use one of %s", option,
		family->name, role == OPERAND_IN ? "input" : "output", name,
		names_text(names, count, list));
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
		if (choices_allow(&options->choices, &problem))
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

static enum pmpp_status read_file(
	const char *path, unsigned dtypes, struct npy_array *ret_array, struct pmpp_error *error)
{
	FILE *file = fopen(path, "rbe"); /* open once: it may be a pipe */

	if (!file)
		return PMPP_FAIL(
			error, PMPP_USAGE, "%s: cannot be read: %s", path, strerror(errno));
	enum pmpp_status status = npy_read(path, file, dtypes, ret_array, error);
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
	status = read_file(
		path, file_dtypes(reader->options, family, operand), array, reader->error);
	if (status == PMPP_OK && !family->check_inputs)
		status = npy_check_finite(path, array, reader->error);
	if (status == PMPP_OK)
		status = set_dtype(reader, operand, array, path);
	/* Shapes with expressions are checked when the sizes are known. */
	if (status == PMPP_OK && (operand->shape[0] || operand->shape[1]))
		return PMPP_OK;
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

/* The shape of an operand of a problem file: a vector, or rows and columns. Several extents may be the rows. */
static enum pmpp_status check_shape(const struct problem *problem, const struct operand *operand,
	const char *option, const struct npy_array *array, struct pmpp_error *error)
{
	int64_t rows = operand_rows(operand, problem), columns = operand_columns(operand, problem);
	int64_t elements = array->shape[0] * array->shape[1] * array->shape[2];
	int64_t last = array->rank > 0 ? array->shape[array->rank - 1] : 1;
	char sizes[100];

	if (elements == rows * columns && (last == columns || (array->rank < 2 && rows == 1) ||
						  (array->rank < 2 && columns == 1)))
		return PMPP_OK;
	problem_text(problem, sizes, sizeof sizes);
	return PMPP_FAIL(error, PMPP_USAGE,
		"%s %s: the shape is (%" PRId64 ", %" PRId64 ", %" PRId64 "), but %s has %" PRId64
		" rows of %" PRId64 " at %s",
		option, operand->name, array->shape[0], array->shape[1], array->shape[2],
		operand->name, rows, columns, sizes);
}

/* Rules of the family for its inputs. */
static enum pmpp_status check_values(const struct job_options *options, const struct family *family,
	const struct user_inputs *inputs, struct pmpp_error *error)
{
	struct problem problem = problem_default(family);
	const void *arrays[PMPP_MAX_OPERANDS];
	char text[200];

	choices_set(&options->choices, &problem);
	problem.dtype = inputs->dtype;
	problem.source = INPUT_USER;
	memcpy(problem.dim, inputs->dim, sizeof problem.dim);
	for (size_t i = 0; i < PMPP_MAX_OPERANDS; i++)
		arrays[i] = inputs->arrays[i].data;
	const char *wrong = family->invalid ? family->invalid(&problem) : NULL;
	if (wrong)
		return PMPP_FAIL(error, PMPP_USAGE, "%s: %s", family->name, wrong);
	for (size_t i = 0; i < family->operand_count; i++)
		if (arrays[i] && family->own &&
			check_shape(&problem, &family->operands[i], "--in", &inputs->arrays[i],
				error) != PMPP_OK)
			return PMPP_USAGE;
	if (family->check_inputs && !family->check_inputs(&problem, arrays, text, sizeof text))
		return PMPP_FAIL(error, PMPP_USAGE, "--in: %s", text);
	return PMPP_OK;
}

/* Reads the files of --in, and completes inputs->dim, which has the values of --size. PMPP_USAGE:
 *   - an operand is missing or unknown
 *   - shapes contradict each other or --size
 *   - a file has a wrong type
 *   - values are not finite, or the family does not allow them */
static enum pmpp_status user_inputs_read(const struct job_options *options,
	const struct family *family, struct user_inputs *inputs, struct pmpp_error *error)
{
	struct reader reader = {
		.options = options, .family = family, .inputs = inputs, .error = error};
	struct problem start = problem_default(family);
	enum pmpp_status status = PMPP_OK;

	for (size_t i = 0; i < PMPP_MAX_DIMS; i++)
		reader.dim_origin[i] = "--size";
	choices_set(&options->choices, &start);
	inputs->dtype = start.dtype;
	for (size_t i = 0; i < options->in.count && status == PMPP_OK; i++)
		status = read_input(&reader, &options->in.items[i]);
	if (status == PMPP_OK)
		status = check_complete(family, inputs, error);
	inputs->given = status == PMPP_OK;
	return status == PMPP_OK ? check_values(options, family, inputs, error) : status;
}

/* Reads the file of --expect, whose shape is that of the output for the inputs. */
static enum pmpp_status read_expected(const struct job_options *options,
	const struct family *family, const struct user_inputs *inputs, struct pmpp_error *error)
{
	const struct operand_file *given = &options->expect.items[0];
	struct problem problem = problem_default(family);
	const struct operand *output = problem_output(&problem);
	unsigned dtypes = DTYPE_BIT(output->dtype);
	struct npy_array array = {0};
	size_t index;
	enum pmpp_status status =
		options->expect.count > 1
			? PMPP_FAIL(error, PMPP_USAGE, "--expect: %s has one output", family->name)
			: find_operand(family, "expect", given->name, OPERAND_OUT, &index, error);

	memcpy(problem.dim, inputs->dim, sizeof problem.dim);
	if (dtype_info(output->dtype)->is_float)
		dtypes |= DTYPE_BIT(DTYPE_F64);
	if (status == PMPP_OK)
		status = read_file(given->path, dtypes, &array, error);
	if (status == PMPP_OK)
		status = npy_check_finite(given->path, &array, error);
	if (status == PMPP_OK)
		status = check_shape(&problem, output, "--expect", &array, error);
	if (status == PMPP_OK)
		status = problem_reference_expect(&problem, array.dtype, array.data, error);
	npy_array_finish(&array);
	return status;
}

/* Sets *ret_path to the path of --out after a check that it can be written; NULL without --out.
 * PMPP_USAGE if it cannot be written, or if it is stdout, which has the tables. */
static enum pmpp_status operand_files_find_output(const struct job_options *options,
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
	const char *path = files->items[0].path;
	if (status == PMPP_OK && (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0))
		status = PMPP_FAIL(error, PMPP_USAGE,
			"--out %s=%s: the tables go to stdout: give a file, or another pipe",
			files->items[0].name, path);
	if (status == PMPP_OK)
		status = atomic_file_check(path, error);
	if (status == PMPP_OK)
		*ret_path = path;
	return status;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* --out needs exactly one output: one variant, one point of a sweep, one device. */
static enum pmpp_status check_one_output(const struct job *job, struct pmpp_error *error)
{
	const struct target_list *targets = &job->targets;
	struct tuned_config *points = NULL;
	size_t count = 0;

	if (targets->count > 1 || targets->items[0].variant_count > 1)
		return PMPP_FAIL(error, PMPP_USAGE, "--out needs exactly one variant: %s/VARIANT",
			targets->items[0].family->name);
	enum pmpp_status status = tunables_expand(&job->options->tunables,
		targets->items[0].variants[0], &kernel_shape_reference, &points, &count, error);
	free(points);
	if (status == PMPP_OK && count > 1)
		return PMPP_FAIL(
			error, PMPP_USAGE, "--out cannot be combined with a sweep of --set");
	if (status == PMPP_OK &&
		(device_word_is_all(job->query.backend) || device_word_is_all(job->query.device)))
		return PMPP_FAIL(error, PMPP_USAGE, "--out needs one device, not all");
	return status;
}

/* --in and --out name operands of one family. */
static enum pmpp_status prepare_files(struct job *job, struct pmpp_error *error)
{
	const struct job_options *options = job->options;
	const struct family *family = job->targets.items[0].family;
	enum pmpp_status status = options->out.count ? check_one_output(job, error) : PMPP_OK;

	if (status == PMPP_OK && options->expect.count && !options->in.count)
		status = PMPP_FAIL(error, PMPP_USAGE,
			"--expect is the output for the inputs of --in: give a file for each input");
	if (status != PMPP_OK || (options->in.count == 0 && options->out.count == 0))
		return status;
	if (job->targets.count > 1)
		return PMPP_FAIL(error, PMPP_USAGE, "--in needs exactly one family");
	if (options->sizes.count > 1)
		return PMPP_FAIL(error, PMPP_USAGE, "--in and --out need one size, not several");
	if (options->sizes.count == 1)
		status = size_dims(&options->sizes.items[0], family, job->inputs.dim, error);
	if (status == PMPP_OK && options->in.count)
		status = user_inputs_read(options, family, &job->inputs, error);
	if (status == PMPP_OK && options->expect.count)
		status = read_expected(options, family, &job->inputs, error);
	return status == PMPP_OK
		       ? operand_files_find_output(options, family, &job->output_path, error)
		       : status;
}

/* ---- Sizes --------------------------------------------------------------------------------- */

/* Rejects an invalid size. For `verify` a size is valid if at least one choice of type, operation
 * and data allows it. */
static enum pmpp_status check_valid(const struct job *job, const struct family *family,
	const int64_t dim[PMPP_MAX_DIMS], struct pmpp_error *error)
{
	struct problem problem = problem_default(family);
	const char *wrong = NULL;

	memcpy(problem.dim, dim, sizeof problem.dim);
	for (size_t c = 0; family->invalid && c < family_choice_count(family); c++) {
		problem_choose(&problem, c);
		if (!choices_allow(&job->options->choices, &problem))
			continue;
		wrong = family->invalid(&problem);
		if (!wrong || job->action != JOB_VERIFY)
			break;
	}
	if (wrong)
		return PMPP_FAIL(error, PMPP_USAGE, "--size: %s: %s", family->name, wrong);
	return PMPP_OK;
}

/* Checks every size of every family before anything runs. */
static enum pmpp_status check_sizes(const struct job *job, struct pmpp_error *error)
{
	const struct size_list *sizes = &job->options->sizes;

	if (job->inputs.given)
		return PMPP_OK;
	for (size_t s = 0; s < sizes->count; s++)
		for (size_t t = 0; t < job->targets.count; t++) {
			const struct family *family = job->targets.items[t].family;
			int64_t dim[PMPP_MAX_DIMS];
			enum pmpp_status status = size_dims(&sizes->items[s], family, dim, error);
			if (status != PMPP_OK)
				return status;
			for (size_t i = 0; i < family->dim_count; i++)
				if (dim[i] == 0)
					return PMPP_FAIL(error, PMPP_USAGE,
						"--size: %s of %s is missing", family->dim_names[i],
						family->name);
			status = check_valid(job, family, dim, error);
			if (status != PMPP_OK)
				return status;
		}
	return PMPP_OK;
}

/* ---- Access model ---------------------------------------------------------------------------- */

static enum pmpp_status unknown_model(const char *name, struct pmpp_error *error)
{
	char hint[NAMES_TEXT_BYTES], all[NAMES_TEXT_BYTES];
	size_t count = 0;

	while (access_model_words[count])
		count++;
	return PMPP_FAIL(error, PMPP_USAGE, "--model=%s: give one of %s%s", name,
		names_text(access_model_words, count, all),
		nearest_hint(name, access_model_words, count, hint));
}

static enum pmpp_status choose_model(struct job *job, struct pmpp_error *error)
{
	const struct job_options *options = job->options;
	const struct access_model *model =
		options->model ? access_model_find(options->model) : access_model_default();

	if (!model)
		return unknown_model(options->model, error);
	if (options->width)
		model = access_model_with_lanes(model, (uint32_t)options->width);
	if (!model)
		return PMPP_FAIL(
			error, PMPP_USAGE, "--width=%zu: give 8, 16, 32 or 64", options->width);
	job->model = options->model || model != access_model_default() ? model : NULL;
	return PMPP_OK;
}

/* ---- explain --------------------------------------------------------------------------------- */

/* --cc names an NVIDIA GPU, whose access model is the default. */
static enum pmpp_status check_capability(const struct job *job, struct pmpp_error *error)
{
	const char *name = job->options->cc;
	char names[128];

	if (name && job->options->model)
		return PMPP_FAIL(error, PMPP_USAGE, "give --model or --cc, not both");
	if (!name || occupancy_unit_of_cc(name))
		return PMPP_OK;
	occupancy_unit_names(true, names, sizeof names);
	return PMPP_FAIL(error, PMPP_USAGE, "--cc=%s: give one of %s", name, names);
}

/* ---- Commands for one device ----------------------------------------------------------------- */

/* The devices of an action. device, backend: why it accepts only one; NULL: it accepts several. */
static const struct {
	enum device_rule rule;
	const char *device, *backend;
} actions[] = {
	[JOB_RUN] = {DEVICE_RULE_ONE},
	[JOB_VERIFY] = {DEVICE_RULE_EACH_BACKEND},
	[JOB_PARITY] = {DEVICE_RULE_ONE, "parity compares two backends on one device",
		"parity compares OpenCL with CUDA: give --backend=cuda, cuda-emu or opencl-emu"},
	[JOB_ROOFLINE] = {DEVICE_RULE_ONE},
	[JOB_EXPLAIN] = {DEVICE_RULE_ONE, "explain measures on one device",
		"explain measures with one backend: name it, for example --backend=cuda"},
	[JOB_SELFTEST] = {DEVICE_RULE_ONE, "selftest uses one device",
		"selftest uses one backend: name it, for example --backend=cuda"},
};

static enum pmpp_status check_one_device(const struct job *job, struct pmpp_error *error)
{
	const struct device_query *query = &job->query;
	const char *one_backend = actions[job->action].backend;

	if (!one_backend)
		return PMPP_OK;
	if (device_word_is_all(query->device))
		return PMPP_FAIL(error, PMPP_USAGE,
			"%s=all: %s: name it, for example --device=0 (pmpp-run devices lists the "
			"devices)",
			query->device_from, actions[job->action].device);
	if (device_word_is_all(query->backend))
		return PMPP_FAIL(error, PMPP_USAGE, "%s=all: %s", query->backend_from, one_backend);
	/* --backend chooses the CUDA backend that is compared with OpenCL. */
	if (job->action == JOB_PARITY && query->backend && strcmp(query->backend, "opencl") == 0)
		return PMPP_FAIL(error, PMPP_USAGE, "%s", one_backend);
	return PMPP_OK;
}

/* ---- Public -------------------------------------------------------------------------------- */

/* Backends whose kernels the job reads on every machine, whatever devices it has. */
static unsigned certain_backends(const struct job *job, unsigned looked)
{
	bool one = (looked & (looked - 1)) == 0;

	if (job->action == JOB_PARITY || job->options->twins)
		return EVERY_BACKEND;
	return one ? looked : 0;
}

/* Rejects --peers if no family has peers. */
static enum pmpp_status check_peers(const struct job *job, struct pmpp_error *error)
{
	char with[160] = "";
	bool has = false;

	for (size_t t = 0; t < job->targets.count; t++)
		has |= job->targets.items[t].family->peer_count > 0;
	if (has || !job->options->peers)
		return PMPP_OK;
	for (size_t i = 0; i < family_count; i++)
		if (families[i]->peer_count)
			snprintf(with + strlen(with), sizeof with - strlen(with), "%s%s",
				*with ? ", " : "", families[i]->name);
	return PMPP_FAIL(error, PMPP_USAGE,
		"--peers: no library is known for %s; families with libraries: %s",
		job->targets.items[0].family->name, with);
}

/* For kernels of the user: `parity` needs both languages of each, and --kernel-dir replaces only built-in files. */
static enum pmpp_status check_own(const struct job *job, struct pmpp_error *error)
{
	const struct job_options *options = job->options;

	if (options->suite.kernel_dir)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--kernel-dir is for built-in variants: leave it out or leave out %s",
			options->own[0]->file);
	for (size_t i = 0; i < options->own_count && job->action == JOB_PARITY; i++)
		if (!options->own[i]->twin)
			return PMPP_FAIL(error, PMPP_USAGE,
				"parity: %s needs a kernel of the same name in the other language: give "
				"%s.%s too",
				options->own[i]->file, options->own[i]->name,
				options->own[i]->cuda ? "cl" : "cu");
	return PMPP_OK;
}

/* Restricts the devices to the language of the kernels of the user, unless there are both. */
static void choose_language(const struct job_options *options, struct device_query *query)
{
	size_t cuda = 0;

	for (size_t i = 0; i < options->own_count; i++)
		cuda += options->own[i]->cuda;
	query->one_language = options->own_count && (!cuda || cuda == options->own_count);
	query->language = cuda ? GPU_LANGUAGE_CUDA_C : GPU_LANGUAGE_OPENCL_C;
}

/* Resolves the words and the files of the command line. */
static enum pmpp_status check_words(struct job *job, struct pmpp_error *error)
{
	const struct job_options *options = job->options;
	enum pmpp_status status =
		targets_parse(options->words, options->word_count, &job->targets, error);

	if (status == PMPP_OK)
		status = targets_add_own(&job->targets, options->own, options->own_count, error);
	if (status == PMPP_OK && options->own_count)
		status = check_own(job, error);
	if (status == PMPP_OK)
		status = check_peers(job, error);
	if (status == PMPP_OK)
		status = choices_check(&options->choices, &job->targets, error);
	if (status == PMPP_OK)
		status = tunables_check(&options->tunables, &job->targets, error);
	if (status == PMPP_OK && options->tunables.shared_bytes && !options->suite.kernel_dir)
		status = PMPP_FAIL(error, PMPP_USAGE,
			"--shared needs --kernel-dir: it is for kernels of your own");
	if (status == PMPP_OK && (job->action == JOB_RUN || job->action == JOB_VERIFY))
		status = prepare_files(job, error);
	return status;
}

enum pmpp_status job_prepare(enum job_action action, const struct job_options *options,
	struct job *ret_job, struct pmpp_error *error)
{
	unsigned backends;
	struct job job = {.action = action,
		.options = options,
		.engine = engines[options->engine],
		.limits = {.between_s = 120, .end_s = 10, .stalls = 30},
		.query = {options->backend, options->device, options->backend_from,
			options->device_from,
			options->every_view ? DEVICE_RULE_EVERY_VIEW : actions[action].rule}};

	/* An engine with its own device ignores PMPP_BACKEND and PMPP_DEVICE. */
	if (job.engine->backend)
		job.query = (struct device_query){
			.backend = job.engine->backend, .rule = DEVICE_RULE_EACH_BACKEND};
	choose_language(options, &job.query);
	enum pmpp_status status = device_query_backends(&job.query, &backends, error);

	if (status == PMPP_OK)
		status = check_one_device(&job, error);
	if (status == PMPP_OK && action != JOB_ROOFLINE)
		status = check_words(&job, error);
	if (status == PMPP_OK)
		status = kernel_dir_check(options->suite.kernel_dir, &job.targets,
			certain_backends(&job, backends), error);
	if (status == PMPP_OK)
		status = check_sizes(&job, error);
	if (status == PMPP_OK)
		status = choose_model(&job, error);
	if (status == PMPP_OK && action == JOB_EXPLAIN)
		status = check_capability(&job, error);
	if (status == PMPP_OK && job.engine->create)
		status = job.engine->create(&job.engine_state, error);
	if (status != PMPP_OK) {
		job_finish(&job);
		return status;
	}
	*ret_job = job;
	return PMPP_OK;
}

void job_finish(struct job *job)
{
	for (size_t i = 0; i < PMPP_MAX_OPERANDS; i++)
		npy_array_finish(&job->inputs.arrays[i]);
	if (job->engine && job->engine->destroy)
		job->engine->destroy(job->engine_state);
	job->engine_state = NULL;
	targets_finish(&job->targets);
}
