#include "check/check.h"

EXERCISE(15_tensormap_replace, hunts, 1_packed_sequences) = {
    .title = "Packed sequences",
    .concepts = {"acquire of a map", "maps across kernels"},
    .minimum_sm = 90,
    .targets = {check::sm_90a},
};

namespace lab_15_hunt_1 {

void check_unpacked(const std::vector<int>& lengths, int longest) {
    std::vector<int> begin{0};
    for (const int length : lengths)
        begin.push_back(begin.back() + length);
    const auto tokens = check::random<float>(static_cast<size_t>(begin.back()) * 32);
    const auto out = check::output<float>(lengths.size() * static_cast<size_t>(longest) * 32);
    check::call(tokens, check::device(begin), out, static_cast<int>(lengths.size()), longest);
    std::vector<float> expected(out.size());
    for (size_t s = 0; s < lengths.size(); ++s)
        std::copy(tokens.begin() + begin[s] * 32, tokens.begin() + begin[s + 1] * 32,
                  expected.begin() + static_cast<int64_t>(s) * longest * 32);
    check::equal(out, expected, {lengths.size() * static_cast<size_t>(longest), 32});
}

LAB_CASE("one sequence", 1) {
    check_unpacked({11}, 12);
}

LAB_CASE("four sequences", 2) {
    check_unpacked({5, 20, 1, 13}, 20);
}

} // namespace lab_15_hunt_1
