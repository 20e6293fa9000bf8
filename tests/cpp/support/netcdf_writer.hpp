/// A writer of small files in the classic NetCDF formats, for tests of what reads them.
#pragma once

#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace support {

/// The types of the format that tests write.
enum NetcdfType : std::int32_t {
    netcdf_byte = 1,
    netcdf_char = 2,
    netcdf_short = 3,
    netcdf_int = 4,
    netcdf_float = 5,
    netcdf_double = 6,
    netcdf_ubyte = 7,
    netcdf_int64 = 10
};

/// A variable with its values, those of all records one after the other.
struct WrittenVariable {
    std::vector<std::string> dimensions;
    std::int32_t type = netcdf_double;
    std::vector<double> values;
    std::map<std::string, std::string> texts;
    std::map<std::string, double> numbers;
};

/// A file in memory. Attributes that are numbers are doubles.
struct WrittenNetcdf {
    int version = 5;
    /// The length of each dimension; "records" is the unlimited one if it is among them.
    std::map<std::string, std::int64_t> dimensions;
    std::map<std::string, double> numbers;
    std::map<std::string, WrittenVariable> variables;

    [[nodiscard]] std::string bytes() const;
    void write(const std::filesystem::path& path) const {
        std::ofstream out(path, std::ios::binary);
        const std::string content = bytes();
        out.write(content.data(), std::streamsize(content.size()));
    }
};

/// The bytes of a file, which grow.
class NetcdfBytes {
public:
    explicit NetcdfBytes(const WrittenNetcdf& file) : file_(file) {}

    [[nodiscard]] std::string all() {
        // The places of the data are known once the header has been written without them.
        header({});
        std::map<std::string, std::uint64_t> begins;
        auto end = std::uint64_t(out_.size());
        for (const bool are_records : {false, true}) {
            for (const auto& [name, variable] : file_.variables) {
                if (is_record(variable) != are_records) continue;
                begins[name] = end;
                end += padded(one_record(variable));
            }
        }
        out_.clear();
        header(begins);
        for (const auto& [name, variable] : file_.variables) {
            if (is_record(variable)) continue;
            put_values(variable, 0, variable.values.size());
            pad();
        }
        for (std::int64_t n = 0; n < records(); ++n) put_record(n);
        return out_;
    }

private:
    static constexpr const char* unlimited = "records";
    [[nodiscard]] static std::uint64_t size_of(std::int32_t type) {
        constexpr std::uint64_t sizes[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
        return sizes[type];
    }
    [[nodiscard]] static std::uint64_t padded(std::uint64_t bytes) { return (bytes + 3) / 4 * 4; }
    [[nodiscard]] static bool is_record(const WrittenVariable& variable) {
        return !variable.dimensions.empty() && variable.dimensions[0] == unlimited;
    }
    [[nodiscard]] std::int64_t records() const {
        const auto found = file_.dimensions.find(unlimited);
        return found == file_.dimensions.end() ? 0 : found->second;
    }
    [[nodiscard]] std::size_t values_of_record(const WrittenVariable& variable) const {
        const auto many = std::size_t(records());
        return is_record(variable) ? (many > 0 ? variable.values.size() / many : 0)
                                   : variable.values.size();
    }
    [[nodiscard]] std::uint64_t one_record(const WrittenVariable& variable) const {
        return values_of_record(variable) * size_of(variable.type);
    }

    void put(std::uint64_t value, std::uint64_t size) {
        for (std::uint64_t i = size; i-- > 0;) out_ += char(value >> (8 * i) & 0xff);
    }
    void put_count(std::uint64_t value) { put(value, file_.version == 5 ? 8 : 4); }
    void pad() {
        while (out_.size() % 4 != 0) out_ += '\0';
    }
    void put_word(const std::string& word) {
        put_count(word.size());
        out_ += word;
        pad();
    }
    void put_list(std::uint64_t tag, std::uint64_t length) {
        put(length > 0 ? tag : 0, 4);
        put_count(length);
    }
    void put_value(double value, std::int32_t type) {
        if (type == netcdf_float) {
            put(std::bit_cast<std::uint32_t>(float(value)), 4);
        } else if (type == netcdf_double) {
            put(std::bit_cast<std::uint64_t>(value), 8);
        } else {
            put(std::uint64_t(std::int64_t(value)), size_of(type));
        }
    }
    void put_values(const WrittenVariable& variable, std::size_t from, std::size_t count) {
        for (std::size_t i = from; i < from + count; ++i)
            put_value(variable.values[i], variable.type);
    }
    void put_record(std::int64_t number) {
        int variables = 0;
        for (const auto& [name, variable] : file_.variables) variables += is_record(variable);
        for (const auto& [name, variable] : file_.variables) {
            if (!is_record(variable)) continue;
            const std::size_t count = values_of_record(variable);
            put_values(variable, std::size_t(number) * count, count);
            // A single variable has no padding between its records.
            if (variables > 1) pad();
        }
    }
    void put_attributes(const std::map<std::string, std::string>& texts,
                        const std::map<std::string, double>& numbers) {
        put_list(12, texts.size() + numbers.size());
        for (const auto& [name, value] : texts) {
            put_word(name);
            put(netcdf_char, 4);
            put_word(value);
        }
        for (const auto& [name, value] : numbers) {
            put_word(name);
            put(netcdf_double, 4);
            put_count(1);
            put_value(value, netcdf_double);
        }
    }
    void header(const std::map<std::string, std::uint64_t>& begins) {
        out_ = "CDF";
        out_ += char(file_.version);
        put_count(std::uint64_t(records()));
        put_list(10, file_.dimensions.size());
        std::map<std::string, std::uint64_t> number;
        for (const auto& [name, length] : file_.dimensions) {
            number.emplace(name, number.size());
            put_word(name);
            put_count(name == unlimited ? 0 : std::uint64_t(length));
        }
        put_attributes({}, file_.numbers);
        put_list(11, file_.variables.size());
        for (const auto& [name, variable] : file_.variables) {
            put_word(name);
            put_count(variable.dimensions.size());
            for (const std::string& one : variable.dimensions) put_count(number.at(one));
            put_attributes(variable.texts, variable.numbers);
            put(std::uint64_t(variable.type), 4);
            put_count(padded(one_record(variable)));
            const auto begin = begins.find(name);
            put(begin == begins.end() ? 0 : begin->second, file_.version == 1 ? 4 : 8);
        }
    }

    const WrittenNetcdf& file_;
    std::string out_;
};

inline std::string WrittenNetcdf::bytes() const {
    return NetcdfBytes(*this).all();
}

}  // namespace support
