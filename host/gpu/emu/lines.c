/*
 * Finds the line of the kernel's file for an address with addr2line, which is installed with every
 * compiler. If a function is inlined, an address is in several functions. addr2line -i prints all
 * of them, the innermost first. The result is the first line in the kernel's file.
 */
#include "host/gpu/emu/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_ADDRESSES 2048 /* of one call, far below the limit of a command line */
#define ADDRESS_BYTES 20

/* Returns the line of "/build/folder/matmul/tiled.cu:42"; 0 for another file. The kernel's file has
 * the name of #line, or its name in the build folder. */
static int line_in(const char *text, size_t length, const struct emu_program *program)
{
	const struct emu_device *device = (const struct emu_device *)program->base.device;
	const char *const names[] = {program->name, device->front->source_file};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *found = memmem(text, length, names[i], strlen(names[i]));
		const char *colon = found ? found + strlen(names[i]) : NULL;
		if (colon && colon < text + length && *colon == ':')
			return atoi(colon + 1);
	}
	return 0;
}

/* Reads one more line for an address: the first line in the file is the place; the others are the
 * calls where it is inlined. */
static void read_line(
	const char *text, size_t length, const struct emu_program *program, struct emu_place *place)
{
	static const char word[] = "(discriminator ";
	int line = line_in(text, length, program);
	const char *part = memmem(text, length, word, strlen(word));

	if (part && !place->part)
		place->part = atoi(part + strlen(word));
	if (place->line == 0)
		place->line = line;
	else if (line > 0)
		place->inlined_at = place->inlined_at * 65599u + (uint32_t)line;
}

/* The output has the addresses in their order ("0x..."), each with its lines below it. */
static void read_output(const char *output, const struct emu_program *program, size_t count,
	struct emu_place *ret_places)
{
	size_t addresses = 0; /* number of addresses so far */

	while (*output) {
		size_t length = strcspn(output, "\n");
		if (strncmp(output, "0x", 2) == 0)
			addresses++;
		else if (addresses > 0 && addresses <= count)
			read_line(output, length, program, &ret_places[addresses - 1]);
		output += length + (output[length] == '\n');
	}
}

static void run_addr2line(const struct emu_program *program, const struct emu_object *object,
	const char *const *pcs, size_t count, struct emu_place *ret_places)
{
	char *words = calloc(count, ADDRESS_BYTES);
	char **arguments = calloc(count + 6, sizeof *arguments);
	char file[64];
	int code;

	if (!words || !arguments)
		goto out;
	snprintf(file, sizeof file, "/proc/%d/fd/%d", (int)getpid(), object->file);
	char *const options[] = {
		(char[]){"addr2line"}, (char[]){"-a"}, (char[]){"-i"}, (char[]){"-e"}, file};
	memcpy(arguments, options, sizeof options);
	for (size_t i = 0; i < count; i++) {
		char *word = words + i * ADDRESS_BYTES;
		snprintf(
			word, ADDRESS_BYTES, "%#lx", (unsigned long)(pcs[i] - object->image_begin));
		arguments[sizeof options / sizeof *options + i] = word;
	}
	char *output = emu_run_command(arguments, NULL, &code);
	if (output && code == 0)
		read_output(output, program, count, ret_places);
	free(output);
out:
	free(words);
	free(arguments);
}

void emu_places(const struct emu_program *program, const struct emu_object *object,
	const char *const *pcs, size_t count, struct emu_place *ret_places)
{
	memset(ret_places, 0, count * sizeof *ret_places);
	for (size_t i = 0; i < count; i += MAX_ADDRESSES)
		run_addr2line(program, object, pcs + i,
			count - i < MAX_ADDRESSES ? count - i : MAX_ADDRESSES, ret_places + i);
}
