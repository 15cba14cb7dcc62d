/* Texts for users that are made from the tables of commands and options (host/cli). */
#ifndef PMPP_TOOLS_MANUAL_H
#define PMPP_TOOLS_MANUAL_H

#include <stdio.h>

#include "host/cli/cmd.h"
#include "host/cli/option_table.h"

void man_page_put(FILE *out);

/* Functions and variables with the contents of the tables, for bash and zsh. tools/completion.bash
 * and tools/completion.zsh use them. */
void completion_functions_put(FILE *out);

/* ---- Words of completions ------------------------------------------------------------------ */

typedef void word_fn(void *context, const char *word);

/* Calls `put` with each word that can be the value of an option, in the order of the program's
 * tables, some twice. readers: bits of the commands (option_row.commands); a word is left out if all
 * of them reject it. Files, folders and options without known words have none. */
void option_words_each(const struct option_row *row, unsigned readers, word_fn *put, void *context);

/* Words separated by blanks, each once. */
void option_words_put(const struct option_row *row, unsigned readers, FILE *out);

/* "matmul matmul/naive ...": names of families, and of their variants if `variants`. */
void family_words_put(bool variants, FILE *out);

#endif
