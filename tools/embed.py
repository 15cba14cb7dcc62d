#!/usr/bin/env python3
"""Embeds the kernel sources in the binary.

usage: embed.py OUTPUT.c DEPFILE ROOT FOLDER...

Writes one table of {path, text} over every .cl, .cu and .h file below the folders (paths relative to
ROOT, sorted), and a depfile that names the files and the folders themselves, so that an added or
removed kernel file re-runs this script.
"""
import os
import sys

EXTENSIONS = (".cl", ".cu", ".h", ".inc")


def c_string(text):
    """The text as adjacent C string literals, one for each line."""
    lines = []
    for line in text.splitlines(keepends=True):
        escaped = line.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        lines.append('\t"' + escaped.replace("\t", "\\t") + '"')
    return "\n".join(lines) or '\t""'


def main():
    output, depfile, root, *folders = sys.argv[1:]
    files, directories = [], []
    for folder in folders:
        for directory, _, names in os.walk(os.path.join(root, folder)):
            directories.append(directory)
            files += [os.path.join(directory, n) for n in names if n.endswith(EXTENSIONS)]
    files.sort()
    with open(output, "w", encoding="utf-8") as out:
        out.write('/* Made by tools/embed.py. */\n#include "host/io/sources.h"\n\n'
                  "/* ISO C promises 4095 bytes of a literal; GCC and Clang take any. */\n"
                  '#pragma GCC diagnostic ignored "-Woverlength-strings"\n\n')
        out.write("const struct embedded_file embedded_files[] = {\n")
        for path in files:
            with open(path, encoding="utf-8") as source:
                text = source.read()
            out.write('{"%s",\n%s},\n' % (os.path.relpath(path, root), c_string(text)))
        out.write("{0, 0}};\n\nconst size_t embedded_file_count = %d;\n" % len(files))
    with open(depfile, "w", encoding="utf-8") as out:
        paths = [p.replace(" ", "\\ ") for p in files + directories]
        out.write("%s: %s\n" % (output, " ".join(paths)))


main()
