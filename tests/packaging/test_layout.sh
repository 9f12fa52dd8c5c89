#!/usr/bin/env bash
# The layout of the source and of the tests: every #include is one that the tables in CONTRIBUTING.md allow, every folder of src/ is in the table,
# and each row of the table allows only rows above it. Usage: LF_SOURCE_DIR=… test_layout.sh
set -u

source=${LF_SOURCE_DIR:?name the folder of the sources in LF_SOURCE_DIR}
. "$(dirname "$0")/../support/support.sh"

# "FOLDER ALLOWED…" for each row of the table whose first cell is a folder of src/.
rows() {
    sed -n 's#^| `src/\([a-z]*\)/` |[^|]*| \(.*\) |$#\1 \2#p' "$1" | tr -d ',–'
}
# allowed TABLE FOLDER: the folder and those that its row allows.
allowed() { sed -n "s/^$2\b/$2/p" "$1"; }
# outside FOLDERS NAME FILE…: the #includes of private headers of other folders than these, as "NAME/FILE includes …".
outside() {
    local folders=" $1 " name=$2 file included
    shift 2
    for file; do
        while read -r included; do
            case $folders in
            *" ${included%%/*} "*) ;;
            *) echo "$name/$(basename "$file") includes $included" ;;
            esac
        done < <(sed -n 's#^ *\# *include "\([a-z_]*/[a-z0-9_./]*\)".*#\1#p' "$file")
    done
}
# violations TABLE SRC: the #includes of SRC that the rows do not allow, and folders that the rows do not name.
violations() {
    local folder
    for folder in "$2"/*/; do
        folder=$(basename "$folder")
        grep -q "^$folder\b" "$1" || echo "src/$folder/ is not in the table"
        outside "$(allowed "$1" "$folder")" "src/$folder" "$2/$folder"/*.[ch]
    done
}
# levels TABLE TESTS: the #includes of C tests that their level does not have, and files that are on none.
levels() {
    local folder engines
    engines=$(sed '/^predict\b/,$d; s/ .*//' "$1" | tr '\n' ' ')
    for folder in "$2"/unit/*/; do
        folder=$(basename "$folder")
        grep -q "^$folder\b" "$1" || echo "tests/unit/$folder/ tests no folder of src/"
        outside "$(allowed "$1" "$folder")" "tests/unit/$folder" "$2/unit/$folder"/*.c
    done
    outside "$engines" tests/engines "$2"/engines/*.c
    outside '' tests/api "$2"/api/*.c
    outside '' tests/recovery "$2"/recovery/*.c
    (cd "$2" && find . -name 'test_*' -type f) | grep -vE '^\./(unit/[a-z]+|engines|device|parallel|api|recovery|program|hostile|docs|packaging)/test_[a-z0-9_]+\.(c|sh)$' |
        sed 's#^\.#tests#; s#$# is in the folder of no level#'
}
# A row may allow only folders whose rows stand above it.
upward() {
    awk '{ for (i = 2; i <= NF; i++) if (!($i in seen)) { print $1 " may include " $i ", which is not above it"; bad = 1 } seen[$1] = 1 } END { exit bad }' "$1"
}
# sizes FILE…: functions of more than 80 lines, and those with more than 8 parameters but what is called as BLAS, LAPACK and L-BFGS-B define it.
sizes() {
    awk '
        function count(list, i, c, depth, n) {
            for (i = 1; i <= length(list); i++) {
                c = substr(list, i, 1)
                depth += (c == "(") - (c == ")")
                n += c == "," && depth == 1
            }
            return n + 1
        }
        function end_of_head(name) {
            name = head
            sub(/\(.*/, "", name)
            sub(/.*[ *]/, "", name)
            if (head ~ /^[a-z][^=]*\(/ && head !~ /^typedef/ && name !~ /^((lf_cuda_)?(gemm|syrk|trsm)|descinit_|pdtrsm_|setulb_|process_segment|lf_kalman_smooth)$/ && count(head) > 8)
                print FILENAME ": " name " has " count(head) " parameters"
            head = ""
        }
        FNR == 1 { head = ""; begin = 0 }
        /^[a-z]/ { head = "" }
        /^[a-z]/ || head != "" { head = head $0 }
        head ~ /;$/ { end_of_head() }
        $0 == "{" { head = substr(head, 1, length(head) - 1); end_of_head(); begin = FNR }
        $0 == "}" && begin {
            if (FNR - begin + 1 > 80) print FILENAME ": " FNR - begin + 1 " lines from line " begin
            begin = 0
        }' "$@"
}
not() { ! "$@"; }
nothing() { [ -z "$1" ] || { echo "$1"; false; }; }

