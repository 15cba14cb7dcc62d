#include "host/record/explanation.h"

/* ---- Examples ------------------------------------------------------------------------------ */

static const struct record_field request_fields[] = {
	MEMBER(struct request_record, block, INTEGER, 0, NULL, "0.1",
		"number of the block in the grid, x fastest, from 0"),
	MEMBER(struct request_record, warp, INTEGER, 0, NULL, "0.1",
		"number of the warp in the block, from 0"),
	MEMBER(struct request_record, pattern, TEXT, 0, NULL, "0.1", "the most common pattern"),
	MEMBER(struct request_record, requests, INTEGER, 0, NULL, "0.1",
		"requests of the access with this pattern"),
	MEMBER(struct request_record, offsets, INTEGERS, 0, "bytes", "0.1",
		"for each lane: offset of its first byte from the 128-byte boundary at or "
		"below the lowest address; -1: inactive lane"),
	MEMBER(struct request_record, banks, INTEGERS, FIELD_OMITTED, NULL, "0.1",
		"shared memory: for each lane, the bank of its first byte; -1: inactive lane"),
};

static const struct record_type request_type = {"request", "one request of a warp, as an example",
	sizeof(struct request_record), request_fields, MEMBER_COUNT(request_fields), 0};

static const struct record_field split_fields[] = {
	MEMBER(struct split_record, block, INTEGER, 0, NULL, "0.1",
		"number of the block in the grid, x fastest, from 0"),
	MEMBER(struct split_record, warp, INTEGER, 0, NULL, "0.1",
		"number of the warp in the block, from 0"),
	MEMBER(struct split_record, ways, INTEGERS, 0, NULL, "0.1",
		"for each lane: 0 = it runs first, 1 = it waits, -1 = it is inactive"),
	MEMBER(struct split_record, lanes, INTEGER, 0, "lanes", "0.1",
		"active lanes, summed over the divergent executions"),
	MEMBER(struct split_record, first_lanes, INTEGER, 0, "lanes", "0.1",
		"lanes that run first, summed over the divergent executions"),
};

static const struct record_type split_type = {"divergent execution",
	"one divergent execution of a branch as an example, and sums over all of them",
	sizeof(struct split_record), split_fields, MEMBER_COUNT(split_fields), 0};

/* ---- Trace --------------------------------------------------------------------------------- */

static const struct record_field model_fields[] = {
	MEMBER(struct access_model_record, name, TEXT, 0, NULL, "0.1",
		"GPU that has these parameters"),
	MEMBER(struct access_model_record, width, INTEGER, 0, "lanes", "0.1",
		"lanes that run in lockstep: a warp, wavefront or sub-group"),
	MEMBER(struct access_model_record, sector_bytes, INTEGER, 0, "bytes", "0.1",
		"sector: the unit in which global memory is transferred"),
	MEMBER(struct access_model_record, line_bytes, INTEGER, 0, "bytes", "0.1",
		"line of the cache"),
	MEMBER(struct access_model_record, banks, INTEGER, 0, NULL, "0.1",
		"banks of shared memory; 0: unknown"),
	MEMBER(struct access_model_record, bank_bytes, INTEGER, 0, "bytes", "0.1",
		"word of a bank"),
};

static const struct record_type model_type = {"access model",
	"the GPU whose lanes, sectors, lines and banks are counted",
	sizeof(struct access_model_record), model_fields, MEMBER_COUNT(model_fields), 0};

