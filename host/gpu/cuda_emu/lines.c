/*
 * Which line of the kernel's file an address is: asked of addr2line, which comes with every
 * compiler. An address is in several functions where one is inlined in another: addr2line -i tells
 * all of them, the innermost first, and the first that names the kernel's file is the answer.
 */
#include "host/gpu/cuda_emu/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_ADDRESSES 2048 /* of one call: well below what a command line may hold */
#define ADDRESS_BYTES 20

/* "/folder/it/was/built/in/matmul/tiled.cu:42", as #line calls the file or as it was called in the
 * build's folder; 0 for another file. */
static int line_in(const char *text, size_t length, const char *name)
{
	const char *const names[] = {name, EMU_SOURCE_FILE};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *found = memmem(text, length, names[i], strlen(names[i]));
		const char *colon = found ? found + strlen(names[i]) : NULL;
		if (colon && colon < text + length && *colon == ':')
			return atoi(colon + 1);
	}
	return 0;
}

/* One more line of an answer: the first that names the file is the place, the others are where it
 * is inlined. */
static void read_line(const char *text, size_t length, const char *name, struct emu_place *place)
{
	int line = line_in(text, length, name);

	if (place->line == 0)
		place->line = line;
	else if (line > 0)
		place->inlined_at = place->inlined_at * 65599u + (uint32_t)line;
}

/* The answers come in the order of the questions, each below its address ("0x..."). */
static void read_answers(
	const char *output, const char *name, size_t count, struct emu_place *ret_places)
{
	size_t answers = 0; /* addresses seen */

	while (*output) {
		size_t length = strcspn(output, "\n");
		if (strncmp(output, "0x", 2) == 0)
			answers++;
		else if (answers > 0 && answers <= count)
			read_line(output, length, name, &ret_places[answers - 1]);
		output += length + (output[length] == '\n');
	}
}

static void ask(const struct emu_program *program, const struct emu_object *object,
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
		read_answers(output, program->name, count, ret_places);
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
		ask(program, object, pcs + i, count - i < MAX_ADDRESSES ? count - i : MAX_ADDRESSES,
			ret_places + i);
}
