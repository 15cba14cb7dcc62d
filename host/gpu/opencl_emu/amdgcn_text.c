/* The assembly text that clang writes for AMD's GPUs. A kernel begins with "; -- Begin function
 * NAME". After its code are the lines "; NumVgprs: 24" and others. */
#include "host/gpu/opencl_emu/internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEGIN_FUNCTION "; -- Begin function "
#define KERNEL_INFO "; Kernel info:"

/* The number after "; key: " in the text up to end; -1: there is none. */
static int64_t number_of(const char *text, const char *end, const char *key)
{
	char line[64];

	snprintf(line, sizeof line, "\n; %s: ", key);
	const char *found = strstr(text, line);
	return found && found < end ? strtoll(found + strlen(line), NULL, 10) : -1;
}

/* The part of the text about a kernel; NULL: there is none. */
static const char *find_kernel(const char *assembly, const char *entry)
{
	size_t length = strlen(entry);

	for (const char *at = assembly; (at = strstr(at, BEGIN_FUNCTION));) {
		at += strlen(BEGIN_FUNCTION);
		if (strncmp(at, entry, length) == 0 && isspace((unsigned char)at[length]))
			return at;
	}
	return NULL;
}

bool amdgcn_read_resources(
	const char *assembly, const char *entry, struct gpu_kernel_resources *ret_resources)
{
	const char *kernel = find_kernel(assembly, entry);
	const char *next = kernel ? strstr(kernel, BEGIN_FUNCTION) : NULL;
	const char *end = kernel && !next ? kernel + strlen(kernel) : next;
	const char *info = kernel ? strstr(kernel, KERNEL_INFO) : NULL;

	if (!info || info >= end || number_of(info, end, "NumVgprs") < 0)
		return false;
	/* Later versions of clang have another name. */
	int64_t scalars = number_of(info, end, "NumSgprs");
	if (scalars < 0)
		scalars = number_of(info, end, "TotalNumSgprs");
	int64_t acc = number_of(info, end, "NumAgprs");
	*ret_resources =
		(struct gpu_kernel_resources){.registers = (int)number_of(info, end, "NumVgprs"),
			.shared_bytes = number_of(info, end, "LDSByteSize"),
			.spill_bytes = number_of(info, end, "ScratchSize"),
			.max_block_threads = -1,
			.scalar_registers = scalars < 0 ? 0 : (int)scalars,
			.acc_registers = acc < 0 ? 0 : (int)acc};
	return true;
}

/* ---- Functions ----------------------------------------------------------------------------- */

static bool is_defined(const char *assembly, const char *name, size_t length)
{
	for (const char *at = assembly; (at = strstr(at, "\n"));) {
		at++;
		if (strncmp(at, name, length) == 0 && at[length] == ':')
			return true;
	}
	return false;
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The address of a function is loaded with NAME@rel32@lo, or with NAME@gotpcrel32@lo. */
void amdgcn_missing_function(const char *assembly, char *ret_name, size_t size)
{
	static const char *const suffixes[] = {"@rel32@lo", "@gotpcrel32@lo"};

	*ret_name = '\0';
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
		for (const char *at = assembly; (at = strstr(at, suffixes[i])); at++) {
			const char *name = at;
			while (name > assembly && is_name(name[-1]))
				name--;
			if (name == at || is_defined(assembly, name, (size_t)(at - name)))
				continue;
			snprintf(ret_name, size, "%.*s", (int)(at - name), name);
			return;
		}
}
