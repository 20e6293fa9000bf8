/// Paged arrays: every element exists and starts value-initialised.
#include "tradewind/base/paged_array.hpp"

#include <cstdint>

#include "testing.hpp"

using tradewind::PagedArray;

TEST_CASE("elements begin at zero and keep what they are given, in any order of use") {
    for (const std::size_t size : {1U, 15U, 16U, 17U, 1000U}) {
        CAPTURE(size);
        PagedArray<std::int64_t> array(size);
        CHECK_EQ(array.size(), size);
        for (std::size_t i = 0; i < size; i += 3) array[size - 1 - i] = std::int64_t(i) + 1;
        for (std::size_t i = 0; i < size; ++i) {
            const std::int64_t expected = i % 3 == 0 ? std::int64_t(i) + 1 : 0;
            CHECK_EQ(array[size - 1 - i], expected);
        }
    }
    CHECK_EQ(PagedArray<int>().size(), 0U);
}
