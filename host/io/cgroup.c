#include "host/io/cgroup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct cgroup_files cgroup_files[CGROUP_VERSION_COUNT] = {
	[CGROUP_V1] = {"memory.limit_in_bytes", "memory.usage_in_bytes", "memory.stat",
		{"total_inactive_file", "total_active_file"}},
	[CGROUP_V2] = {"memory.max", "memory.current", "memory.stat",
		{"inactive_file", "active_file"}},
};

/* ---- Texts --------------------------------------------------------------------------------- */

/* A part of a text, not zero-terminated. */
struct span {
	const char *start;
	size_t length;
};

static bool span_is(struct span span, const char *word)
{
	return span.length == strlen(word) && memcmp(span.start, word, span.length) == 0;
}

/* Cuts the next part off *rest, up to a separator; false at the end of the text. */
static bool cut(struct span *rest, char separator, struct span *ret_part)
{
	if (!rest->start)
		return false;
	const char *end = memchr(rest->start, separator, rest->length);
	size_t length = end ? (size_t)(end - rest->start) : rest->length;

	*ret_part = (struct span){rest->start, length};
	*rest = end ? (struct span){end + 1, rest->length - length - 1} : (struct span){NULL, 0};
	return true;
}

/* Whether a list with commas, such as "rw,memory", has the word. */
static bool list_has(struct span list, const char *word)
{
	struct span part;

	while (cut(&list, ',', &part))
		if (span_is(part, word))
			return true;
	return false;
}

static bool copy_span(struct span span, char target[CGROUP_PATH_BYTES])
{
	if (span.length >= CGROUP_PATH_BYTES)
		return false;
	memcpy(target, span.start, span.length);
	target[span.length] = '\0';
	return true;
}

static bool is_octal(const char *digits)
{
	for (int i = 0; i < 3; i++)
		if (digits[i] < '0' || digits[i] > '7')
			return false;
	return true;
}

/* mountinfo writes blanks, tabs, newlines and backslashes as \OOO. */
static void unescape(char *text)
{
	char *target = text;

	for (; *text; target++) {
		if (*text == '\\' && is_octal(text + 1)) {
			*target = (char)((text[1] - '0') * 64 + (text[2] - '0') * 8 +
					 (text[3] - '0'));
			text += 4;
		} else {
			*target = *text++;
		}
	}
	*target = '\0';
}

/* ---- The folder ---------------------------------------------------------------------------- */

/* Lines "ID:CONTROLLERS:PATH"; version 2 has "0::PATH". */
static bool find_group(enum cgroup_version version, const char *cgroups, char *ret_path)
{
	struct span rest = {cgroups, strlen(cgroups)};
	struct span line, id, controllers;

	while (cut(&rest, '\n', &line)) {
		if (!cut(&line, ':', &id) || !cut(&line, ':', &controllers) || !line.start)
			continue;
		bool found = version == CGROUP_V2 ? span_is(id, "0") && controllers.length == 0
						  : list_has(controllers, "memory");
		if (found)
			return copy_span(line, ret_path);
	}
	return false;
}

/* Lines "ID PARENT MAJOR:MINOR ROOT MOUNT OPTIONS [FIELD...] - TYPE SOURCE SUPER_OPTIONS". */
static bool find_mount(
	enum cgroup_version version, const char *mounts, char *ret_root, char *ret_mount)
{
	struct span rest = {mounts, strlen(mounts)};
	struct span line, field;

	while (cut(&rest, '\n', &line)) {
		struct span root = {"", 0}, mount = {"", 0}, type = {"", 0}, options = {"", 0};

		for (int i = 0; i < 5 && cut(&line, ' ', &field); i++) {
			root = mount;
			mount = field;
		}
		while (cut(&line, ' ', &field) && !span_is(field, "-"))
			;
		cut(&line, ' ', &type);
		cut(&line, ' ', &field);
		cut(&line, ' ', &options);
		bool found = version == CGROUP_V2
				     ? span_is(type, "cgroup2")
				     : span_is(type, "cgroup") && list_has(options, "memory");
		if (!found || !copy_span(root, ret_root) || !copy_span(mount, ret_mount))
			continue;
		unescape(ret_root);
		unescape(ret_mount);
		return true;
	}
	return false;
}

/* The path of a group relative to the folder that is mounted; "" if the group is not below it. */
static const char *path_below(const char *group, const char *root)
{
	size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);

	if (strncmp(group, root, length) != 0 || (group[length] != '/' && group[length] != '\0'))
		return "";
	if (strstr(group, "/..") || strcmp(group, "/") == 0)
		return "";
	return group + length;
}

bool cgroup_find(enum cgroup_version version, const char *cgroups, const char *mounts,
	struct cgroup_folder *ret_folder)
{
	char group[CGROUP_PATH_BYTES];
	char root[CGROUP_PATH_BYTES];
	char mount[CGROUP_PATH_BYTES];

	if (!find_group(version, cgroups, group) || !find_mount(version, mounts, root, mount))
		return false;
	snprintf(ret_folder->mount, sizeof ret_folder->mount, "%s", mount);
	snprintf(ret_folder->path, sizeof ret_folder->path, "%s", path_below(group, root));
	return true;
}

bool cgroup_parent(struct cgroup_folder *folder)
{
	char *last = strrchr(folder->path, '/');

	if (!last)
		return false;
	*last = '\0';
	return true;
}

/* ---- Values -------------------------------------------------------------------------------- */

bool cgroup_bytes(const char *text, uint64_t *ret_bytes)
{
	char *end;

	if (strcmp(text, "max") == 0 || strcmp(text, "max\n") == 0) {
		*ret_bytes = UINT64_MAX;
		return true;
	}
	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	unsigned long long value = strtoull(text, &end, 10);
	if (errno != 0 || (*end != '\0' && strcmp(end, "\n") != 0))
		return false;
	*ret_bytes = value;
	return true;
}

uint64_t cgroup_stat(const char *text, const char *key)
{
	struct span rest = {text, strlen(text)};
	struct span line, name;

	while (cut(&rest, '\n', &line))
		if (cut(&line, ' ', &name) && span_is(name, key) && line.start)
			return strtoull(line.start, NULL, 10);
	return 0;
}
