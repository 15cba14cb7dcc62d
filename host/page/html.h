/*
 * The text of the page as HTML.
 */
#ifndef PMPP_HOST_PAGE_HTML_H
#define PMPP_HOST_PAGE_HTML_H

#include "host/report/html.h"

#endif
