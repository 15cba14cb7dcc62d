/* Symbols of an object file, and the symbols that a kernel uses. */
#include "host/gpu/emu/internal.h"

#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

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

/* ---- Uses ------------------------------------------------------------------------------------ */

/*
 * The linker keeps the relocations of the object (--emit-relocs): they are the references in functions and
 * variables. Each function has a section of its own (-ffunction-sections), because the assembler resolves
 * references inside a section.
 */

struct node {
	struct emu_symbol symbol;
	bool used;
};

/* A reference to the symbols with a byte from `low` to `high`. */
struct reference {
	uint64_t place;
	uint64_t low, high;
	bool pointer; /* the address is in memory; otherwise it is in an instruction */
};

struct uses {
	struct node *nodes; /* in order of their addresses */
	size_t count, capacity;
	struct reference *references;
	size_t reference_count, reference_capacity;
	bool no_memory;
};

static void add_node(void *context, const struct emu_symbol *symbol)
{
	struct uses *uses = context;

	if (symbol->bytes == 0)
		return;
	if (array_reserve(&uses->nodes, &uses->capacity, uses->count, sizeof *uses->nodes))
		uses->nodes[uses->count++] = (struct node){.symbol = *symbol};
	else
		uses->no_memory = true;
}

static int compare_nodes(const void *a, const void *b)
{
	const struct emu_symbol *left = &((const struct node *)a)->symbol;
	const struct emu_symbol *right = &((const struct node *)b)->symbol;

	return (left->begin > right->begin) - (left->begin < right->begin);
}

/* Sets where a relocation points to. An address in an instruction of x86-64 is relative to its end: the field has 4
 * bytes, and a constant of up to 4 bytes can follow. */
static struct reference reference_of(const ElfW(Rela) * relocation, const ElfW(Sym) * symbol)
{
	const unsigned type = (unsigned)ELF64_R_TYPE(relocation->r_info);
	struct reference reference = {
		relocation->r_offset, symbol->st_value, symbol->st_value, false};

#if defined(__x86_64__)
	bool relative = type != R_X86_64_64;
	reference.pointer = type == R_X86_64_64;
#elif defined(__aarch64__)
	bool relative = false;
	reference.pointer = type == R_AARCH64_ABS64;
#else
	bool relative = false;
	reference.pointer = type != 0;
#endif
	if (ELF64_ST_TYPE(symbol->st_info) == STT_SECTION) {
		reference.low += (uint64_t)relocation->r_addend + (relative ? 4 : 0);
		reference.high = reference.low + (relative ? 4 : 0);
	}
	return reference;
}

/* table: relocations of a section that is loaded */
static void add_references(
	struct uses *uses, const char *image, const ElfW(Shdr) * sections, const ElfW(Shdr) * table)
{
	const ElfW(Rela) *relocations = (const void *)(image + table->sh_offset);
	const ElfW(Sym) *symbols = (const void *)(image + sections[table->sh_link].sh_offset);

	for (size_t i = 0; i < table->sh_size / sizeof *relocations; i++) {
		const ElfW(Sym) *symbol = &symbols[ELF64_R_SYM(relocations[i].r_info)];
		if (symbol->st_shndx == SHN_UNDEF)
			continue;
		if (array_reserve(&uses->references, &uses->reference_capacity,
			    uses->reference_count, sizeof *uses->references))
			uses->references[uses->reference_count++] =
				reference_of(&relocations[i], symbol);
		else
			uses->no_memory = true;
	}
}

/* Returns the number of nodes that begin at `high` or before. */
static size_t nodes_until(const struct uses *uses, uint64_t high)
{
	size_t low = 0, end = uses->count;

	while (low < end) {
		size_t middle = low + (end - low) / 2;
		if (uses->nodes[middle].symbol.begin <= high)
			low = middle + 1;
		else
			end = middle;
	}
	return end;
}

static bool touches(const struct node *node, uint64_t low)
{
	return low < node->symbol.begin + node->symbol.bytes;
}

/* Whether the place is in a used function or variable. Pointers outside of them, such as those of tables without
 * a name, count as used. */
static bool is_used(const struct uses *uses, const struct reference *reference)
{
	size_t end = nodes_until(uses, reference->place);
	const struct node *node = end ? &uses->nodes[end - 1] : NULL;

	return node && touches(node, reference->place) ? node->used : reference->pointer;
}

static bool use(struct uses *uses, const struct reference *reference)
{
	bool added = false;

	for (size_t i = nodes_until(uses, reference->high);
		i > 0 && touches(&uses->nodes[i - 1], reference->low); i--) {
		added |= !uses->nodes[i - 1].used;
		uses->nodes[i - 1].used = true;
	}
	return added;
}

static void find_uses(struct uses *uses, const char *from)
{
	bool added = true;

	qsort(uses->nodes, uses->count, sizeof *uses->nodes, compare_nodes);
	for (size_t i = 0; i < uses->count; i++)
		uses->nodes[i].used =
			uses->reference_count == 0 || strcmp(uses->nodes[i].symbol.name, from) == 0;
	while (added) {
		added = false;
		for (size_t i = 0; i < uses->reference_count; i++)
			if (is_used(uses, &uses->references[i]))
				added |= use(uses, &uses->references[i]);
	}
}

bool emu_symbols_used(
	const void *image, size_t bytes, const char *from, emu_symbol_fn *see, void *context)
{
	size_t count = 0;
	const ElfW(Shdr) *sections = sections_of(image, bytes, &count);
	struct uses uses = {0};

	emu_symbols_each(image, bytes, add_node, &uses);
	for (size_t s = 0; sections && s < count; s++)
		if (sections[s].sh_type == SHT_RELA && !(sections[s].sh_flags & SHF_ALLOC) &&
			sections[s].sh_info < count &&
			sections[sections[s].sh_info].sh_flags & SHF_ALLOC)
			add_references(&uses, image, sections, &sections[s]);
	if (!uses.no_memory && uses.count > 0)
		find_uses(&uses, from);
	for (size_t i = 0; !uses.no_memory && i < uses.count; i++)
		if (uses.nodes[i].used)
			see(context, &uses.nodes[i].symbol);
	free(uses.nodes);
	free(uses.references);
	return !uses.no_memory;
}
