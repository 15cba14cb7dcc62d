/* The sections of a page, in the order of the page. */
#ifndef PMPP_HOST_PAGE_SECTIONS_H
#define PMPP_HOST_PAGE_SECTIONS_H

#include "host/page/section.h"

/* Writes the content of a section to page->out; nothing if there is no data. */
typedef void section_fn(struct page *page);

section_fn section_overview;  /* the answer: devices and backends compared, or what limits */
section_fn section_ladders;   /* each family: chart and table of all variants */
section_fn section_rooflines; /* each side: every variant as a point, its floor marked */
section_fn section_parity;    /* OpenCL against CUDA on each device, with intervals */
section_fn section_sweeps;    /* variants with several sizes; cache sizes marked */
section_fn section_claims;    /* which claim holds on which side */
section_fn section_explained; /* annotated sources */
section_fn section_skipped;   /* variants without a time, and the reasons */
section_fn section_devices;   /* the devices, their drivers and roofs; the files */

#endif
