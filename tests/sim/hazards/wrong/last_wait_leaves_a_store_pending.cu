// expect: exit-before-completion
// The wait is the cause: it leaves the youngest group pending.
#define STAY_PENDING 1
#include "../clean/last_wait_leaves_no_store_pending.cu"
