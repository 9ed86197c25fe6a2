// The folder, its list and its tests belong together.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <doctest/doctest.h>

#include "sim/instructions/list.h"

namespace fs = std::filesystem;

namespace tree_test {

const fs::path root = SOURCE_ROOT;

std::string text_of(const fs::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// Does a test contain the mnemonic, followed by a modifier or an operand?
bool tested(const std::string& tests, std::string_view name) {
    for (auto at = tests.find(name); at != std::string::npos; at = tests.find(name, at + 1)) {
        const char before = at ? tests[at - 1] : ' ';
        const char after = at + name.size() < tests.size() ? tests[at + name.size()] : ' ';
        if (!std::isalnum(static_cast<unsigned char>(before)) && before != '.' && before != '_' &&
            (after == '.' || after == ' ' || after == ';' || after == '"'))
            return true;
    }
    return false;
}

TEST_CASE("every file that defines records is listed in meson.build") {
    const fs::path folder = root / "common/sim/instructions";
    const std::string list = text_of(folder / "meson.build");
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".cpp" && text_of(entry.path()).find("\nINSTRUCTIONS(") != std::string::npos)
            CHECK_MESSAGE(list.find("    '" + entry.path().stem().string() + "',") != std::string::npos,
                          entry.path().filename().string());
}

TEST_CASE("every listed instruction has a test") {
    std::string tests;
    for (const auto& entry : fs::recursive_directory_iterator(root / "tests/sim"))
        if (const auto extension = entry.path().extension();
            extension == ".cpp" || extension == ".cu" || extension == ".ptx")
            if (entry.path().filename() != "tree_test.cpp")
                tests += text_of(entry.path());
    for (const auto* record : sim::instructions::all_instructions()) {
        if (record->syntax.empty()) // refused by name
            continue;
        CHECK_MESSAGE(tested(tests, record->name), std::string(record->name));
    }
}

TEST_CASE("every record says where the manual describes it") {
    for (const auto* record : sim::instructions::all_instructions()) {
        CHECK_MESSAGE(!record->manual.empty(), std::string(record->name));
        CHECK_MESSAGE(record->isa >= 10, std::string(record->name));
        CHECK(bool(record->decode));
    }
}

TEST_CASE("an instruction that synchronises, copies, or goes somewhere else says so") {
    constexpr std::string_view families[] = {"bar",  "barrier", "fence",     "membar", "mbarrier", "cp",      "st",
                                             "ld",   "ldu",     "atom",      "red",    "wgmma",    "bra",     "brx",
                                             "exit", "ret",     "tensormap", "call",   "ldmatrix", "stmatrix"};
    for (const auto* record : sim::instructions::all_instructions()) {
        const std::string_view family = record->name.substr(0, record->name.find('.'));
        const bool idle = record->syntax.empty() || record->name.find("prefetch") != std::string_view::npos ||
                          record->name == "mbarrier.pending_count" || record->name == "mbarrier.check_layout";
        if (!idle && std::ranges::count(families, family))
            CHECK_MESSAGE(sim::machine::effects_of(*record, record->name) != 0, std::string(record->name));
    }
}

TEST_CASE("effects depend on the form") {
    using namespace sim::machine::effect;
    const auto effects = [](std::string_view opcode) {
        const auto* record = sim::instructions::find_instruction(opcode);
        return record ? sim::machine::effects_of(*record, opcode) : 0;
    };
    CHECK(effects("bar.sync") == (block_barrier | waits_at_barrier));
    CHECK(effects("bar.arrive") == block_barrier);
    CHECK(effects("barrier.cta.red.popc.aligned.u32") == (block_barrier | waits_at_barrier | reduces));
    CHECK(effects("bar.warp.sync") == (warp_barrier | waits_at_barrier));
    CHECK(effects("barrier.cluster.arrive.relaxed.aligned") == cluster_barrier);
    CHECK(effects("barrier.cluster.wait.aligned") == (cluster_barrier | waits_at_barrier));
    CHECK(effects("mbarrier.arrive.release.cta.shared::cta.b64") == arrives);
    CHECK(effects("mbarrier.arrive.release.cta.shared::cluster.b64") == arrives);
    CHECK(effects("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64") ==
          (arrives | expects | cluster_scope));
    CHECK(effects("mbarrier.try_wait.parity.shared::cta.b64") == waits_for_phase);
    CHECK(effects("cp.async.cg.shared.global") == (copies | copy_group));
    CHECK(effects("cp.async.wait_all") == (copy_group | commits | waits_for_group));
    CHECK(effects("cp.async.mbarrier.arrive.noinc.shared.b64") == (copy_group | arrives | counted));
    CHECK(effects("cp.async.mbarrier.arrive.shared.b64") == (copy_group | arrives));
    CHECK(effects("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes") == (copies | completes_tx));
    CHECK(effects("cp.async.bulk.global.shared::cta.bulk_group") == (copies | bulk_group));
    CHECK(effects("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                  ".multicast::cluster") == (copies | by_tensor_map | completes_tx | multicast));
    CHECK(effects("cp.async.bulk.wait_group.read") == (bulk_group | waits_for_group));
    CHECK(effects("wgmma.fence.sync.aligned") == (matrix_group | fence));
    CHECK(effects("fence.proxy.async.shared::cta") == proxy_fence);
    CHECK(effects("fence.acq_rel.gpu") == fence);
    CHECK(effects("atom.global.exch.b32") == (atomic | replaces));
    CHECK(effects("atom.global.add.u32") == atomic);
    CHECK(effects("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32") == 0);
}

} // namespace tree_test
