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
				     .index = i,
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

/* ---- Reached symbols ----------------------------------------------------------------------- */

/* The linker keeps the relocations (--emit-relocs): the places of the code that name a symbol. */
struct reach {
	const char *image;
	const ElfW(Shdr) * sections;
	const char *section_names;
	const ElfW(Sym) * symbols;
	size_t section_count, symbol_count;
	const char *names;
	/* For each symbol. named: by a relocation anywhere. Other variables are counted in any case. */
	bool *named, *reached;
	bool changed;
};

static bool is_type(const struct reach *reach, size_t symbol, int type)
{
	return ELF64_ST_TYPE(reach->symbols[symbol].st_info) == type;
}

static void mark_symbol(struct reach *reach, size_t symbol)
{
	reach->changed |= !reach->reached[symbol];
	reach->reached[symbol] = true;
}

/* Returns the first symbol of the type that has the address; the number of symbols if there is none. */
static size_t symbol_at(const struct reach *reach, uint64_t address, int type)
{
	size_t i = 0;

	while (i < reach->symbol_count &&
		(!is_type(reach, i, type) ||
			address - reach->symbols[i].st_value >= reach->symbols[i].st_size))
		i++;
	return i;
}

/* Finds the function or the variables that a relocation names; the number of symbols: none. A symbol that is
 * not global is named as a place in its section. On x86-64 this place is relative to the end of the instruction,
 * 4 to 8 bytes later: near the start of a variable it may be in the one before it, so both count. */
static void find_targets(
	const struct reach *reach, const ElfW(Rela) * relocation, size_t ret_symbols[2])
{
	const ElfW(Ehdr) *header = (const void *)reach->image;
	uint64_t info = relocation->r_info, symbol = info >> 32;
	bool is_relative = header->e_machine == EM_X86_64 &&
			   ((uint32_t)info == R_X86_64_PC32 || (uint32_t)info == R_X86_64_PLT32);

	ret_symbols[0] = ret_symbols[1] = reach->symbol_count;
	if (symbol >= reach->symbol_count)
		return;
	if (is_type(reach, symbol, STT_OBJECT)) {
		ret_symbols[0] = symbol;
		return;
	}
	uint64_t address = reach->symbols[symbol].st_value;
	if (is_type(reach, symbol, STT_SECTION))
		address += (uint64_t)relocation->r_addend + (is_relative ? 4 : 0);
	ret_symbols[0] = symbol_at(reach, address, STT_FUNC);
	if (ret_symbols[0] < reach->symbol_count)
		return;
	ret_symbols[0] = symbol_at(reach, address, STT_OBJECT);
	ret_symbols[1] = symbol_at(reach, address + (is_relative ? 4 : 0), STT_OBJECT);
}

/* Marks what reached functions name. Tables of addresses count as reached, except the emulator's. */
static void follow(struct reach *reach, const ElfW(Shdr) * table)
{
	static const char record[] = "pmpp_emu_";
	const ElfW(Shdr) *section = &reach->sections[table->sh_info];
	const ElfW(Rela) *items = (const void *)(reach->image + table->sh_offset);
	bool is_code = section->sh_flags & SHF_EXECINSTR;

	if (!(section->sh_flags & SHF_ALLOC) ||
		strcmp(reach->section_names + section->sh_name, ".eh_frame") == 0)
		return;
	for (size_t i = 0; i < table->sh_size / sizeof *items; i++) {
		size_t targets[2];
		size_t from = symbol_at(reach, items[i].r_offset, is_code ? STT_FUNC : STT_OBJECT);
		bool known = from < reach->symbol_count;
		const char *name = known ? reach->names + reach->symbols[from].st_name : "";
		bool reached = is_code ? known && reach->reached[from]
				       : strncmp(name, record, strlen(record)) != 0;

		find_targets(reach, &items[i], targets);
		for (size_t k = 0; k < 2; k++) {
			if (targets[k] == reach->symbol_count)
				continue;
			reach->named[targets[k]] = true;
			if (reached)
				mark_symbol(reach, targets[k]);
		}
	}
}

