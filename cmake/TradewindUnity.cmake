# tradewind_unity(TARGET): compiles several sources of a library as one, which takes half the time for all of them, and
# longer after a change of one.
option(TRADEWIND_UNITY "Compile several sources at a time: faster once, slower after each change" ON)

# Each of these defines a name that another source of its library defines, too, in its unnamed namespace, or is made
# fast by hand. They are always compiled by themselves. A `redefinition` in `make wheel` asks for another line.
set(tradewind_compiled_alone
    comm/allreduce/hierarchical.cpp
    comm/allreduce/ring.cpp
    comm/allreduce/ringpipe.cpp
    comm/alltoallv/bruck/logtrans.cpp
    comm/alltoallv/catalogue.cpp
    comm/alltoallv/swtrans.cpp
    comm/barrier/tree.cpp
    comm/bcast/scatter_allgather.cpp
    comm/mesh/mesh_exchange.cpp
    comm/protocol/exchange.cpp
    comm/protocol/put_channel.cpp
    comm/reduce/rabenseifner.cpp
    comm/reduce_scatter/pairwise.cpp
    comm/reduce_scatter/recursive_halving.cpp
    comm/scan/linear.cpp
    comm/scan/recursive_doubling.cpp
    measure/mesh.cpp
    measure/neighbor.cpp
    measure/pingpong.cpp
    measure/swap.cpp
    models/fvwam/forcing/wind_file.cpp
    models/fvwam/plan.cpp
    models/fvwam/points.cpp
    models/fvwam/propagation_kernels.cpp
    models/fvwam/snapshot.cpp
    models/fvwam/sources/air_flow.cpp
    models/fvwam/sources/breaking.cpp
    models/fvwam/sources/dia_kernels.cpp
    models/fvwam/sources/wave_stress.cpp
    models/fvwam/spectrum.cpp
    models/homme/dg/dg_kernels.cpp
    models/homme/dg/dg_shallow_water.cpp
    models/homme/se/se_kernels.cpp
    models/homme/se/se_shallow_water.cpp
    models/homme/snapshot.cpp
    models/pstswm/memory.cpp
    models/pstswm/parallel/dfft.cpp
    models/pstswm/parallel/exchange.cpp
    models/williamson/case3.cpp
    models/williamson/case4.cpp
    models/williamson/case5.cpp
    models/williamson/case6.cpp
    mpi/graph.cpp
    mpi/puts/puts.cpp
    mpi/watchdog/watchdog.cpp
    sim/network/packet_network.cpp
    sim/topology/catalogue.cpp
    sim/topology/dragonfly_canonical.cpp
    sim/topology/torus.cpp
    sim/topology/xgft.cpp
    skeleton/gcr_entry.cpp
    skeleton/graph_entry.cpp
    skeleton/halo_entry.cpp
    skeleton/phases.cpp
    skeleton/read_plan.cpp
    skeleton/time_step/time_step_entries.cpp
    skeleton/transposition_entry.cpp)

function(tradewind_unity target)
    if(TRADEWIND_UNITY)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
        list(TRANSFORM tradewind_compiled_alone PREPEND "${PROJECT_SOURCE_DIR}/src/tradewind/" OUTPUT_VARIABLE alone)
        set_source_files_properties(${alone} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
endfunction()
