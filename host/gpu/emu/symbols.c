/* Reads the symbol table of an object: shared memory of each kernel, variables, functions. */
#include "host/gpu/emu/internal.h"

#include "common/array.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the section headers of the image; NULL if they are out of bounds. Other properties are
 * not checked, because the dynamic loader or the compiler has accepted the image. */
static const ElfW(Shdr) * sections_of(const void *image, size_t bytes, size_t *ret_count)
{
	const ElfW(Ehdr) *header = image;

	if (bytes < sizeof *header ||
		header->e_shoff + (uint64_t)header->e_shnum * sizeof(ElfW(Shdr)) > bytes)
		return NULL;
	*ret_count = header->e_shnum;
	return (const ElfW(Shdr) *)(const void *)((const char *)image + header->e_shoff);
}

static void see_table(const char *image, const ElfW(Shdr) * sections, size_t count,
	const ElfW(Shdr) * table, emu_symbol_fn *see, void *context)
{
	const ElfW(Ehdr) *header = (const void *)image;
	const char *section_names = image + sections[header->e_shstrndx].sh_offset;
	const char *names = image + sections[table->sh_link].sh_offset;
	const ElfW(Sym) *symbols = (const void *)(image + table->sh_offset);

	for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++) {
		/* The type's field is the same in both classes of ELF. */
		int type = ELF64_ST_TYPE(symbols[i].st_info);
		if (symbols[i].st_shndx >= count || (type != STT_OBJECT && type != STT_FUNC))
			continue;
		const ElfW(Shdr) *section = &sections[symbols[i].st_shndx];
		see(context, &(struct emu_symbol){.name = names + symbols[i].st_name,
				     .section = section_names + section->sh_name,
				     .section_begin = section->sh_addr,
				     .section_bytes = section->sh_size,
				     .begin = symbols[i].st_value,
				     .bytes = symbols[i].st_size,
				     .is_function = type == STT_FUNC});
	}
}

void emu_symbols_each(const void *image, size_t bytes, emu_symbol_fn *see, void *context)
{
	size_t count = 0;
	const ElfW(Shdr) *sections = sections_of(image, bytes, &count);

	for (size_t s = 0; sections && s < count; s++)
		if (sections[s].sh_type == SHT_SYMTAB && sections[s].sh_link < count)
			see_table(image, sections, count, &sections[s], see, context);
}

/* ---- Shared memory ------------------------------------------------------------------------- */

struct shared {
	const struct emu_program *program;
	const char *entry;
	uint64_t bytes;
	bool *own; /* NULL or as in struct emu_kernel */
};

/* Whether the symbol is a static variable of another kernel than `entry`. */
static bool is_of_other(const struct emu_program *program, const char *symbol, const char *entry)
{
	const struct emu_device *device = (const struct emu_device *)program->base.device;
	char function[120];
	char record[160];

	if (!device->front->function_of(symbol, function, sizeof function))
		return false;
	snprintf(record, sizeof record, "pmpp_emu_entry_%s", function);
	return strcmp(function, entry) != 0 && dlsym(program->objects[0].handle, record) != NULL;
}

static void add_shared(void *context, const struct emu_symbol *symbol)
{
	struct shared *shared = context;
	uint64_t start = symbol->begin - symbol->section_begin;

	if (symbol->is_function || strcmp(symbol->section, "pmpp_shared") != 0 ||
		is_of_other(shared->program, symbol->name, shared->entry))
		return;
	shared->bytes += symbol->bytes;
	if (shared->own && start <= symbol->section_bytes &&
		symbol->bytes <= symbol->section_bytes - start)
		memset(shared->own + start, true, symbol->bytes);
}

bool emu_symbols_shared(
	const struct emu_program *program, const char *entry, uint64_t *ret_bytes, bool **ret_own)
{
	const struct pmpp_emu_object *record = program->objects[0].record;
	size_t static_bytes = (size_t)(record->shared_end - record->shared_begin);
	struct shared shared = {.program = program,
		.entry = entry,
		.own = static_bytes ? calloc(static_bytes, sizeof *shared.own) : NULL};

	if (static_bytes && !shared.own)
		return false;
	emu_symbols_each(program->image, program->image_bytes, add_shared, &shared);
	*ret_bytes = shared.bytes;
	*ret_own = shared.own;
	return true;
}

/* ---- Variables ----------------------------------------------------------------------------- */

struct variables {
	struct emu_program *program;
	bool no_memory;
};

static void add_variable(void *context, const struct emu_symbol *symbol)
{
	struct variables *variables = context;
	struct emu_program *program = variables->program;
	bool constant = strcmp(symbol->section, "pmpp_constants") == 0;

	if (symbol->is_function || strncmp(symbol->name, EMU_GAP, strlen(EMU_GAP)) == 0 ||
		(!constant && strcmp(symbol->section, "pmpp_variables") != 0))
		return;
	if (!array_reserve(&program->variables, &program->variable_capacity,
		    program->variable_count, sizeof *program->variables)) {
		variables->no_memory = true;
		return;
	}
	program->variables[program->variable_count++] =
		(struct emu_variable){.symbol = symbol->name,
			.begin = program->objects[0].image_begin + symbol->begin,
			.bytes = symbol->bytes,
			.constant = constant};
}

bool emu_symbols_variables(struct emu_program *program)
{
	struct variables variables = {.program = program};

	emu_symbols_each(program->image, program->image_bytes, add_variable, &variables);
	return !variables.no_memory;
}

/* ---- Functions ----------------------------------------------------------------------------- */

/* The start of the function at an offset in the object; 0: unknown. */
struct place {
	uint64_t offset, function;
};

static void find_function(void *context, const struct emu_symbol *symbol)
{
	struct place *place = context;

	if (symbol->is_function && place->offset - symbol->begin < symbol->bytes)
		place->function = symbol->begin;
}

bool emu_same_function(const struct emu_program *program, const struct emu_object *object,
	const void *a, const void *b)
{
	uint64_t base = (uint64_t)(uintptr_t)object->image_begin;
	struct place first = {.offset = (uint64_t)(uintptr_t)a - base};
	struct place second = {.offset = (uint64_t)(uintptr_t)b - base};

	emu_symbols_each(program->image, program->image_bytes, find_function, &first);
	emu_symbols_each(program->image, program->image_bytes, find_function, &second);
	return first.function && first.function == second.function;
}