rows "$source/CONTRIBUTING.md" >table.txt
check 'the table has rows' [ "$(wc -l <table.txt)" -ge 10 ]
check 'rows allow only rows above them' upward table.txt
check 'every #include is allowed' nothing "$(violations table.txt "$source/src")"
check 'every test includes what its level may' nothing "$(levels table.txt "$source/tests")"
own=$(cd "$source/cli" && echo */ | tr -d / | tr ' ' '|')
private=$(grep -hoE '#include "[a-z_]+/[^"]*"' "$source"/cli/{*,*/*}.[ch] | sort -u |
    grep -vxE "#include \"(base/(nearest|output_file|plural|processes)\.h|($own)/[a-z_]+\.h)\"")
check 'the program includes no other private header' nothing "$private"
public=$(grep -hoE '#include "[^"]*"' "$source"/include/latentforce.h)
check 'the public header includes nothing of the project' nothing "$public"
mpi=$(grep -rlE 'mpi\.h|\bMPI_[A-Z]' "$source"/{src,cli,include/latentforce.h} --include='*.[ch]')
check 'nothing but mpi/ uses MPI' nothing "$mpi"
private=$(grep -hoE '#include "[^"]*"' "$source"/mpi/*.[ch] "$source"/include/latentforce_mpi.h | sort -u |
    grep -vxE '#include "(block_cyclic|latentforce|latentforce_mpi|latentforce_processes|message|program|node_threads)\.h"')
check 'mpi/ includes what its row in the table allows' nothing "$private"
named=$(grep -rnE 'lf_operator_(gaussian|ode1|ode2|ode)\b|"(gaussian|ode1|ode2|ode)"' "$source"/src/{engine,dense,lowrank,fourier,inducing,kalman,engines.c})
check 'no engine tests for an operator by name' nothing "$named"
named=$(grep -rnE '#include "(kalman|dense|lowrank|fourier|inducing)/|"(kalman|dense|lowrank|fourier|dtc|variational|fitc|pitc)"' --include='*.[ch]' "$source/src" |
    grep -vE '/src/((kalman|dense|lowrank|fourier|inducing|options)/|engines\.c)')
check 'no engine is named outside its folder, the table of engines and the options' nothing "$named"
check 'functions have at most 80 lines and 8 parameters' nothing "$(sizes "$source"/{src/*,cli,cli/*,mpi}/*.[ch])"
check 'steps that follow each other are written with LF_TRY' nothing "$(grep -rn 'status = status ? status :' --include='*.[ch]' "$source/src")"
check 'src/fit/ has at most 15 files' [ "$(ls "$source/src/fit" | wc -l)" -le 15 ]
functions() { awk -v name="$2" '/^typedef struct/ { n = 0 } { n += gsub(/\(\*[a-z_]+\)\(/, "") } $0 == "} " name ";" { print n }' "$1"; }
for class in engine posterior; do
    count=$(functions "$source/src/engine/${class/posterior/posterior_class}.h" "lf_${class}_class")
    check "lf_${class}_class has at most 14 functions, found $count" [ "$count" -ge 5 -a "$count" -le 14 ]
done
marks=$(grep -rnE '^(<{7}|>{7}) ' --include='*.md' --include='*.[ch]' --include='*.py' --include='*.txt' --include='*.sh' "$source"/{*.md,*.txt,cli,docs,include,python,src,tests})
check 'no marks of a merge are left' nothing "$marks"
critical=$(grep -rn 'omp critical' "$source/src")
check 'no lock is shared by contexts' nothing "$critical"

# The checks themselves: they must find what is wrong.
mkdir -p bad/base bad/model bad/extra
echo '#include "model/model.h"' >bad/base/memory.c
echo '#include "base/memory.h"' >bad/model/model.c
touch bad/extra/file.c
printf 'base\nmodel base\n' >small.txt
check 'an #include that is not allowed is found' equal "$(violations small.txt bad | sort)" \
    "$(printf 'src/base/memory.c includes model/model.h\nsrc/extra/ is not in the table')"
mkdir -p tests/unit/base tests/engines tests/api tests/recovery
echo '#include "model/model.h"' | tee tests/unit/base/test_memory.c tests/engines/test_model.c >tests/api/test_model.c
echo '#include "base/memory.h"' >tests/recovery/test_fits.c
touch tests/test_nowhere.c
check 'a test above its level is found' equal "$(levels small.txt tests | sort)" "$(printf '%s\n' 'tests/api/test_model.c includes model/model.h' \
    'tests/recovery/test_fits.c includes base/memory.h' 'tests/test_nowhere.c is in the folder of no level' 'tests/unit/base/test_memory.c includes model/model.h')"
{ printf 'void many(int a, int b, int c,\n    int d, int e, int f, int g, int h, int i)\n{\n'; yes 'a();' | head -79; echo '}'; } >bad/extra/file.c
check 'a long function with many parameters is found' equal "$(sizes bad/extra/file.c)" \
    "$(printf '%s\n' 'bad/extra/file.c: many has 9 parameters' 'bad/extra/file.c: 81 lines from line 3')"
printf 'base model\nmodel base\n' >cycle.txt
check 'a cycle is found' not upward cycle.txt
finish
