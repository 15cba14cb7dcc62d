/* One row for each text from which the fuzzer starts: texts that it found (corpus) and texts that
 * were written by hand (seeds). */
#include "tests/fuzz/document_check.h"
#include "tests/support/test.h"

#include <dirent.h>

static const char *const folders[] = {"corpus", "seeds"};

struct text_file {
	const char *folder;
	const struct dirent *entry;
};

/* Files that were read as records, and files that were refused. */
static size_t read_count, refused_count;

static char *read_whole(const struct text_file *source, size_t *ret_length)
{
	char path[4096];
	char *text = NULL;
	char block[4096];
	size_t got;

	snprintf(path, sizeof path, "%s/tests/fuzz/%s/%s", PMPP_SOURCE_ROOT, source->folder,
		source->entry->d_name);
	FILE *file = fopen(path, "re");
	SOME(file);
	FILE *out = open_memstream(&text, ret_length);
	SOME(out);
	while ((got = fread(block, 1, sizeof block, file)) > 0)
		EQUAL(fwrite(block, 1, got, out), got);
	NOT(ferror(file));
	fclose(file);
	EQUAL(fclose(out), 0);
	return text;
}

static void file_holds(const void *context)
{
	size_t length = 0;
	FREED char *text = read_whole(context, &length);
	bool read = false;
	/* A copy of the exact size: the reader may not rely on a zero after the text. */
	FREED char *exact = malloc(length ? length : 1);

	SOME(exact);
	memcpy(exact, text, length);
	const char *problem = document_check(exact, length, &read);
	*(read ? &read_count : &refused_count) += 1;
	if (problem)
		test_fail("a property does not hold: %s", problem);
}

/* The last row. A corpus of refused files only would test nothing. */
static void both_kinds(const void *context)
{
	(void)context;
	test_note("%zu files read, %zu files refused", read_count, refused_count);
	CHECK(IS(read_count >= 30), IS(refused_count >= 30));
}

static int is_file(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* A folder's files and the rows that read them. */
struct folder_files {
	struct dirent **entries;
	struct text_file *files;
	int count;
};

static void add_folder(const char *name, struct folder_files *ret_folder)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/tests/fuzz/%s", PMPP_SOURCE_ROOT, name);
	ret_folder->count = scandir(path, &ret_folder->entries, is_file, alphasort);
	ret_folder->files = calloc((size_t)ret_folder->count + 1, sizeof *ret_folder->files);
	for (int i = 0; ret_folder->files && i < ret_folder->count; i++) {
		ret_folder->files[i] = (struct text_file){name, ret_folder->entries[i]};
		test_add(file_holds, &ret_folder->files[i], "%s/%s", name,
			ret_folder->entries[i]->d_name);
	}
}

int main(int argc, char **argv)
{
	struct folder_files found[sizeof folders / sizeof *folders] = {{0}};

	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		add_folder(folders[i], &found[i]);
	if (argc < 2)
		test_add(both_kinds, NULL, "files are read and files are refused");
	int code = test_run(argc, argv);
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		for (int j = 0; j < found[i].count; j++)
			free(found[i].entries[j]);
		free(found[i].entries);
		free(found[i].files);
	}
	return code;
}
