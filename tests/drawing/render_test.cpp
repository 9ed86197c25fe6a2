#include <doctest/doctest.h>

#include <map>

#include <nlohmann/json.hpp>

#include "drawing/render.h"

using namespace drawing;
using namespace sim::timeline;

namespace {

Recording two_copies(std::string file = "kernel.cu") {
    Recording recording;
    recording.kernel = "staged";
    recording.warps = 1;
    recording.places = {{std::move(file), 7}};
    using enum Event::Kind;
    for (uint32_t i = 0; i < 2; ++i) {
        recording.copies.push_back({"bulk copy", i, 0, 0, 1024});
        recording.events.push_back({copy, 0, 10, 10, 1024, 0, i});
    }
    for (uint32_t i = 0; i < 2; ++i) {
        recording.joins.push_back({"mbarrier 0", i, false, {i}});
        recording.events.push_back({wait, 0, 100, 100, 0, 0, i});
    }
    recording.events.push_back({end, 0, 100, 100, 0, none, none});
    return recording;
}

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

/// Every element is closed, in order; nothing stands between quotes that would end them.
bool well_formed(std::string_view html) {
    std::vector<std::string> open;
    for (size_t at = html.find('<'); at != std::string_view::npos; at = html.find('<', at + 1)) {
        const size_t close = html.find('>', at);
        if (close == std::string_view::npos)
            return false;
        const std::string_view tag = html.substr(at + 1, close - at - 1);
        if (tag[0] == '!' || tag.back() == '/')
            continue;
        const std::string name(tag.substr(tag[0] == '/', tag.find_first_of(" >", 1) - (tag[0] == '/')));
        if (tag[0] == '/') {
            if (open.empty() || open.back() != name)
                return false;
            open.pop_back();
        } else {
            open.push_back(name);
            if (name == "script" || name == "style")
                at = html.find("</" + name, close) - 1;
        }
    }
    return open.empty();
}

} // namespace

TEST_CASE("the page is well formed, needs nothing from elsewhere, and has the facts as tables") {
    const Recording recording = two_copies();
    const std::string html = page(make_view("lab 03", recording));
    CHECK(well_formed(html));
    CHECK_FALSE(contains(html, "http"));
    CHECK(contains(html, "<td>bulk copy 1</td><td>kernel.cu:7</td><td class=\"n\">1024</td>"));
    CHECK(contains(html, "<td>mbarrier 0</td>"));
    CHECK(contains(html, "modelled cycles"));
}

TEST_CASE("names are text, whatever is in them") {
    const Recording recording = two_copies("<script>alert('x')&.cu");
    const View view = make_view("\"a\" <b> & 'c'", recording);
    const std::string html = page(view);
    CHECK(well_formed(html));
    CHECK_FALSE(contains(html, "<b>"));
    CHECK_FALSE(contains(html, "<script>alert"));
    CHECK(contains(html, "&quot;a&quot; &lt;b&gt; &amp; &#39;c&#39;"));
    CHECK(nlohmann::json::parse(chrome(view).dump()).at("otherData").at("title") == "\"a\" <b> & 'c'");
}

TEST_CASE("Chrome's events: spans have a duration, arrows a beginning and an end, threads a name") {
    const Recording recording = two_copies();
    const auto trace = chrome(make_view("lab 03", recording));
    std::map<std::string, int> arrows;
    int copies = 0;
    for (const auto& event : trace.at("traceEvents")) {
        const std::string phase = event.at("ph");
        if (phase == "X") {
            CHECK(event.at("dur").get<uint64_t>() > 0);
            copies += event.value("cat", "") == "copy" && event.at("pid") == 2;
        }
        if (phase == "s" || phase == "f")
            arrows[event.at("id")] += phase == "s" ? 1 : 10;
    }
    CHECK(copies == 2);
    CHECK(arrows.size() == 4);
    for (const auto& [id, ends] : arrows)
        CHECK(ends == 11);
}

TEST_CASE("the terminal's picture fits its width, in ASCII and without colours if need be") {
    const Recording recording = two_copies();
    const View view = make_view("lab 03", recording);
    const std::string text = terminal(view, {60, false, false});
    CHECK(contains(text, "  warp 0 "));
    CHECK(contains(text, "  copies "));
    for (const unsigned char c : text)
        CHECK((c == '\n' || (c >= 32 && c < 127)));
    const std::string picture =
        text.substr(text.find("as it is"), text.find(" modelled cycles") - text.find("as it is"));
    for (size_t at = 0; at < picture.size(); at = picture.find('\n', at) + 1) {
        const size_t next = picture.find('\n', at);
        CHECK(std::min(next, picture.size()) - at <= 60);
        if (next == std::string::npos)
            break;
    }
    CHECK(contains(terminal(view, {60, true, true}), "\033["));
}

TEST_CASE("a kernel without asynchronous copies is drawn, too") {
    Recording recording;
    recording.kernel = "plain";
    recording.warps = 2;
    recording.events = {{Event::Kind::end, 0, 10, 0, none, none}, {Event::Kind::end, 1, 10, 0, none, none}};
    const View view = make_view("plain", recording);
    CHECK(contains(terminal(view), "no asynchronous copies"));
    CHECK(well_formed(page(view)));
}
