// expect: scope-too-narrow
// A warning: the answer is read, and only an arrival of block scope orders that.
#define READS
#include "../clean/arrival_of_block_scope_releases_a_buffer.cu"
