/// The rules of Open MPI: the fixed decisions of its component `tuned`, which are the same in
/// versions 4.1 and 5.0 (pjesivac2007). Its component `han`, with two levels for the ranks of a
/// node, is left out, and so are segments, which these decisions do not ask for. Operations are
/// commutative.
///
/// Some of its algorithms have no counterpart here. Then the one with the same messages is taken,
/// or the nearest: linear for those with synchronous first segments, k-ary for the binary tree in
/// the order of ranks, recursive halving for recursive doubling of a reduce_scatter, and folds of
/// whole vectors for those of halves in an allreduce.
#include <algorithm>
#include <limits>

#include "tradewind/trace/collectives/library_rows.hpp"

namespace tradewind::trace {

namespace {

/// A rule: the place of the algorithm for calls on fewer ranks than `ranks` and with fewer bytes
/// than `bytes`. The first rule that fits holds.
struct ChoiceRule {
    Rank ranks;
    Bytes bytes;
    std::uint8_t algorithm;
};

constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();

namespace barrier {
constexpr std::string_view names[] = {"tree:radix=8", "recursive_doubling", "dissemination",
                                      "tree:radix=2"};
enum Algorithm : std::uint8_t { linear, recursive_doubling, dissemination, tree };
constexpr ChoiceRule barrier_rules[] = {{4, any, recursive_doubling},
                                        {8, any, linear},
                                        {64, any, recursive_doubling},
                                        {256, any, dissemination},
                                        {512, any, tree},
                                        {1024, any, dissemination},
                                        {4096, any, tree},
                                        {any, any, dissemination}};
}  // namespace barrier

namespace bcast {
constexpr std::string_view names[] = {"linear",          "chain",    "split_binary",
                                      "k_ary:radix=2",   "binomial", "tree:radix=4",
                                      "scatter_doubling"};
enum Algorithm : std::uint8_t {
    linear,
    chain,
    split_binary,
    binary,
    binomial,
    knomial,
    scatter_doubling
};
constexpr ChoiceRule bcast_rules[] = {{4, 32, chain},
                                      {4, 256, binary},
                                      {4, 512, chain},
                                      {4, 1024, knomial},
                                      {4, 32768, linear},
                                      {4, 131072, binary},
                                      {4, 262144, chain},
                                      {4, 524288, linear},
                                      {4, 1048576, binomial},
                                      {4, any, binary},
                                      {8, 64, binary},
                                      {8, 128, binomial},
                                      {8, 2048, binary},
                                      {8, 8192, binomial},
                                      {8, 1048576, linear},
                                      {8, any, chain},
                                      {16, 8, knomial},
                                      {16, 64, binary},
                                      {16, 4096, knomial},
                                      {16, 16384, binary},
                                      {16, 32768, binomial},
                                      {16, any, linear},
                                      {32, 4096, knomial},
                                      {32, 1048576, binomial},
                                      {32, any, scatter_doubling},
                                      {64, 2048, binomial},
                                      {64, any, knomial},
                                      {128, any, knomial},
                                      {256, 2, binomial},
                                      {256, 16384, binary},
                                      {256, 32768, linear},
                                      {256, 65536, binary},
                                      {256, any, knomial},
                                      {1024, 16384, knomial},
                                      {1024, 32768, split_binary},
                                      {1024, any, knomial},
                                      {2048, 524288, knomial},
                                      {2048, any, scatter_doubling},
                                      {4096, 262144, knomial},
                                      {4096, any, scatter_doubling},
                                      {any, 8192, knomial},
                                      {any, 16384, binary},
                                      {any, 262144, knomial},
                                      {any, any, scatter_doubling}};
}  // namespace bcast

namespace reduce {
constexpr std::string_view names[] = {"linear", "chain", "k_ary:radix=2", "binomial"};
enum Algorithm : std::uint8_t { linear, chain, binary, binomial };
constexpr ChoiceRule reduce_rules[] = {
    {4, 8, linear},        {4, 16, binary},        {4, 32, chain},         {4, 262144, linear},
    {4, any, chain},       {8, 4096, binary},      {8, 65536, chain},      {8, 262144, binomial},
    {8, 524288, linear},   {8, 1048576, binomial}, {8, any, linear},       {16, 8192, binary},
    {16, any, binomial},   {32, 4096, binary},     {32, any, binomial},    {256, any, binomial},
    {512, 8192, binomial}, {512, 16384, binary},   {512, any, binomial},   {2048, any, binomial},
    {4096, 512, binomial}, {4096, 1024, binary},   {4096, 8192, binomial}, {4096, 16384, binary},
    {4096, any, binomial}, {any, 16, binomial},    {any, 32, binary},      {any, 1024, binomial},
    {any, 2048, binary},   {any, 8192, binomial},  {any, 16384, binary},   {any, any, binomial}};
}  // namespace reduce

namespace gather {
constexpr std::string_view names[] = {"linear", "binomial"};
enum Algorithm : std::uint8_t { linear, binomial };
constexpr ChoiceRule gather_rules[] = {
    {4, 4, linear},       {4, 32768, binomial}, {4, 65536, linear},    {4, 131072, binomial},
    {4, any, linear},     {8, 1024, binomial},  {8, 8192, linear},     {8, 32768, binomial},
    {8, any, linear},     {256, any, binomial}, {512, 2048, binomial}, {512, 8192, linear},
    {512, any, binomial}, {any, any, binomial}};
}  // namespace gather

namespace scatter {
constexpr std::string_view names[] = {"linear", "binomial"};
enum Algorithm : std::uint8_t { linear, binomial };
constexpr ChoiceRule scatter_rules[] = {
    {4, any, linear},  {8, 2048, binomial},   {8, 4096, linear},  {8, 8192, binomial},
    {8, any, linear},  {16, 16384, binomial}, {16, any, linear},  {32, 16384, binomial},
    {32, any, linear}, {64, 512, binomial},   {64, 8192, linear}, {64, 16384, binomial},
    {64, any, linear}, {any, 512, binomial},  {any, any, linear}};
}  // namespace scatter

namespace scan {
constexpr std::string_view names[] = {"linear"};
}  // namespace scan

namespace reduce_scatter {
constexpr std::string_view names[] = {trace::via_root, "recursive_halving", "ring", "butterfly"};
enum Algorithm : std::uint8_t { via_root, recursive_halving, ring, butterfly };
constexpr ChoiceRule reduce_scatter_rules[] = {{4, 65536, ring},
                                               {4, 131072, butterfly},
                                               {4, any, ring},
                                               {8, 8, via_root},
                                               {8, 262144, recursive_halving},
                                               {8, any, ring},
                                               {32, 262144, recursive_halving},
                                               {32, any, ring},
                                               {64, 64, via_root},
                                               {64, 2048, recursive_halving},
                                               {64, 524288, butterfly},
                                               {64, any, ring},
                                               {128, 256, via_root},
                                               {128, 512, recursive_halving},
                                               {128, 2048, butterfly},
                                               {128, 4096, recursive_halving},
                                               {128, any, butterfly},
                                               {256, 256, via_root},
                                               {256, 512, recursive_halving},
                                               {256, any, butterfly},
                                               {512, 256, via_root},
                                               {512, 1024, recursive_halving},
                                               {512, any, butterfly},
                                               {1024, 512, via_root},
                                               {1024, 2048, recursive_halving},
                                               {1024, 8192, butterfly},
                                               {1024, 16384, recursive_halving},
                                               {1024, any, butterfly},
                                               {2048, 512, via_root},
                                               {2048, 4096, recursive_halving},
                                               {2048, 16384, butterfly},
                                               {2048, 32768, recursive_halving},
                                               {2048, any, butterfly},
                                               {4096, 512, via_root},
                                               {4096, 4096, recursive_halving},
                                               {4096, any, butterfly},
                                               {any, 1024, via_root},
                                               {any, 8192, recursive_halving},
                                               {any, any, butterfly}};
constexpr ChoiceRule reduce_scatter_block_rules[] = {{4, 4, recursive_halving},
                                                     {4, 8, butterfly},
                                                     {4, 16, recursive_halving},
                                                     {4, 128, butterfly},
                                                     {4, 256, recursive_halving},
                                                     {4, 4096, butterfly},
                                                     {4, 8192, recursive_halving},
                                                     {4, 131072, butterfly},
                                                     {4, any, via_root},
                                                     {8, 32, recursive_halving},
                                                     {8, 256, butterfly},
                                                     {8, 8192, recursive_halving},
                                                     {8, 16384, butterfly},
                                                     {8, 1048576, recursive_halving},
                                                     {8, any, via_root},
                                                     {16, 4, via_root},
                                                     {16, 32, recursive_halving},
                                                     {16, 128, butterfly},
                                                     {16, 524288, recursive_halving},
                                                     {16, 4194304, via_root},
                                                     {16, any, butterfly},
                                                     {32, 32, via_root},
                                                     {32, 524288, recursive_halving},
                                                     {32, 2097152, via_root},
                                                     {32, 4194304, recursive_halving},
                                                     {32, any, butterfly},
                                                     {any, 4, recursive_halving},
                                                     {any, 16, via_root},
                                                     {any, 65536, butterfly},
                                                     {any, 262144, via_root},
                                                     {any, any, butterfly}};
}  // namespace reduce_scatter

namespace allreduce {
constexpr std::string_view names[] = {trace::via_root, "recursive_doubling", "ring",
                                      "near_halving"};
enum Algorithm : std::uint8_t { via_root, recursive_doubling, ring, near_halving };
constexpr ChoiceRule allreduce_rules[] = {{4, 8, ring},
                                          {4, 4096, recursive_doubling},
                                          {4, 8192, ring},
                                          {4, 16384, recursive_doubling},
                                          {4, 262144, ring},
                                          {4, any, near_halving},
                                          {8, 16, ring},
                                          {8, 8192, recursive_doubling},
                                          {8, any, near_halving},
                                          {16, 8192, recursive_doubling},
                                          {16, any, near_halving},
                                          {32, 64, ring},
                                          {32, 4096, recursive_doubling},
                                          {32, any, near_halving},
                                          {64, 128, ring},
                                          {64, any, near_halving},
                                          {128, 262144, recursive_doubling},
                                          {128, any, near_halving},
                                          {256, 131072, via_root},
                                          {256, 262144, recursive_doubling},
                                          {256, any, near_halving},
                                          {512, 4096, via_root},
                                          {512, any, near_halving},
                                          {2048, 2048, via_root},
                                          {2048, 16384, recursive_doubling},
                                          {2048, any, near_halving},
                                          {4096, 2048, via_root},
                                          {4096, 4096, ring},
                                          {4096, 16384, recursive_doubling},
                                          {4096, any, near_halving},
                                          {any, 2048, via_root},
                                          {any, 16384, ring},
                                          {any, 32768, recursive_doubling},
                                          {any, any, near_halving}};
}  // namespace allreduce

namespace allgather {
constexpr std::string_view names[] = {trace::via_root, "bruck", "recursive_doubling", "ring",
                                      "neighbor_exchange"};
enum Algorithm : std::uint8_t { via_root, bruck, recursive_doubling, ring, neighbor_exchange };
constexpr ChoiceRule allgather_rules[] = {{3, any, ring},
                                          {32, any, recursive_doubling},
                                          {64, 1024, recursive_doubling},
                                          {64, 65536, neighbor_exchange},
                                          {64, any, ring},
                                          {128, 512, recursive_doubling},
                                          {128, 65536, neighbor_exchange},
                                          {128, any, ring},
                                          {256, 512, recursive_doubling},
                                          {256, 131072, neighbor_exchange},
                                          {256, 524288, ring},
                                          {256, 1048576, neighbor_exchange},
                                          {256, any, ring},
                                          {512, 32, recursive_doubling},
                                          {512, 128, bruck},
                                          {512, 1024, recursive_doubling},
                                          {512, 131072, neighbor_exchange},
                                          {512, 524288, ring},
                                          {512, 1048576, neighbor_exchange},
                                          {512, any, ring},
                                          {1024, 64, recursive_doubling},
                                          {1024, 256, bruck},
                                          {1024, 2048, recursive_doubling},
                                          {1024, any, neighbor_exchange},
                                          {2048, 4, recursive_doubling},
                                          {2048, 8, bruck},
                                          {2048, 16, recursive_doubling},
                                          {2048, 32, bruck},
                                          {2048, 256, recursive_doubling},
                                          {2048, 512, bruck},
                                          {2048, 4096, recursive_doubling},
                                          {2048, any, neighbor_exchange},
                                          {4096, 32, bruck},
                                          {4096, 128, recursive_doubling},
                                          {4096, 512, bruck},
                                          {4096, 4096, recursive_doubling},
                                          {4096, any, neighbor_exchange},
                                          {any, 2, recursive_doubling},
                                          {any, 8, bruck},
                                          {any, 16, recursive_doubling},
                                          {any, 512, bruck},
                                          {any, 4096, recursive_doubling},
                                          {any, any, neighbor_exchange}};
constexpr ChoiceRule allgatherv_rules[] = {{3, any, ring},
                                           {8, 256, via_root},
                                           {8, 4096, neighbor_exchange},
                                           {8, 8192, ring},
                                           {8, 16384, neighbor_exchange},
                                           {8, 262144, bruck},
                                           {8, any, neighbor_exchange},
                                           {16, 1024, via_root},
                                           {16, any, bruck},
                                           {32, 128, via_root},
                                           {32, 262144, bruck},
                                           {32, any, ring},
                                           {64, 256, via_root},
                                           {64, 8192, bruck},
                                           {64, any, ring},
                                           {128, 256, via_root},
                                           {128, 4096, bruck},
                                           {128, any, ring},
                                           {256, 1024, bruck},
                                           {256, 65536, neighbor_exchange},
                                           {256, any, ring},
                                           {512, 1024, bruck},
                                           {512, any, ring},
                                           {1024, 512, bruck},
                                           {1024, 1024, via_root},
                                           {1024, 4096, bruck},
                                           {1024, 1048576, neighbor_exchange},
                                           {1024, any, ring},
                                           {any, 4096, bruck},
                                           {any, any, neighbor_exchange}};
}  // namespace allgather

namespace alltoall {
constexpr std::string_view names[] = {"burst", "ring", "bruck"};
enum Algorithm : std::uint8_t { burst, ring, bruck };
constexpr ChoiceRule alltoall_rules[] = {
    {3, 32768, ring},     {3, 262144, burst},   {3, any, ring},        {8, 524288, burst},
    {8, 1048576, ring},   {8, any, burst},      {16, any, burst},      {32, 4, burst},
    {32, 512, bruck},     {32, any, burst},     {64, 512, bruck},      {64, any, burst},
    {128, 1024, bruck},   {128, 262144, burst}, {128, any, ring},      {256, 1024, bruck},
    {256, 262144, burst}, {256, any, ring},     {512, 1024, bruck},    {512, 32768, burst},
    {512, any, ring},     {1024, 512, bruck},   {1024, 262144, burst}, {1024, any, ring},
    {2048, 512, bruck},   {2048, any, burst},   {4096, 1024, bruck},   {4096, any, burst},
    {any, 2048, bruck},   {any, any, burst}};
constexpr ChoiceRule alltoallv_rules[] = {{4, any, ring},    {64, any, burst},  {128, any, ring},
                                          {256, any, burst}, {1024, any, ring}, {any, any, burst}};
}  // namespace alltoall

namespace neighbor {
constexpr std::string_view names[] = {"burst"};
}  // namespace neighbor

/// The part of the bytes that rules compare.
enum class Compared : std::uint8_t { given, per_rank };

struct CallRules {
    Call call;
    std::span<const ChoiceRule> rules;
    Compared compared = Compared::given;
};

constexpr CallRules rules_of_calls[] = {
    {Call::barrier, barrier::barrier_rules},
    {Call::bcast, bcast::bcast_rules},
    {Call::reduce, reduce::reduce_rules},
    {Call::gather, gather::gather_rules},
    {Call::scatter, scatter::scatter_rules},
    {Call::reduce_scatter, reduce_scatter::reduce_scatter_rules},
    {Call::reduce_scatter_block, reduce_scatter::reduce_scatter_block_rules, Compared::per_rank},
    {Call::allreduce, allreduce::allreduce_rules},
    {Call::allgather, allgather::allgather_rules, Compared::per_rank},
    {Call::allgatherv, allgather::allgatherv_rules, Compared::per_rank},
    {Call::alltoall, alltoall::alltoall_rules},
    {Call::alltoallv, alltoall::alltoallv_rules}};

/// The bytes of an element, which a trace does not hold.
constexpr Bytes element = 8;

/// Returns the algorithm that Open MPI takes in place of another for vectors with fewer elements
/// than ranks.
[[nodiscard]] std::size_t for_few_elements(Call call, std::size_t algorithm) noexcept {
    if (call == Call::allreduce && algorithm == allreduce::ring)
        return allreduce::recursive_doubling;
    if (call == Call::bcast && algorithm == bcast::scatter_doubling) return bcast::linear;
    return algorithm;
}

}  // namespace

constexpr OperationRow openmpi_table[] = {{"barrier", barrier::names},
                                          {"bcast", bcast::names},
                                          {"reduce", reduce::names},
                                          {"gather", gather::names},
                                          {"scatter", scatter::names},
                                          {"scan", scan::names},
                                          {"reduce_scatter", reduce_scatter::names},
                                          {"allreduce", allreduce::names},
                                          {"allgather", allgather::names},
                                          {"alltoallv", alltoall::names},
                                          {"neighbor", neighbor::names}};

std::span<const OperationRow> openmpi_rows() noexcept {
    return openmpi_table;
}

std::size_t openmpi_choice(Call call, Rank ranks, Bytes bytes) noexcept {
    const auto row = std::ranges::find(rules_of_calls, call, &CallRules::call);
    if (row == std::end(rules_of_calls)) return 0;
    const Bytes compared = row->compared == Compared::per_rank ? bytes / ranks : bytes;
    for (const ChoiceRule& rule : row->rules) {
        if (ranks >= rule.ranks || compared >= rule.bytes) continue;
        const bool has_few_elements = bytes / element < ranks;
        return has_few_elements ? for_few_elements(call, rule.algorithm) : rule.algorithm;
    }
    return 0;
}

}  // namespace tradewind::trace
