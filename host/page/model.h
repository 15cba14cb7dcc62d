/* The rows of a page: page->families, problems and rows, from page->comparison and page->sides. */
#ifndef PMPP_HOST_PAGE_MODEL_H
#define PMPP_HOST_PAGE_MODEL_H

#include "host/page/section.h"

/* Returns false if there is no memory. */
bool model_make(struct page *page);
void model_finish(struct page *page);

#endif
