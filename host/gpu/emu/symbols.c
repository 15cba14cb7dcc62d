/* Finds the shared memory of each kernel in an object's symbol table. */
#include "host/gpu/emu/internal.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHARED_SECTION "pmpp_shared"

/* Returns the section headers of the image; NULL if they are out of bounds. Other properties are
 * not checked, because the dynamic loader has accepted the image. */
static const ElfW(Shdr) * sections_of(const struct emu_program *program, size_t *ret_count)
{
	const ElfW(Ehdr) *header = program->image;

	if (program->image_bytes < sizeof *header ||
		header->e_shoff + (uint64_t)header->e_shnum * sizeof(ElfW(Shdr)) >
			program->image_bytes)
		return NULL;
	*ret_count = header->e_shnum;
	return (const ElfW(Shdr) *)(const void *)((const char *)program->image + header->e_shoff);
}

static bool is_shared(const char *image, const ElfW(Shdr) * sections, const ElfW(Shdr) * section)
{
	const ElfW(Ehdr) *header = (const void *)image;
	const char *names = image + sections[header->e_shstrndx].sh_offset;

	return strcmp(names + section->sh_name, SHARED_SECTION) == 0;
}

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

/* Adds the variables of a symbol table. own: NULL or as in struct emu_kernel. */
static uint64_t add_table(const struct emu_program *program, const char *entry,
	const ElfW(Shdr) * sections, size_t count, const ElfW(Shdr) * table, bool *own)
{
	const char *image = program->image;
	const char *names = image + sections[table->sh_link].sh_offset;
	const ElfW(Sym) *symbols = (const void *)(image + table->sh_offset);
	uint64_t bytes = 0;

	for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++) {
		const ElfW(Sym) *symbol = &symbols[i];
		const ElfW(Shdr) *section = &sections[symbol->st_shndx];
		/* The type's field is the same in both classes of ELF. */
		if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || symbol->st_shndx >= count ||
			!is_shared(image, sections, section) ||
			is_of_other(program, names + symbol->st_name, entry))
			continue;
		bytes += symbol->st_size;
		uint64_t start = symbol->st_value - section->sh_addr;
		if (own && start <= section->sh_size && symbol->st_size <= section->sh_size - start)
			memset(own + start, true, symbol->st_size);
	}
	return bytes;
}

/* The start of the function with this offset in the object; 0: unknown. */
static uint64_t function_at(const struct emu_program *program, uint64_t offset)
{
	size_t count = 0;
	const ElfW(Shdr) *sections = sections_of(program, &count);

	for (size_t s = 0; sections && s < count; s++) {
		const ElfW(Sym) *symbols =
			(const void *)((const char *)program->image + sections[s].sh_offset);
		if (sections[s].sh_type != SHT_SYMTAB)
			continue;
		for (size_t i = 0; i < sections[s].sh_size / sizeof *symbols; i++)
			if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC &&
				offset - symbols[i].st_value < symbols[i].st_size)
				return symbols[i].st_value;
	}
	return 0;
}

bool emu_same_function(const struct emu_program *program, const struct emu_object *object,
	const void *a, const void *b)
{
	uint64_t base = (uint64_t)(uintptr_t)object->image_begin;
	uint64_t first = function_at(program, (uint64_t)(uintptr_t)a - base);

	return first && first == function_at(program, (uint64_t)(uintptr_t)b - base);
}

bool emu_symbols_shared(
	const struct emu_program *program, const char *entry, uint64_t *ret_bytes, bool **ret_own)
{
	const struct pmpp_emu_object *record = program->objects[0].record;
	size_t static_bytes = (size_t)(record->shared_end - record->shared_begin);
	bool *own = static_bytes ? calloc(static_bytes, sizeof *own) : NULL;
	size_t count = 0;
	const ElfW(Shdr) *sections = sections_of(program, &count);
	uint64_t bytes = 0;

	if (static_bytes && !own)
		return false;
	for (size_t s = 0; sections && s < count; s++)
		if (sections[s].sh_type == SHT_SYMTAB && sections[s].sh_link < count)
			bytes += add_table(program, entry, sections, count, &sections[s], own);
	*ret_bytes = bytes;
	*ret_own = own;
	return true;
}
