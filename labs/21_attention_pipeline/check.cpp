#include "check/check.h"
#include "check/matrices.h"
#include "check/products.h"

#include <functional>
#include <numeric>

using check::Means, check::sm_90a;

LAB(21_attention_pipeline) = {
    .title = "Attention in turns",
    .concepts = {"online softmax", "turns by named barriers", "operand A in registers", "sums that are rescaled",
                 "setmaxnreg"},
    .minimum_sm = 90,
    .targets = {sm_90a},
    .needs = {{"", "wgmma reads what TMA has swizzled"}},
    .through = "every output comes through tensor copies of K and V, read by wgmma where they land, in two stages or "
               "more",
    .speed = {.points = 2, .ratio = 1.6},
};

namespace {

constexpr size_t HEAD = 128, ROWS = 128, WARPGROUPS = 2;

struct Size {
    size_t heads = 1, queries = ROWS, keys = ROWS;
    bool causal = false;

    // How many keys a query sees.
    size_t visible(size_t query) const { return causal ? query + 1 + keys - queries : keys; }
};

// Rows of numbers that are exact in bf16. The scores vary by about 1.3: no key is negligible, and none is alone.
struct Inputs {
    std::vector<float> q, k, v;

    explicit Inputs(const Size& size)
        : q(check::random_values<float>(size.heads * size.queries * HEAD)),
          k(check::random_values<float>(size.heads * size.keys * HEAD)), v(check::random_values<float>(k.size())) {
        for (float& value : q)
            value /= 4;
    }
};

// What is expected, in double, and how far off a result may be. A kernel rounds to bf16 three times at most: the
// weights that it multiplies, perhaps the weights that it adds up, and the result. Each rounding changes a number by a
// part of 2^-8 at most, and so the result by this part of the mean of |v|, weighted as the mean of v is. The scores,
// the sums and ex2.approx add much less than the eighth of a part that is allowed for them.
struct Attention {
    std::vector<double> expected, allowed;

    Attention(const Size& size, const Inputs& in) {
        constexpr double part = 1.0 / 256;
        std::vector<double> weights;
        for (size_t head = 0; head < size.heads; ++head)
            for (size_t query = 0; query < size.queries; ++query) {
                const float* q = &in.q[(head * size.queries + query) * HEAD];
                weigh(size.visible(query), q, &in.k[head * size.keys * HEAD], weights);
                std::vector<double> mean(HEAD), magnitude(HEAD);
                for (size_t key = 0; key < weights.size(); ++key)
                    for (size_t e = 0; e < HEAD; ++e) {
                        const double v = in.v[(head * size.keys + key) * HEAD + e];
                        mean[e] += weights[key] * v;
                        magnitude[e] += weights[key] * std::abs(v);
                    }
                expected.insert(expected.end(), mean.begin(), mean.end());
                for (const double value : magnitude)
                    allowed.push_back((3 + 1.0 / 8) * part * value + std::ldexp(1.0, -100));
            }
    }

