/*
 * Texts that the front and several backends write: compiler options, device identities and parts of
 * messages. All backends use one function per identity, so that the views of one card have equal
 * identities.
 */
#ifndef PMPP_HOST_GPU_BACKEND_TEXT_H
#define PMPP_HOST_GPU_BACKEND_TEXT_H

#include "host/gpu/gpu.h"

/* A growing list of compiler options. Zero-initialise. If memory runs out, `failed` is set, further
 * additions do nothing, and option_list_join() returns NULL: check once, at the end. */
struct option_list {
	char **items;
	size_t count;
	bool failed;
};

void option_list_add(struct option_list *list, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Adds each word of a text with spaces, except the word `omitted` (NULL: adds all words). */
void option_list_add_words(struct option_list *list, const char *words, const char *omitted);

/* Adds -DNAME=VALUE for each macro. */
void option_list_add_macros(
	struct option_list *list, const struct gpu_macro *macros, size_t macro_count);

/* Returns the options separated by spaces; the caller frees the text. NULL for lack of memory. */
char *option_list_join(const struct option_list *list);

void option_list_finish(struct option_list *list);

/* Writes 8-4-4-4-12 lower-case hex digits. */
void gpu_uuid_text(const unsigned char uuid[16], char ret_text[40]);

/* Writes "0000:0f:00.0". */
void gpu_pci_text(
	unsigned domain, unsigned bus, unsigned device, unsigned function, char ret_text[16]);

/* Returns the major version of CUDA of the compiler in NVIDIA's driver: 12 (or newer) for the driver
 * "525.60.13" and newer ones, else 11 (or older). */
int gpu_nvidia_driver_cuda(const char *driver);

/* Returns the capabilities (bits: enum pmpp_capability) that an NVIDIA GPU has because of its compute
 * capability, without PMPP_CAP_WGMMA. cc_major: of the compute capability. cuda: the major version of
 * CUDA of the kernel compiler. */
unsigned gpu_nvidia_capabilities(uint32_t cc_major, int cuda);

#endif
