# Read by CTest when it begins. Two threads, so that threaded code is tested as such, unless the caller has chosen a number; they sleep while
# they wait: on a busy machine spinning threads keep each other from running. Most tests use one of them most of the time.
if(NOT DEFINED ENV{OMP_NUM_THREADS})
    set(ENV{OMP_NUM_THREADS} 2)
endif()
set(ENV{OMP_WAIT_POLICY} passive)
