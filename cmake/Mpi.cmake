# liblatentforce_mpi and the program latentforce-mpi, where there is MPI. The library and the program without it do not change.
# Leaves LF_HAVE_MPI, LF_SCALAPACK and LF_MPI_LIBRARIES.

set(LF_HAVE_MPI OFF)
if(NOT LF_MPI)
    message(STATUS "latentforce-mpi is left out: LF_MPI is off")
    return()
endif()
find_package(MPI QUIET COMPONENTS C)
if(NOT MPI_C_FOUND)
    message(STATUS "latentforce-mpi is left out: MPI was not found (scripts/install-deps mpi)")
    return()
endif()
set(LF_HAVE_MPI ON)
message(STATUS "latentforce-mpi is built with MPI ${MPI_C_VERSION}: ${MPI_C_LIBRARIES}")

# ---- the library ----------------------------------------------------------------------------------------------------

# ScaLAPACK spreads the matrices of exact models. Its library belongs to one implementation of MPI.
find_library(LF_SCALAPACK NAMES scalapack-openmpi scalapack DOC "ScaLAPACK, for exact models over several processes")
mark_as_advanced(LF_SCALAPACK)
if(LF_SCALAPACK)
    message(STATUS "Matrices are spread over processes by ScaLAPACK: ${LF_SCALAPACK}")
    set(block_cyclic mpi/block_cyclic.c)
    set(scalapack ${LF_SCALAPACK})
else()
    message(STATUS "Matrices are not spread over processes: ScaLAPACK was not found (Debian: libscalapack-openmpi-dev)")
    set(block_cyclic mpi/no_block_cyclic.c)
    set(scalapack)
endif()
set(LF_MPI_LIBRARIES MPI::MPI_C ${scalapack}) # what a program with these objects links
add_library(latentforce_mpi_objects OBJECT mpi/communicator.c ${block_cyclic})
target_include_directories(latentforce_mpi_objects PRIVATE include)
target_link_libraries(latentforce_mpi_objects PRIVATE lf_flags MPI::MPI_C)
add_library(latentforce_mpi SHARED $<TARGET_OBJECTS:latentforce_mpi_objects>)
add_library(latentforce_mpi_static STATIC $<TARGET_OBJECTS:latentforce_mpi_objects>)
foreach(target latentforce_mpi latentforce_mpi_static)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME latentforce_mpi LINKER_LANGUAGE C
        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
endforeach()
target_link_libraries(latentforce_mpi PUBLIC latentforce MPI::MPI_C PRIVATE ${scalapack})
set_target_properties(latentforce_mpi PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH_USE_LINK_PATH ON INSTALL_RPATH "$ORIGIN")

# ---- the program ----------------------------------------------------------------------------------------------------

add_executable(latentforce_mpi_program mpi/main.c mpi/node_threads.c
    $<TARGET_OBJECTS:latentforce_mpi_objects> $<TARGET_OBJECTS:latentforce_commands>)
set_target_properties(latentforce_mpi_program PROPERTIES OUTPUT_NAME latentforce-mpi
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH_USE_LINK_PATH ON)
target_include_directories(latentforce_mpi_program PRIVATE cli)
target_link_libraries(latentforce_mpi_program PRIVATE lf_flags latentforce_internal ${LF_MPI_LIBRARIES})

# ---- install --------------------------------------------------------------------------------------------------------

# A package of its own: who uses latentforce alone needs no MPI.
list(TRANSFORM MPI_C_INCLUDE_DIRS PREPEND -I OUTPUT_VARIABLE LF_PC_MPI_CFLAGS)
list(JOIN LF_PC_MPI_CFLAGS " " LF_PC_MPI_CFLAGS)
list(JOIN MPI_C_LIBRARIES " " LF_PC_MPI_LIBS)
set(LF_PC_MPI_PRIVATE ${scalapack})
file(RELATIVE_PATH LF_PREFIX_FROM_PC ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" LF_PREFIX_FROM_PC "${LF_PREFIX_FROM_PC}")
configure_file(cmake/latentforce_mpi.pc.in latentforce_mpi.pc @ONLY)
set(mpi_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/latentforce_mpi)
write_basic_package_version_file(latentforce_mpiConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(TARGETS latentforce_mpi EXPORT latentforce_mpi)
install(TARGETS latentforce_mpi_static latentforce_mpi_program)
install(FILES include/latentforce_mpi.h TYPE INCLUDE)
install(FILES mpi/latentforce-mpi.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_BINARY_DIR}/latentforce_mpi.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(EXPORT latentforce_mpi DESTINATION ${mpi_package_dir} NAMESPACE latentforce:: FILE latentforce_mpiTargets.cmake)
install(FILES cmake/latentforce_mpiConfig.cmake ${PROJECT_BINARY_DIR}/latentforce_mpiConfigVersion.cmake
    DESTINATION ${mpi_package_dir})
