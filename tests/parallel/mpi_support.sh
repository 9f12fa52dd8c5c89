# What the tests of latentforce-mpi share; to be sourced. LATENTFORCE is the program, LATENTFORCE_MPI the one for several processes.
for needed in "${LATENTFORCE_MPI:-}" mpirun python3; do
    if ! command -v "${needed:-latentforce-mpi}" >/dev/null; then
        echo "skipped: there is no ${needed:-latentforce-mpi}; where MPI is installed (libopenmpi-dev, openmpi-bin) the build makes it"
        exit 77
    fi
done
# shellcheck source=tests/support/support.sh
. "$(dirname "${BASH_SOURCE[0]}")/../support/support.sh"
support=$LF_SOURCE_DIR/tests/support
export OMP_NUM_THREADS=1
# MPI leaks memory of its own; what the library leaks is found by the tests of one process.
export ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}

# Words of Open MPI; other implementations start more processes than cores without them, and as root.
launcher=(mpirun)
if mpirun --version 2>/dev/null | grep -qE 'Open MPI|OpenRTE'; then
    launcher+=(--oversubscribe --bind-to none --mca btl_base_warn_component_unused 0)
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
fi

# processes R ARGUMENT…: latentforce-mpi on R processes, with an empty standard input.
processes() {
    local count=$1
    shift
    "${launcher[@]}" -n "$count" "$LATENTFORCE_MPI" "$@" </dev/null
}
# of COUNT…: numbers of processes to try, the last two unless all are asked for.
of() { check_all || shift $(($# > 2 ? $# - 2 : 0)); echo "$@"; }
# same TOLERANCE EXPECTED FOUND [KEY…]
same() { python3 "$support/compare_results.py" "$@"; }
