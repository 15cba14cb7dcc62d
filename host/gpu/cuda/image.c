/*
 * The number of a kernel's parameters, from the machine code (cubin) that NVRTC made.
 *
 * A cubin is an ELF file with a section ".nv.info.KERNEL" for each kernel. The section is a list of
 * attributes: a byte for the form of the value, a byte for the attribute, then a 16-bit value, or the
 * size of a longer value that follows. NVIDIA does not document them. Names and numbers are those of
 * "cuobjdump -elf" and of "readelf -x" on cubins of known kernels (NVRTC 13.0, sm_75 to sm_120). A list
 * that does not agree with itself counts as unknown.
 */
#include "host/gpu/cuda/internal.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#define ATTRIBUTE_BYTES 4
#define FORM_SIZED 4        /* EIFMT_SVAL */
#define ATTRIBUTE_BANK 0x0a /* EIATTR_PARAM_CBANK: only of kernels with parameters */
#define ATTRIBUTE_PARAMETER \
	0x17 /* EIATTR_KPARAM_INFO: 4 bytes, then number and offset, 16 bits each */
#define PARAMETER_BYTES 12

/* Part of an image. */
struct part {
	const char *bytes;
	size_t size;
};

/* Copies `size` bytes at `start`; false: they are not in the part. */
static bool copy(const struct part *part, uint64_t start, void *ret_bytes, size_t size)
{
	if (size > part->size || start > part->size - size)
		return false;
	memcpy(ret_bytes, part->bytes + start, size);
	return true;
}

static bool section(
	const struct part *image, const Elf64_Ehdr *head, size_t index, Elf64_Shdr *ret_section)
{
	return index < head->e_shnum && head->e_shentsize == sizeof *ret_section &&
	       head->e_shoff <= image->size &&
	       copy(image, head->e_shoff + index * sizeof *ret_section, ret_section,
		       sizeof *ret_section);
}

static bool contents(const struct part *image, const Elf64_Shdr *wanted, struct part *ret_part)
{
	if (wanted->sh_offset > image->size || wanted->sh_size > image->size - wanted->sh_offset)
		return false;
	*ret_part = (struct part){image->bytes + wanted->sh_offset, wanted->sh_size};
	return true;
}

static bool find_section(const struct part *image, const char *name, struct part *ret_part)
{
	Elf64_Ehdr head;
	Elf64_Shdr candidate;
	struct part names;
	size_t bytes = strlen(name) + 1;

	if (!copy(image, 0, &head, sizeof head) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
		head.e_ident[EI_CLASS] != ELFCLASS64 ||
		!section(image, &head, head.e_shstrndx, &candidate) ||
		!contents(image, &candidate, &names))
		return false;
	for (size_t i = 0; section(image, &head, i, &candidate); i++)
		if (candidate.sh_name < names.size && bytes <= names.size - candidate.sh_name &&
			memcmp(names.bytes + candidate.sh_name, name, bytes) == 0)
			return contents(image, &candidate, ret_part);
	return false;
}

int cuda_image_parameters(const void *image, size_t bytes, const char *entry)
{
	const struct part all = {image, bytes};
	struct part info;
	char name[200];
	int count = 0, largest = -1;
	bool banked = false;

	snprintf(name, sizeof name, ".nv.info.%s", entry);
	if (!find_section(&all, name, &info))
		return -1;
	for (size_t at = 0; at < info.size;) {
		struct {
			uint8_t form, attribute;
			uint16_t value;
		} item;
		uint16_t number;

		if (!copy(&info, at, &item, ATTRIBUTE_BYTES))
			return -1;
		if (item.form == FORM_SIZED && item.attribute == ATTRIBUTE_PARAMETER) {
			if (item.value != PARAMETER_BYTES ||
				!copy(&info, at + ATTRIBUTE_BYTES + 4, &number, sizeof number))
				return -1;
			largest = number > largest ? number : largest;
			count++;
		}
		banked |= item.attribute == ATTRIBUTE_BANK;
		at += ATTRIBUTE_BYTES + (item.form == FORM_SIZED ? item.value : 0u);
	}
	return largest == count - 1 && banked == (count > 0) ? count : -1;
}
