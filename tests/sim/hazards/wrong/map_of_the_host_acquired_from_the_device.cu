// expect: map-without-acquire
// A note: the acquire has device scope, which does not include the host.
#define SCOPE scope_gpu
#include "../clean/map_of_the_host_acquired.cu"
