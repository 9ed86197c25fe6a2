// expect: uncommitted-copy
// The thread waits, but the last store is in no group when it does.
#define NOT_COMMITTED
#include "../clean/last_wait_leaves_no_store_pending.cu"
