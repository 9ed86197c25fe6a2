// The record of one lab. labs/NN_name/check.cpp holds one, followed by the lab's cases:
//
//     LAB(03_pipeline_primitives) = {
//         .title = "Pipeline primitives",
//         .concepts = {"__pipeline_memcpy_async", "double buffering"},
//         .minimum_sm = 80,
//         .targets = {sm_80, sm_90},
//     };
//
// Its hints are in labs/NN_name/exercises.toml, with the records of its drills and hunts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace check {

/// What PTX is made for and checked with: compute_80, compute_90, compute_90a, compute_100a.
struct Target {
    int sm = 90;
    bool accelerated = false; ///< the "a" features of that sm: wgmma, setmaxnreg, tensormap.replace; tcgen05
    std::string arch() const { return "compute_" + std::to_string(sm) + (accelerated ? "a" : ""); }
    bool operator==(const Target&) const = default;
};
inline constexpr Target sm_80{80}, sm_90{90}, sm_90a{90, true}, sm_100a{100, true};

struct Lab {
    std::string_view title;
    std::vector<std::string_view> concepts;
    int minimum_sm = 80;         ///< the oldest GPU that can run it
    std::vector<Target> targets; ///< every case is run with each
    /// SMs that programs see, even on a real GPU, so that blocks get several tiles. Fewer where each SM holds many
    /// blocks: a case that fills the device needs several tiles for each of them.
    uint32_t sms = 4;
    /// Cases whose names begin with `cases` earn their points only if the case `point` uses the lab's mechanism: see
    /// gate.h. Without it, a kernel that does everything synchronously would earn the other cases' points.
    struct Need {
        std::string_view cases, point;
    };
    std::vector<Need> needs{};
    /// How each result has to come about, as a sentence for the report: what the case that asks for it (check::flow)
    /// says when it does not hold.
    std::string_view through{};
    /// The case whose first launch shows the timing model how the lab's kernel works on many tiles. Empty: the model
    /// says nothing of this lab in `./lab check` (docs/timeline.md).
    std::string_view modelled{};
    /// Points that `./lab bench` gives on a GPU, beside those of the cases: for a speed-up of this factor over
    /// solutions/…/synchronous.cu with one block on each SM. Ratios, since times differ from GPU to GPU.
    struct Speed {
        int points = 0;
        double ratio = 0;
    } speed{};
};

/// One line of the tables that the build writes from the list of labs and from their exercises.toml.
struct ListedLab {
    std::string_view name; ///< "03_pipeline_primitives", or of an exercise "03_pipeline_primitives/drills/2_prologue"
    const Lab* lab;
    bool is_exercise() const { return name.find('/') != name.npos; }
};
/// All labs in order.
const std::vector<ListedLab>& labs();
/// Their drills and hunts, in order. Each is a small lab: it has a record, and cases in labs/NN_name/exercises.cpp.
const std::vector<ListedLab>& exercises();

} // namespace check

/// Defines the lab's record. `name` is the folder's name, unquoted.
#define LAB(name)                                                                                                      \
    extern const ::check::Lab lab_##name;                                                                              \
    const ::check::Lab lab_##name
