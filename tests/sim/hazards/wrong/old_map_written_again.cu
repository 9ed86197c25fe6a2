// expect: map-without-acquire
// The old map is written once more, and not acquired.
#define WRITTEN_AGAIN
#include "../clean/old_map_after_many_new_ones.cu"
