/// Algorithms and options from one line of text.
#include "tradewind/comm/choice.hpp"

#include "testing.hpp"
#include "tradewind/comm/allgather/allgather.hpp"
#include "tradewind/comm/alltoallv/alltoallv.hpp"

namespace tradewind {

namespace {

Choice<AlltoallvAlgorithm> chosen(std::string_view words) {
    return choose(alltoallv_algorithms(), "alltoallv", words);
}

}  // namespace

TEST_CASE("a choice has the algorithm, what is given, and the defaults of the algorithm") {
    const auto plain = chosen("ring_k");
    CHECK_EQ(plain.algorithm->name, std::string_view("ring_k"));
    CHECK_EQ(plain.options.radix, alltoallv_algorithm("ring_k").default_radix);
    CHECK(plain.options.protocol.is_default());
    const auto all = chosen(" ring_k : radix=7, protocol=(1, 6),window=5");
    CHECK_EQ(all.algorithm->name, std::string_view("ring_k"));
    CHECK_EQ(all.options.radix, 7);
    CHECK_EQ(all.options.window, 5);
    CHECK(all.options.protocol == Protocol(1, 6));
    CHECK(chosen("bruck:protocol=synchronous").options.protocol == Protocol(1, 6));
    for (const auto& algorithm : alltoallv_algorithms())
        CHECK(chosen(algorithm.name).algorithm == &algorithm);
}

TEST_CASE("a choice that cannot be is refused") {
    for (const char* words :
         {"", "ring_k:", "ring_k:radix=0", "ring_k:radix=2.5", "ring_k:radius=2", "ring:radix=4",
          "ring_k:protocol=(1,7)", "burst:protocol=(1,6)", "ring_k,radix=4"}) {
        CAPTURE(words);
        CHECK_THROWS_AS(chosen(words), ConfigError);
    }
    // No algorithm of this table has protocols.
    CHECK_THROWS_AS(choose(allgather_algorithms(), "allgather", "ring:protocol=(0,0)"),
                    ConfigError);
}

}  // namespace tradewind
