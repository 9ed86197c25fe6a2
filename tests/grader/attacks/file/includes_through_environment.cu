// expect: compile
#if __has_include("/proc/self/environ") || __has_include("/etc/passwd") || __has_include("@OTHER@")
#include "/proc/self/environ"
#include "/etc/passwd"
#include "@OTHER@"
#endif
#error "no launch function"
