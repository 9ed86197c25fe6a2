// Files with a few tokens or bytes changed, by the thousand: the target must refuse each of them or accept it, soon,
// and without much memory. Every input follows from the seed and the number of its round.
//
//     mutations TARGET ROUNDS SEED FILE…
//
// If a round crashes or does not end, the input is in the file that the last line names.
#include "targets.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace {

constexpr unsigned longest = 20; // seconds of one round; the slowest takes a hundredth of that

std::string current, kept_in; // the text of this round, and where to keep it

void keep(int signal) {
    const int file = creat(kept_in.c_str(), 0644);
    (void)!write(file, current.data(), current.size());
    const char* what = signal == SIGALRM ? "does not end: " : "dies: ";
    (void)!write(2, what, strlen(what));
    (void)!write(2, kept_in.data(), kept_in.size());
    (void)!write(2, "\n", 1);
    _exit(1);
}

/// Words with their dots and percent signs, numbers, strings, runs of blanks, and every other character by itself.
std::vector<std::string> tokens_of(const std::string& text) {
    const auto in_word = [](char c) { return isalnum(static_cast<unsigned char>(c)) || strchr("_$.%@", c); };
    std::vector<std::string> tokens;
    for (size_t at = 0; at < text.size();) {
        size_t end = at + 1;
        if (in_word(text[at]))
            while (end < text.size() && text[end] && in_word(text[end]))
                ++end;
        else if (isspace(static_cast<unsigned char>(text[at])))
            while (end < text.size() && isspace(static_cast<unsigned char>(text[end])))
                ++end;
        tokens.push_back(text.substr(at, end - at));
        at = end;
    }
    return tokens;
}

using Random = std::mt19937_64;

const std::string& any_of(const std::vector<std::string>& tokens, Random& random) {
    return tokens[random() % tokens.size()];
}

std::string odd_value(Random& random) {
    constexpr const char* values[] = {"0",          "1",          "-1",         "31",          "32",
                                      "255",        "65536",      "4294967295", "4294967296",  "9223372036854775807",
                                      "0xffffffff", "0f7f800000", "0d7ff0",     "1e400",       "18446744073709551616",
                                      "%r4000000",  "%tid.w",     "%laneid",    "$L__BB0_999", "WARP_SZ",
                                      "_",          "{",          "}",          "!%p1",        "[%r1+-8]",
                                      ".pred",      ".b8",        ".shared",    ".const",      "\"\"",
                                      "/*",         "//",         "\\",         "0x",          "%"};
    return values[random() % std::size(values)];
}

/// Takes one of the parts of "mbarrier.try_wait.parity.b64" out, or puts one of another word's in.
std::string other_modifier(const std::string& word, const std::string& other, Random& random) {
    const size_t dot = word.find('.', random() % word.size());
    if (dot == word.npos)
        return word + other.substr(std::min(other.find('.'), other.size()));
    const size_t end = std::min(word.find('.', dot + 1), word.size());
    const size_t from = std::min(other.find('.', random() % other.size()), other.size());
    const std::string part = random() % 2 ? other.substr(from, other.find('.', from + 1) - from) : "";
    return word.substr(0, dot) + part + word.substr(end);
}

