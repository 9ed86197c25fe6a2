#include "judge/gpu.h"

#include <cctype>

#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "base/problem.h"

namespace judge {

using base::Problem;

using check::gpu::Info;
using nlohmann::json;

namespace {

std::string look() {
    try {
        const Info info = check::gpu::info();
        return json{{"name", info.name},    {"cuda", info.cuda},           {"sm", info.sm},
                    {"sms", info.sm_count}, {"peak", info.peak_bandwidth}, {"l2", info.l2_bytes}}
            .dump();
    } catch (const std::exception& problem) {
        return json{{"why", problem.what()}}.dump();
    }
}

} // namespace

FoundGpu find_gpu() {
    int ends[2];
    if (pipe(ends) != 0)
        return {{}, "no pipe to ask the driver"};
    const pid_t child = fork();
    if (child == 0) {
        const std::string text = look();
        _exit(write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
    }
    close(ends[1]);
    std::string text;
    char block[1024];
    for (ssize_t got; (got = read(ends[0], block, sizeof block)) > 0;)
        text.append(block, static_cast<size_t>(got));
    close(ends[0]);
    if (child > 0)
        waitpid(child, nullptr, 0);
    const json answer = json::parse(text, nullptr, false);
    if (!answer.is_object() || answer.contains("why"))
        return {{}, answer.is_object() ? answer.at("why").get<std::string>() : "NVIDIA's driver crashes"};
    Info info;
    info.name = answer.at("name");
    info.cuda = answer.at("cuda");
    info.sm = answer.at("sm");
    info.sm_count = answer.at("sms");
    info.peak_bandwidth = answer.at("peak");
    info.l2_bytes = answer.at("l2");
    return {info, {}};
}

Info need_gpu() {
    const FoundGpu found = find_gpu();
    if (!found.info)
        throw Problem{"there is no GPU here: " + found.why,
                      "./lab check, run and bench have --device sim, which needs none", code_no_gpu};
    return *found.info;
}

bool runs(const Info& gpu, const check::Target& target) {
    return target.accelerated ? gpu.sm == target.sm : gpu.sm >= target.sm;
}

std::string machine_code(const Info& gpu, const std::string& arch) {
    const std::string sm = std::to_string(gpu.sm);
    if (std::isdigit(static_cast<unsigned char>(arch.back())))
        return "sm_" + sm;
    return arch == "compute_" + sm + "a" ? "sm_" + sm + "a" : "";
}

} // namespace judge
