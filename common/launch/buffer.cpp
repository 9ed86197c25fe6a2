#include "launch/buffer.h"

#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace launch {

using base::Problem;

namespace {

constexpr uint64_t most_elements = 1 << 26, most_bytes = 1 << 30;

} // namespace

Contents::Contents(const Part& part, Type type, const ReadFile& read_file) : part_(part), type_(type) {
    try {
        if (part.is_text()) {
            formula_ = part.text("");
        } else if (part.is_table()) {
            part.only({"file"});
            const Part name = part.at("file", "file = \"in.npy\"");
            bytes_ = elements_in(read_file(name.text("file = \"in.npy\"")));
            file_ = true;
            if (bytes_.size() % bytes_of(type))
                part.fail(fmt::format("the file has {} bytes, which is no multiple of an element's {}", bytes_.size(),
                                      bytes_of(type)),
                          "set the buffer's \"type\" to that of the file's elements");
        } else if (part.is_list()) {
            for (const Part& item : part.items())
                list_.push_back(item.number({}));
        } else {
            formula_ = fmt::format("{}", part.number({}));
        }
    } catch (const Mistake&) {
        throw;
    } catch (const Problem& problem) {
        part.fail(problem.what, problem.next);
    }
}

std::optional<uint64_t> Contents::count() const {
    if (!formula_.empty())
        return std::nullopt;
    return file_ ? bytes_.size() / bytes_of(type_) : list_.size();
}

Values::Values(const Contents& contents, Names& names) : contents_(contents), index_(names.numbers["i"]) {
    try {
        if (!contents.formula_.empty())
            formula_.emplace(contents.formula_, names);
    } catch (const Problem& problem) {
        contents.part().fail(problem.what, problem.next);
    }
}

double Values::operator[](uint64_t i) {
    if (contents_.file_)
        return load(contents_.type_,
                    reinterpret_cast<const std::byte*>(contents_.bytes_.data()) + i * bytes_of(contents_.type_));
    if (!formula_)
        return contents_.list_[i];
    index_ = double(i);
    try {
        return formula_->value();
    } catch (const Problem& problem) {
        contents_.part().fail(problem.what, problem.next);
    }
}

namespace {

void fill(sim::Device& device, Buffer& buffer, const Contents& contents, Names names) {
    const uint64_t width = bytes_of(buffer.type);
    std::vector<std::byte> bytes(buffer.count * width);
    buffer.before.resize(buffer.count); // the formula may name earlier elements
    Values values(contents, names);
    std::memcpy(bytes.data(), contents.bytes().data(), contents.bytes().size());
    for (uint64_t i = 0; i < buffer.count; ++i) {
        if (contents.bytes().empty())
            store(buffer.type, values[i], &bytes[i * width]);
        buffer.before[i] = load(buffer.type, &bytes[i * width]);
    }
    device.write(buffer.address, bytes, {}, "cudaMemcpy"); // the host copied it there, so kernels may read it
}

Buffer make_buffer(const Part& record, const Names& numbers, std::optional<Contents>& contents,
                   const ReadFile& read_file) {
    record.only({"name", "type", "count", "fill", "expect", "tolerance", "print", "save"});
    Buffer buffer;
    buffer.name = record.at("name", "name = \"in\"").text("name = \"in\"");
    buffer.type = type_of(record, Type::f32);
    if (const auto part = record.find("fill"); part && !(part->is_text() && part->text("").empty()))
        contents.emplace(*part, buffer.type, read_file);
    if (const auto part = record.find("expect"); part && !(part->is_text() && part->text("").empty()))
        buffer.expected.emplace(*part, buffer.type, read_file);
    buffer.tolerance = usual_tolerance(buffer.type);
    if (const auto part = record.find("tolerance"))
        buffer.tolerance = part->number(numbers);
    if (const auto part = record.find("save"))
        buffer.save = part->text("save = \"out.npy\"");
    const std::optional<Contents>* known = contents && contents->count()                 ? &contents
                                           : buffer.expected && buffer.expected->count() ? &buffer.expected
                                                                                         : nullptr;
    const auto part = record.find("count");
    buffer.count =
        !part && known
            ? *(*known)->count()
            : record.at("count", "the number of elements, as in count = 1024").size(numbers, 1, most_elements);
    if (!buffer.count)
        record.fail("the buffer has no elements", "give at least one, or leave it out");
    for (const auto* one : {&contents, &buffer.expected})
        if (*one && (*one)->count().value_or(buffer.count) != buffer.count)
            (*one)->part().fail(
                fmt::format("{} elements are given here, and the buffer has {}", *(*one)->count(), buffer.count),
                "give as many, or leave \"count\" out");
    if (const auto shown = record.find("print"))
        buffer.print = std::min(shown->size(numbers, 0, most_elements), buffer.count);
    return buffer;
}

} // namespace

Type type_of(const Part& record, Type otherwise) {
    const auto part = record.find("type");
    if (!part)
        return otherwise;
    const std::string& name = part->text("type = \"f32\"");
    const auto type = type_named(name);
    if (!type)
        part->fail(fmt::format("\"{}\" is no type of elements", name), "there are " + type_names());
    return *type;
}

Names names_for(Names names, const std::vector<Buffer>& buffers, uint64_t count) {
    names.numbers["n"] = double(count);
    names.elements = [&buffers](std::string_view name) {
        for (const Buffer& buffer : buffers)
            if (buffer.name == name && !buffer.before.empty())
                return std::span<const double>(buffer.before);
        throw Problem{fmt::format("there is no {}, or nothing is in it before the launch", name),
                      "use elements of buffers that have a \"fill\""};
    };
    return names;
}

std::vector<Buffer> make_buffers(sim::Device& device, const Part& description, const Names& numbers,
                                 const ReadFile& read_file) {
    std::vector<Buffer> buffers;
    uint64_t bytes = 0;
    const auto list = description.find("buffers");
    for (const Part& record : list ? list->items() : std::vector<Part>{}) {
        std::optional<Contents> contents;
        Buffer buffer = make_buffer(record, numbers, contents, read_file);
        if ((bytes += buffer.count * bytes_of(buffer.type)) > most_bytes)
            record.fail(fmt::format("with {}, the buffers have {} bytes together", buffer.name, bytes),
                        "take at most 1 GiB for all of them");
        buffer.address =
            device.allocate(buffer.count * bytes_of(buffer.type), sim::machine::AllocationKind::device, buffer.name);
        if (!buffer.address)
            record.fail("the device's memory is exhausted", "use smaller buffers");
        buffers.push_back(std::move(buffer));
        if (contents)
            fill(device, buffers.back(), *contents, names_for(numbers, buffers, buffers.back().count));
    }
    for (const Buffer& buffer : buffers) // mistakes are better known before the launches
        if (Names names = names_for(numbers, buffers, buffer.count); buffer.expected)
            Values(*buffer.expected, names);
    return buffers;
}

const Buffer& buffer_named(const std::vector<Buffer>& buffers, const Part& name) {
    const std::string& wanted = name.text("buffer = \"in\"");
    for (const Buffer& buffer : buffers)
        if (buffer.name == wanted)
            return buffer;
    name.fail(fmt::format("there is no buffer \"{}\"", wanted), "add it to \"buffers\"");
}

} // namespace launch
