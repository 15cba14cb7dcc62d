/* The sides of a page: its devices and their backends, from page->comparison. */
#ifndef PMPP_HOST_PAGE_SIDES_H
#define PMPP_HOST_PAGE_SIDES_H

#include "host/page/section.h"

/* Returns false if there is no memory. */
bool sides_make_page(struct page *page);
void sides_finish_page(struct page *page);

#endif
