/// The run of a model with data, as those see it who show, store and restart runs of any model.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tradewind/comm/comm.hpp"
#include "tradewind/comm/process_grid.hpp"
#include "tradewind/comm/task.hpp"
#include "tradewind/program/time_origin.hpp"

namespace tradewind {

class Checkpoints;

/// A number, or a list of numbers, that a run reports.
struct Number {
    using Value = std::variant<std::int64_t, double, std::vector<double>>;

    /// The name in results; a dot nests: "halo.columns" is the entry `columns` of `halo`.
    std::string name;
    /// The meaning in a few words, for tables.
    std::string_view meaning;
    /// The unit as CF writes it; "1" for pure numbers.
    std::string_view unit;
    Value value;
    /// True if tables of several output times show it.
    bool is_headline = true;
};

/// A coordinate axis of fields.
struct Axis {
    /// The dimension in files: "lat".
    std::string_view dimension;
    /// The name in results: "latitude_deg".
    std::string_view name;
    std::string_view unit;
    std::string_view standard_name;
    std::string_view long_name;
    /// "X", "Y", "Z" or empty, as CF has it.
    std::string_view axis;
    std::vector<double> values;
};

/// A field over some axes of the outline.
struct FieldInfo {
    /// The name in results, with its unit: "depth_m".
    std::string_view name;
    /// The variable in files: "h".
    std::string_view variable;
    std::string_view unit;
    std::string_view standard_name;
    std::string_view long_name;
    /// The outermost dimension first; `node_dimension` or `face_dimension` for the nodes or faces
    /// of the mesh.
    std::vector<std::string_view> dimensions;
    /// The meaning of the values as CF has it: "lon: mean".
    std::string_view cell_methods{};
};

/// The dimensions of the nodes and of the faces of an unstructured mesh.
inline constexpr std::string_view node_dimension = "node";
inline constexpr std::string_view face_dimension = "face";

/// The nodes and faces of an unstructured mesh, as UGRID has it.
struct MeshTopology {
    /// The places of the nodes, in degrees.
    std::vector<double> longitudes;
    std::vector<double> latitudes;
    /// The meaning of the faces, in words.
    std::string_view faces_are = "faces";
    /// The largest number of nodes of a face, and the nodes of all faces, each counterclockwise. A
    /// face with fewer nodes has -1 in the places that are left.
    std::int64_t nodes_per_face = 0;
    std::vector<double> face_nodes;
    /// The places of the faces in degrees, where fields have them.
    std::vector<double> face_longitudes;
    std::vector<double> face_latitudes;

    [[nodiscard]] std::int64_t nodes() const noexcept { return std::int64_t(longitudes.size()); }
    [[nodiscard]] std::int64_t faces() const noexcept {
        return std::int64_t(face_nodes.size()) / std::max<std::int64_t>(nodes_per_face, 1);
    }
};

/// A field that does not change during the run.
struct FixedField {
    FieldInfo info;
    std::vector<double> values;
};

/// The dimension of named places.
inline constexpr std::string_view station_dimension = "station";

/// Spectra at named places, as CF has time series of stations.
struct StationSpectra {
    std::vector<std::string> names;
    /// The places of the values in degrees, such as the centres of cells.
    std::vector<double> longitudes;
    std::vector<double> latitudes;
    /// The axes of a spectrum, such as frequency and direction.
    std::vector<Axis> axes;
    /// The spectra of each output time over the stations and the axes.
    std::vector<FieldInfo> fields;
    /// Values of stations, or of an axis, that do not change.
    std::vector<FixedField> fixed_fields;
};

/// Everything about a run that is known before it begins.
struct Outline {
    /// The name of the model in a sentence: "semi-Lagrangian advection".
    std::string_view model;
    /// The keys of the model's papers, or full references.
    std::string_view references;
    ProcessGrid processes;
    /// The number of time steps; 0 where the run ends by itself.
    std::int64_t steps = 0;
    double time_step_s = 0.0;
    TimeOrigin origin;
    std::vector<Axis> axes;
    /// The mesh of the fields on nodes or faces, if there are any.
    std::optional<MeshTopology> mesh;
    /// The fields of each output time, in the order in which outputs hold them.
    std::vector<FieldInfo> fields;
    std::vector<FixedField> fixed_fields;
    /// The spectra of each output time, if there are any.
    std::optional<StationSpectra> stations;
    /// Numbers that follow from the settings, such as a Courant number.
    std::vector<Number> numbers;
};

/// Fields and numbers of one output time.
struct ModelOutput {
    std::int64_t step = 0;
    double time_s = 0.0;
    std::vector<std::span<const double>> fields;
    std::vector<Number> numbers;
    /// The spectra in the order of the outline.
    std::vector<std::span<const double>> spectra{};
};

/// Follows a run on rank 0.
class RunObserver {
public:
    virtual ~RunObserver() = default;
    /// Takes note of a finished step; may throw to end the run.
    virtual void stepped(std::int64_t step) = 0;
    /// Takes note of an output time.
    virtual void observed(const ModelOutput& output) = 0;
};

/// A planned run, one object for all ranks.
class ModelRun {
public:
    virtual ~ModelRun() = default;
    [[nodiscard]] virtual const Outline& outline() const noexcept = 0;
    /// Runs one rank with data. Throws Error on all ranks if the run fails. Observer and
    /// checkpoints outlive the task.
    virtual Task run(Comm& comm, RunObserver& observer, const Checkpoints& checkpoints) const = 0;
};

}  // namespace tradewind
