/* The style sheet of the page: style.css, embedded by tools/embed_style.py. */
#ifndef PMPP_HOST_PAGE_STYLE_H
#define PMPP_HOST_PAGE_STYLE_H

extern const char page_style[];
extern const char page_style_hash[]; /* SHA-256 of its bytes, base64 */

#endif
