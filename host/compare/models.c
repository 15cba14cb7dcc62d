#include <stdlib.h>
#include <string.h>

#include "host/compare/compare.h"
#include "host/compare/fields.h"

/* Replaces a key that is equal to `from`. Returns false if there is no memory. */
static bool replace_key(char **key, const char *from, const char *to)
{
	if (text_equal(*key, from))
		text_set(key, to);
	return *key != NULL;
}

static bool join_model(struct result_document *document, struct device_record *device)
{
	char *from = strdup(text_or_empty(device->key)), *to = NULL;
	bool ok = from != NULL;

	text_format(&to, "model:%s", text_or_empty(device->name));
	ok = ok && to;
	for (size_t i = 0; i < document->results.count && ok; i++)
		ok = !document->results.items[i].device ||
		     replace_key(&document->results.items[i].device, from, to);
	for (size_t i = 0; i < document->parity.count && ok; i++)
		ok = !document->parity.items[i].device ||
		     replace_key(&document->parity.items[i].device, from, to);
	if (ok) {
		text_set(&device->uuid, to);
		text_set(&device->pci, NULL);
		text_set(&device->key, to);
	}
	free(from);
	free(to);
	return ok && device->key && device->uuid;
}

bool compared_files_join_models(struct compared_file *files, size_t count)
{
	bool ok = true;

	for (size_t f = 0; f < count; f++) {
		struct result_document *document = &files[f].document;
		for (size_t d = 0; d < document->devices.count && ok; d++)
			if (text_equal(document->devices.items[d].type, "gpu"))
				ok = join_model(document, &document->devices.items[d]);
	}
	return ok;
}