static const struct record_field access_fields[] = {
	MEMBER(struct access_record, file, TEXT, FIELD_NULLABLE, NULL, "0.1", "the kernel file"),
	MEMBER(struct access_record, line, INTEGER, 0, NULL, "0.1", "line of the file, from 1"),
	MEMBER(struct access_record, text, TEXT, FIELD_NULLABLE, NULL, "0.1",
		"the source line; null: the file has no such line"),
	MEMBER_IN(struct access_record, space, WORD, 0, trace_space_words, "0.1", "memory"),
	MEMBER_IN(struct access_record, kind, WORD, 0, trace_kind_words, "0.1", "kind of access"),
	MEMBER(struct access_record, width_bytes, INTEGER, 0, "bytes", "0.1", "bytes per lane"),
	MEMBER(struct access_record, operand, TEXT, FIELD_NULLABLE, NULL, "0.1",
		"operand or scratch buffer; null: shared memory"),
	MEMBER(struct access_record, requests, INTEGER, 0, NULL, "0.1",
		"warps that issued the access"),
	MEMBER(struct access_record, bytes_requested, INTEGER, 0, "bytes", "0.1",
		"active lanes x bytes per lane, summed over the requests"),
	MEMBER(struct access_record, bytes_unique, INTEGER, 0, "bytes", "0.1",
		"number of different bytes of a request, summed over the requests"),
	MEMBER(struct access_record, pattern, TEXT, 0, NULL, "0.1",
		"addresses from lane to lane, such as contiguous, stride 2, broadcast in runs "
		"of 16"),
	MEMBER(struct access_record, active_lanes, NUMBER, FIELD_NULLABLE, "lanes", "0.1",
		"mean number of active lanes per request"),
	MEMBER(struct access_record, sectors_per_request, NUMBER, FIELD_NULLABLE, "sectors", "0.1",
		"global memory: sectors of `model.sector_bytes` (without `model`: 32 bytes) that a "
		"request touches"),
	MEMBER(struct access_record, lines128_per_request, NUMBER, FIELD_NULLABLE, "lines", "0.1",
		"global memory: lines of `model.line_bytes` (without `model`: 128 bytes) that a "
		"request touches. The lines of some models have 64 bytes, despite the name of the "
		"key"),
	MEMBER(struct access_record, bytes_moved, COUNT, FIELD_NULLABLE, "bytes", "0.1",
		"global memory: bytes of all touched sectors"),
	MEMBER(struct access_record, efficiency, NUMBER, FIELD_NULLABLE, "1", "0.1",
		"global memory: bytes_unique / bytes_moved"),
	MEMBER(struct access_record, alignment_bytes, COUNT, FIELD_NULLABLE, "bytes", "0.1",
		"global memory: smallest alignment of the lowest address of a request"),
	MEMBER(struct access_record, ways, COUNT, FIELD_NULLABLE, NULL, "0.1",
		"shared memory: maximum number of different words of one bank in one pass; null: "
		"the banks of the model are unknown"),
	MEMBER(struct access_record, wavefronts_per_request, NUMBER, FIELD_NULLABLE, "wavefronts",
		"0.1", "shared memory: passes that a request needs"),
	MEMBER(struct access_record, multiplicity, NUMBER, FIELD_NULLABLE, "lanes", "0.1",
		"atomic operations: maximum number of lanes on one address, mean over the "
		"requests"),
	MEMBER_IN(struct access_record, coalescing, WORD, 0, access_coalescing_words, "0.1",
		"whether the requests of the access are coalesced"),
	MEMBER_OF(struct access_record, request, OBJECT, FIELD_OMITTED, request_type, "0.1",
		"one request of the access, as an example; absent: a file of an older version"),
};

const struct record_type access_type = {"access", "one access in the source",
	sizeof(struct access_record), access_fields, MEMBER_COUNT(access_fields), 0};

static const struct record_field line_fields[] = {
	MEMBER(struct line_record, line, INTEGER, 0, NULL, "0.1", "line of the file, from 1"),
	MEMBER(struct line_record, text, TEXT, FIELD_NULLABLE, NULL, "0.1", "the source line"),
	MEMBER(struct line_record, warp_executions, INTEGER, 0, NULL, "0.1",
		"executions of the line, summed over warps"),
	MEMBER(struct line_record, lanes, INTEGER, 0, "lanes", "0.1",
		"active lanes, summed over the executions"),
	MEMBER(struct line_record, simt, NUMBER, FIELD_NULLABLE, "1", "0.1",
		"lanes / (width x warp_executions). width: `model.width` (without `model`: 32)"),
};

const struct record_type line_type = {"line", "one executed source line",
	sizeof(struct line_record), line_fields, MEMBER_COUNT(line_fields), 0};

