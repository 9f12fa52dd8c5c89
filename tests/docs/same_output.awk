# Is the second file what the first shows? Lines are compared word by word: numbers may differ by the share `within`, rulers of
# tables in length; percentages differ by at most 1.5, so that 93 % for 97 % is found. A line "…" stands for any lines, an "…" at the end of a line for the rest of it. Where nothing is shown,
# nothing may be printed. Exit status 1 and the first line that differs otherwise.
function distance(a, b, d, s) {
    d = a - b; s = (a < 0 ? -a : a) > (b < 0 ? -b : b) ? a : b
    return s == 0 ? 0 : (d < 0 ? -d : d) / (s < 0 ? -s : s)
}
function same_word(a, b) {
    if (a == b || a ~ /^--+$/ && b ~ /^--+$/) return 1
    return a ~ number && b ~ number && distance(a + 0, b + 0) <= within
}
function same_line(left, right, a, b, m, k, i) {
    gsub(/^[ \t\r]+|[ \t\r]+$/, "", left)
    gsub(/^[ \t\r]+|[ \t\r]+$/, "", right)
    m = split(left, a, /[ \t,()]+/)
    k = split(right, b, /[ \t,()]+/)
    for (i = 1; i <= m; i++) {
        if (a[i] == "…") return 1
        if (i > k || !same_word(a[i], b[i])) return 0
        if (a[i + 1] ~ /^%/ && a[i] ~ number && (a[i] - b[i]) ^ 2 > 1.5 ^ 2) return 0
    }
    return m == k
}
BEGIN { number = "^[-+]?[0-9.]+([eE][-+]?[0-9]+)?[;:.]?$" }
FILENAME == ARGV[1] { shown[++lines] = $0; next } # not FNR == NR, which would take the second file for an empty first one
{ printed[++count] = $0 }
END {
    for (i = j = 1; i <= lines; i++) {
        if (shown[i] ~ /^ *…$/) { anywhere = 1; continue }
        while (j <= count && !same_line(shown[i], printed[j]) && anywhere) j++
        if (j > count || !same_line(shown[i], printed[j])) {
            print "not found: " shown[i]
            if (j <= count) print "in place of it: " printed[j]
            exit 1
        }
        j++
        anywhere = 0
    }
    if (j <= count && !anywhere) {
        print "more was printed: " printed[j]
        exit 1
    }
}
