// Measures the parameters of the timing model (common/sim/timeline/model.h) on a GPU: `./lab bench model`, or
//     nvcc -std=c++17 -O3 -arch=sm_90a measure_model.cu -o measure_model -lcuda && ./measure_model --json FILE
// Kernels that need one warp run on one SM and are timed with clock64(). Each load or wait depends on the one before
// it, so that a round is a latency; a loop's own instructions are unrolled until they count for little. Every kernel
// runs once to warm up and then several times: the least time counts, since every disturbance makes a kernel slower.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "measure_bench.cuh"
#include "measure_instructions.cuh"
#include "measure_loaded.cuh"
#include "measure_tensor.cuh"
#include "measure_tiles.cuh"

namespace {

/// A random cycle through the lines of `bytes` bytes; an entry is the index of the next.
uint32_t* make_chain(size_t bytes, size_t line) {
    const size_t lines = bytes / line, step = line / sizeof(uint32_t);
    std::vector<uint32_t> order(lines), next(bytes / sizeof(uint32_t));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin() + 1, order.end(), std::mt19937(1));
    for (size_t i = 0; i < lines; ++i)
        next[order[i] * step] = uint32_t(order[(i + 1) % lines] * step);
    uint32_t* chain = nullptr;
    CHECK(cudaMalloc(&chain, bytes));
    CHECK(cudaMemcpy(chain, next.data(), bytes, cudaMemcpyHostToDevice));
    return chain;
}

double gigahertz(const Bench& bench) {
    long long *device = nullptr, host[2] = {0, 1};
    CHECK(cudaMalloc(&device, sizeof host));
    for (int i = 0; i < 2; ++i)
        clock_rate<<<1, 1>>>(device, bench.rounds(1 << 22));
    CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device));
    return host[1] > 0 ? double(host[0]) / double(host[1]) : 0;
}

/// Bytes read and written per second by the GPU's own copy of a large buffer: the median of several.
double copy_rate(const Bench& bench) {
    const size_t bytes = bench.quick ? 1 << 20 : size_t{1} << 30;
    char *from = nullptr, *to = nullptr;
    CHECK(cudaMalloc(&from, bytes));
    CHECK(cudaMalloc(&to, bytes));
    CHECK(cudaMemset(from, 1, bytes));
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    std::vector<float> times;
    for (int i = 0; i < bench.rounds(21); ++i) {
        float milliseconds = 0;
        CHECK(cudaEventRecord(begin));
        CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice));
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
        times.push_back(milliseconds);
    }
    std::sort(times.begin(), times.end());
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
    const double seconds = times[times.size() / 2] / 1e3;
    return seconds > 0 ? 2.0 * double(bytes) / seconds : 0;
}

/// Bytes per cycle that the L2 cache delivers to each SM while all of them load by bulk copies of `size` bytes.
double cache_rate(Bench& bench, uint32_t size) {
    const size_t bytes = 96 * size_t(size);
    const int sms = bench.quick ? 2 : bench.gpu.multiProcessorCount, rounds = bench.rounds(512);
    unsigned char* in = nullptr;
    CHECK(cudaMalloc(&in, bytes));
    CHECK(cudaMemset(in, 1, bytes));
    CHECK(cudaFuncSetAttribute(bulk_from_cache, cudaFuncAttributeMaxDynamicSharedMemorySize, int(4 * size)));
    const double cycles =
        bench.cycles([&](Out* out) { bulk_from_cache<<<sms, 32, 4 * size>>>(in, bytes, size, out, rounds); });
    CHECK(cudaFree(in));
    return cycles > 0 ? double(rounds) * size / cycles : 0;
}