/* Finds the symbol table, and makes the marks. Returns false if there is no table or no memory. */
static bool reach_begin(const struct emu_program *program, struct reach *ret_reach)
{
	const ElfW(Ehdr) *header = program->image;

	*ret_reach = (struct reach){.image = program->image};
	ret_reach->sections =
		sections_of(program->image, program->image_bytes, &ret_reach->section_count);
	for (size_t s = 0; ret_reach->sections && s < ret_reach->section_count; s++) {
		const ElfW(Shdr) *section = &ret_reach->sections[s];
		if (section->sh_type != SHT_SYMTAB || section->sh_link >= ret_reach->section_count)
			continue;
		ret_reach->symbols = (const void *)(ret_reach->image + section->sh_offset);
		ret_reach->symbol_count = section->sh_size / sizeof *ret_reach->symbols;
		ret_reach->names =
			ret_reach->image + ret_reach->sections[section->sh_link].sh_offset;
		ret_reach->section_names =
			ret_reach->image + ret_reach->sections[header->e_shstrndx].sh_offset;
		ret_reach->named = calloc(ret_reach->symbol_count, sizeof *ret_reach->named);
		ret_reach->reached = calloc(ret_reach->symbol_count, sizeof *ret_reach->reached);
		return ret_reach->named && ret_reach->reached;
	}
	return false;
}

/* Marks the symbols that a kernel reaches. call: emu_entry.call of its record. */
static void reach_from(struct reach *reach, uint64_t call)
{
	size_t root = symbol_at(reach, call, STT_FUNC);

	if (root < reach->symbol_count)
		mark_symbol(reach, root);
	do {
		reach->changed = false;
		for (size_t s = 0; s < reach->section_count; s++)
			if (reach->sections[s].sh_type == SHT_RELA &&
				!(reach->sections[s].sh_flags & SHF_ALLOC) &&
				reach->sections[s].sh_info < reach->section_count)
				follow(reach, &reach->sections[s]);
	} while (reach->changed);
}

/* ---- Shared memory ------------------------------------------------------------------------- */

struct shared {
	const struct emu_program *program;
	const char *entry;
	uint64_t bytes;
	bool *own; /* NULL or as in struct emu_kernel */
	struct reach reach;
};

/* Whether the kernel uses the variable: it is the kernel's own, or the code reaches it. Variables of other kernels
 * never count. */
static bool is_used(const struct shared *shared, const struct emu_symbol *symbol)
{
	const struct emu_program *program = shared->program;
	const struct emu_device *device = (const struct emu_device *)program->base.device;
	const struct reach *reach = &shared->reach;
	char function[120];
	char record[160];

	if (device->front->function_of(symbol->name, function, sizeof function)) {
		snprintf(record, sizeof record, "pmpp_emu_entry_%s", function);
		if (dlsym(program->objects[0].handle, record))
			return strcmp(function, shared->entry) == 0;
	}
	return !reach->named[symbol->index] || reach->reached[symbol->index];
}

static void add_shared(void *context, const struct emu_symbol *symbol)
{
	struct shared *shared = context;
	uint64_t start = symbol->begin - symbol->section_begin;

	if (symbol->is_function || strcmp(symbol->section, "pmpp_shared") != 0 ||
		!is_used(shared, symbol))
		return;
	shared->bytes += symbol->bytes;
	if (shared->own && start <= symbol->section_bytes &&
		symbol->bytes <= symbol->section_bytes - start)
		memset(shared->own + start, true, symbol->bytes);
}

static uint64_t call_of(const struct emu_program *program, const char *entry)
{
	char symbol[160];

	snprintf(symbol, sizeof symbol, "pmpp_emu_entry_%s", entry);
	const struct pmpp_emu_entry *record = dlsym(program->objects[0].handle, symbol);
	return record ? (uint64_t)((uintptr_t)record->call -
				   (uintptr_t)program->objects[0].image_begin)
		      : UINT64_MAX;
}

bool emu_symbols_shared(
	const struct emu_program *program, const char *entry, uint64_t *ret_bytes, bool **ret_own)
{
	const struct pmpp_emu_object *record = program->objects[0].record;
	size_t static_bytes = (size_t)(record->shared_end - record->shared_begin);
	struct shared shared = {.program = program, .entry = entry};
	bool done = true;

	if (static_bytes) {
		shared.own = calloc(static_bytes, sizeof *shared.own);
		done = reach_begin(program, &shared.reach) && shared.own;
	}
	if (static_bytes && done) {
		reach_from(&shared.reach, call_of(program, entry));
		emu_symbols_each(program->image, program->image_bytes, add_shared, &shared);
	}
	free(shared.reach.named);
	free(shared.reach.reached);
	if (!done)
		free(shared.own);
	*ret_bytes = shared.bytes;
	*ret_own = done ? shared.own : NULL;
	return done;
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