static const struct record_field branch_fields[] = {
	MEMBER(struct branch_record, line, INTEGER, 0, NULL, "0.1", "line of the file, from 1"),
	MEMBER(struct branch_record, text, TEXT, FIELD_NULLABLE, NULL, "0.1", "the source line"),
	MEMBER(struct branch_record, executions, INTEGER, 0, NULL, "0.1",
		"executions of the branch, summed over warps"),
	MEMBER(struct branch_record, divergent, INTEGER, 0, NULL, "0.1",
		"executions in which lanes of one warp take different ways"),
	MEMBER_OF(struct branch_record, split, OBJECT, FIELD_OMITTED, split_type, "0.1",
		"the divergent executions; absent: none, or a file of an older version"),
};

const struct record_type branch_type = {"branch",
	"a branch that takes different ways, in one warp or in different warps",
	sizeof(struct branch_record), branch_fields, MEMBER_COUNT(branch_fields), 0};

static const struct record_field sampled_fields[] = {
	MEMBER(struct sampled_record, blocks, INTEGER, 0, "blocks", "0.1", "blocks that ran"),
	MEMBER(struct sampled_record, total, INTEGER, 0, "blocks", "0.1", "blocks in the grid"),
	MEMBER(struct sampled_record, in_part, BOOL, FIELD_OPTIONAL, NULL, "0.1",
		"of the last traced block only the first part was traced; there are no "
		"totals"),
};

static const struct record_type sampled_type = {"sample of blocks", "the blocks that were traced",
	sizeof(struct sampled_record), sampled_fields, MEMBER_COUNT(sampled_fields), 0};

static const struct record_field totals_fields[] = {
	MEMBER(struct totals_record, estimated, BOOL, 0, NULL, "0.1",
		"true: not all blocks were traced"),
	MEMBER(struct totals_record, bytes_compulsory, NUMBER, FIELD_NULLABLE, "bytes", "0.1",
		"each input read once and each output written once"),
	MEMBER(struct totals_record, bytes_loaded_requested, NUMBER, FIELD_NULLABLE, "bytes", "0.1",
		"loads: active lanes x bytes per lane"),
	MEMBER(struct totals_record, bytes_loaded_moved, NUMBER, FIELD_NULLABLE, "bytes", "0.1",
		"loads: touched sectors"),
	MEMBER(struct totals_record, bytes_stored_requested, NUMBER, FIELD_NULLABLE, "bytes", "0.1",
		"stores: active lanes x bytes per lane"),
	MEMBER(struct totals_record, bytes_stored_moved, NUMBER, FIELD_NULLABLE, "bytes", "0.1",
		"stores: touched sectors"),
	MEMBER(struct totals_record, bytes_atomic_requested, NUMBER, FIELD_NULLABLE, "bytes", "0.1",
		"atomic operations: active lanes x bytes per lane"),
	MEMBER(struct totals_record, bytes_atomic_moved, NUMBER, FIELD_NULLABLE, "bytes", "0.1",
		"atomic operations: touched sectors"),
};

static const struct record_type totals_type = {"totals", "global memory of the whole launch",
	sizeof(struct totals_record), totals_fields, MEMBER_COUNT(totals_fields), 0};

static const struct record_field defect_fields[] = {
	MEMBER_IN(struct defect_record, kind, WORD, 0, trace_defect_words, "0.1", "kind of defect"),
	MEMBER(struct defect_record, line, COUNT, FIELD_NULLABLE, NULL, "0.1",
		"line of the file; null: unknown"),
	MEMBER(struct defect_record, other_line, COUNT, FIELD_NULLABLE, NULL, "0.1",
		"line of the other access; null: unknown, or there is none"),
	MEMBER(struct defect_record, text, TEXT, FIELD_NULLABLE, NULL, "0.1",
		"description of the defect"),
};

const struct record_type defect_type = {"defect", "a defect that the emulator found",
	sizeof(struct defect_record), defect_fields, MEMBER_COUNT(defect_fields), 0};

/* ---- Launch -------------------------------------------------------------------------------- */

