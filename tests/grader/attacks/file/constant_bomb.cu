// expect: compile
// A constant that takes for ever to be known.
constexpr long long count(long long n) { return n <= 1 ? n : count(n - 1) + count(n - 2) - count(n - 2) + count(n - 2); }
static_assert(count(90) == 1);
