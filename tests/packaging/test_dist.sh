#!/usr/bin/env bash
# The source archive: the same bytes from another clone, with another umask, time zone, language and configuration of git; sorted
# names, fixed owners and times; it builds without git. Outside of a git checkout this is skipped (exit status 77).
set -u

. "$(dirname "$0")/../support/support.sh"
source=${LF_SOURCE_DIR:?}
if ! command -v git >/dev/null || ! git -C "$source" rev-parse HEAD >/dev/null 2>&1 || [ ! -e "$source/.git" ]; then
    echo "SKIPPED: $source is no git checkout"
    exit 77
fi
version=$(git -C "$source" show HEAD:include/latentforce.h | sed -n 's/^#define LF_VERSION "\(.*\)"/\1/p')
archive=latentforce-$version.tar.gz

# ---- the same bytes ----
unset SOURCE_DATE_EPOCH
check 'an archive' "$source/scripts/dist" one
mkdir home "another folder"
git config --file home/.gitconfig core.autocrlf true
git config --file home/.gitconfig tar.umask 0077
check 'a clone' git clone --quiet --no-hardlinks "$source" "another folder/clone"
git -C "another folder/clone" checkout --quiet "$(git -C "$source" rev-parse HEAD)"
cp "$source/scripts/dist" "another folder/clone/scripts/dist"
(
    umask 077
    export HOME=$PWD/home TZ=Asia/Tokyo LC_ALL=de_DE.UTF-8 LANG=de_DE.UTF-8
    chmod -R go= "another folder/clone"
    "another folder/clone/scripts/dist" two
) >two.txt 2>&1 || cat two.txt
check 'the same bytes elsewhere' cmp "one/$archive" "two/$archive"
time=$(git -C "$source" log -1 --format=%ct)
tar -tvzf "one/$archive" --full-time --utc --numeric-owner >list.txt
check 'owners, times and permissions are fixed' awk -v time="$(date -u -d "@$time" '+%Y-%m-%d %H:%M:%S')" '
    $2 != "0/0" || $4 " " $5 != time || $1 !~ /^(drwxr-xr-x|-rwxr-xr-x|-rw-r--r--)$/ { print; bad = 1 } END { exit bad || NR < 500 }' list.txt
tar -tzf "one/$archive" | sed 's,/$,,' >names.txt
check 'every file of the commit is there' diff <(git -C "$source" -c core.quotePath=off ls-tree -r --name-only HEAD | LC_ALL=C sort) \
    <(grep -vxFf <(tar -tzf "one/$archive" | sed -n 's,/$,,p') names.txt | sed "s,^latentforce-$version/,," | LC_ALL=C sort)
SOURCE_DATE_EPOCH=86400 "$source/scripts/dist" three >/dev/null 2>&1
check 'SOURCE_DATE_EPOCH is the time' bash -c "tar -tvzf 'three/$archive' --full-time --utc | head -1 | grep -q '1970-01-02 00:00:00'"
check 'no other file is left behind' equal "$(ls -A one two three | tr -d '\n')" "one:$archive""three:$archive""two:$archive"

# ---- unpacked ----
tar -xzf "one/$archive"
cd "latentforce-$version" || exit 1
scripts/dist ../none >../none.txt 2>&1
check 'without git it says what is needed' bash -c '[ ! -e ../none/*.gz ] && grep -q "git checkout" ../none.txt'
check_all || finish # what is built from it takes longest
# Not optimised, to be fast. CTest may run this beside other tests.
check 'it configures' cmake -G Ninja -S . -B out -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 -DCMAKE_C_COMPILER="${CC:-cc}"
check 'it builds' cmake --build out -j2 --target latentforce_program
check 'it is this version' grep -qF "$version" <(out/latentforce --version)
cat >model.json <<'END'
{"format": "latentforce-model", "version": 1, "forces": [{"kernel": "eq", "lengthscale": 1}], "outputs": [{"name": "a", "operator":
 {"type": "ode1", "decay": 1}, "sensitivity": [1], "noise_variance": 0.1}]}
END
check 'it works' equal "$(printf 'output,x\na,0\na,0.5\na,1\n' | out/latentforce covariance model.json --at - --quiet | wc -l)" 3
finish