static const struct record_field launch_fields[] = {
	MEMBER(struct launch_record, kernel, TEXT, 0, NULL, "0.1", "the kernel function"),
	MEMBER(struct launch_record, grid, TRIPLE, 0, "blocks", "0.1", "blocks in the grid"),
	MEMBER(struct launch_record, block, TRIPLE, 0, "threads", "0.1", "threads per block"),
	MEMBER(struct launch_record, shared_bytes, INTEGER, 0, "bytes", "0.1",
		"dynamic shared memory per block"),
	MEMBER(struct launch_record, index, INTEGER, 0, NULL, "0.1",
		"number of the launch in the run, from 1"),
	MEMBER(struct launch_record, count, INTEGER, 0, NULL, "0.1", "launches of the run"),
};

static const struct record_type launch_type = {"launch", "the launch that an entry explains",
	sizeof(struct launch_record), launch_fields, MEMBER_COUNT(launch_fields), 0};

static const struct record_field occupancy_fields[] = {
	MEMBER(struct occupancy_record, ratio, NUMBER, FIELD_NULLABLE, "1", "0.1",
		"resident warps / maximum warps per multiprocessor"),
	MEMBER(struct occupancy_record, blocks, INTEGER, 0, "blocks", "0.1",
		"resident blocks per multiprocessor"),
	MEMBER(struct occupancy_record, threads, INTEGER, 0, "threads", "0.1",
		"resident threads per multiprocessor"),
	MEMBER(struct occupancy_record, warps, INTEGER, 0, "warps", "0.1",
		"resident warps per multiprocessor"),
	MEMBER_IN(struct occupancy_record, limited_by, WORDS, 0, occupancy_limit_words, "0.1",
		"resources that limit the number of blocks"),
	MEMBER(struct occupancy_record, unit, TEXT, FIELD_OMITTED, NULL, "0.1",
		"what holds the blocks; absent: a multiprocessor"),
	MEMBER(struct occupancy_record, simd, TEXT, FIELD_OMITTED, NULL, "0.1",
		"the parts of the unit that execute warps: SIMD (AMD), EU (Intel)"),
	MEMBER(struct occupancy_record, simd_warps, COUNT, FIELD_OMITTED, "warps", "0.1",
		"resident warps (waves, sub-groups) of the fullest SIMD or EU"),
	MEMBER(struct occupancy_record, compiler_warps, COUNT, FIELD_OMITTED, "warps", "0.1",
		"AMD: the figure that LLVM prints as Occupancy, in waves of each SIMD"),
	MEMBER(struct occupancy_record, target, TEXT, 0, NULL, "0.1", "the modelled hardware"),
};

static const struct record_type occupancy_type = {"occupancy", "resident blocks per multiprocessor",
	sizeof(struct occupancy_record), occupancy_fields, MEMBER_COUNT(occupancy_fields), 0};

/* ---- Models and measurement ---------------------------------------------------------------- */

static const struct record_field intensity_fields[] = {
	MEMBER(struct intensity_record, compulsory, NUMBER, FIELD_NULLABLE, "operations/byte",
		"0.1", "each input read once and each output written once"),
	MEMBER(struct intensity_record, issued, NUMBER, FIELD_NULLABLE, "operations/byte", "0.1",
		"bytes_issued of the variant"),
	MEMBER(struct intensity_record, requested, NUMBER, FIELD_NULLABLE, "operations/byte", "0.1",
		"traced: all accesses of global memory"),
	MEMBER(struct intensity_record, loads, NUMBER, FIELD_NULLABLE, "operations/byte", "0.1",
		"traced: loads from global memory"),
	MEMBER(struct intensity_record, moved, NUMBER, FIELD_NULLABLE, "operations/byte", "0.1",
		"traced: touched sectors; caches are ignored"),
};

static const struct record_type intensity_type = {"intensities",
	"operations per byte, for several counts of the bytes", sizeof(struct intensity_record),
	intensity_fields, MEMBER_COUNT(intensity_fields), 0};

