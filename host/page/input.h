/* The input of a page: the records of its files. */
#ifndef PMPP_HOST_PAGE_INPUT_H
#define PMPP_HOST_PAGE_INPUT_H

#include "host/compare/compare.h"
#include "host/record/explanation.h"
#include "host/record/result.h"

/* The files of a page. */
struct page_input {
	const struct compared_file *files;
	size_t file_count;
	const struct explain_document *explanations;
	size_t explanation_count;
};

#endif