std::vector<Line> measure(Bench& bench) {
    std::vector<Line> lines;
    const auto add = [&](const char* what, const char* parameter, double value, const char* unit = "cycles") {
        lines.push_back({what, parameter, unit, value});
    };
    const int many = bench.rounds(64);
    add("an instruction that needs the one before", "dependent",
        bench.cycles([&](Out* out) { dependent_instructions<<<1, 32>>>(out, many); }) / (64.0 * many));
    const double interval = lines.back().value;
    add("one of four independent chains", "",
        bench.cycles([&](Out* out) { independent_instructions<4><<<1, 32>>>(out, many); }) / (64.0 * many));

    const int turns = bench.rounds(1024);
    add("a round of a loop of four instructions", "",
        bench.cycles([&](Out* out) { branches<<<1, 32>>>(out, turns); }) / turns);
    add("a branch, beyond an instruction", "branch", std::max(0.0, lines.back().value - 4 * interval));

    measure_loops(bench, add);
    add("add.u32, of a scheduler's time", "issue_interval", bench.cycles([&](Out* out) {
        class_chains<classes::IntegerAdd, 4><<<1, 512>>>(out, many);
    }) / (64.0 * many) / 4);
    measure_classes(bench, add);

    const size_t large = bench.quick ? 1 << 20 : std::max<size_t>(8 * size_t(bench.gpu.l2CacheSize), 512u << 20);
    const int steps = bench.rounds(4096);
    uint32_t *chain = make_chain(large, 128), *small = make_chain(4096, 128);
    add("a load from memory", "latency",
        bench.cycles([&](Out* out) { chase_memory<<<1, 1>>>(chain, out, steps); }) / steps);
    const double idle = lines.back().value;
    add("a load from the L1 cache", "cached",
        bench.cycles([&](Out* out) { chase_cached<<<1, 1>>>(small, out, steps); }) / steps);
    add("a load from shared memory", "shared",
        bench.cycles([&](Out* out) { chase_shared<<<1, 1>>>(small, out, steps); }) / steps);

    const auto* data = reinterpret_cast<const uint4*>(chain);
    measure_waits(bench, add, data);
    if (bench.gpu.major >= 9)
        measure_clusters(bench, add, data);
    const int tiles = bench.rounds(64);
    add("bytes per cycle of one SM alone", "", 8.0 * 16 * 256 * tiles / bench.cycles([&](Out* out) {
        bench.flush();
        stream<<<1, 256>>>(data, out, tiles);
    }),
        "bytes");
    const int sms = bench.quick ? 2 : bench.gpu.multiProcessorCount;
    uint4* to = nullptr;
    CHECK(cudaMalloc(&to, size_t(16) * 256 * tiles * sms));
    for (const int blocks : {1, sms})
        add((std::string("bytes per cycle that ") + (blocks > 1 ? "each SM" : "one SM alone") + " stores").c_str(), "",
            16.0 * 256 * tiles / bench.cycles([&](Out* out) { store_stream<<<blocks, 256>>>(to, out, tiles); }),
            "bytes");
    CHECK(cudaFree(to));
    const int own = std::max<int>(1, std::min<size_t>(tiles, large / 8192 / sms));
    add("a tile of 8 KiB while all SMs load such tiles", "", bench.cycles([&](Out* out) {
        bench.flush();
        loaded_tiles<<<sms, 256>>>(data, out, own);
    }) / own);
    const double clock = gigahertz(bench), rate = copy_rate(bench);
    add("the clock", "", clock, "GHz");
    add("bytes per cycle and SM of a copy in device memory", "bytes_per_cycle",
        clock > 0 ? rate / (clock * 1e9 * bench.gpu.multiProcessorCount) : 0, "bytes");
    const double bandwidth = lines.back().value;
    const double turn = 8192 / (bench.gpu.major >= 9 ? cache_rate(bench, 16384) : bandwidth);
    const double meet = bench.cycles([&](Out* out) { barriers<<<1, 256>>>(out, many); }) / (16.0 * many);
    for (const std::string others : {"load", "copy"}) {
        const auto points = latencies(bench, chain, others == "copy", bandwidth);
        for (size_t i = 0; i < points.size(); ++i)
            add(("a load while " + std::to_string(loads[i]) + " blocks on each SM " + others + ", at " +
                 std::to_string(int(100 * points[i].load + 0.5)) + " %")
                    .c_str(),
                "", points[i].latency);
        for (const int percent : {50, 75, 95}) {
            const std::string at = std::to_string(percent);
            add(("a load while others " + others + ", at " + at + " %").c_str(),
                ("latency_" + others + "_" + at).c_str(), latency_at(percent / 100.0, idle, points));
        }
        std::vector<Point> tiles_at;
        for (const Point& point : points) // the barrier is not the memory's
            tiles_at.push_back({point.load, std::max(0.0, point.tile - meet), 0});
        for (const int percent : {50, 75, 95}) {
            const std::string at = std::to_string(percent);
            add(("a tile of 8 KiB of the blocks that " + others + ", at " + at + " %").c_str(),
                ("tile_" + others + "_" + at).c_str(), latency_at(percent / 100.0, idle + turn, tiles_at));
        }
    }

    for (const bool store : {false, true})
        for (const bool bulk : {false, true})
            for (const uint32_t size : {512u, 2048u, 8192u, LARGEST_TILE})
                for (const Point& point : tile_times(bench, chain, large, store, size, bulk, bandwidth))
                    add(("a tile of " + std::to_string(size) + " bytes by " + (bulk ? "a bulk copy" : "loads") +
                         " while others " + (store ? "copy" : "load") + " at " +
                         std::to_string(int(100 * point.load + 0.5)) + " %")
                            .c_str(),
                        "", point.latency);

    double per_round[2] = {};
    for (const int warps : {4, 8, 16}) {
        const double round = bench.cycles([&](Out* out) { barriers<<<1, 32 * warps>>>(out, many); }) / (16.0 * many);
        add(("a barrier of " + std::to_string(warps) + " warps").c_str(), "", round);
        per_round[0] = warps == 4 ? round : per_round[0];
        per_round[1] = round;
    }
    const double each = (per_round[1] - per_round[0]) / 12;
    add("a barrier, for each warp", "barrier_arrival", each);
    add("a barrier, for itself", "barrier", std::max(0.0, per_round[0] - 4 * each - interval));

    add("a test of an mbarrier", "mbarrier",
        bench.cycles([&](Out* out) { mbarrier_tests<<<1, 1>>>(out, many); }) / many);
    const double test = lines.back().value;
    double arrivals[17] = {};
    for (const int lanes : {1, 32})
        for (const int warps : {1, 4, 8, 16})
            add(("arrivals on an mbarrier by " + std::to_string(warps) + " warps, " + std::to_string(lanes) + " lanes")
                    .c_str(),
                "", arrivals[warps] = bench.cycles([&](Out* out) {
                    warps_arrive<<<1, 32 * warps>>>(out, many, lanes);
                }) / many);
    add("an arrival on an mbarrier, for each warp", "mbarrier_arrival", (arrivals[16] - arrivals[8]) / 8);
    for (const int threads : {1, 32, 256}) {
        const std::string by = " by " + std::to_string(threads) + " threads";
        add(("arrivals on an mbarrier" + by).c_str(), "",
            bench.cycles([&](Out* out) { mbarrier_arrivals<<<1, threads>>>(out, many); }) / many);
        add(("a round of an mbarrier" + by).c_str(), "",
            bench.cycles([&](Out* out) { mbarrier_rounds<<<1, threads>>>(out, many); }) / many);
    }
    for (const int warps : {1, 8})
        add(("a warp's cp.async, of " + std::to_string(warps) + " warps").c_str(),
            warps == 8 ? "copy_issue" : "copy_again", bench.cycles([&](Out* out) {
                copy_issue<<<1, 32 * warps, 128 * warps * COPIES>>>(chain, out);
            }) / (warps * COPIES));
    add("a bulk copy of 16 bytes from the L2 cache", "",
        bench.cycles([&](Out* out) { bulk_copies<<<1, 1>>>(data, out, many); }) / many);
    add("the same without the test of the mbarrier", "l2_latency", std::max(0.0, lines.back().value - test));
    if (bench.gpu.major >= 9) {
        add("bytes per cycle from the L2 cache, for each SM", "l2_bytes_per_cycle", cache_rate(bench, 16384), "bytes");
        for (const uint32_t size : {512u, 4096u})
            add(("a bulk store of " + std::to_string(size) + " bytes until it is complete").c_str(), "",
                store_latency(bench, 0, size, false, bandwidth).latency);
        add("a bulk store of 2048 bytes until it has read them", "",
            store_latency(bench, 0, 2048, true, bandwidth).latency);
        add("a bulk store of 2048 bytes until it is complete", "store_latency",
            store_latency(bench, 0, 2048, false, bandwidth).latency);
        std::vector<Point> points;
        const double alone = lines.back().value;
        for (const int blocks : {1, 2, 3, 4}) {
            points.push_back(store_latency(bench, blocks, 2048, false, bandwidth));
            add(("the same while " + std::to_string(blocks) + " blocks on each SM copy, at " +
                 std::to_string(int(100 * points.back().load + 0.5)) + " %")
                    .c_str(),
                "", points.back().latency);
        }
        add("the same while others copy, at 95 %", "store_latency_95", latency_at(0.95, alone, points));
    }
    for (const int groups : {2, 1}) {
        const auto time = [&](int group) {
            return bench.cycles([&](Out* out) { wgmma_groups<<<1, 128 * groups, 320 * 128>>>(out, many, group); }) /
                   many;
        };
        const double one = time(1), each = (time(24) - time(8)) / 16;
        const std::string by = " by " + std::to_string(groups) + (groups > 1 ? " warpgroups" : " warpgroup");
        if (one == 0) // not on this GPU
            break;
        add(("wgmma of 64 x 256 x 16" + by + ", each").c_str(), "", each / groups);
        if (groups > 1)
            add("sums of wgmma, in a cycle", "wgmma_cells", 64 * 256 * groups / each, "sums");
        else
            add("wgmma of 64 x 256 x 16, beyond its turn", "wgmma_latency", std::max(0.0, one - each));
    }
    add("mma.sync of 16 x 8 x 16, in a chain", "",
        bench.cycles([&](Out* out) { mma_products<1><<<1, 32>>>(out, many); }) / (8.0 * many));
    for (const int warps : {4, 8, 16})
        add(("mma.sync of 16 x 8 x 16, of " + std::to_string(warps) + " warps, each").c_str(), "",
            bench.cycles([&](Out* out) { mma_products<8><<<1, 32 * warps>>>(out, many); }) / (8.0 * many * warps));
    return lines;
}

