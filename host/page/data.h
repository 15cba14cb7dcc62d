/*
 * The figures of the charts: the JSON object in <script id="data">. page.js draws from it.
 *
 *     schema     "pmpp-page/1"
 *     devices    names of the devices
 *     sides      {name, device, backend, type, roofs: {copy, read: GB/s; the types of operations:
 *                GFLOP/s}, caches: [[name, bytes]]}; device: an index
 *     families   {name, title}
 *     problems   {family, text}; family: an index
 *     columns    names of the values of a row
 *     rows       arrays of values: each variant, problem and side. Times are in ns, rates in `unit`,
 *                intensity in operations per byte. Unknown values are null. The index is that of the
 *                table row #rINDEX
 *     parity     {device, name, pairs: [[family, variant, problem, ratio, low, high, tolerance,
 *                verdict, bits, in turn]]}; ratio: time through the first backend / the second
 *     overview   [family, group, row, other, ratio]: the fastest rows of two devices, and time of
 *                `other` / time of `row`
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

/* Appends one pair of devices to `overview`. row, other: indices into page->rows. */
void data_add_overview(struct page *page, size_t family, const char *group, size_t row,
	size_t other, double ratio);

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
