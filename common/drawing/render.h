// Three ways to show a block's time.
#pragma once

#include <functional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "sim/timeline/bound.h"
#include "sim/timeline/facts.h"

namespace drawing {

using sim::timeline::Model, sim::timeline::Recording, sim::timeline::Timeline;

struct View {
    std::string title; ///< "03_pipeline_primitives: kernel.cu"
    const Recording& recording;
    Model model;
    Timeline own;     ///< as the kernel is
    Timeline awaited; ///< the same kernel, with each copy awaited where it is issued

    std::string language = "en";                              ///< of the words
    std::function<std::string(std::string)> translation = {}; ///< of a phrase or sentence; empty: none
    std::string said(std::string english) const { return translation ? translation(std::move(english)) : english; }
    std::string gap() const { return language == "en" ? " " : ""; } ///< between sentences
};
View make_view(std::string title, const Recording& recording, const Model& model = {});

/// The result of comparing the two pictures: "… times as fast", what is hidden, and what still limits the block.
std::string conclusion(const View& view);

struct TerminalStyle {
    size_t width = 100;
    bool colour = false, utf8 = true;
};
std::string terminal(const View& view, const TerminalStyle& style = {});

/// Trace events as Perfetto and chrome://tracing read them; one modelled cycle is one microsecond there.
nlohmann::json chrome(const View& view);

/// One HTML page that needs nothing else.
std::string page(const View& view);

} // namespace drawing