static const struct record_field target_roofs_fields[] = {
	MEMBER(struct target_roofs_record, name, TEXT, 0, NULL, "0.1", "device of the roofs"),
	MEMBER(struct target_roofs_record, measured, BOOL, 0, NULL, "0.1",
		"true: measured in this run; false: roofs of a reference device"),
	MEMBER(struct target_roofs_record, copy_gbps, NUMBER, FIELD_NULLABLE, "GB/s", "0.1",
		"memory bandwidth of a copy"),
	MEMBER(struct target_roofs_record, fma_gflops, NUMBER, FIELD_NULLABLE, "GFLOP/s", "0.1",
		"rate of fused multiply-adds"),
	MEMBER(struct target_roofs_record, ridge, NUMBER, FIELD_NULLABLE, "operations/byte", "0.1",
		"fma_gflops / copy_gbps"),
};

static const struct record_type target_roofs_type = {"target roofs",
	"roofs for the ridge and the floors", sizeof(struct target_roofs_record),
	target_roofs_fields, MEMBER_COUNT(target_roofs_fields), 0};

const char *const check_item_words[] = {
	[CHECK_OCCUPANCY] = "occupancy",
	[CHECK_COALESCING] = "coalescing",
	[CHECK_DIVERGENCE] = "divergence",
	[CHECK_TILING] = "tiling",
	[CHECK_PRIVATISATION] = "privatisation",
	[CHECK_COARSENING] = "coarsening",
	[CHECK_BANKS] = "bank conflicts",
	[CHECKLIST_COUNT] = NULL,
};

const char *const check_state_words[] = {
	[CHECK_UNKNOWN] = "unknown",
	[CHECK_NOT_APPLICABLE] = "not applicable",
	[CHECK_DONE] = "done",
	[CHECK_OPEN] = "open",
	[CHECK_STATE_COUNT] = NULL,
};

static const struct record_field check_fields[] = {
	MEMBER_IN(struct check_record, item, WORD, 0, check_item_words, "0.1",
		"item of the checklist (PMPP 4th ed., Table 6.1, and bank conflicts)"),
	MEMBER_IN(struct check_record, state, WORD, 0, check_state_words, "0.1",
		"result of the rule of the item"),
	MEMBER(struct check_record, text, TEXT, FIELD_NULLABLE, NULL, "0.1",
		"the figure that decides the state"),
};

const struct record_type check_item_type = {"check", "one item of the checklist",
	sizeof(struct check_record), check_fields, MEMBER_COUNT(check_fields), 0};

static const struct record_field measured_fields[] = {
	MEMBER(struct measured_record, backend, TEXT, 0, NULL, "0.1", "backend of the measurement"),
	MEMBER(struct measured_record, device, TEXT, 0, NULL, "0.1", "key of the device"),
	MEMBER(struct measured_record, device_name, TEXT, 0, NULL, "0.1", "name of the device"),
	MEMBER(struct measured_record, problem, NAMED, 0, NULL, "0.1",
		"size of each dimension; not the traced size"),
	MEMBER(struct measured_record, problem_text, TEXT, 0, NULL, "0.1", "the sizes as text"),
	MEMBER(struct measured_record, ns, NUMBER, FIELD_NULLABLE, "ns", "0.1",
		"median of one run"),
	MEMBER(struct measured_record, gflops, NUMBER, FIELD_NULLABLE, "GFLOP/s", "0.1",
		"flops / median"),
	MEMBER(struct measured_record, gbps, NUMBER, FIELD_NULLABLE, "GB/s", "0.1",
		"bytes_compulsory / median"),
	MEMBER(struct measured_record, fraction_of_roof, NUMBER, FIELD_NULLABLE, "1", "0.1",
		"pct_roof / 100 of the result row"),
	MEMBER_IN(struct measured_record, flags, WORDS, FIELD_OPTIONAL, timing_flag_words, "0.1",
		"warnings about the times (docs/measuring.md)"),
	MEMBER(struct measured_record, load, TEXT, FIELD_OMITTED, NULL, "0.1",
		"other programs used the CPU: the load of the machine. The flag `throttled` is absent"),
	MEMBER_IN(struct measured_record, limited_by, WORD, FIELD_NULLABLE, limited_by_words, "0.1",
		"limiting resource; null: unknown"),
	MEMBER(struct measured_record, attainable_gflops, NUMBER, FIELD_NULLABLE, "GFLOP/s", "0.1",
		"rate that the roofline allows at the intensity of the variant"),
	MEMBER(struct measured_record, attainable_gbps, NUMBER, FIELD_NULLABLE, "GB/s", "0.1",
		"rate that the roofline allows at the intensity of the variant"),
	MEMBER_IN(struct measured_record, status, WORD, 0, outcome_status_words, "0.1",
		"outcome; only `ok` is a verified result"),
};

