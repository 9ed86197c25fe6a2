#define SCOPE "cluster"
#define READS
#include "arrival_of_block_scope_releases_a_buffer.cu"