/// "latency=690,cached=39": the value of one; empty: it has none.
std::string used(const std::string& model, const std::string& parameter) {
    const size_t at = ("," + model).find("," + parameter + "=");
    if (parameter.empty() || at == std::string::npos)
        return "";
    const size_t begin = at + parameter.size() + 1;
    return model.substr(begin, model.find(',', begin) - begin);
}

void write_json(const std::string& file, const Bench& bench, const std::vector<Line>& lines) {
    std::FILE* to = file == "-" ? stdout : std::fopen(file.c_str(), "w");
    if (!to) {
        std::fprintf(stderr, "cannot write %s\n", file.c_str());
        std::exit(1);
    }
    char day[16];
    const std::time_t now = std::time(nullptr);
    std::strftime(day, sizeof day, "%Y-%m-%d", std::gmtime(&now));
    std::fprintf(to, "{\n    \"gpu\": \"%s\",\n    \"measured\": \"%s\",\n    \"measurements\": {", bench.gpu.name,
                 day);
    const char* comma = "";
    for (const Line& line : lines) {
        std::fprintf(to, "%s\n        \"%s\": %.2f", comma, line.what.c_str(), line.value);
        comma = ",";
    }
    std::fprintf(to, "\n    },\n    \"model\": {");
    comma = "";
    for (const Line& line : lines)
        if (const double whole = line.value + 0.5;
            !line.parameter.empty() && (whole >= 1 || line.parameter != "bytes_per_cycle")) {
            std::fprintf(to, "%s\n        \"%s\": %u", comma, line.parameter.c_str(), unsigned(whole));
            comma = ",";
        }
    std::fprintf(to, "\n    }\n}\n");
    if (to != stdout)
        std::fclose(to);
}

} // namespace

int main(int count, char** words) {
    std::string json, model;
    bool quick = false;
    for (int i = 1; i < count; ++i) {
        if (!std::strcmp(words[i], "--quick"))
            quick = true; // a few rounds each: to see that it runs
        else if (!std::strcmp(words[i], "--json") && i + 1 < count)
            json = words[++i];
        else if (!std::strcmp(words[i], "--model") && i + 1 < count)
            model = words[++i];
        else {
            std::fprintf(stderr, "usage: measure_model [--json FILE] [--model NAME=VALUE,...] [--quick]\n");
            return 2;
        }
    }
    Bench bench(quick);
    std::FILE* table = json == "-" ? stderr : stdout;
    std::fprintf(table, "%s, %d SMs\n%-50s %10s  %-16s %s\n", bench.gpu.name, bench.gpu.multiProcessorCount, "",
                 "measured", "parameter", "in the model");
    const auto lines = measure(bench);
    for (const Line& line : lines)
        std::fprintf(table, "%-50s %10.2f  %-16s %s\n", line.what.c_str(), line.value, line.parameter.c_str(),
                     used(model, line.parameter).c_str());
    if (!json.empty())
        write_json(json, bench, lines);
}
