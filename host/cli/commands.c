#include "host/cli/commands.h"

#include "host/cli/cmd.h"

static const char table_page[] = "Columns and verdicts: docs/measuring.md";

static const struct command rows[] = {
	{"run", CMD_RUN, "FAMILY[/VARIANT]...", "verify, time, print the ladder", 1, CLI_MAX_WORDS,
		cmd_run, .page = table_page},
	{"verify", CMD_VERIFY, "FAMILY[/VARIANT]...", "check over many sizes, no timing", 1,
		CLI_MAX_WORDS, cmd_verify},
	{"parity", CMD_PARITY, "FAMILY[/VARIANT]...", "OpenCL against CUDA on one device", 1,
		CLI_MAX_WORDS, cmd_parity, .page = table_page},
	{"explain", CMD_EXPLAIN, "FAMILY[/VARIANT]...", "why a variant is fast or slow", 1,
		CLI_MAX_WORDS, cmd_explain,
		"The CUDA kernel is traced on cuda-emu, on any machine: accesses, bank conflicts, "
		"divergence and defects, line by line. Models add occupancy and intensity. Times are "
		"measured where there is a GPU, or on the --device that is named. Where not all blocks "
		"are traced, totals are estimates, and it says so. Exit status 3: a defect was found. "
		"Examples: pmpp-run explain transpose/tiled; pmpp-run explain --diff transpose/tiled "
		"transpose/padded"},
	{"compare", CMD_COMPARE, "BASE.json [NEW.json]...", "which is faster, and what has changed",
		0, CLI_MAX_WORDS, cmd_compare,
		"Joins the rows of result files (`run --json`) and judges each: SAME, FAST or SLOW "
		"(the new side against the base), AMBG (the noise hides the difference), MISSING, "
		"NOCOMP (something else differs). Without --by it compares what differs between the "
		"files: the device, else the backend, else the driver, else the run. Files with the "
		"same device (backend, driver) are runs of one side. With --aa=N it compares this "
		"machine with itself: give families in place of files. Options that choose devices, "
		"sizes and samples are for --aa only. Examples: pmpp-run compare h100.json h200.json; "
		"pmpp-run compare --fail-on=slow old.json new.json; pmpp-run compare --with=h200 "
		"mine.json; pmpp-run compare --aa=10 matmul",
		.page = "Verdicts, the floor of noise, shipped devices: docs/comparing.md",
		.takes_shipped = true},
	{"contribute", CMD_CONTRIBUTE, "[FILE.json]...", "results of a device, ready to be sent", 0,
		CLI_MAX_WORDS, cmd_contribute,
		"Without files: runs all families at their default sizes on one device, through "
		"every backend of the device. With files: takes the results of one device from files "
		"of `run --json`. Writes one file of at most 1 MB without private data. --check "
		"checks such files. Examples: pmpp-run contribute -o mi300x.json; pmpp-run contribute "
		"cuda.json opencl.json; pmpp-run contribute --check mi300x.json",
		"What is in the file, and how to send it: docs/contributing-results.md"},
	{"report", CMD_REPORT, "[FILE]...", "one HTML page with charts of result files", 0,
		CLI_MAX_WORDS, cmd_report,
		"FILE is a result file (`run --json`, `parity --json`), a file of `store export`, or an "
		"explanation (`explain --json`). The page needs no network and no other file. gnuplot "
		"draws the charts; without gnuplot the page has its tables only. Examples: "
		"pmpp-run report mine.json --with=h200,h100; pmpp-run report old.json new.json -o "
		"report.html",
		.page = "How to read the charts: docs/report.md", .takes_shipped = true},
	{"list", CMD_LIST, "[FAMILY]...", "families, variants, tunables", 0, CLI_MAX_WORDS,
		cmd_list},
	{"devices", CMD_DEVICES, "", "what can run them", 0, 0, cmd_devices},
	{"show", CMD_SHOW, "FAMILY/VARIANT...", "a variant's facts, sources, PTX", 1, CLI_MAX_WORDS,
		cmd_show},
	{"roofline", CMD_ROOFLINE, "", "measure the device's roofs", 0, 0, cmd_roofline},
	{"doctor", CMD_DOCTOR, "", "what works here, and what to do if not", 0, 0, cmd_doctor},
	{"history", CMD_HISTORY, "FAMILY/VARIANT", "stored results over time", 1, 1, cmd_history,
		"Shows the results that --save has stored: a table and a curve for each device, "
		"problem and configuration. A change is a shift of the time that is larger than 1 % "
		"and larger than the noise, and that a second result confirms. Example: pmpp-run "
		"history matmul/tiled32 --backend=cuda",
		"Store and changes: docs/comparing.md"},
	{"store export", CMD_STORE_EXPORT, "FILE", "write stored results to one file", 1, 1,
		cmd_store_export, "FILE is JSON (schema pmpp-store/1); - is stdout."},
	{"store import", CMD_STORE_IMPORT, "FILE...", "add results of files to the store", 1,
		CLI_MAX_WORDS, cmd_store_import,
		"FILE is a result file (--json of run, verify, parity) or a file of `store export`. "
		"Results that the store has are not added again. Each file is added completely or "
		"not at all; the first bad file ends the command."},
	{"model occupancy", CMD_OCCUPANCY, "", "blocks that a multiprocessor holds", 0, 0,
		cmd_model_occupancy,
		"The hardware is a compute capability (--cc), or is given by --threads-per-sm and "
		"what else is known of it: then nothing is rounded. A cliff is where one more "
		"register costs a block. `occupancy` with --cc, --threads or another of these "
		"figures is short for this; without, it is the family of that name. Example: "
		"pmpp-run model occupancy --cc=9.0 --threads=256 --registers=32"},
	{"model dram", CMD_DRAM, "", "channels and banks of a memory", 0, 0, cmd_model_dram,
		"With --latency-ratio: how busy a bus is. With --size=N and --block=T: which "
		"channels the tiled product of N x N matrices by tiles of T x T uses. Examples: "
		"pmpp-run model dram --latency-ratio=20 --banks=21; pmpp-run model dram --size=4 "
		"--block=2"},
	{"model boundary", CMD_BOUNDARY, "", "warps that diverge at a boundary test", 0, 0,
		cmd_model_boundary,
		"--size is N or WIDTHxHEIGHT, lists and ranges of them too. Examples: pmpp-run "
		"model boundary --size=1003 --block=64; pmpp-run model boundary --size=76x62 "
		"--block=16x16"},
};
const struct command_list commands = {rows, sizeof rows / sizeof *rows};
