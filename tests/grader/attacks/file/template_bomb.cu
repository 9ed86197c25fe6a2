// expect: compile
template <int N, int M> struct Bomb { static constexpr long value = Bomb<N - 1, 2 * M>::value + Bomb<N - 1, 2 * M + 1>::value; };
template <int M> struct Bomb<0, M> { static constexpr long value = M; };
static_assert(Bomb<40, 1>::value);
