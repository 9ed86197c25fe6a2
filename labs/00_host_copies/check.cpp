#include <algorithm>
#include <numeric>
#include <set>

#include "check/check.h"
#include "check/constant.h"

using check::sm_80, check::sm_90;
using Kind = check::HostOperation::Kind;

LAB(00_host_copies) = {
    .title = "Host copies",
    .concepts = {"pinned memory", "cudaMemcpyAsync", "streams", "events", "overlap"},
    .minimum_sm = 80,
    .targets = {sm_80, sm_90},
    .needs = {{"", "two chunks are in flight"}},
};

namespace {

LAB_CONSTANT(00_host_copies, CHUNK, 8192, 4096, 6144, 10240, 12288);

std::vector<uint32_t> numbers(const std::vector<std::byte>& bytes) {
    std::vector<uint32_t> all(bytes.size() / sizeof(uint32_t));
    if (!all.empty())
        std::memcpy(all.data(), bytes.data(), all.size() * sizeof(uint32_t));
    return all;
}

bool all_among(std::vector<uint32_t> some, std::vector<uint32_t> others) {
    if (some == others) // the usual case; sorting would take longer than the run
        return true;
    std::ranges::sort(some);
    std::ranges::sort(others);
    some.erase(std::unique(some.begin(), some.end()), some.end());
    return std::ranges::includes(others, some);
}

// The host knows the numbers, so it could compute the results itself and only pretend to use the device. Therefore it
// may upload nothing but the numbers, and must download all results, and kernels may not read its memory.
void check_traffic(const std::vector<uint32_t>& in, const std::vector<uint32_t>& results) {
    check::that(all_among(numbers(check::uploaded()), in), "the host uploads nothing but the numbers in `in`");
    // Where a wait is missing, late copies bring wrong results.
    check::that((check::second_look() && check::copies_end_late()) || all_among(results, numbers(check::downloaded())),
                "the host downloads each result from where a kernel wrote it");
    check::that(
        check::loaded_from_host() == 0,
        "kernels read the numbers in memory of cudaMalloc, where the host has uploaded them, not in the host's memory");
    uint64_t passed = 0; // bytes that reach a kernel without an upload
    for (const auto& launch : check::launches())
        passed += launch.parameter_bytes;
    for (const auto& operation : check::operations())
        passed += operation.kind == Kind::fill ? sizeof(uint32_t) : 0;
    check::that(passed <= 256 + in.size(), "a kernel's parameters hold the address of the numbers, not the numbers");
}

void check_transform(int n) {
    const auto in = check::random<uint32_t>(n, check::MemoryKind::pageable);
    const auto out = check::output<uint32_t>(n, check::MemoryKind::pinned);
    const auto sum = check::output<uint64_t>(1, check::MemoryKind::pageable);
    std::vector<uint32_t> expected(n);
    std::transform(in.begin(), in.end(), expected.begin(), [](uint32_t x) { return 3 * x + 1; });
    check::call(in, out, n, sum);
    check::equal(out, expected);
    check::equal(sum, {std::accumulate(expected.begin(), expected.end(), uint64_t{0})});
    check::unchanged(in);
    check_traffic(in.values(), expected);
}

uint64_t bytes_of(Kind kind) {
    uint64_t bytes = 0;
    for (const auto& operation : check::operations())
        bytes += operation.kind == kind ? operation.bytes : 0;
    return bytes;
}

LAB_CASE("one chunk", 2) {
    check_transform(CHUNK);
}

LAB_CASE("one number", 1) {
    check_transform(1);
}

LAB_CASE("empty input", 1) {
    check_transform(0);
}

LAB_CASE("as many chunks as slots", 2) {
    check_transform(2 * CHUNK);
}

LAB_CASE("many chunks, the last one ragged", 4) {
    check_transform(6 * CHUNK + 1);
    check_transform(3 * CHUNK + static_cast<int>(check::random_between(2, CHUNK - 1)));
}

LAB_CASE("the device computes everything", 1) {
    check_transform(4 * CHUNK);
    check::that(bytes_of(Kind::copy_to_device) == 4 * sizeof(uint32_t) * CHUNK, "the host uploads each number once");
    check::that(bytes_of(Kind::copy_to_host) == 4 * sizeof(uint32_t) * CHUNK, "the host downloads each number once");
    check::that(check::stats().global_store_bytes == 4 * sizeof(uint32_t) * CHUNK, "a kernel writes each number once");
}

LAB_CASE("copies are asynchronous", 3) {
    check_transform(4 * CHUNK);
    for (const auto& operation : check::operations())
        check::that(!operation.pageable,
                    "every copy uses pinned memory on the host; the host waits for any other copy");
}

LAB_CASE("two chunks are in flight", 4) {
    check_transform(6 * CHUNK);
    std::set<uint64_t> streams;
    int launched = 0, beside = 0, waits = 0, launched_before_first_wait = 0;
    for (const auto& operation : check::operations()) {
        if (operation.kind == Kind::launch) {
            streams.insert(operation.stream);
            ++launched;
            beside += operation.beside;
        } else if (operation.kind == Kind::copy_to_device || operation.kind == Kind::copy_to_host) {
            streams.insert(operation.stream);
        }
        if ((operation.kind == Kind::host_wait || operation.kind == Kind::query) && ++waits == 1)
            launched_before_first_wait = launched;
    }
    check::that(launched == 6 && std::ranges::all_of(check::launches(),
                                                     [](const auto& launch) {
                                                         return launch.statistics.global_store_bytes ==
                                                                sizeof(uint32_t) * CHUNK;
                                                     }),
                "each chunk has its own kernel launch");
    check::that(streams.size() >= 2, "the chunks use two streams, so that a chunk does not wait for the previous one");
    check::that(launched_before_first_wait >= 2, "the host issues a second chunk before it waits for the first");
    // However it waits: a host function or cudaFree can say that a chunk is complete, too.
    check::that(!check::copies_end_late() || 2 * beside >= launched,
                "the host issues chunks while others are not complete");
}

} // namespace
