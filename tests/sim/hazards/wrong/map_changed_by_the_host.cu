// expect: invalid-tensor-map
// The map is opaque, and the program changes some of its bytes.
#define CHANGED
#include "../clean/map_of_the_host_acquired.cu"
