// expect: compile
#include "@TREE@/solutions/01_synchronous_staging/kernel.cu"
