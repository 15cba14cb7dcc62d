#include "common/model/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *trace_space_name(enum trace_space space)
{
	static const char *const names[] = {[TRACE_GLOBAL] = "global", [TRACE_SHARED] = "shared"};

	return names[space];
}

const char *trace_kind_name(enum trace_kind kind)
{
	static const char *const names[] = {
		[TRACE_LOAD] = "load", [TRACE_STORE] = "store", [TRACE_ATOMIC] = "atomic"};

	return names[kind];
}

static const struct {
	const char *name;
	enum outcome_class class;
} defects[TRACE_DEFECT_COUNT] = {
	[TRACE_NO_DEFECT] = {"none", OUTCOME_CLASS_OK},
	[TRACE_RACE] = {"race", OUTCOME_CLASS_FAILED},
	[TRACE_OUT_OF_BOUNDS] = {"out-of-bounds", OUTCOME_CLASS_FAILED},
	[TRACE_UNINITIALISED] = {"uninitialised", OUTCOME_CLASS_FAILED},
	[TRACE_BARRIER] = {"barrier", OUTCOME_CLASS_FAILED},
	[TRACE_DEADLOCK] = {"deadlock", OUTCOME_CLASS_FAILED},
	[TRACE_FAULT] = {"fault", OUTCOME_CLASS_BROKEN},
	[TRACE_RUNAWAY] = {"runaway", OUTCOME_CLASS_BROKEN},
};

const char *trace_defect_name(enum trace_defect_kind kind)
{
	return defects[kind].name;
}

bool trace_defect_find(const char *name, enum trace_defect_kind *ret_kind)
{
	for (size_t i = 0; i < TRACE_DEFECT_COUNT; i++)
		if (strcmp(defects[i].name, name) == 0) {
			*ret_kind = (enum trace_defect_kind)i;
			return true;
		}
	return false;
}

enum outcome_class trace_defect_class(enum trace_defect_kind kind)
{
	return defects[kind].class;
}

void trace_finish(struct trace *trace)
{
	free(trace->accesses);
	free(trace->lines);
	free(trace->branches);
	*trace = (struct trace){0};
}

double trace_estimate(const struct trace *trace, uint64_t count)
{
	if (!trace->estimated || trace->sampled_blocks == 0)
		return (double)count;
	return (double)count * (double)trace->total_blocks / (double)trace->sampled_blocks;
}

uint64_t trace_bytes_requested(
	const struct trace *trace, enum trace_space space, enum trace_kind kind)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < trace->access_count; i++)
		if (trace->accesses[i].space == space && trace->accesses[i].kind == kind)
			bytes += trace->accesses[i].bytes_requested;
	return bytes;
}

uint64_t trace_bytes_moved(const struct trace *trace, enum trace_kind kind)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < trace->access_count; i++)
		if (trace->accesses[i].kind == kind)
			bytes += trace->accesses[i].sectors * SECTOR_BYTES;
	return bytes;
}

double trace_simt_efficiency(const struct trace *trace)
{
	uint64_t executions = 0;
	uint64_t lanes = 0;

	for (size_t i = 0; i < trace->line_count; i++) {
		executions += trace->lines[i].warp_executions;
		lanes += trace->lines[i].lanes;
	}
	return executions ? (double)lanes / ((double)executions * WARP_THREADS) : NAN;
}
