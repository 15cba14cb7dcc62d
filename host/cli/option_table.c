#include "host/cli/option_table.h"

#include "common/model/dram.h"
#include "host/gpu/backends.h"
#include "host/run/engine.h"

#define JOBS (CMD_RUN | CMD_VERIFY | CMD_PARITY)
#define TASKS (JOBS | CMD_EXPLAIN)
#define TIMES (CMD_RUN | CMD_PARITY | CMD_EXPLAIN | CMD_COMPARE)
#define ON_DEVICES (TASKS | CMD_ROOFLINE | CMD_COMPARE)
#define MODELS (CMD_OCCUPANCY | CMD_DRAM | CMD_BOUNDARY)
#define STORED (CMD_HISTORY | CMD_STORE_EXPORT)
#define EVERY (~0u)

#define AT(field) .offset = offsetof(struct cli_options, field)

static const char *const fail_on_words[] = {"nothing", "slow", "missing", NULL};
static const char *const when_words[] = {"auto", "yes", "no", NULL};
static const char *const flush_words[] = {"yes", "no", NULL};
static const char *const math_words[] = {"default", "strict", "fast", NULL};

const struct option_row option_rows[] = {
	{"backend", 0, "NAME", false, ON_DEVICES | STORED | CMD_CONTRIBUTE, GROUP_WHERE,
		GPU_BACKEND_WORDS
		"or all (PMPP_BACKEND). If the backend is not available, exit with status 2; never "
		"fall back to another one",
		option_set_text, AT(job.backend),
		.command_docs =
			{{CMD_PARITY,
				 "Backend to compare with OpenCL: cuda or cuda-emu (PMPP_BACKEND; "
				 "default: cuda, else cuda-emu). If it is not available, "
				 "exit with status 2"},
				{CMD_EXPLAIN,
					"Backend that measures: opencl or cuda; cuda-emu: no "
					"measurement (PMPP_BACKEND). If it is not available, exit "
					"with status 2"},
				{CMD_CONTRIBUTE,
					"Run through this backend only: opencl or cuda "
					"(PMPP_BACKEND; default: every backend of the device)"},
				{STORED, "Only results of this backend"}}},
	{"device", 0, "SPEC", false, ON_DEVICES | STORED | CMD_CONTRIBUTE, GROUP_WHERE,
		"cuda:0, opencl:1.0, an index of `pmpp-run devices`, uuid:..., pci:..., part of a name, cpu, "
		"gpu, all (PMPP_DEVICE)",
		option_set_text, AT(job.device),
		.command_docs =
			{{CMD_PARITY | CMD_EXPLAIN | CMD_CONTRIBUTE,
				 "cuda:0, opencl:1.0, an index of `pmpp-run devices`, uuid:..., pci:..., "
				 "part of a name, cpu, gpu (PMPP_DEVICE)"},
				{STORED, "Only results of a device: a type (gpu, cpu), or a part "
					 "of its UUID, PCI address or name"}}},
	{"engine", 0, "NAME", false, CMD_VERIFY, GROUP_WHERE,
		"devices, or oclgrind: run all OpenCL kernels at small sizes in Oclgrind, which "
		"reports accesses out of bounds, data races, divergent barriers and "
		"uninitialised data",
		option_set_choice, AT(job.engine), .choices = engine_words},
	{"fleet", 0, NULL, false, CMD_RUN | CMD_VERIFY, GROUP_WHERE,
		"Run as one rank of several that mpirun starts: `mpirun -n N pmpp-run --fleet run "
		"...`. Each rank gets its own device, if there are enough, and its own files: "
		"out.rank0.json for --json=out.json",
		option_set_flag, AT(fleet)},
	{"size", 0, "SPEC", false, TASKS | CMD_HISTORY | CMD_COMPARE | CMD_DRAM | CMD_BOUNDARY,
		GROUP_WHAT,
		"1024, 1024x512x768, m=7,n=5,k=3; lists 256,512; ranges 2^10:2^26:*4, 1:9:+2",
		option_set_size},
	{"set", 0, "NAME=VALUE[,VALUE...]", false, TASKS | CMD_COMPARE | CMD_SHOW, GROUP_WHAT,
		"Set tunables; several values make a sweep (names and choices: pmpp-run list)",
		option_set_tunable},
	{"dtype", 0, "TYPE", false, TASKS | CMD_COMPARE | CMD_SHOW, GROUP_WHAT,
		"Element type where the family has several: f32, f16, i32, u32, u8",
		option_set_text, AT(job.dtype)},
	{"op", 0, "NAME", false, TASKS | CMD_COMPARE | CMD_SHOW, GROUP_WHAT,
		"Operation where the family has several: sum, max, min", option_set_text,
		AT(job.op)},
	{"data", 0, "NAME", false, TASKS | CMD_COMPARE | CMD_SHOW, GROUP_WHAT,
		"Kind of data where the family has several (pmpp-run list names them)",
		option_set_text, AT(job.data)},
	{"in", 0, "NAME=FILE.npy", false, CMD_RUN, GROUP_WHAT,
		"Read an input operand from a file. Give all inputs; their shapes set the "
		"problem size. A picture may be a binary .ppm (P6)",
		option_set_file, AT(job.in)},
	{"out", 0, "NAME=FILE.npy", false, CMD_RUN, GROUP_WHAT,
		"Write the verified output of exactly one variant to a file", option_set_file,
		AT(job.out)},
	{"seed", 0, "N", false, TASKS | CMD_COMPARE, GROUP_WHAT,
		"Seed of the random inputs (default 1)", option_set_seed},
	{"shard", 0, "I/N", false, CMD_VERIFY | CMD_EXPLAIN, GROUP_WHAT,
		"Do only part I of N of the work", option_set_shard},
	{"ptx", 0, NULL, false, CMD_SHOW, GROUP_WHAT,
		"Show PTX instead of the sources: NVRTC compiles the CUDA file (no GPU needed), "
		"NVIDIA's OpenCL driver compiles the OpenCL file",
		option_set_flag, AT(ptx)},
	{"diff", 0, NULL, false, CMD_SHOW | CMD_EXPLAIN, GROUP_WHAT,
		"show: the two sources as one unified diff; with --ptx, the count of each "
		"instruction in the two texts. explain: two variants side by side",
		option_set_flag, AT(job.diff),
		.command_docs =
			{{CMD_SHOW, "Show the two sources as one unified diff; with --ptx, the "
				    "count of each instruction in the two texts"},
				{CMD_EXPLAIN, "Show two variants side by side"}}},
	{"arch", 0, "sm_NN", false, CMD_SHOW, GROUP_WHAT,
		"Architecture of CUDA's PTX (default: that of the first NVIDIA device, else sm_90)",
		option_set_text, AT(arch)},
	{"blocks", 0, "all|N[,N...]", false, CMD_EXPLAIN, GROUP_WHAT,
		"Blocks to trace, x fastest (default: all if that is quick, else the first, the "
		"middle and the last)",
		option_set_blocks},
	{"step-limit", 0, "N", false, CMD_EXPLAIN, GROUP_WHAT,
		"Stop a launch after N basic blocks, summed over all threads", option_set_count,
		AT(job.step_limit), .min = 1, .max = 1e15},
	{"threads", 0, "N", false, CMD_OCCUPANCY, GROUP_MODEL, "Threads per block",
		option_set_count, AT(model.threads), .min = 1, .max = 1024},
	{"registers", 0, "N", false, CMD_OCCUPANCY, GROUP_MODEL,
		"Registers per thread (run -v prints them). Without the option registers set no "
		"limit",
		option_set_count, AT(model.registers), .min = 1, .max = 255},
	{"shared", 0, "BYTES", false, CMD_OCCUPANCY, GROUP_MODEL,
		"Shared memory per block (default 0)", option_set_count, AT(model.shared_bytes),
		.min = 0, .max = 1e9},
	{"cc", 0, "X.Y", false, CMD_OCCUPANCY | CMD_EXPLAIN, GROUP_MODEL,
		"Compute capability: 7.5, 8.0, 8.6, 8.9, 9.0, 10.0, 12.0 (default of explain: that "
		"of the device, else 9.0)",
		option_set_text, AT(model.cc)},
	{"threads-per-sm", 0, "N", false, CMD_OCCUPANCY, GROUP_MODEL,
		"Hardware, instead of --cc: threads per multiprocessor", option_set_count,
		AT(model.threads_per_sm), .min = 1, .max = 1e6},
	{"blocks-per-sm", 0, "N", false, CMD_OCCUPANCY, GROUP_MODEL,
		"Hardware, instead of --cc: blocks per multiprocessor", option_set_count,
		AT(model.blocks_per_sm), .min = 1, .max = 1e6},
	{"regs-per-sm", 0, "N", false, CMD_OCCUPANCY, GROUP_MODEL,
		"Hardware, instead of --cc: registers per multiprocessor", option_set_count,
		AT(model.registers_per_sm), .min = 1, .max = 1e9},
	{"shared-per-sm", 0, "BYTES", false, CMD_OCCUPANCY, GROUP_MODEL,
		"Hardware, instead of --cc: shared memory per multiprocessor", option_set_count,
		AT(model.shared_per_sm_bytes), .min = 1, .max = 1e9},
	{"latency-ratio", 0, "R", false, CMD_DRAM, GROUP_MODEL,
		"Ratio of a bank's access time to the time to transfer one burst",
		option_set_double, AT(model.latency_ratio), .min = 0, .max = 1e6},
	{"channels", 0, "N", false, CMD_DRAM, GROUP_MODEL,
		"Channels (default 1; 4 for the matrix product)", option_set_count,
		AT(model.channels), .min = 1, .max = DRAM_MAX_CHANNELS},
	{"banks", 0, "N", false, CMD_DRAM, GROUP_MODEL,
		"Banks per channel (default: enough to keep the bus busy; 2 for the matrix product)",
		option_set_count, AT(model.banks), .min = 1, .max = 1e6},
	{"burst", 0, "BYTES", false, CMD_DRAM, GROUP_MODEL,
		"Bytes per burst, for the matrix product (default 8)", option_set_count,
		AT(model.burst_bytes), .min = 1, .max = 65536},
	{"block", 0, "X[xY]", false, CMD_DRAM | CMD_BOUNDARY, GROUP_MODEL,
		"Threads per block; for the matrix product, elements per tile", option_set_block,
		AT(model.block), .max = 1024},
	{"math", 0, "MODE", false, TASKS | CMD_COMPARE | CMD_SHOW, GROUP_HOW,
		"Floating-point freedom of the compilers: default, strict or fast",
		option_set_choice, AT(job.math), .choices = math_words},
	{"min-time", 0, "MS", false, TIMES | CMD_CONTRIBUTE, GROUP_HOW,
		"Sample each variant for at least MS milliseconds (default 50), but never take more "
		"than --max-samples samples",
		option_set_double, AT(job.min_time_ms), .min = 0, .max = 3.6e6, .unit = "ms"},
	{"min-samples", 0, "N", false, TIMES | CMD_CONTRIBUTE, GROUP_HOW,
		"Minimum number of samples (default 20; 10 if a run takes over 10 ms, 3 over 1 s). "
		"Sampling can end at N, 2N, 4N, 8N ... samples",
		option_set_count, AT(job.min_samples), .min = 1, .max = 1e6},
	{"max-samples", 0, "N", false, TIMES | CMD_CONTRIBUTE, GROUP_HOW,
		"Maximum number of samples (default 200). Sampling always ends at this number, even "
		"if --min-time has not passed",
		option_set_count, AT(job.max_samples), .min = 1, .max = 1e6},
	{"tolerance", 0, "FRACTION", false, CMD_PARITY | CMD_COMPARE, GROUP_HOW,
		"Largest distance of the time ratio from 1 that counts as the same speed, 0 to 1 "
		"(default: from the noise of the samples, 0.01 to 0.1)",
		option_set_double, AT(job.tolerance), .min = 0, .max = 1,
		.command_docs = {{CMD_COMPARE,
			"Largest distance of the time ratio from 1 that counts as the same speed, 0 "
			"to 1 (default: 0.0175 on GPUs, 0.15 on CPUs)"}}},
	{"by", 0, "FIELD[,FIELD]", false, CMD_COMPARE | CMD_REPORT, GROUP_WHAT,
		"Compare by device, backend, driver, run, label, host, math or macros (default: what "
		"differs between the files)",
		option_set_text, AT(comparing.by),
		.command_docs = {{CMD_REPORT,
			"device: each GPU has its own marks (default); model: all GPUs of the same "
			"name are shown as one"}}},
	{"with", 0, "NAME[,NAME]|all", false, CMD_COMPARE | CMD_REPORT, GROUP_WHAT,
		"Add the results of shipped devices. The end of the command's help lists the names "
		"(PMPP_DEVICES_DIR names another folder of files)",
		option_set_text, AT(comparing.with)},
	{"aa", 0, "N", false, CMD_COMPARE, GROUP_WHAT,
		"Compare this machine with itself: run the families N times in new processes, count "
		"false alarms, and keep the floors of noise if N is 6 or more. With --repeat=R each "
		"of the N runs has R processes",
		option_set_count, AT(comparing.aa_runs), .min = 2, .max = 1000},
	{"per-roof", 0, NULL, false, CMD_COMPARE, GROUP_WHAT,
		"Compare shares of each device's roofs in place of times", option_set_flag,
		AT(comparing.per_roof)},
	{"fail-on", 0, "WHAT", false, CMD_COMPARE, GROUP_HOW,
		"slow: exit with status 4 on a confirmed regression. missing: also if a timed row of "
		"the base has no comparable time in a new side. Default: nothing",
		option_set_choice, AT(comparing.fail_on), .choices = fail_on_words},
	{"repeat", 0, "N", false, CMD_RUN | CMD_COMPARE | CMD_CONTRIBUTE, GROUP_HOW,
		"Run everything N times, each time in a new process (on a CPU 4 N times with fewer "
		"samples); times and intervals are over these runs (default 1)",
		option_set_count, AT(job.repetitions), .min = 1, .max = 1000,
		.command_docs = {{CMD_COMPARE, "With --aa: each of the runs that are compared is N "
					       "processes (default 1)"}}},
	{"timeout", 0, "S", false, TASKS | CMD_COMPARE | CMD_CONTRIBUTE, GROUP_HOW,
		"Abort a variant after S seconds (default 120); its row is `timeout`",
		option_set_double, AT(job.timeout_s), .min = 0.1, .max = 1e6, .unit = "s"},
	{"flush", 0, "yes|no", false, TIMES, GROUP_HOW,
		"Flush the last-level cache before cold samples (default yes)", option_set_choice,
		AT(job.flush), .choices = flush_words},
	{"no-isolate", 0, NULL, false, TASKS | CMD_CONTRIBUTE, GROUP_HOW,
		"Run in this process: a crash ends it, and --timeout has no effect",
		option_set_flag, AT(job.no_isolate)},
	{"kernel-dir", 0, "DIR", false, TASKS | CMD_COMPARE | CMD_SHOW, GROUP_HOW,
		"Read kernel files from DIR (a checkout) instead of the built-in kernels. DIR must "
		"have the files of all chosen variants",
		option_set_text, AT(job.kernel_dir)},
	{"output", 'o', "FILE", false, CMD_CONTRIBUTE | CMD_REPORT, GROUP_OUTPUT,
		"contribute, report: write the contribution or the page to FILE; - is stdout",
		option_set_output, AT(output),
		.command_docs = {{CMD_CONTRIBUTE, "Write the contribution to FILE (default "
						  "contribution.json); - is stdout"},
			{CMD_REPORT, "Write the page to FILE (default report.html); - is stdout"}}},
	{"check", 0, NULL, false, CMD_CONTRIBUTE, GROUP_WHAT,
		"Check contributions: only verified rows have times, no private data, plausible "
		"figures",
		option_set_flag, AT(check)},
	{"json", 0, "FILE", true,
		TASKS | CMD_HISTORY | CMD_LIST | CMD_DEVICES | CMD_ROOFLINE | CMD_COMPARE | MODELS,
		GROUP_OUTPUT,
		"Write JSON to FILE. Without FILE or with -, write it to stdout and nothing else "
		"there",
		option_set_output, AT(json)},
	{"csv", 0, "FILE", true, JOBS | CMD_COMPARE, GROUP_OUTPUT,
		"Write comma-separated values, as --json does", option_set_output, AT(csv)},
	{"md", 0, "FILE", true, JOBS | CMD_COMPARE, GROUP_OUTPUT,
		"Write a Markdown table, as --json does", option_set_output, AT(markdown)},
	{"report", 0, "FILE", false, CMD_RUN, GROUP_OUTPUT,
		"Write an HTML page of the run beside the shipped devices to FILE (see "
		"`pmpp-run report`)",
		option_set_text, AT(report)},
	{"save", 0, NULL, false, CMD_RUN | CMD_PARITY, GROUP_OUTPUT,
		"Save each row to the store as soon as it is finished (PMPP_STORE names its file; "
		"default ~/.local/share/pmpp/results.db)",
		option_set_flag, AT(save)},
	{"label", 0, "TEXT", false, JOBS | STORED, GROUP_OUTPUT,
		"Name of the run in files and in the store; history, store export: only runs of "
		"this name",
		option_set_text, AT(label),
		.command_docs = {{STORED, "Only runs with this label"}}},
	{"progress", 0, "WHEN", false, ON_DEVICES | CMD_CONTRIBUTE, GROUP_OUTPUT,
		"Show a progress line on stderr: auto (on a terminal), yes or no",
		option_set_choice, AT(terminal.progress), .choices = when_words},
	{"color", 0, "WHEN", false, EVERY, GROUP_OUTPUT,
		"Use colours: auto (on a terminal, unless NO_COLOR is set), yes or no",
		option_set_choice, AT(terminal.colour), .choices = when_words},
	{"quiet", 'q', NULL, false, EVERY, GROUP_OUTPUT, "Print errors only: no table and no notes",
		option_set_flag, AT(terminal.quiet)},
	{"verbose", 'v', NULL, false, EVERY, GROUP_OUTPUT,
		"Also print build options, resources, samples and flags; explain prints every line",
		option_set_flag, AT(terminal.verbose)},
	{"help", 'h', NULL, false, EVERY, GROUP_HELP,
		"Print this text; COMMAND --help describes one command", option_set_flag, AT(help)},
	{"version", 0, NULL, false, EVERY, GROUP_HELP, "Print version, git revision and compiler",
		option_set_flag, AT(version)},
};

