# Finds the libraries that latentforce links: pkg-config where a module exists, a plain search otherwise.
#
# Leaves LF_LIBRARIES, the targets in link order, and LF_PC_LIBS, the same as linker flags for latentforce.pc. OpenBLAS
# stands before LAPACKE, so that LAPACKE's calls of dpotrf_ and its like reach OpenBLAS's own versions.

include(CheckSymbolExists)
find_package(PkgConfig QUIET)

set(LF_LIBRARIES)
set(LF_PC_LIBS)
set(LF_MISSING)

# Adds one library to LF_LIBRARIES; a failed search adds its name to LF_MISSING.
macro(lf_find module header library)
    if(PkgConfig_FOUND)
        pkg_check_modules(LF_${module} QUIET IMPORTED_TARGET ${module})
    endif()
    if(TARGET PkgConfig::LF_${module})
        list(APPEND LF_LIBRARIES PkgConfig::LF_${module})
        list(APPEND LF_PC_LIBS ${LF_${module}_LDFLAGS})
    else()
        find_path(LF_${module}_INCLUDE ${header})
        find_library(LF_${module}_LIBRARY ${library})
        mark_as_advanced(LF_${module}_INCLUDE LF_${module}_LIBRARY)
        if(LF_${module}_INCLUDE AND LF_${module}_LIBRARY)
            add_library(lf_${module} UNKNOWN IMPORTED)
            set_target_properties(lf_${module} PROPERTIES IMPORTED_LOCATION ${LF_${module}_LIBRARY}
                INTERFACE_INCLUDE_DIRECTORIES ${LF_${module}_INCLUDE})
            list(APPEND LF_LIBRARIES lf_${module})
            list(APPEND LF_PC_LIBS ${LF_${module}_LIBRARY})
        else()
            list(APPEND LF_MISSING "${module} (${header})")
        endif()
    endif()
endmacro()

# Adds a library unless what was found so far already has its symbol: some builds of OpenBLAS contain LAPACKE.
macro(lf_find_unless symbol module header library)
    set(CMAKE_REQUIRED_LIBRARIES ${LF_LIBRARIES})
    check_symbol_exists(${symbol} ${header} LF_HAVE_${symbol})
    if(NOT LF_HAVE_${symbol})
        lf_find(${module} ${header} ${library})
    endif()
    unset(CMAKE_REQUIRED_LIBRARIES)
endmacro()

# Stops with the names of all that is missing, and forgets the answers that installing it would change.
macro(lf_stop_if_missing)
    if(LF_MISSING)
        unset(LF_HAVE_cblas_dgemm CACHE)
        unset(LF_HAVE_LAPACKE_dpotrf CACHE)
        list(JOIN LF_MISSING ", " missing)
        message(FATAL_ERROR "Not found: ${missing}.\nInstall what is missing with: scripts/install-deps")
    endif()
endmacro()

lf_find(openblas cblas.h openblas)
if(LF_MISSING)
    find_package(LAPACK QUIET)
    if(LAPACK_FOUND)
        set(LF_MISSING)
        set(LF_LIBRARIES LAPACK::LAPACK)
        set(LF_PC_LIBS ${LAPACK_LINKER_FLAGS} ${LAPACK_LIBRARIES} ${BLAS_LIBRARIES})
    endif()
endif()
lf_find_unless(cblas_dgemm cblas cblas.h cblas)
lf_find_unless(LAPACKE_dpotrf lapacke lapacke.h lapacke)
lf_find(libcerf cerf.h cerf)
lf_find(jansson jansson.h jansson)
lf_find(zlib zlib.h z)

# L-BFGS-B is a Fortran library without a header.
find_library(LF_LBFGSB lbfgsb)
mark_as_advanced(LF_LBFGSB)
if(LF_LBFGSB)
    list(APPEND LF_LIBRARIES ${LF_LBFGSB})
    list(APPEND LF_PC_LIBS -llbfgsb)
else()
    list(APPEND LF_MISSING "lbfgsb")
endif()

find_package(OpenMP QUIET COMPONENTS C)
if(NOT OpenMP_C_FOUND)
    list(APPEND LF_MISSING "OpenMP for ${CMAKE_C_COMPILER} (gcc has it; clang needs libomp-dev)")
endif()
lf_stop_if_missing()

list(APPEND LF_LIBRARIES OpenMP::OpenMP_C m)
list(APPEND LF_PC_LIBS ${OpenMP_C_FLAGS} -lm)
list(REMOVE_DUPLICATES LF_PC_LIBS)
list(JOIN LF_PC_LIBS " " LF_PC_LIBS)
