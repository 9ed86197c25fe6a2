// JUnit's XML, which many tools read.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/markup.h"

namespace base {

class JunitSuite {
  public:
    struct Run {
        double seconds = 0;
        std::chrono::system_clock::time_point began;
    };
    explicit JunitSuite(std::string name) : name_(std::move(name)) {}

    void passed(const std::string& test) { add(test, {}); }
    void failure(const std::string& test, const std::string& type, const std::string& message,
                 const std::string& text) {
        ++failures_;
        add(test, result("failure", type, message, text));
    }
    /// It could not be found out whether there are failures.
    void error(const std::string& test, const std::string& type, const std::string& message, const std::string& text) {
        ++errors_;
        add(test, result("error", type, message, text));
    }
    void skipped(const std::string& test, const std::string& why);
    void output(const std::string& text) { output_ += text; }
    void ran(const Run& run) { run_ = run; }

  private:
    friend std::string junit(const std::vector<JunitSuite>& suites, const std::string& name);
    static Markup result(const char* kind, const std::string& type, const std::string& message,
                         const std::string& text);
    void add(const std::string& test, const Markup& result);
    Markup written() const;

    std::string name_, output_;
    Markup cases_;
    size_t tests_ = 0, failures_ = 0, errors_ = 0, skips_ = 0;
    std::optional<Run> run_;
};

/// The whole document. `name`: of a program whose suites have durations; empty: they have none.
std::string junit(const std::vector<JunitSuite>& suites, const std::string& name = {});

} // namespace base
