#include "sim/ptx/special_registers.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace sim::ptx {
namespace {

constexpr std::array vectors{"%tid",       "%ntid",       "%ctaid",         "%nctaid",
                             "%clusterid", "%nclusterid", "%cluster_ctaid", "%cluster_nctaid"};

constexpr std::array scalars{"%laneid",
                             "%warpid",
                             "%nwarpid",
                             "%smid",
                             "%nsmid",
                             "%gridid",
                             "%is_explicit_cluster",
                             "%cluster_ctarank",
                             "%cluster_nctarank",
                             "%lanemask_eq",
                             "%lanemask_le",
                             "%lanemask_lt",
                             "%lanemask_ge",
                             "%lanemask_gt",
                             "%clock",
                             "%clock_hi",
                             "%clock64",
                             "%globaltimer",
                             "%globaltimer_lo",
                             "%globaltimer_hi",
                             "%reserved_smem_offset_begin",
                             "%reserved_smem_offset_end",
                             "%reserved_smem_offset_cap",
                             "%reserved_smem_offset_0",
                             "%reserved_smem_offset_1",
                             "%total_smem_size",
                             "%aggr_smem_size",
                             "%dynamic_smem_size",
                             "%current_graph_exec"};

/// `name` is `prefix` and a number below `count`, then perhaps `suffix`.
bool numbered(std::string_view name, std::string_view prefix, int count, std::string_view suffix = "") {
    if (!name.starts_with(prefix))
        return false;
    int number = -1;
    const char* end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + prefix.size(), end, number);
    return error == std::errc() && number >= 0 && number < count &&
           std::string_view(stop, size_t(end - stop)) == suffix;
}

} // namespace

bool is_special_register(std::string_view name) {
    if (!name.starts_with('%'))
        return false;
    if (std::find(scalars.begin(), scalars.end(), name) != scalars.end())
        return true;
    if (const size_t dot = name.find('.'); dot != std::string_view::npos) {
        const std::string_view component = name.substr(dot + 1);
        if (component != "x" && component != "y" && component != "z" && component != "w")
            return false;
        name = name.substr(0, dot);
    }
    return std::find(vectors.begin(), vectors.end(), name) != vectors.end() || numbered(name, "%envreg", 32) ||
           numbered(name, "%pm", 8) || numbered(name, "%pm", 8, "_64");
}

} // namespace sim::ptx
