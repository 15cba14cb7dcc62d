/*
 * The figures of the charts: the JSON object in <script id="data">. page.js draws from it.
 *
 *     schema     "pmpp-page/1"
 *     devices    names of the devices
 *     sides      {name, device, backend, type, roofs: {copy, read: GB/s; the types of operations:
 *                GFLOP/s}, cache: bytes of the last level; 0: unknown}; device: an index
 *     families   names of the families
 *     problems   {family, text}; family: an index
 *     columns    names of the values of a row
 *     rows       arrays of values: each variant, problem and side. Times are in ns, rates in `unit`,
 *                flops and bytes are the operations and the compulsory bytes. Unknown values are
 *                null. The index is that of the table row #rINDEX
 *     parity     arrays [row, other row, ratio, low, high, tolerance, verdict, bits]; ratio: time of
 *                `row` (OpenCL) / time of `other row`
 *     overview   arrays [group, row, other row]: the fastest rows of a family on two devices
 *     drawings   requests of warps (data_add_request(), data_add_split())
 *
 * The object has no samples and no sources.
 */
#ifndef PMPP_HOST_PAGE_DATA_H
#define PMPP_HOST_PAGE_DATA_H

#include "common/model/access.h"
#include "host/page/section.h"

/* Makes page->figures from the rows. Returns false if there is no memory. */
bool data_make(struct page *page);
void data_free(struct page *page);

/* Appends the fastest rows of a family on two devices to `overview`. */
void data_add_overview(struct page *page, const char *group, const struct page_row *row,
	const struct page_row *other);

/* Append a drawing and return its index. Global memory: {lanes, active, width, line, sector,
 * address: by active lane}. Shared memory: `passes` in place of line, sector and address, each an
 * array with the lanes of each bank, and `first`: whether the pass is the first one of its phase.
 * Branch: {lanes, active, first}: `first` has the lanes that run first. */
size_t data_add_request(struct page *page, const struct warp_access *request, bool shared);
size_t data_add_split(
	struct page *page, const struct access_model *model, uint64_t lanes, uint64_t first);

/* Writes the object. No text in it can end the <script>. */
bool data_put(const struct page *page, FILE *out);

#endif
