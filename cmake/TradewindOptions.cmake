# What every target is compiled with: the interface library tradewind_options.
find_package(Threads REQUIRED)

add_library(tradewind_options INTERFACE)
target_compile_features(tradewind_options INTERFACE cxx_std_20)
target_include_directories(tradewind_options INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>")
target_link_libraries(tradewind_options INTERFACE Threads::Threads)

# Results must not depend on the processor: without contraction, -march=native gives the same bits.
target_compile_options(tradewind_options INTERFACE $<BUILD_INTERFACE:-ffp-contract=off>)
# clang before 19 needs to be told about sized deallocation, which coroutine frames use.
target_compile_options(tradewind_options INTERFACE $<$<CXX_COMPILER_ID:Clang>:-fsized-deallocation>)
# Nothing is exported from the Python module, so that functions may be inlined and called directly.
target_compile_options(tradewind_options INTERFACE
                       "$<BUILD_INTERFACE:-fvisibility=hidden;-fvisibility-inlines-hidden>")
if(TRADEWIND_NATIVE)
    target_compile_options(tradewind_options INTERFACE $<BUILD_INTERFACE:-march=native>)
endif()

if(TRADEWIND_SANITIZE)
    target_compile_options(tradewind_options INTERFACE -fsanitize=${TRADEWIND_SANITIZE}
                           -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(tradewind_options INTERFACE -fsanitize=${TRADEWIND_SANITIZE})
endif()

add_library(tradewind_warnings INTERFACE)
# -Wrestrict of g++ 12 reports code of its own library. In a unit of several sources a name of one may be that of
# another, and a type of an unnamed namespace is not in the main file.
target_compile_options(tradewind_warnings INTERFACE -Wall -Wextra
                       $<$<NOT:$<BOOL:${TRADEWIND_UNITY}>>:-Wshadow>
                       $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<BOOL:${TRADEWIND_UNITY}>>:-Wno-subobject-linkage>
                       $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
                       $<$<BOOL:${TRADEWIND_WERROR}>:-Werror>)
