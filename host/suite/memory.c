#include "host/suite/memory.h"

#include "host/suite/layout.h"
#include "host/suite/operands.h"
#include "host/suite/verify.h"

#include <stdio.h>
#include <string.h>

/* Shares of the free memory for default sizes. Compilers also need host memory. */
#define DEVICE_SHARE 0.8
#define HOST_SHARE 0.5

/* ---- Needs --------------------------------------------------------------------------------- */

/* Not layout_bytes(), which overflows: the message must show any size. */
static double layout_size(const struct layout *layout)
{
	return (double)layout->lines * (double)layout->pitch *
	       (double)dtype_info(layout->device)->bytes;
}

static void add_buffer(struct memory_needs *needs, double bytes, double guards, const char *name)
{
	needs->device += bytes + guards;
	if (bytes + guards <= needs->largest)
		return;
	needs->largest = bytes + guards;
	needs->largest_name = name;
}

/* The inputs for each kind of data, the outputs of two runs, and the references. */
static double suite_bytes(const struct config *config, const struct problem *problem)
{
	const struct family *family = problem->family;
	bool others = verify_checks_integers(config, problem) || verify_has_other_data(problem);
	bool made = problem->source != INPUT_USER || problem->rounding != ROUND_NONE;
	double bytes = 0;

	for (size_t i = 0; i < family->operand_count; i++) {
		double operand = (double)operand_bytes(&family->operands[i], problem);
		if (family->operands[i].role == OPERAND_OUT)
			bytes += 2 * operand;
		else
			bytes += operand * (made + others);
	}
	return bytes + (1 + others) * reference_bytes(problem) +
	       (double)operands_staging_bytes(config, problem);
}

struct memory_needs memory_needs_of(const struct gpu_device_info *info, const struct config *config,
	const struct problem *problem, bool keeps_copy)
{
	const struct family *family = problem->family;
	double guards = 2 * (double)operands_guard_bytes(info);
	struct memory_needs needs = {.largest_name = ""};
	uint64_t scratch[PMPP_MAX_SCRATCH];

	operands_scratch_bytes(config, problem, scratch);
	for (size_t i = 0; i < family->operand_count; i++) {
		struct layout layout = layout_of(config, problem, i);
		add_buffer(&needs, layout_size(&layout), guards, family->operands[i].name);
	}
	for (size_t i = 0; i < PMPP_MAX_SCRATCH; i++)
		if (scratch[i])
			add_buffer(&needs, (double)scratch[i], guards, "scratch");
	needs.host = suite_bytes(config, problem) + (keeps_copy ? needs.device : 0);
	if (gpu_shares_host_memory(info))
		needs.host += needs.device;
	return needs;
}

/* ---- Checks -------------------------------------------------------------------------------- */

static void amount_text(double bytes, int digits, char text[GPU_TEXT_BYTES])
{
	static const struct {
		double bytes;
		const char *name;
	} units[] = {{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}};
	size_t unit = bytes >= 1e9 ? 0 : bytes >= 1e6 ? 1 : 2;

	snprintf(text, GPU_TEXT_BYTES, "%.*f %s", digits, bytes / units[unit].bytes,
		units[unit].name);
}

void memory_amounts_text(double needed, double available, char ret_needed[GPU_TEXT_BYTES],
	char ret_available[GPU_TEXT_BYTES])
{
	for (int digits = 1; digits <= 9; digits++) {
		amount_text(needed, digits, ret_needed);
		amount_text(available, digits, ret_available);
		if (strcmp(ret_needed, ret_available) != 0)
			return;
	}
}

/* "matmul m=n=k=9 needs 12.3 GB of WHAT; WHERE 8.0 GB". */
static enum pmpp_status refuse(const struct problem *problem, double needed, const char *what,
	double available, const char *where, struct pmpp_error *error)
{
	char text[128], needed_text[GPU_TEXT_BYTES], available_text[GPU_TEXT_BYTES];

	problem_text(problem, text, sizeof text);
	memory_amounts_text(needed, available, needed_text, available_text);
	return PMPP_FAIL(error, PMPP_TOO_LARGE, "%s %s needs %s of %s; %s %s",
		problem->family->name, text, needed_text, what, where, available_text);
}

enum pmpp_status memory_check(const struct memory_needs *needs, const struct memory_room *room,
	const struct gpu_device_info *info, const struct problem *problem, struct pmpp_error *error)
{
	const struct gpu_limits *limits = &info->limits;
	char text[sizeof info->name + 32];

	snprintf(text, sizeof text, "%s has", info->name);
	if (needs->device > (double)limits->global_bytes)
		return refuse(problem, needs->device, "device memory", (double)limits->global_bytes,
			text, error);
	if (needs->largest > (double)limits->max_buffer_bytes) {
		char what[96];
		snprintf(what, sizeof what, "device memory for %.64s", needs->largest_name);
		snprintf(text, sizeof text, "the buffer limit of %s is", info->name);
		return refuse(problem, needs->largest, what, (double)limits->max_buffer_bytes, text,
			error);
	}
	if (needs->host > room->host)
		return refuse(problem, needs->host, "host memory", room->host,
			"this process can allocate", error);
	snprintf(text, sizeof text, "the free memory of %s is", info->name);
	if (needs->device > room->device)
		return refuse(problem, needs->device, "device memory", room->device, text, error);
	return PMPP_OK;
}

bool memory_fits_well(const struct memory_needs *needs, const struct memory_room *room,
	const struct gpu_device_info *info)
{
	return needs->largest <= (double)info->limits.max_buffer_bytes &&
	       needs->device <= DEVICE_SHARE * room->device &&
	       needs->host <= HOST_SHARE * room->host;
}
