#include "tests/support/loader.h"

#include "tests/support/engine.h"

#include <dlfcn.h>

/* Both loaders report their names through this call. Not all header packages declare it. */
#define ICDL_CALL "clGetICDLoaderInfoOCLICD"
#define ICDL_NAME 3
#define ICDL_VENDOR 4
typedef int icdl_info_fn(unsigned what, size_t size, void *value, size_t *ret_size);
typedef void *find_call_fn(const char *name);

static const struct {
	const char *word, *vendor; /* vendor: part of the text that the loader reports */
} loaders[] = {
	{"ocl-icd", "OCL Icd"},
	{"khronos", "Khronos"},
};

/* The library that handles OpenCL calls of this process, and the name that it reports. */
static void find_loader(Dl_info *ret_library, char ret_name[100], char ret_vendor[100])
{
	find_call_fn *find_call;
	icdl_info_fn *info;

	*(void **)&find_call = dlsym(RTLD_DEFAULT, "clGetExtensionFunctionAddress");
	if (!find_call || !dladdr(*(void **)&find_call, ret_library) || !ret_library->dli_fname)
		test_fail("no ICD loader: clGetExtensionFunctionAddress() is not there");
	*(void **)&info = find_call(ICDL_CALL);
	if (!info || info(ICDL_NAME, 100, ret_name, NULL) != 0 ||
		info(ICDL_VENDOR, 100, ret_vendor, NULL) != 0)
		test_fail("%s does not report its vendor", ret_library->dli_fname);
}

static void is_loader(const void *context)
{
	const char *word = context;
	char name[100] = "", vendor[100] = "";
	const char *found = "another loader";
	Dl_info library;

	find_loader(&library, name, vendor);
	test_note("%s: %s (%s)", library.dli_fname, name, vendor);
	for (size_t i = 0; i < sizeof loaders / sizeof *loaders; i++)
		if (strstr(vendor, loaders[i].vendor))
			found = loaders[i].word;
	STRING(found, word);
}

static void has_device(const void *context)
{
	struct engine engines[MAX_ENGINES];

	if (engine_list(context, engines) == 0)
		test_fail("engine_list() does not have the word");
	if (!engines[0].usable)
		test_fail("%s", engines[0].reason);
	test_note("%s, %s, %s", engines[0].name, engines[0].info.name, engines[0].info.driver);
}

void loader_add_rows(void)
{
	static char words[200];
	const char *loader = getenv("PMPP_TEST_LOADER");
	const char *names = getenv("PMPP_TEST_IMPLEMENTATIONS");
	char *rest = NULL;

	if (loader && *loader)
		test_add(is_loader, loader, "the ICD loader is %s", loader);
	snprintf(words, sizeof words, "%s", names ? names : "");
	for (char *word = strtok_r(words, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
		test_add(has_device, word, "%s has a device", word);
}
