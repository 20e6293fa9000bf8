/// Tests of the arrays in large pages.
#include "tradewind/base/large_memory.hpp"
#include "testing.hpp"

using namespace tradewind;

namespace {

struct alignas(64) Line {
    int value;
};

bool is_aligned(const void* memory, std::size_t to) {
    return reinterpret_cast<std::uintptr_t>(memory) % to == 0;
}

}  // namespace

TEST_CASE("a zeroed array is zero, aligned, and keeps what is written") {
    for (const std::size_t size : std::vector<std::size_t>{1, 1000, 5000, 100'000}) {
        CAPTURE(size);
        ZeroedArray<Line> array(size);
        CHECK_EQ(array.size(), size);
        CHECK(is_aligned(&array[0], size * sizeof(Line) < large_page ? alignof(Line) : large_page));
        bool zero = true;
        for (std::size_t i = 0; i < size; ++i) zero &= array[i].value == 0;
        CHECK(zero);
        array[size - 1].value = 7;
        ZeroedArray<Line> moved = std::move(array);
        CHECK_EQ(moved[size - 1].value, 7);
        moved = ZeroedArray<Line>(size);
        CHECK_EQ(moved[size - 1].value, 0);
    }
}

TEST_CASE("a large vector keeps its elements while it grows from small to large memory") {
    LargeVector<Line> lines;
    for (int i = 0; i < 100'000; ++i) lines.push_back({i});
    long sum = 0;
    for (const Line& line : lines) sum += line.value;
    CHECK_EQ(sum, 99'999L * 50'000L);
    CHECK(is_aligned(lines.data(), alignof(Line)));
}
