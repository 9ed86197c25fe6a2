// expect: 0
// The checker's own entry points, in place of LAB_ENTRY.
#include "lab.h"
#include <algorithm>
extern "C" int lab_entry(const std::uint64_t*, cudaStream_t) { return 0; }
extern "C" const char* lab_signature() { return "ppis"; }
