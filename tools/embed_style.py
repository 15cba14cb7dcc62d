#!/usr/bin/env python3
"""Embeds the style sheet of the page in the binary, with its hash for the content policy.

usage: embed_style.py STYLE.css OUTPUT.c
"""
import base64
import hashlib
import sys


def c_string(text):
    """The text as adjacent C string literals, one for each line."""
    escaped = (line.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
               for line in text.splitlines(keepends=True))
    return "\n".join('\t"%s"' % line.replace("\t", "\\t") for line in escaped)


def main():
    source, output = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        text = file.read()
    digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
    with open(output, "w", encoding="utf-8") as out:
        out.write('/* Made by tools/embed_style.py. */\n#include "host/page/style.h"\n\n'
                  "/* ISO C guarantees literals of 4095 bytes; GCC and Clang accept any length. */\n"
                  '#pragma GCC diagnostic ignored "-Woverlength-strings"\n\n'
                  "const char page_style[] =\n%s;\n\n"
                  'const char page_style_hash[] = "%s";\n' % (c_string(text), digest))


main()
