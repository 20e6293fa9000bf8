/// NetcdfFile: a reader of the classic NetCDF formats, CDF-1, CDF-2 and CDF-5, in which MPAS writes
/// its meshes.
///
///     "CDF" version | records | dimensions | attributes | variables | data
///
/// Numbers are big-endian. Each variable is contiguous, but those over the unlimited dimension
/// alternate record by record. NetCDF-4 files have another format: `tradewind run`
/// gives the model a copy in this one.
/// Source: NetCDF classic format specification, Unidata.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tradewind::fvwam {

/// A variable of a file.
struct NetcdfVariable {
    std::string name;
    /// The dimensions, the outermost first.
    std::vector<std::string> dimensions;
    std::vector<std::int64_t> shape;
    std::map<std::string, std::string> texts;
    std::map<std::string, double> numbers;
    /// The type code of the format.
    std::int32_t type = 0;
    std::int64_t begin = 0;
    /// True if the outermost dimension is the unlimited one.
    bool is_record = false;

    /// Returns the number of values, of a record or of all.
    [[nodiscard]] std::int64_t values_of_record() const;
    [[nodiscard]] std::int64_t values() const;
};

/// An open file.
class NetcdfFile {
public:
    /// Reads the header. Throws ConfigError with the name of the file if it cannot be read, has
    /// another format or ends early.
    explicit NetcdfFile(const std::string& path);

    /// Returns the name of the file for messages.
    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] bool has(std::string_view variable) const;
    /// Returns a variable; throws ConfigError if the file does not have it.
    [[nodiscard]] const NetcdfVariable& variable(std::string_view name) const;
    /// Returns the length of a dimension; throws ConfigError if the file does not have it.
    [[nodiscard]] std::int64_t dimension(std::string_view name) const;
    /// Returns a number among the attributes of the file, or `otherwise`.
    [[nodiscard]] double attribute(std::string_view name, double otherwise) const;

    /// Reads all values of a variable. Throws ConfigError if it is missing or not of numbers.
    [[nodiscard]] std::vector<double> reals(std::string_view variable);
    [[nodiscard]] std::vector<std::int32_t> wholes(std::string_view variable);
    /// Reads one record.
    [[nodiscard]] std::vector<double> record(std::string_view variable, std::int64_t number);

private:
    class Header;
    template <class Value>
    [[nodiscard]] std::vector<Value> read(std::string_view variable, std::int64_t first,
                                          std::int64_t records);
    void read_raw(std::int64_t begin, std::vector<unsigned char>& bytes);

    std::string name_;
    std::ifstream in_;
    std::int64_t length_ = 0;
    std::int64_t records_ = 0;
    std::int64_t record_size_ = 0;
    std::vector<std::pair<std::string, std::int64_t>> dimensions_;
    std::map<std::string, double> numbers_;
    std::vector<NetcdfVariable> variables_;
};

}  // namespace tradewind::fvwam
