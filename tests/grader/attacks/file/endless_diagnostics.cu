// expect: compile
// 2 to the 200th warnings.
#warning "\033]0;x\007 ::error::x"
#include __FILE__
#include __FILE__
