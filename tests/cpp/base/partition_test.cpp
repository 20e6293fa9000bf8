/// Partitions: parts are contiguous, complete and as even as possible.
#include "tradewind/base/partition.hpp"

#include "testing.hpp"

using tradewind::ConfigError;
using tradewind::full_partition;
using tradewind::Partition;

TEST_CASE("parts follow one another, cover all items and differ by at most one") {
    for (const std::int64_t items : {0, 1, 7, 12, 13, 256}) {
        for (const std::int64_t parts : {1, 2, 3, 5, 13, 40}) {
            CAPTURE(items, parts);
            const Partition partition(items, parts);
            CHECK_EQ(partition.items(), items);
            std::int64_t next = 0;
            for (std::int64_t part = 0; part < parts; ++part) {
                CHECK_EQ(partition.start(part), next);
                CHECK(partition.size(part) == items / parts ||
                      partition.size(part) == (items + parts - 1) / parts);
                CHECK(part == 0 || partition.size(part) <= partition.size(part - 1));
                next += partition.size(part);
            }
            CHECK_EQ(next, items);
        }
    }
}

TEST_CASE("the owner of an item is the part that contains it") {
    for (const std::int64_t items : {1, 7, 12, 100}) {
        for (const std::int64_t parts : {1, 3, 7, 150}) {
            const Partition partition(items, parts);
            for (std::int64_t item = 0; item < items; ++item) {
                CAPTURE(items, parts, item);
                const std::int64_t owner = partition.owner(item);
                CHECK(partition.start(owner) <= item);
                CHECK(item < partition.start(owner) + partition.size(owner));
            }
        }
    }
}

TEST_CASE("a full partition refuses more parts than items") {
    CHECK_EQ(full_partition("z", 256, 256).size(255), 1);
    CHECK_THROWS_AS(full_partition("z", 256, 257), ConfigError);
    CHECK_THROWS_AS(Partition(5, 0), ConfigError);
    CHECK_THROWS_AS(Partition(-1, 2), ConfigError);
}
