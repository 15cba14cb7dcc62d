#include "host/cli/commands.h"

#include <stdio.h>
#include <string.h>

#include "common/model/boundary.h"
#include "common/model/exit_code.h"
#include "host/results/file.h"

static double percent(int64_t part, int64_t whole)
{
	return 100.0 * (double)part / (double)whole;
}

static void put_boundary(const int64_t extent[BOUNDARY_DIMS], const int64_t block[BOUNDARY_DIMS],
	const struct boundary *found)
{
	printf("%lld x %lld in blocks of %lld x %lld: %lld x %lld blocks, %lld warps; diverging %lld "
	       "(%.1f %%), wholly on %lld, wholly off %lld\n",
		(long long)extent[0], (long long)extent[1], (long long)block[0],
		(long long)block[1], (long long)found->blocks[0], (long long)found->blocks[1],
		(long long)found->warps, (long long)found->diverging,
		percent(found->diverging, found->warps), (long long)found->on,
		(long long)found->off);
}

static json_t *encode_boundary(const int64_t extent[BOUNDARY_DIMS],
	const int64_t block[BOUNDARY_DIMS], const struct boundary *found)
{
	return json_pack("{s:[I, I], s:[I, I], s:[I, I], s:I, s:I, s:I, s:I}", "size",
		(json_int_t)extent[0], (json_int_t)extent[1], "block", (json_int_t)block[0],
		(json_int_t)block[1], "blocks", (json_int_t)found->blocks[0],
		(json_int_t)found->blocks[1], "warps", (json_int_t)found->warps, "diverging",
		(json_int_t)found->diverging, "on", (json_int_t)found->on, "off",
		(json_int_t)found->off);
}

static enum pmpp_status one_size(const struct cli_options *options, const struct size *size,
	json_t *rows, struct pmpp_error *error)
{
	const int64_t *given = options->model.block;
	int64_t extent[BOUNDARY_DIMS] = {size->value[0], size->count > 1 ? size->value[1] : 1};
	int64_t block[BOUNDARY_DIMS] = {given[0], given[1] ? given[1] : 1};
	struct boundary found;

	if (size->named || size->count > BOUNDARY_DIMS)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--size of model boundary is N or WIDTHxHEIGHT, as 1003 or 76x62");
	if (size->count == 1 && block[1] > 1)
		return PMPP_FAIL(error, PMPP_USAGE,
			"--block=%lldx%lld is of an image: give --size=WIDTHxHEIGHT too",
			(long long)block[0], (long long)block[1]);
	enum pmpp_status status = boundary_count(extent, block, &found, error);
	if (status != PMPP_OK)
		return status;
	json_array_append_new(rows, encode_boundary(extent, block, &found));
	if (!options->quiet && !(options->json && strcmp(options->json, "-") == 0))
		put_boundary(extent, block, &found);
	return PMPP_OK;
}

enum pmpp_status cmd_model_boundary(
	const struct cli_options *options, int *ret_exit, struct pmpp_error *error)
{
	json_t *rows = json_array();
	enum pmpp_status status = options->json ? output_check(options->json, error) : PMPP_OK;

	if (status == PMPP_OK && (options->sizes.count == 0 || options->model.block[0] == 0))
		status = PMPP_FAIL(error, PMPP_USAGE,
			"model boundary needs --size and --block, as --size=76x62 --block=16x16");
	for (size_t i = 0; i < options->sizes.count && status == PMPP_OK; i++)
		status = one_size(options, &options->sizes.items[i], rows, error);
	if (status == PMPP_OK && options->json) {
		json_t *document = json_pack("{s:s, s:s, s:O}", "schema", "pmpp-model/1", "model",
			"boundary", "rows", rows);
		status = output_json(options->json, document, error);
		json_decref(document);
	}
	json_decref(rows);
	*ret_exit = EXIT_CODE_OK;
	return status;
}
