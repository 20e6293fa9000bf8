/// The reader of classic NetCDF files: all three formats, records, attributes, and damaged files.
#include <fstream>

#include "support/folder.hpp"
#include "support/messages.hpp"
#include "support/netcdf_writer.hpp"
#include "testing.hpp"
#include "tradewind/base/errors.hpp"
#include "tradewind/models/fvwam/mesh/netcdf_classic.hpp"

using namespace tradewind;
using namespace tradewind::fvwam;
using support::says;
using support::WrittenNetcdf;

namespace {

using Numbers = std::vector<double>;
using Wholes = std::vector<std::int32_t>;

/// Returns a file with variables of all types, two of them over records.
WrittenNetcdf sample(int version) {
    WrittenNetcdf file;
    file.version = version;
    file.dimensions = {{"odd", 3}, {"records", 2}, {"TWO", 2}};
    file.numbers = {{"sphere_radius", 6371220.0}, {"negative", -2.5}};
    file.variables["bytes"] = {{"odd"}, support::netcdf_byte, {-1, 2, -128}, {}, {}};
    file.variables["shorts"] = {{"odd"},
                                support::netcdf_short,
                                {-30000, 0, 7},
                                {{"units", "m s-1"}, {"long_name", "wind"}},
                                {{"scale_factor", 0.5}}};
    file.variables["wholes"] = {
        {"odd", "TWO"}, support::netcdf_int, {1, -2, 3, 1 << 30, 5, -(1 << 30)}, {}, {}};
    file.variables["floats"] = {{"odd"}, support::netcdf_float, {0.5, -0.25, 1e10}, {}, {}};
    file.variables["scalar"] = {{}, support::netcdf_double, {1.0 / 3}, {}, {}};
    // The records of a variable of bytes are padded where there are several variables.
    file.variables["flags"] = {
        {"records", "odd"}, support::netcdf_byte, {1, 2, 3, 4, 5, 6}, {}, {}};
    file.variables["moving"] = {
        {"records", "TWO"}, support::netcdf_double, {1.5, 2.5, 3.5, 4.5}, {}, {}};
    file.variables["words"] = {{"odd"}, support::netcdf_char, {'a', 'b', 'c'}, {}, {}};
    if (version != 5) return file;
    file.variables["long"] = {{"TWO"}, support::netcdf_int64, {-5e12, 5e12}, {}, {}};
    file.variables["small"] = {{"TWO"}, support::netcdf_ubyte, {0, 200}, {}, {}};
    return file;
}

class NetcdfFolder {
public:
    NetcdfFile open(const WrittenNetcdf& file) { return open(file.bytes()); }
    NetcdfFile open(const std::string& bytes) {
        std::ofstream(path(), std::ios::binary) << bytes;
        return NetcdfFile(path());
    }
    /// Returns what is wrong with a file, in its header or in the values of a variable.
    std::string complaint(const std::string& bytes, const std::string& variable = "") {
        return support::message_of<ConfigError>([&] {
            NetcdfFile file = open(bytes);
            if (!variable.empty()) (void)file.reals(variable);
        });
    }
    [[nodiscard]] std::string path() const { return folder_.path() / "file.nc"; }

private:
    support::Folder folder_;
};

/// Returns bytes with the first occurrence of `from` replaced.
std::string replaced(std::string bytes, const std::string& from, const std::string& to) {
    const auto place = bytes.find(from);
    CHECK(place != std::string::npos);
    return bytes.replace(place, from.size(), to);
}

}  // namespace

TEST_CASE("values of all types are read from all classic formats") {
    for (const int version : {1, 2, 5}) {
        CAPTURE(version);
        NetcdfFolder folder;
        NetcdfFile file = folder.open(sample(version));
        CHECK(file.reals("bytes") == Numbers{-1, 2, -128});
        CHECK(file.reals("shorts") == Numbers{-30000, 0, 7});
        CHECK(file.wholes("wholes") == Wholes{1, -2, 3, 1 << 30, 5, -(1 << 30)});
        CHECK(file.reals("floats") == Numbers{0.5, -0.25, double(1e10F)});
        CHECK(file.reals("scalar") == Numbers{1.0 / 3});
        CHECK_EQ(file.dimension("odd"), 3);
        CHECK_EQ(file.dimension("records"), 2);
        CHECK(file.variable("wholes").shape == std::vector<std::int64_t>({3, 2}));
        CHECK(file.variable("wholes").dimensions == std::vector<std::string>({"odd", "TWO"}));
        CHECK(file.has("scalar") && !file.has("scalars"));
        if (version != 5) continue;
        CHECK(file.reals("long") == Numbers{-5e12, 5e12});
        CHECK(file.wholes("small") == Wholes{0, 200});
        CHECK_EQ(support::message_of<ConfigError>([&] { (void)file.wholes("long"); }),
                 folder.path() + ": long has a number of more than 32 bits");
    }
}

TEST_CASE("attributes are those of the file or of a variable") {
    NetcdfFolder folder;
    const NetcdfFile file = folder.open(sample(2));
    CHECK_EQ(file.attribute("sphere_radius", 1.0), 6371220.0);
    CHECK_EQ(file.attribute("negative", 1.0), -2.5);
    CHECK_EQ(file.attribute("absent", 1.0), 1.0);
    const NetcdfVariable& shorts = file.variable("shorts");
    CHECK_EQ(shorts.texts.at("units"), "m s-1");
    CHECK_EQ(shorts.texts.at("long_name"), "wind");
    CHECK_EQ(shorts.numbers.at("scale_factor"), 0.5);
    CHECK(file.variable("wholes").numbers.empty());
}

