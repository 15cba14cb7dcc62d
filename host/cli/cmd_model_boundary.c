#include "host/cli/cmd.h"

#include <stdio.h>
#include <string.h>

#include "common/model/boundary.h"
#include "common/model/exit_code.h"
#include "host/record/document.h"
#include "host/record/model.h"
#include "host/report/terminal.h"
#include "host/report/wrap.h"

static double percent(int64_t part, int64_t whole)
{
	return 100.0 * (double)part / (double)whole;
}

static void put_boundary(const int64_t extent[BOUNDARY_DIMS], const int64_t block[BOUNDARY_DIMS],
	const struct boundary *found)
{
	struct wrap wrap;
	FILE *out = wrap_begin(&wrap, stdout, terminal_width(stdout));

	fprintf(out,
		"%lld x %lld in blocks of %lld x %lld: %lld x %lld blocks, %lld warps; divergent %lld "
		"(%.1f %%), completely inside %lld, completely outside %lld\n",
		(long long)extent[0], (long long)extent[1], (long long)block[0],
		(long long)block[1], (long long)found->blocks[0], (long long)found->blocks[1],
		(long long)found->warps, (long long)found->diverging,
		percent(found->diverging, found->warps), (long long)found->on,
		(long long)found->off);
	wrap_end(&wrap);
}

static enum pmpp_status one_size(const struct cli_options *options, const struct size *size,
	struct model_document *document, struct pmpp_error *error)
{
	const int64_t *given = options->model.block;
	int64_t extent[BOUNDARY_DIMS] = {size->value[0], size->count > 1 ? size->value[1] : 1};
	int64_t block[BOUNDARY_DIMS] = {given[0], given[1] ? given[1] : 1};
	struct boundary found;

	if (size->named || size->count > BOUNDARY_DIMS)
		return PMPP_FAIL(error, PMPP_USAGE,
			"model boundary needs --size=N or --size=WIDTHxHEIGHT, for example "
			"--size=76x62");
	if (size->count == 1 && block[1] > 1)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--block=%lldx%lld has two dimensions: give --size=WIDTHxHEIGHT",
			(long long)block[0], (long long)block[1]);
	enum pmpp_status status = boundary_count(extent, block, &found, error);
	if (status == PMPP_OK)
		status = model_add_boundary(document, extent, block, &found, error);
	if (status == PMPP_OK && !options->terminal.quiet &&
		!(options->json && strcmp(options->json, "-") == 0))
		put_boundary(extent, block, &found);
	return status;
}

enum pmpp_status cmd_model_boundary(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	struct model_document document;
	enum pmpp_status status =
		options->json ? document_check_path(options->json, error) : PMPP_OK;

	model_document_init(MODEL_BOUNDARY, &document);
	if (status == PMPP_OK && (options->job.sizes.count == 0 || options->model.block[0] == 0))
		status = PMPP_FAIL(error, PMPP_USAGE,
			"model boundary needs --size and --block, for example --size=76x62 "
			"--block=16x16");
	for (size_t i = 0; i < options->job.sizes.count && status == PMPP_OK; i++)
		status = one_size(options, &options->job.sizes.items[i], &document, error);
	if (status == PMPP_OK && options->json)
		status = document_save(&model_document_type, &document, options->json, error);
	record_finish(&model_document_type, &document);
	*ret_exit = EXIT_CODE_OK;
	return status;
}
