/* page.css and page.js, embedded by tools/embed_page.py, and their SHA-256 in base64. */
#ifndef PMPP_HOST_PAGE_ASSETS_H
#define PMPP_HOST_PAGE_ASSETS_H

extern const char page_style[], page_style_hash[];
extern const char page_script[], page_script_hash[];

#endif