void change(std::vector<std::string>& tokens, const std::vector<std::string>& others, Random& random) {
    const size_t at = random() % tokens.size();
    const size_t some = std::min<size_t>(1 + random() % 12, tokens.size() - at);
    const auto here = tokens.begin() + long(at);
    switch (random() % 8) {
    case 0:
        tokens[at] = any_of(others, random);
        break;
    case 1:
        std::swap(tokens[at], tokens[random() % tokens.size()]);
        break;
    case 2:
        tokens[at] = odd_value(random);
        break;
    case 3:
        tokens.erase(here, here + long(some));
        break;
    case 4: {
        const size_t from = random() % others.size(), to = std::min(from + some, others.size());
        tokens.insert(here, others.begin() + long(from), others.begin() + long(to));
        break;
    }
    case 5:
        tokens[at] = other_modifier(tokens[at], any_of(others, random), random);
        break;
    case 6: // a register, or another name, with another number
        while (!tokens[at].empty() && isdigit(static_cast<unsigned char>(tokens[at].back())))
            tokens[at].pop_back();
        tokens[at] += std::to_string(random() % (random() % 2 ? 40 : 5'000'000'000));
        break;
    default:
        tokens[at].insert(random() % (tokens[at].size() + 1), 1, char(random() % 256));
    }
}

void change(std::string& bytes, Random& random) {
    const size_t at = random() % bytes.size(), some = std::min<size_t>(1 + random() % 16, bytes.size() - at);
    constexpr uint64_t odd[] = {0, 1, 0xff, 0x7fffffff, 0xffffffff, uint64_t{1} << 40, ~uint64_t{0}, uint64_t{1} << 63};
    switch (random() % 4) {
    case 0:
        bytes[at] = char(random());
        break;
    case 1: {
        const uint64_t value = odd[random() % std::size(odd)];
        std::memcpy(&bytes[at], &value, std::min<size_t>(size_t{1} << random() % 4, bytes.size() - at));
        break;
    }
    case 2:
        bytes.erase(at, some);
        break;
    default:
        bytes.insert(at, bytes.substr(random() % bytes.size(), some));
    }
}

/// One of the files, or, without any, bytes of its own.
std::string mutated(const std::vector<std::vector<std::string>>& files, bool text, Random& random) {
    std::vector<std::string> tokens;
    if (files.empty())
        for (size_t count = 1 + random() % 400; count; --count)
            tokens.emplace_back(1, char(random() % (random() % 2 ? 64 : 256)));
    else
        tokens = files[random() % files.size()];
    std::string joined;
    if (text)
        for (uint64_t changes = 1 + random() % 3; changes && !tokens.empty(); --changes)
            change(tokens, files[random() % files.size()], random);
    for (const std::string& token : tokens)
        joined += token;
    if (!text)
        for (uint64_t changes = 1 + random() % 8; changes && !joined.empty(); --changes)
            change(joined, random);
    return joined;
}

} // namespace

int main(int argc, char** argv) {
    const auto* const target =
        std::ranges::find(sim::fuzz::targets, std::string_view(argc > 1 ? argv[1] : ""), &sim::fuzz::Target::name);
    if (argc < 4 || target == std::end(sim::fuzz::targets) || (target->text && argc < 5))
        return std::fprintf(stderr, "usage: mutations parse|run|serve|unpack|describe ROUNDS SEED FILE…\n"), 2;
    const uint64_t rounds = strtoull(argv[2], nullptr, 10), seed = strtoull(argv[3], nullptr, 10);
    std::vector<std::vector<std::string>> files;
    for (int i = 4; i < argc; ++i) {
        std::stringstream text;
        text << std::ifstream(argv[i]).rdbuf();
        files.push_back(target->text ? tokens_of(text.str()) : std::vector{text.str()});
        if (files.back().empty())
            return std::fprintf(stderr, "mutations: cannot read %s\n", argv[i]), 2;
    }
    kept_in = "mutation." + std::to_string(getpid()) + ".input";
    for (const int one : {SIGALRM, SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGBUS})
        std::signal(one, keep);
    uint64_t fine = 0;
    double slowest = 0;
    for (uint64_t round = 0; round < rounds; ++round) {
        Random random(seed << 32 | round);
        if (round < files.size()) { // as they are, first
            current.clear();
            for (const std::string& token : files[round])
                current += token;
        } else {
            current = mutated(files, target->text, random);
        }
        alarm(longest);
        const clock_t begin = std::clock();
        const bool accepted = target->try_out(current);
        if (round < files.size() && !accepted)
            return std::fprintf(stderr, "mutations: %s is refused as it is\n", argv[4 + round]), 1;
        fine += accepted;
        slowest = std::max(slowest, double(std::clock() - begin) / CLOCKS_PER_SEC);
    }
    alarm(0);
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    std::printf("%llu inputs: %llu accepted, the rest refused; the slowest took %.2f s; %ld MiB at most\n",
                static_cast<unsigned long long>(rounds), static_cast<unsigned long long>(fine), slowest,
                used.ru_maxrss / 1024);
    return 0;
}
