// expect: missing-proxy-fence
// The fence is there, but on the wrong side of the arrival.
#define ARRIVES_FIRST
#include "../clean/fence_before_the_arrival.cu"
