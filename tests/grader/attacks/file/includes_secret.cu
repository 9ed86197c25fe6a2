// expect: compile
// The compiler's message would show the line.
#include "@SECRETFILE@"