TEST_CASE("records of several variables alternate, those of one are adjacent") {
    for (const int version : {1, 2, 5}) {
        CAPTURE(version);
        NetcdfFolder folder;
        {
            NetcdfFile file = folder.open(sample(version));
            CHECK(file.variable("flags").is_record);
            CHECK(file.reals("flags") == Numbers{1, 2, 3, 4, 5, 6});
            CHECK(file.reals("moving") == Numbers{1.5, 2.5, 3.5, 4.5});
            CHECK(file.record("moving", 1) == Numbers{3.5, 4.5});
            CHECK_THROWS_AS(file.record("moving", 2), ConfigError);
            CHECK_THROWS_AS(file.record("scalar", 0), ConfigError);
        }
        WrittenNetcdf single = sample(version);
        single.variables.erase("moving");
        NetcdfFile file = folder.open(single);
        CHECK(file.reals("flags") == Numbers{1, 2, 3, 4, 5, 6});
        CHECK(file.record("flags", 1) == Numbers{4, 5, 6});
    }
}

TEST_CASE("a file without records has variables without values") {
    NetcdfFolder folder;
    WrittenNetcdf empty = sample(1);
    empty.dimensions["records"] = 0;
    empty.variables["flags"].values.clear();
    empty.variables["moving"].values.clear();
    NetcdfFile file = folder.open(empty);
    CHECK_EQ(file.variable("moving").values(), 0);
    CHECK(file.reals("moving").empty());
    CHECK(file.reals("scalar") == Numbers{1.0 / 3});
}

TEST_CASE("what a file does not have is an error that names file and variable") {
    NetcdfFolder folder;
    NetcdfFile file = folder.open(sample(5));
    CHECK_EQ(support::message_of<ConfigError>([&] { (void)file.reals("depth"); }),
             folder.path() + ": has no variable depth");
    CHECK_EQ(support::message_of<ConfigError>([&] { (void)file.dimension("nCells"); }),
             folder.path() + ": has no dimension nCells");
    CHECK_EQ(support::message_of<ConfigError>([&] { (void)file.wholes("floats"); }),
             folder.path() + ": floats has no whole numbers");
    CHECK_EQ(support::message_of<ConfigError>([&] { (void)file.reals("words"); }),
             folder.path() + ": words is text");
    CHECK_EQ(support::message_of<ConfigError>([&] { (void)NetcdfFile("/nowhere/mesh.nc"); }),
             "/nowhere/mesh.nc: cannot be read");
}

TEST_CASE("a file that ends anywhere is refused by its name, in bounded time") {
    for (const int version : {1, 2, 5}) {
        NetcdfFolder folder;
        const std::string whole = sample(version).bytes();
        for (std::size_t length = 0; length < whole.size(); length += 9) {
            CAPTURE(version, length);
            const std::string told = folder.complaint(whole.substr(0, length));
            CHECK(told.starts_with(folder.path() + ": "));
            CHECK(says(told, "ends in the header") || says(told, "ends before the values of "));
        }
        CHECK_EQ(folder.complaint(whole), "");
        // The last record is that of the last variable in it.
        CHECK_EQ(folder.complaint(whole.substr(0, whole.size() - 1)),
                 folder.path() + ": ends before the values of moving");
    }
}

TEST_CASE("files of other formats are refused with a way to convert them") {
    NetcdfFolder folder;
    for (const char* const foreign :
         {"\x89HDF\r\n\x1a\n and more", "CDF\x03 and more", "nCells = 12\n", "GRIB and more"})
        CHECK(says(folder.complaint(foreign), "nccopy -k cdf5"));
    CHECK(says(folder.complaint(""), "ends in the header"));
    // The writer of a stream has not filled in the number of records.
    const std::string streaming =
        replaced(sample(1).bytes(), std::string("CDF\x01\0\0\0\x02", 8), "CDF\x01\xff\xff\xff\xff");
    CHECK(says(folder.complaint(streaming), "was not closed by its writer"));
}

TEST_CASE("wrong counts are refused without taking memory for them") {
    NetcdfFolder folder;
    const std::string whole = sample(1).bytes();
    const auto with = [&](const std::string& from, const std::string& to) {
        return folder.complaint(replaced(whole, from, to), "moving");
    };
    // More records, a longer dimension, more dimensions, and a longer name than there are.
    CHECK_EQ(with(std::string("CDF\x01\0\0\0\x02", 8), std::string("CDF\x01\x7f\xff\xff\xff", 8)),
             folder.path() + ": ends before the values of flags");
    CHECK(says(with(std::string("odd\0\0\0\0\x03", 8), std::string("odd\0\x7f\xff\xff\xff", 8)),
               "ends before the values of bytes"));
    CHECK(
        says(with(std::string("\0\0\0\x0a\0\0\0\x03", 8), std::string("\0\0\0\x0a\x7f\0\0\x03", 8)),
             "is damaged: a count of 2130706435"));
    CHECK(says(with(std::string("\0\0\0\x03odd", 7), std::string("\x10\0\0\x03odd", 7)),
               "is damaged: a count of"));
    CHECK(says(with(std::string("\0\0\0\x0c\0\0\0\x02", 8), std::string("\0\0\0\x0d\0\0\0\x02", 8)),
               "is damaged: a list of another kind"));
}

TEST_CASE("no change of a single byte makes the reader fail in another way") {
    NetcdfFolder folder;
    const std::string whole = sample(5).bytes();
    int refused = 0;
    for (std::size_t place = 0; place < whole.size(); place += 3) {
        CAPTURE(place);
        std::string bytes = whole;
        bytes[place] = char(bytes[place] ^ (place % 2 == 0 ? '\xff' : '\x80'));
        const std::string told = folder.complaint(bytes, "moving");
        CHECK(told == "" || told.starts_with(folder.path() + ": "));
        refused += told != "";
    }
    CHECK(refused > 50);
}
