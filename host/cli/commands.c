#include "host/cli/cmd.h"

static const char comparing_page[] = "docs/comparing.md";
static const char measuring_page[] = "docs/measuring.md";

static const struct command rows[] = {
	{"run", CMD_RUN, "FAMILY[/VARIANT]|FILE...", "Verify and time variants; print the ladder",
		1, CLI_MAX_WORDS, cmd_job, COMMANDS_KERNELS, ARGUMENTS_VARIANTS,
		.note = "FILE: a kernel (.cu, .cl), or the C file of its problem.",
		.text = "Tables fit the terminal. In a pipe or a file they have all columns, "
			"unless COLUMNS is set. Each variant is checked against a reference. Only a "
			"variant that passed is timed. Without --backend and --device, the first GPU is used "
			"(through CUDA if both backends see it), else an OpenCL CPU. An emulator "
			"is used only if it is named.",
		.page = measuring_page,
		.examples = {"run matmul --size=1024,2048 --json=mine.json",
			"run matmul/registers --set TILE_M=64,128",
			"run matmul/tiled16 --in A=a.npy --in B=b.npy --out C=c.npy"}},
	{"verify", CMD_VERIFY, "FAMILY[/VARIANT]|FILE...",
		"Verify variants at many sizes; time nothing", 1, CLI_MAX_WORDS, cmd_job,
		COMMANDS_KERNELS, ARGUMENTS_VARIANTS, .action = JOB_VERIFY,
		.text = "Without --backend and --device, one device of every available backend "
			"is used.",
		.page = "docs/verification.md",
		.examples = {"verify all", "verify reduce softmax --backend=cuda-emu"}},
	{"parity", CMD_PARITY, "FAMILY[/VARIANT]|FILE...", "Compare OpenCL with CUDA on one device",
		1, CLI_MAX_WORDS, cmd_job, COMMANDS_KERNELS, ARGUMENTS_VARIANTS,
		.action = JOB_PARITY,
		.text = "Both backends are timed in turn on the same physical device. Without a "
			"common device only the results are compared.",
		.page = "docs/parity.md",
		.examples = {"parity matmul", "parity reduce/shuffle --size=2^20:2^26:*4"}},
	{"explain", CMD_EXPLAIN, "FAMILY[/VARIANT]|FILE...", "Show why a variant is fast or slow",
		1, CLI_MAX_WORDS, cmd_explain, COMMANDS_KERNELS, ARGUMENTS_VARIANTS,
		.action = JOB_EXPLAIN,
		.note = "An emulator traces the kernel, on any machine. Exit status 3: a defect.",
		.text = "The trace shows accesses, bank conflicts, divergence and defects, line "
			"by line. Models add occupancy and intensity. Times are measured if "
			"there is a GPU, or on the --device that is named. The traced kernel is "
			"the one that is measured: CUDA on cuda-emu, or OpenCL on opencl-emu. "
			"Without a device it is the CUDA kernel. If not all blocks are traced, "
			"totals are estimates and marked as such.",
		.page = "docs/explain.md",
		.examples = {"explain transpose", "explain transpose/tiled --map"}},
	{"try", CMD_TRY, "FILE... [VARIANT]...", "Check and explain your kernel", 1, CLI_MAX_WORDS,
		cmd_try, COMMANDS_KERNELS, ARGUMENTS_FILES,
		.note = "FILE: CUDA (.cu) or OpenCL (.cl). Several files and variants: a table.",
		.text = "A CUDA file may have host code. The kernel solves the problem of a family. "
			"It is verified at many sizes on each "
			"backend of its language, then traced on an emulator, line by line. A right "
			"kernel is timed beside the variants of the family, if there is a GPU or if "
			"--device names a device. Parameters are bound by their names, "
			"then by their types and order. Block and grid are those of the launch in the "
			"host code, if the file has one. Comments of the file supply what the code does "
			"not contain: `//pmpp: block = 16x16`, `//pmpp: grid = ceil(n/16), ceil(m/16)`, "
			"`//pmpp: PARAMETER = VALUE`.",
		.page = "docs/try.md",
		.examples = {"try mine.cu", "try mine.cl --problem=transpose --block=16x16",
			"try mine.cu matmul/tiled16 --diff"}},
	{"new", CMD_NEW, "FAMILY[/VARIANT] [FILE]", "Write a kernel file to start from", 1, 2,
		cmd_new, COMMANDS_KERNELS, ARGUMENTS_VARIANTS,
		.note = "FILE is a CUDA file (.cu) or an OpenCL file (.cl). Default: FAMILY.cu, or "
			"FAMILY.cl with --backend=opencl. A file that exists is not replaced.",
		.text = "The file has an empty kernel with the operands and sizes of the family, and "
			"comments that explain them. With a variant it has the kernel of the variant, "
			"its included files and its macros. `try` accepts the file without options.",
		.page = "docs/try.md",
		.examples = {"new matmul", "new transpose mine.cl", "new matmul/tiled16 mine.cu"}},
	{"roofline", CMD_ROOFLINE, "", "Measure the limits (roofs) of a device", 0, 0, cmd_job,
		COMMANDS_KERNELS, ARGUMENTS_NONE, .action = JOB_ROOFLINE,
		.text = "Roofs are memory, cache and shared-memory rates, rates of operations, "
			"and the time of an empty launch. They are cached for later commands.",
		.page = measuring_page,
		.examples = {"roofline", "roofline --device=gpu --json=roofs.json"}},
	{"selftest", CMD_SELFTEST, "[FAMILY[/VARIANT]]...",
		"Check that `verify` rejects wrong kernels", 0, CLI_MAX_WORDS, cmd_selftest,
		COMMANDS_KERNELS, ARGUMENTS_VARIANTS,
		.note = "Without arguments a choice of the kernels runs, for at most two minutes; "
			"`all` runs all of them. Exit status 3: a wrong kernel got through, or a "
			"right kernel was called wrong.",
		.text = "The kernels are the project's, most of them with one mistake. They run "
			"in the same way as those of `verify`. Without arguments, a choice of the "
			"kernels runs for at most two minutes. With arguments, all kernels of these "
			"families or variants run, without a time limit; `all` names all families. "
			"The table shows how many of each kind were rejected. With -v, each kernel "
			"has a line. The device is chosen as by `run`.",
		.page = "docs/verification.md",
		.examples = {"selftest", "selftest all --device=opencl-emu:0",
			"selftest --backend=cuda-emu vecadd reduce"}},
	{"compare", CMD_COMPARE, "BASE.json [NEW.json]...",
		"Compare result files; show what is faster", 0, CLI_MAX_WORDS, cmd_compare,
		COMMANDS_RESULTS, ARGUMENTS_FILES,
		.note = "Files are results of `run --json`, or two files of `explain --json`.",
		.text = "The rows of the files are joined and judged: SAME, FAST or SLOW (the "
			"new side against the base), AMBG (the noise hides the difference), "
			"MISSING, or NOCOMP (something else differs). Without --by, the "
			"compared field is the first of these that differs between the files: "
			"device, backend, driver, run. Files with the same value are runs of one side. "
			"With --fleet the files are those of all ranks of a fleet. "
			"The counts of two explain files are compared exactly, line by line: "
			"sectors, bank passes, barriers, registers and others.",
		.page = comparing_page,
		.examples = {"compare old.json new.json --fail-on=slow",
			"compare mine.json --with=h200",
			"compare why-old.json why-new.json --fail-on=counts"},
		.takes_shipped = true},
	{"report", CMD_REPORT, "[FILE]...", "Write an HTML page with charts", 0, CLI_MAX_WORDS,
		cmd_report, COMMANDS_RESULTS, ARGUMENTS_FILES,
		.note = "FILE is a file of `run --json`, `parity --json`, `explain --json` or "
			"`store export`.",
		.text = "The page needs no network and no other file. Its script draws the charts; "
			"without the script the tables have all figures.",
		.page = "docs/report.md",
		.examples = {"report mine.json --with=h200,h100",
			"report old.json new.json -o report.html"},
		.takes_shipped = true},
	{"history", CMD_HISTORY, "FAMILY/VARIANT", "Show the stored results of a variant", 1, 1,
		cmd_history, COMMANDS_RESULTS, ARGUMENTS_VARIANTS,
		.note = "`run --save` and `parity --save` store results.",
		.text = "There is a table for each device, problem and configuration. "
			"A change is a shift of the time that is larger than 1 % "
			"and larger than the noise, and that a second result confirms.",
		.page = comparing_page,
		.examples = {"history matmul/tiled32 --backend=cuda",
			"history reduce/shuffle --label=nightly"}},
	{"store export", CMD_STORE_EXPORT, "FILE", "Write stored results to a file", 1, 1,
		cmd_store_export, COMMANDS_RESULTS, ARGUMENTS_FILES,
		.note = "FILE is JSON (schema pmpp-store/1); - is stdout.", .page = comparing_page,
		.examples = {"store export all.json", "store export cuda.json --backend=cuda"}},
	{"store import", CMD_STORE_IMPORT, "FILE...", "Add results of files to the store", 1,
		CLI_MAX_WORDS, cmd_store_import, COMMANDS_RESULTS, ARGUMENTS_FILES,
		.note = "FILE is a result file (--json of run, verify, parity) or a file of "
			"`store export`.",
		.text = "Results that the store has are not added again. Each file is added "
			"completely or not at all. The first bad file ends the command.",
		.page = comparing_page,
		.examples = {"store import all.json", "store import monday.json tuesday.json"}},
	{"store list", CMD_STORE_LIST, "", "List the stored runs", 0, 0, cmd_store_list,
		COMMANDS_RESULTS, ARGUMENTS_NONE, .page = comparing_page,
		.examples = {"store list", "store list --label=nightly"}},
	{"store remove", CMD_STORE_REMOVE, "[RUN]...", "Remove runs from the store", 0,
		CLI_MAX_WORDS, cmd_store_remove, COMMANDS_RESULTS, ARGUMENTS_NONE,
		.note = "RUN is the beginning of a run's name in `store list`.",
		.page = comparing_page,
		.examples = {"store remove 3f9a02c1", "store remove --label=before"}},
	{"contribute", CMD_CONTRIBUTE, "[FILE.json]...", "Write a file of results to send to pmpp",
		0, CLI_MAX_WORDS, cmd_contribute, COMMANDS_RESULTS, ARGUMENTS_FILES,
		.note = "Without files, all families run on one device. With files, their "
			"results are used.",
		.text = "The families run at their default sizes, through every backend of the "
			"device. Files are results of `run --json` on one device. The command "
			"writes one file of at most 1 MB without private data. --check checks "
			"such files.",
		.page = "docs/contributing-results.md",
		.examples = {"contribute -o mi300x.json", "contribute cuda.json opencl.json",
			"contribute --check mi300x.json"}},
	{"list", CMD_LIST, "[FAMILY[/VARIANT]]...", "List families, variants and tunables", 0,
		CLI_MAX_WORDS, cmd_list, COMMANDS_LISTS, ARGUMENTS_VARIANTS,
		.examples = {"list", "list matmul/best", "list matmul --json"}},
	{"show", CMD_SHOW, "FAMILY/VARIANT...", "Show facts, sources or PTX of a variant", 1,
		CLI_MAX_WORDS, cmd_show, COMMANDS_LISTS, ARGUMENTS_VARIANTS,
		.examples = {"show matmul/tiled16", "show vecadd/fine --diff",
			"show --diff matmul/tiled32 matmul/tiled16", "show --results=h200 matmul"},
		.takes_shipped = true},
	{"devices", CMD_DEVICES, "", "List the devices of this machine", 0, 0, cmd_devices,
		COMMANDS_LISTS, ARGUMENTS_NONE,
		.text = "-v prints the figures of each device that kernels and models depend on: "
			"width of a warp, units, caches and others. The source of a figure is a "
			"query of the driver, or the table of known chips. A figure without a source is "
			"unknown.",
		.examples = {"devices -v", "devices --json=devices.json"}},
	{"doctor", CMD_DOCTOR, "", "Check backends, timers and caches", 0, 0, cmd_doctor,
		COMMANDS_LISTS, ARGUMENTS_NONE,
		.text = "For each part that does not work, the command shows the reason and what "
			"to do.",
		.examples = {"doctor", "doctor --color=no"}},
	{"model occupancy", CMD_OCCUPANCY, "", "Compute the occupancy of a GPU", 0, 0, cmd_model,
		COMMANDS_MODELS, ARGUMENTS_NONE,
		.note = "The hardware is a GPU (--model), a compute capability (--cc), or "
			"--threads-per-sm and other limits.",
		.text = "With --model or --cc, threads, registers and shared memory are rounded up to the units in "
			"which the hardware allocates them. With --threads-per-sm and the other "
			"limits, nothing is rounded. A cliff is "
			"a number of registers at which one more register per thread costs a "
			"block. On GPUs of AMD, a multiprocessor is a compute unit or a "
			"work-group processor, and warps are waves. On GPUs of Intel, a multiprocessor "
			"is a (dual) sub-slice or an Xe core, and warps are the threads of its EUs. "
			"`occupancy` with --cc, --threads or another option of this model "
			"is short for `model occupancy`. Without such an option, `occupancy` is "
			"the family of this name.",
		.examples = {"model occupancy --cc=9.0 --threads=256 --registers=32",
			"model occupancy --model=gfx942 --threads=256 --registers=64",
			"model occupancy --threads-per-sm=2048 --threads=256"}},
	{"model dram", CMD_DRAM, "", "Compute the use of memory channels and banks", 0, 0,
		cmd_model, COMMANDS_MODELS, ARGUMENTS_NONE,
		.note = "With --latency-ratio: how busy the bus is. With --size=N and --block=T: "
			"which channels the tiled product of N x N matrices uses; --map: where its "
			"elements are.",
		.examples = {"model dram --latency-ratio=20 --banks=21",
			"model dram --size=4 --block=2 --map"}},
	{"model boundary", CMD_BOUNDARY, "", "Count divergent warps at a boundary test", 0, 0,
		cmd_model, COMMANDS_MODELS, ARGUMENTS_NONE,
		.examples = {"model boundary --size=1003 --block=64",
			"model boundary --size=76x62 --block=16x16"}},
	{"model warps", CMD_WARPS, "", "Show which threads of a block a warp has", 0, 0, cmd_model,
		COMMANDS_MODELS, ARGUMENTS_NONE,
		.examples = {"model warps --block=8x8", "model warps --block=4x8x2 --width=64"}},
	{"model reduce", CMD_TREE, "", "Count active warps of a reduction", 0, 0, cmd_model,
		COMMANDS_MODELS, ARGUMENTS_NONE,
		.note = "One block, with a thread for each element. The two orders are those of the "
			"variants reduce/interleaved and reduce/sequential.",
		.examples = {"model reduce --size=512", "model reduce --size=60000 --width=64"}},
};
const struct command_list commands = {rows, sizeof rows / sizeof *rows};

const char *command_group_title(enum command_group group)
{
	static const char *const titles[COMMAND_GROUP_COUNT] = {
		[COMMANDS_KERNELS] = "Check and measure kernels",
		[COMMANDS_RESULTS] = "Use results",
		[COMMANDS_LISTS] = "Show what is available",
		[COMMANDS_MODELS] = "Compute figures without a device",
	};

	return titles[group];
}
