# find_package(latentforce_mpi): the target latentforce::latentforce_mpi, with what it needs.
include(CMakeFindDependencyMacro)
find_dependency(latentforce ${latentforce_mpi_VERSION} PATHS ${CMAKE_CURRENT_LIST_DIR}/../latentforce NO_DEFAULT_PATH)
find_dependency(MPI COMPONENTS C)
include(${CMAKE_CURRENT_LIST_DIR}/latentforce_mpiTargets.cmake)
