/* Finds the shared memory of each kernel in an object's symbol table. */
#include "host/gpu/cuda_emu/internal.h"

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

/* Whether the symbol is a static variable of another kernel than `entry`. The symbol of a static
 * variable of the extern "C" function NAME is _ZZ<length of NAME><NAME>E... */
static bool is_of_other(const struct emu_program *program, const char *symbol, const char *entry)
{
	char record[160];
	char *name;

	if (strncmp(symbol, "_ZZ", 3) != 0)
		return false;
	unsigned long length = strtoul(symbol + 3, &name, 10);
	if (length == 0 || length > 120 || strlen(name) < length)
		return false;
	snprintf(record, sizeof record, "pmpp_emu_entry_%.*s", (int)length, name);
	return strcmp(record + strlen("pmpp_emu_entry_"), entry) != 0 &&
	       dlsym(program->objects[0].handle, record) != NULL;
}

uint64_t emu_symbols_shared_bytes(const struct emu_program *program, const char *entry)
{
	size_t count = 0;
	const ElfW(Shdr) *sections = sections_of(program, &count);
	const char *image = program->image;
	uint64_t bytes = 0;

	for (size_t s = 0; sections && s < count; s++) {
		if (sections[s].sh_type != SHT_SYMTAB || sections[s].sh_link >= count)
			continue;
		const char *names = image + sections[sections[s].sh_link].sh_offset;
		const ElfW(Sym) *symbols = (const void *)(image + sections[s].sh_offset);
		for (size_t i = 0; i < sections[s].sh_size / sizeof *symbols; i++) {
			const ElfW(Sym) *symbol = &symbols[i];
			/* The type's field is the same in both classes of ELF. */
			if (ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT &&
				symbol->st_shndx < count &&
				is_shared(image, sections, &sections[symbol->st_shndx]) &&
				!is_of_other(program, names + symbol->st_name, entry))
				bytes += symbol->st_size;
		}
	}
	return bytes;
}
