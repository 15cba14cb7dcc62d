/*
 * Texts that the front and more than one backend make: compiler options, device identities (one
 * function each, so that the two views of one card join) and parts of messages.
 */
#ifndef PMPP_HOST_GPU_BACKEND_TEXT_H
#define PMPP_HOST_GPU_BACKEND_TEXT_H

#include "host/gpu/gpu.h"

/* A growing list of compiler options. Zero-initialise. After a lack of memory failed is set,
 * further additions do nothing, and option_list_join gives NULL: check once, at the end. */
struct option_list {
	char **items;
	size_t count;
	bool failed;
};

void option_list_add(struct option_list *list, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Adds each word of a text separated by spaces, less the word omitted (NULL: none). */
void option_list_add_words(struct option_list *list, const char *words, const char *omitted);

/* Adds -DNAME=VALUE for each. */
void option_list_add_macros(
	struct option_list *list, const struct gpu_macro *macros, size_t macro_count);

/* The options separated by spaces, malloc'ed; NULL when memory ran out. */
char *option_list_join(const struct option_list *list);

void option_list_finish(struct option_list *list);

/* 8-4-4-4-12 lower-case hex digits. */
void gpu_uuid_text(const unsigned char uuid[16], char ret_text[40]);

/* "0000:0f:00.0" */
void gpu_pci_text(
	unsigned domain, unsigned bus, unsigned device, unsigned function, char ret_text[16]);

/* The capabilities (enum pmpp_capability) that a list of OpenCL extensions, separated by blanks,
 * gives to kernels in OpenCL C 1.2. */
unsigned gpu_extension_capabilities(const char *extensions);

/* "12.88 GB": decimal units. Returns text. */
const char *gpu_bytes_text(uint64_t bytes, char text[GPU_TEXT_BYTES]);

#endif
