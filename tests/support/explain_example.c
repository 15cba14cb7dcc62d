#include "tests/support/explain_example.h"

#include "host/record/document.h"
#include "tests/support/test.h"

/* Single quotes stand for double ones. */
static const char tiled[] =
	"{'schema': 'pmpp-explain/1', 'tool': {'name': 'pmpp', 'version': '0', 'git': '', 'compiler': '',"
	" 'argv': []}, 'explanations': [{'family': 'transpose', 'variant': 'tiled', 'technique': 'corner turning',"
	" 'idea': 'a tile is turned in shared memory', 'title': 'B = A^T', 'book': '4th ed. 5', 'base': 'naive', 'problem': {'m': 256, 'n': 256},"
	" 'problem_text': 'm=n=256', 'choices': 'f32', 'macros': {'TILE': 32, 'BLOCK_ROWS': 8},"
	" 'next': {'variant': 'padded', 'technique': 'padding', 'idea': 'rows one longer',"
	"  'claim': 'padded >= 1.05 x unpadded'},"
	" 'launch': {'kernel': 'transpose_tiled', 'grid': [64, 1, 1], 'block': [32, 8, 1],"
	"  'shared_bytes': 0, 'index': 1, 'count': 1},"
	" 'file': 'cuda_kernels/transpose/tiled.cu', 'no_trace': null,"
	" 'sampled': {'blocks': 3, 'total': 64}, 'estimated': true,"
	" 'accesses': ["
	"  {'line': 39, 'text': '\\t\\ttile[ty + j][tx] = from[(size_t)j * n];', 'space': 'global',"
	"   'kind': 'load', 'width_bytes': 4, 'operand': 'A', 'requests': 96, 'file': null,"
	"   'bytes_requested': 12288, 'bytes_unique': 12288, 'bytes_moved': 12288,"
	"   'wavefronts_per_request': null, 'coalescing': 'coalesced',"
	"   'sectors_per_request': 4.0, 'lines128_per_request': 1.0, 'efficiency': 1.0,"
	"   'pattern': 'contiguous', 'alignment_bytes': 128, 'active_lanes': 32.0,"
	"   'ways': null, 'multiplicity': null},"
	"  {'line': 44, 'text': '\\t\\t\\tto[(size_t)j * m] = tile[tx][ty + j];', 'space': 'shared',"
	"   'kind': 'load', 'width_bytes': 4, 'operand': null, 'requests': 96, 'ways': 32,"
	"   'file': null, 'bytes_requested': 12288, 'bytes_unique': 12288, 'bytes_moved': null,"
	"   'sectors_per_request': null, 'lines128_per_request': null, 'efficiency': null,"
	"   'alignment_bytes': null, 'multiplicity': null, 'coalescing': 'n/a (shared)',"
	"   'wavefronts_per_request': 32.0, 'pattern': 'stride 32', 'active_lanes': 32.0},"
	"  {'line': 44, 'text': '\\t\\t\\tto[(size_t)j * m] = tile[tx][ty + j];', 'space': 'global',"
	"   'kind': 'store', 'width_bytes': 4, 'operand': 'B', 'requests': 96, 'file': null,"
	"   'bytes_requested': 12288, 'bytes_unique': 12288, 'bytes_moved': 98304, 'ways': null,"
	"   'wavefronts_per_request': null, 'multiplicity': null, 'coalescing': 'uncoalesced',"
	"   'sectors_per_request': 32.0, 'lines128_per_request': 32.0, 'efficiency': 0.125,"
	"   'pattern': 'stride 256', 'alignment_bytes': 4, 'active_lanes': 32.0}],"
	" 'lines': [{'line': 30, 'text': 'int tx = threadIdx.x;', 'warp_executions': 24,"
	"   'lanes': 768, 'simt': 1.0},"
	"  {'line': 41, 'text': '\\tif (adds)', 'warp_executions': 12, 'lanes': 255,"
	"   'simt': 0.6640625}],"
	" 'branches': [{'line': 41, 'text': '\\tif (adds)', 'executions': 160, 'divergent': 31}],"
	" 'simt_efficiency': 0.98, 'warps': 24, 'divergent_warps': 1,"
	" 'totals': {'estimated': true, 'bytes_compulsory': 524288,"
	"  'bytes_loaded_requested': 262144, 'bytes_loaded_moved': 262144,"
	"  'bytes_stored_requested': 262144, 'bytes_stored_moved': 2097152,"
	"  'bytes_atomic_requested': 0, 'bytes_atomic_moved': 0},"
	" 'defects': [],"
	" 'resources': {'registers': 20, 'shared_bytes': 4096, 'spill_bytes': 0, 'max_block': 1024,"
	"  'source': 'NVRTC sm_90'}, 'no_resources': null,"
	" 'occupancy': {'ratio': 1.0, 'blocks': 8, 'threads': 2048, 'warps': 64,"
	"  'limited_by': ['threads', 'registers'], 'target': 'compute capability 9.0'},"
	" 'intensity': {'compulsory': 8.0, 'issued': 0.5, 'requested': 0.25, 'loads': 12.8,"
	"  'moved': null},"
	" 'roofs': {'name': 'NVIDIA H200', 'measured': false, 'copy_gbps': 4234, 'fma_gflops': 64356, 'ridge': 15.2},"
	" 'limited_by': 'memory', 'limit_text': '0.25 FLOP a byte',"
	" 'checklist': [{'item': 'occupancy', 'state': 'done', 'text': '100 %'},"
	"  {'item': 'coalescing', 'state': 'open', 'text': '32 sectors a request at line 44'}],"
	" 'measured': {'backend': 'cuda', 'device': 'uuid:1', 'device_name': 'NVIDIA H200',"
	"  'problem': {'m': 8192, 'n': 8192}, 'problem_text': 'm=n=8192', 'limited_by': 'memory',"
	"  'ns': 123000, 'gflops': 0, 'gbps': 3200, 'fraction_of_roof': 0.756,"
	"  'attainable_gbps': 4234, 'attainable_gflops': 0, 'status': 'ok'},"
	" 'no_measurement': null}]}";

struct explain_document explain_example(void)
{
	struct explain_document document;
	FREED char *text = strdup(tiled);

	for (char *c = text; *c; c++)
		if (*c == '\'')
			*c = '"';
	test_ok(record_read(
		&explain_document_type, text, strlen(text), "tiled", &document, &test_error));
	return document;
}
