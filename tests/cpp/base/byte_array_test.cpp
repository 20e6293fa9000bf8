/// Tests that values are read from a byte array as they were written.
#include "tradewind/base/byte_array.hpp"

#include "testing.hpp"

using namespace tradewind;

TEST_CASE("values, lists and texts are read in the order in which they were written") {
    ByteArray bytes;
    write(bytes, std::int8_t{-3});
    write(bytes, std::vector<double>{0.5, -1e300});
    write(bytes, std::string("window 7"));
    write(bytes, std::vector<std::int32_t>{});
    write(bytes, std::int64_t{1} << 40);
    ByteReader reader(bytes);
    CHECK_EQ(int{reader.next<std::int8_t>()}, -3);
    std::vector<double> list{9.0};
    reader.read(list);
    CHECK(list == std::vector<double>{0.5, -1e300});
    std::string text;
    reader.read(text);
    CHECK_EQ(text, std::string("window 7"));
    std::vector<std::int32_t> nothing{1, 2};
    reader.read(nothing);
    CHECK(nothing.empty());
    CHECK(!reader.is_at_end());
    CHECK_EQ(reader.next<std::int64_t>(), std::int64_t{1} << 40);
    CHECK(reader.is_at_end());
}

TEST_CASE("nothing is read beyond the end of a byte array") {
    ByteArray bytes;
    write(bytes, std::int32_t{1000});
    ByteReader number(bytes);
    CHECK_THROWS_AS(number.next<std::int64_t>(), std::out_of_range);
    write(bytes, std::int32_t{0});
    ByteReader list(bytes);
    std::vector<double> values;
    CHECK_THROWS_AS(list.read(values), std::out_of_range);
}