const size_t option_count = sizeof option_rows / sizeof *option_rows;
_Static_assert(sizeof option_rows / sizeof *option_rows <= OPTION_MAX_COUNT,
	"cli_options.given has a bit for each row");

/* The key of an option without a letter is KEY_BASE + row. */
#define KEY_BASE 256

int option_key(size_t row)
{
	return option_rows[row].key ? option_rows[row].key : KEY_BASE + (int)row;
}

static const char *doc_of(const struct option_row *row, unsigned commands)
{
	for (size_t i = 0; i < sizeof row->command_docs / sizeof *row->command_docs; i++)
		if ((row->command_docs[i].command & commands) == commands)
			return row->command_docs[i].doc;
	return row->doc;
}

void option_argp_rows(unsigned commands, struct argp_option ret_rows[OPTION_MAX_COUNT + 1])
{
	size_t count = 0;

	for (size_t i = 0; i < option_count; i++)
		if (option_rows[i].commands & commands)
			ret_rows[count++] = (struct argp_option){.name = option_rows[i].name,
				.key = option_key(i),
				.arg = option_rows[i].arg,
				.flags = option_rows[i].arg_optional ? OPTION_ARG_OPTIONAL : 0,
				.doc = doc_of(&option_rows[i], commands),
				.group = option_rows[i].group};
	ret_rows[count] = (struct argp_option){0};
}
