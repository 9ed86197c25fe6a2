#include "sim/ptx/source_texts.h"

#include <doctest/doctest.h>

using sim::ptx::named_files;

TEST_CASE("files are named in lines of their own") {
    const auto files = named_files("\t.file\t1 \"/home/ann/kernel.cu\"\n"
                                   "\t.file\t2 \"/usr/local/cuda/include/cuda_pipeline_helpers.h\"\n"
                                   "// .file\n"
                                   "\t.file\t3 \"/home/ann/my .file.h\"\n",
                                   32);
    CHECK(files == std::vector<std::string>{"/home/ann/kernel.cu", "/home/ann/my .file.h"});
}

TEST_CASE("a line takes no longer for all the directives that it pretends to hold") {
    std::string text = "// ";
    while (text.size() < size_t{8} << 20)
        text += ".file";
    CHECK(named_files(text + "\n\t.file\t1 \"a.cu\"\n", 32) == std::vector<std::string>{"a.cu"});
    CHECK(named_files(text, 32).empty());
}
