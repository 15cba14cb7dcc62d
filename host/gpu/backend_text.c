#include "host/gpu/backend_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void option_list_add(struct option_list *list, const char *format, ...)
{
	va_list arguments;
	char **items = NULL;
	char *item = NULL;

	if (list->failed)
		return;
	va_start(arguments, format);
	int length = vasprintf(&item, format, arguments);
	va_end(arguments);
	if (length >= 0)
		items = realloc(list->items, (list->count + 1) * sizeof *items);
	list->failed = !items;
	if (items) {
		items[list->count++] = item;
		list->items = items;
	} else if (length >= 0)
		free(item);
}

void option_list_add_words(struct option_list *list, const char *words, const char *omitted)
{
	while (*words) {
		size_t length = strcspn(words, " ");

		if (length > 0 && !(omitted && strlen(omitted) == length &&
					  strncmp(words, omitted, length) == 0))
			option_list_add(list, "%.*s", (int)length, words);
		words += length + strspn(words + length, " ");
	}
}

void option_list_add_macros(
	struct option_list *list, const struct gpu_macro *macros, size_t macro_count)
{
	for (size_t i = 0; i < macro_count; i++)
		option_list_add(list, "-D%s=%lld", macros[i].name, (long long)macros[i].value);
}

char *option_list_join(const struct option_list *list)
{
	char *text = NULL;
	size_t size;
	FILE *out = list->failed ? NULL : open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; i < list->count; i++)
		fprintf(out, "%s%s", i ? " " : "", list->items[i]);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

void option_list_finish(struct option_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i]);
	free(list->items);
	*list = (struct option_list){0};
}

void gpu_uuid_text(const unsigned char uuid[16], char ret_text[40])
{
	for (int i = 0; i < 16; i++) {
		bool begins = i == 4 || i == 6 || i == 8 || i == 10;

		ret_text += sprintf(ret_text, begins ? "-%02x" : "%02x", uuid[i]);
	}
}

void gpu_pci_text(
	unsigned domain, unsigned bus, unsigned device, unsigned function, char ret_text[16])
{
	snprintf(ret_text, 16, "%04x:%02x:%02x.%x", domain & 0xffff, bus & 0xff, device & 0x1f,
		function & 7);
}

int gpu_nvidia_driver_cuda(const char *driver)
{
	return strtoul(driver, NULL, 10) >= 525 ? 12 : 11;
}

/* Bulk copies need PTX ISA 8.0, which CUDA 12.0 introduced. CUDA 11.8 supports sm_90 without them. Clusters are not
 * tried with it either. */
unsigned gpu_nvidia_capabilities(uint32_t cc_major, int cuda)
{
	unsigned capabilities = 0;

	if (cc_major >= 8)
		capabilities |= PMPP_CAP_ASYNC_COPY | PMPP_CAP_TENSOR;
	if (cc_major >= 9 && cuda >= 12)
		capabilities |= PMPP_CAP_BULK_COPY | PMPP_CAP_CLUSTER;
	return capabilities;
}
