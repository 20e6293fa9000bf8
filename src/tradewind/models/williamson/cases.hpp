/// The test cases by number; the file of the same name describes each.
#pragma once

#include "tradewind/models/williamson/test_case.hpp"

namespace tradewind::williamson {

std::unique_ptr<TestCase> make_case1(double alpha);
std::unique_ptr<TestCase> make_case2(double alpha);
std::unique_ptr<TestCase> make_case3(double alpha);
std::unique_ptr<TestCase> make_case4(double alpha);
std::unique_ptr<TestCase> make_case5(double alpha);
std::unique_ptr<TestCase> make_case6(double alpha);

}  // namespace tradewind::williamson