static const struct record_type measured_type = {"measurement",
	"measurement of the variant on a device", sizeof(struct measured_record), measured_fields,
	MEMBER_COUNT(measured_fields), 0};

static const struct record_field next_fields[] = {
	MEMBER(struct next_record, variant, TEXT, 0, NULL, "0.1", "the variant"),
	MEMBER(struct next_record, technique, TEXT, 0, NULL, "0.1",
		"optimisation that the variant adds"),
	MEMBER(struct next_record, idea, TEXT, 0, NULL, "0.1", "why the optimisation can help"),
	MEMBER(struct next_record, claim, TEXT, FIELD_NULLABLE, NULL, "0.1",
		"claim of the book about its speed-up; null: none"),
};

static const struct record_type next_type = {"next rung",
	"the first variant that builds on this one", sizeof(struct next_record), next_fields,
	MEMBER_COUNT(next_fields), 0};

/* ---- Explanations -------------------------------------------------------------------------- */

static const struct record_field explanation_fields[] = {
	MEMBER(struct explanation_record, family, TEXT, 0, NULL, "0.1",
		"name of the family (the problem)"),
	MEMBER(struct explanation_record, variant, TEXT, 0, NULL, "0.1",
		"name of the variant (the kernel)"),
	MEMBER(struct explanation_record, label, TEXT, FIELD_OMITTED, NULL, "0.1",
		"lost explanation: variant and values of a sweep"),
	MEMBER(struct explanation_record, technique, TEXT, 0, NULL, "0.1",
		"optimisation that the variant adds"),
	MEMBER(struct explanation_record, idea, TEXT, 0, NULL, "0.1",
		"why the optimisation can help"),
	MEMBER(struct explanation_record, own_kernel, BOOL, FIELD_OMITTED, NULL, "0.1",
		"true: --kernel-dir has another kernel than the project. `base`, `next`, "
		"`intensity.issued` and `limited_by` are then null, and `book` is absent. The FLOP "
		"are those of the problem. Absent: the kernel of the project"),
	MEMBER(struct explanation_record, book, TEXT, FIELD_OPTIONAL, NULL, "0.1",
		"place in the book"),
	MEMBER(struct explanation_record, base, TEXT, FIELD_NULLABLE | FIELD_OPTIONAL, NULL, "0.1",
		"the variant that it builds on; null: none"),
	MEMBER(struct explanation_record, title, TEXT, 0, NULL, "0.1", "the problem as a formula"),
	MEMBER_OF(struct explanation_record, next, OBJECT, FIELD_NULLABLE | FIELD_OPTIONAL,
		next_type, "0.1",
		"the next rung of the ladder; null: no variant builds on this variant"),
	MEMBER(struct explanation_record, problem, NAMED, FIELD_OPTIONAL, NULL, "0.1",
		"size of each dimension, as traced"),
	MEMBER(struct explanation_record, problem_text, TEXT, 0, NULL, "0.1", "the sizes as text"),
	MEMBER(struct explanation_record, choices, TEXT, 0, NULL, "0.1",
		"element type, operation and data"),
	MEMBER(struct explanation_record, macros, NAMED, FIELD_OPTIONAL, NULL, "0.1",
		"values of the kernel's macros"),
	MEMBER(struct explanation_record, fallback, TEXT, FIELD_OMITTED, NULL, "0.1",
		"the values in `macros` that replace larger defaults, and the limit of the "
		"measuring device that the defaults exceed; absent: none"),
	MEMBER(struct explanation_record, file, TEXT, FIELD_NULLABLE | FIELD_OPTIONAL, NULL, "0.1",
		"the explained kernel file; null: there is none"),
	MEMBER(struct explanation_record, source_sha256, TEXT, FIELD_NULLABLE | FIELD_OPTIONAL,
		NULL, "0.1", "SHA-256 of the kernel file"),
	MEMBER_IN(struct explanation_record, status, WORD, FIELD_OMITTED, outcome_status_words,
		"0.1", "lost explanation: outcome of the variant"),
	MEMBER(struct explanation_record, reason, TEXT, FIELD_OMITTED | FIELD_NULLABLE, NULL, "0.1",
		"lost explanation: reason of the status"),
	MEMBER(struct explanation_record, no_trace, TEXT, FIELD_NULLABLE, NULL, "0.1",
		"why there is no trace; null: there is a trace"),
	MEMBER(struct explanation_record, traced, TEXT, FIELD_OMITTED, NULL, "0.1",
		"backend that traced the kernel: cuda-emu or opencl-emu. Absent: no trace, or a "
		"file of an older version"),
	MEMBER_OF(struct explanation_record, launch, OBJECT, FIELD_OPTIONAL, launch_type, "0.1",
		"the launch"),
	MEMBER_OF(struct explanation_record, model, OBJECT, FIELD_OMITTED, model_type, "0.1",
		"the access model of the trace; absent: sm_90, with 32 lanes, sectors of 32 bytes, "
		"lines of 128 bytes and 32 banks of 4 bytes"),
	MEMBER_OF(struct explanation_record, sampled, OBJECT, FIELD_NULLABLE | FIELD_OPTIONAL,
		sampled_type, "0.1", "the traced blocks; null: no trace"),
	MEMBER(struct explanation_record, estimated, BOOL, FIELD_OPTIONAL, NULL, "0.1",
		"true: not all blocks were traced"),
	MEMBER_OF(struct explanation_record, accesses, OBJECTS, FIELD_OPTIONAL, access_type, "0.1",
		"accesses of the traced blocks, by line"),
	MEMBER_OF(struct explanation_record, lines, OBJECTS, FIELD_OPTIONAL, line_type, "0.1",
		"executed lines of the traced blocks"),
	MEMBER_OF(struct explanation_record, branches, OBJECTS, FIELD_OPTIONAL, branch_type, "0.1",
		"branches of the traced blocks, by line"),
	MEMBER(struct explanation_record, simt_efficiency, NUMBER, FIELD_NULLABLE | FIELD_OPTIONAL,
		"1", "0.1",
		"lanes / (width x warp_executions) of all lines; null: no trace, or a defect"),
	MEMBER(struct explanation_record, warps, COUNT, FIELD_NULLABLE | FIELD_OPTIONAL, "warps",
		"0.1", "warps of the traced blocks; null: no trace"),
	MEMBER(struct explanation_record, divergent_warps, COUNT, FIELD_NULLABLE | FIELD_OPTIONAL,
		"warps", "0.1", "warps that diverged at least once; null: no trace"),
	MEMBER_OF(struct explanation_record, totals, OBJECT, FIELD_NULLABLE | FIELD_OPTIONAL,
		totals_type, "0.1", "totals of the whole launch; null: no complete trace"),
	MEMBER_OF(struct explanation_record, defects, OBJECTS, FIELD_OPTIONAL, defect_type, "0.1",
		"defects that the emulator found"),
	MEMBER_OF(struct explanation_record, resources, OBJECT, FIELD_NULLABLE | FIELD_OPTIONAL,
		resources_type, "0.1", "resources of the compiled kernel; null: unknown"),
	MEMBER(struct explanation_record, no_resources, TEXT, FIELD_NULLABLE | FIELD_OPTIONAL, NULL,
		"0.1", "why `resources` is null"),
	MEMBER_OF(struct explanation_record, occupancy, OBJECT, FIELD_NULLABLE | FIELD_OPTIONAL,
		occupancy_type, "0.1", "occupancy on the modelled hardware; null: unknown"),
	MEMBER_OF(struct explanation_record, intensity, OBJECT, FIELD_OPTIONAL, intensity_type,
		"0.1", "arithmetic intensities of the variant"),
	MEMBER_OF(struct explanation_record, roofs, OBJECT, FIELD_OMITTED, target_roofs_type, "0.1",
		"roofs of the modelled hardware, for the ridge and the floors; absent: they were "
		"not measured"),
	MEMBER_IN(struct explanation_record, limited_by, WORD, FIELD_NULLABLE | FIELD_OPTIONAL,
		limited_by_words, "0.1",
		"limiting resource of the measured time, or a prediction (limit_predicted); "
		"null: unknown"),
	MEMBER(struct explanation_record, limit_predicted, BOOL, FIELD_OMITTED, NULL, "0.1",
		"true: limited_by is a prediction, because the modelled hardware was not "
		"measured. The prediction assumes that the run takes as long as its largest "
		"floor. It can differ from limited_by of a result row. Absent: no prediction, "
		"or a file of an older version"),
	MEMBER(struct explanation_record, limit_text, TEXT, FIELD_NULLABLE | FIELD_OPTIONAL, NULL,
		"0.1", "the figures that decide `limited_by`"),
	MEMBER_OF(struct explanation_record, checklist, OBJECTS, FIELD_OPTIONAL, check_item_type,
		"0.1", "the checklist (PMPP 4th ed., Table 6.1, and bank conflicts)"),
	MEMBER_OF(struct explanation_record, measured, OBJECT, FIELD_NULLABLE | FIELD_OPTIONAL,
		measured_type, "0.1", "measurement of the variant on a device; null: not measured"),
	MEMBER(struct explanation_record, no_measurement, TEXT, FIELD_NULLABLE | FIELD_OPTIONAL,
		NULL, "0.1", "why the variant was not measured; null: it was measured"),
	MEMBER(struct explanation_record, log, TEXT, FIELD_OMITTED, NULL, "0.1",
		"lost explanation: log of the kernel compiler, only if it failed"),
	MEMBER_OF(struct explanation_record, error, OBJECT, FIELD_OMITTED, error_type, "0.1",
		"lost explanation: the error and its origin"),
};

