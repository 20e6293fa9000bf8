/// Computations without the lock of Python, which end at Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "tradewind/base/errors.hpp"

namespace tradewind::bindings {

/// Makes the loops of the core look for the signals of Python.
void look_for_signals();

/// A computation of this thread, which keeps the exception of a handler of signals.
class Computation {
public:
    Computation() noexcept;
    Computation(const Computation&) = delete;
    Computation& operator=(const Computation&) = delete;
    ~Computation();

    /// Runs the handlers of signals that have come. Returns true if one of them has raised an
    /// exception.
    [[nodiscard]] bool is_interrupted();
    /// Throws the exception of a handler, if there is one.
    void rethrow();

private:
    Computation* around_;
    std::optional<nanobind::python_error> raised_;
};

/// Calls a function while other threads of Python go on. Throws what a handler of signals raises
/// meanwhile.
template <class Function>
auto without_gil(const Function& function) {
    Computation computation;
    try {
        const nanobind::gil_scoped_release no_gil;
        return function();
    } catch (const Interrupted&) {
        computation.rethrow();
        throw;
    }
}

}  // namespace tradewind::bindings
