#include "host/cli/commands.h"

const struct command commands[] = {
	{"run", CMD_RUN, "FAMILY[/VARIANT]...", "verify, time, print the ladder", 1, CLI_MOST_WORDS,
		cmd_run},
	{"verify", CMD_VERIFY, "FAMILY[/VARIANT]...", "check over many sizes, no timing", 1,
		CLI_MOST_WORDS, cmd_verify},
	{"parity", CMD_PARITY, "FAMILY[/VARIANT]...", "OpenCL against CUDA on one device", 1,
		CLI_MOST_WORDS, cmd_parity},
	{"list", CMD_LIST, "[FAMILY]...", "families, variants, tunables", 0, CLI_MOST_WORDS,
		cmd_list},
	{"devices", CMD_DEVICES, "", "what can run them", 0, 0, cmd_devices},
	{"show", CMD_SHOW, "FAMILY/VARIANT...", "a variant's facts, sources, PTX", 1,
		CLI_MOST_WORDS, cmd_show},
	{"roofline", CMD_ROOFLINE, "", "measure the device's roofs", 0, 0, cmd_roofline},
	{"doctor", CMD_DOCTOR, "", "what works here, and what to do if not", 0, 0, cmd_doctor},
};
const size_t command_count = sizeof commands / sizeof *commands;