const struct record_type explanation_type = {"explanation",
	"one launch of a variant, or a lost explanation: a variant that could not be "
	"explained",
	sizeof(struct explanation_record), explanation_fields, MEMBER_COUNT(explanation_fields), 0};

void explanation_record_set_head_only(struct explanation_record *record, bool head_only)
{
	record->record.absent = 0;
	for (size_t i = 0; i < explanation_type.field_count && head_only; i++)
		if (explanation_fields[i].flags & FIELD_OPTIONAL)
			record->record.absent |= (uint64_t)1 << i;
}

void explanation_record_end(
	struct explanation_record *record, enum outcome_status status, const char *reason)
{
	explanation_record_set_head_only(record, true);
	record->status = (int)status;
	text_set_known(&record->reason, reason);
	text_set_known(&record->no_trace, reason);
}

static void count_class(size_t counts[OUTCOME_CLASS_COUNT], enum outcome_class class)
{
	if (class == OUTCOME_CLASS_FAILED || class == OUTCOME_CLASS_BROKEN)
		counts[class]++;
}

/* status: status of a record, or WORD_UNKNOWN for a word of a newer version. */
static void count_status(size_t counts[OUTCOME_CLASS_COUNT], int status)
{
	if (status >= 0)
		count_class(counts, outcome_class_of((enum outcome_status)status));
}

void explanation_record_count(
	const struct explanation_record *record, size_t counts[OUTCOME_CLASS_COUNT])
{
	for (size_t i = 0; i < record->defects.count; i++) {
		int kind = record->defects.items[i].kind;
		if (kind >= 0)
			count_class(counts, trace_defect_class((enum trace_defect_kind)kind));
	}
	if (record->measured.record.present)
		count_status(counts, record->measured.status);
	count_status(counts, record->status);
}

/* ---- Files --------------------------------------------------------------------------------- */

static const struct record_field document_fields[] = {
	MEMBER(struct explain_document, schema, TEXT, 0, NULL, "0.1", EXPLAIN_SCHEMA),
	MEMBER_OF(struct explain_document, tool, OBJECT, 0, tool_type, "0.1",
		"the program that wrote the file"),
	MEMBER_OF(struct explain_document, explanations, OBJECTS, 0, explanation_type, "0.1",
		"one entry for each launch of each variant"),
};

const struct record_type explain_document_type = {"explain file",
	"the explanations of one run of the program", sizeof(struct explain_document),
	document_fields, MEMBER_COUNT(document_fields), 0};