  private:
    // The softmax of the scores of one query.
    static void weigh(size_t keys, const float* q, const float* k, std::vector<double>& weights) {
        weights.resize(keys);
        double largest = -INFINITY, sum = 0;
        for (size_t key = 0; key < keys; ++key) {
            const double score = std::transform_reduce(q, q + HEAD, k + key * HEAD, 0.0, std::plus<double>(),
                                                       std::multiplies<double>()); // in any order, so that it is fast
            weights[key] = score / std::sqrt(double{HEAD});
            largest = std::max(largest, weights[key]);
        }
        for (double& weight : weights)
            sum += weight = std::exp(weight - largest);
        for (double& weight : weights)
            weight /= sum;
    }
};

void check_attention(const Size& size, const Inputs& in) {
    const auto q = check::device(check::to_bf16(in.q)), k = check::device(check::to_bf16(in.k)),
               v = check::device(check::to_bf16(in.v));
    const auto o = check::output<uint16_t>(size.heads * size.queries * HEAD);
    check::follow(check::ranges(k, v), check::ranges(o));
    check::call(q, k, v, o, static_cast<int>(size.heads), static_cast<int>(size.queries), static_cast<int>(size.keys),
                size.causal);
    const Attention attention(size, in);
    check::near(o, attention.expected, attention.allowed, {size.heads * size.queries, HEAD});
    check::unchanged(q);
    check::unchanged(k);
    check::unchanged(v);
    check::brought_and_multiplied(q, k, v);
}

void check_attention(const Size& size) {
    check_attention(size, Inputs(size));
}

LAB_CASE("one tile", 3) {
    check_attention({});
}

LAB_CASE("several tiles of keys", 3) {
    check_attention({.keys = 5 * ROWS});
}

LAB_CASE("scores that grow from tile to tile", 3) {
    const Size size{.keys = 4 * ROWS};
    Inputs in(size);
    for (size_t i = 0; i < in.k.size(); ++i)
        in.k[i] *= static_cast<float>(1 << i / HEAD / ROWS) / 4;
    check_attention(size, in);
}

LAB_CASE("scores whose exponentials overflow", 3) {
    const Size size{.keys = 2 * ROWS};
    Inputs in(size);
    for (float& value : in.q)
        value *= 64;
    check_attention(size, in);
}

LAB_CASE("several tiles of queries, and heads", 2) {
    check_attention({.heads = 2, .queries = 2 * ROWS, .keys = ROWS});
}

LAB_CASE("ragged edges", 3) {
    check_attention({.heads = 2, .queries = ROWS + 9, .keys = ROWS + 37});
    check_attention({.queries = 1, .keys = 1});
}

LAB_CASE("causal", 3) {
    check_attention({.queries = 2 * ROWS, .keys = 2 * ROWS, .causal = true});
}

LAB_CASE("causal, and more keys than queries", 2) {
    check_attention({.queries = ROWS - 28, .keys = 2 * ROWS + 50, .causal = true});
}

LAB_CASE("nothing to do", 1) {
    check_attention({.heads = 0});
    check_attention({.queries = 0});
}

LAB_CASE("wgmma reads what TMA has swizzled", 5) {
    constexpr size_t steps = 5;
    check_attention({.keys = steps * ROWS});
    const auto& seen = check::stats();
    constexpr size_t tile = ROWS * HEAD * sizeof(uint16_t);
    check::that(seen.tensor_load_bytes == (1 + 2 * steps) * tile,
                "a tensor copy loads each tile of Q, K and V once, for 128 rows of O in a block");
    check::that(seen.swizzled_bytes >= seen.tensor_load_bytes && seen.max_swizzle_span == 128,
                "the maps of Q, K and V use the 128-byte swizzle");
    // The result and the weights may pass through shared memory.
    check::that(seen.shared_load_bytes <= (1 + steps) * tile,
                "no thread loads a tile of K or V from shared memory: wgmma reads it there");
    check::that(check::used_by(Means::swizzled) && check::multiplied_in_place() &&
                    (!check::flow() || check::flow()->stages_ahead.ring >= 2),
                lab_21_attention_pipeline.through);
}

LAB_CASE("the weights stay in registers", 5) {
    check_attention({.keys = 4 * ROWS});
    // The result may pass through shared memory, in fp32.
    check::that(check::stats().shared_store_bytes <= ROWS * HEAD * sizeof(float),
                "the weights stay in registers, as operand A of wgmma");
}

// On an H100, running ahead, turns and the second group in flight gain 3 % each at most.
LAB_CASE("the producer runs ahead", 1) {
    check::Overlap overlap;
    check_attention({.keys = 10 * ROWS});
    overlap.phases(3); // with two stages each: K's next tile, and two of V, or the reverse
    overlap.judge("the producer fills every stage that is free, and waits for no copy of its own");
}

LAB_CASE("the warpgroups take turns", 1) {
    constexpr size_t steps = 8, products = 2 * HEAD / 16; // of a step
    check_attention({.keys = steps * ROWS});
    if (!check::flow())
        return;
    // Before the first turn and after the last one, the products of the two may mingle.
    const size_t turns = check::flow()->turns.changes;
    check::that(turns >= steps, "two warpgroups multiply, in turns");
    check::that(turns <= WARPGROUPS * (2 * steps + products),
                "while a warpgroup issues the products of a step, the other one issues none");
}

// On an H100, a turn for each product costs 23 %, and waiting until the other warpgroup takes over 14 %.
LAB_CASE("turns cost little", 4) {
    check::Overlap overlap;
    check_attention({.keys = 8 * ROWS});
    overlap.turns(HEAD / 16);
    overlap.judge("a turn has the products of a step, or half of them, and the warpgroup that hands it over goes on");
}

LAB_CASE("a group of products stays in flight", 1) {
    check_attention({.keys = 4 * ROWS});
    check::that(check::stats().max_matrix_groups >= 1,
                "the products with V are in flight when the warpgroup has waited for the scores");
}

LAB_CASE("registers move to the consumers", 2) {
    check_attention({});
    check::registers_moved();
}

// 65,536 queries in all. The bytes are those of the four matrices. On the simulated device, one head of 512 queries
// sees more keys than it has queries.
LAB_BENCH {
    const bool on_gpu = check::bench_bytes() >= size_t{1} << 30;
    for (const bool causal : {false, true})
        for (const size_t tokens : on_gpu ? std::vector<size_t>{4096, 16384} : std::vector<size_t>{512}) {
            const size_t heads = on_gpu ? 65536 / tokens : 1, others = on_gpu ? tokens : 1536;
            const auto q = check::filled<uint16_t>(heads * tokens * HEAD), o = check::filled<uint16_t>(q.size()),
                       k = check::filled<uint16_t>(heads * others * HEAD), v = check::filled<uint16_t>(k.size());
            // Two products for each query and key; a causal query sees half of the keys, on average.
            const double operations = 4.0 * double(q.size() * others) / (causal ? 2 : 1);
            check::measure_products(std::to_string(tokens) + (causal ? " tokens, causal" : " tokens"),
                                    2 * (q.size() + k.size()) * sizeof(uint16_t), operations, q, k, v, o,
                                    static_cast<int>(heads), static_cast<int>(tokens), static_cast<int>(others),
                                    causal);
        }
}

} // namespace
