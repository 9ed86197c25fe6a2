// How fast labs are on a GPU: the synchronous version, the student's, the reference.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/paths.h"
#include "judge/checker.h"
#include "sim/timeline/model.h"

namespace runner {

namespace fs = std::filesystem;

struct BenchRow {
    std::string version{};      ///< "plain" (loads and stores only), "synchronous", "yours" or its file, "reference"
    std::string variant{};      ///< of the lab: "4 stages"; empty: there is one only
    uint32_t blocks_per_sm = 0; ///< at most; 0: as the lab launches it
    std::string problem{};      ///< why there are no numbers; empty: there are
    uint64_t bytes = 0;
    double seconds = 0;
    double of_copy = 0;    ///< bandwidth, as a fraction of the GPU's own copy's
    double of_peak = 0;    ///< as a fraction of what its memory could do
    double operations = 0; ///< multiplications and additions of matrices; 0: it multiplies none
    double library = 0;    ///< seconds that cuBLAS takes; 0: not measured
    double speedup = 0;    ///< against "synchronous" with as many blocks; 0: there is none
    double cycles = 0;     ///< of a block, as the timing model predicts them
    double modelled = 0;   ///< speedup at one block per SM, likewise
    double rate() const { return seconds > 0 ? operations / seconds : 0; }
    double of_library() const { return seconds > 0 ? library / seconds : 0; }
    double bandwidth() const { return seconds > 0 ? static_cast<double>(bytes) / seconds : 0; }
};

struct LabBench {
    std::string lab;
    double copy = 0; ///< bytes per second, read and written, of the GPU's own copy
    std::vector<BenchRow> rows;
    int points = 0, possible = 0; ///< for speed measured on a GPU, where the lab gives them
};

struct BenchOptions {
    std::optional<check::gpu::Info> gpu; ///< nothing: only the timing model's prediction
    std::vector<uint32_t> blocks_per_sm{0, 1};
    sim::timeline::Model model{};
    size_t variants = SIZE_MAX;  ///< of each lab, for the timing model
    std::vector<fs::path> files; ///< instead of the student's; none: labs/…/kernel.cu
};

/// The lab must have a LAB_BENCH.
LabBench bench_lab(const compile::Compiler& compiler, judge::Workers& workers, const base::Paths& paths,
                   const check::ListedLab& lab, const BenchOptions& options,
                   const std::function<void(std::string_view)>& progress);

nlohmann::json to_json(const LabBench& bench);
/// A table with a bar for each row.
std::string text(const LabBench& bench, const check::Lab& lab, bool colour);

} // namespace runner
