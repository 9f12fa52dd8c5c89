# Takes a tutorial apart, for test_tutorials.sh. Blocks between ``` and ``` become files in the folder `steps`, numbered in their
# order; what is not one of these is prose:
#   ```console                    each line "$ …", with the lines after it while they end in \, goes to NNN.command; the lines up
#                                 to the next command, which are what the reader sees, to NNN.expected
#   <!-- file: NAME -->           before a block: the reader writes it to the file NAME; NNN.file, the name on its first line
#   <!-- from: PATH -->           before a block: an excerpt of this file of the project; NNN.excerpt, the path on its first line
#   <!-- within 20 % -->          before a console block: how far numbers may be from those shown (2 % otherwise); NNN.within
#   <!-- fails -->                before a console block: its commands end with an error; NNN.fails
function step(kind) { return sprintf("%s/%03d.%s", steps, n, kind) }
/^<!-- (file|from): .* -->$/ { kind = $2 == "file:" ? "file" : "excerpt"; subject = $3; next }
/^<!-- within .* % -->$/ { within = $3 / 100; next }
/^<!-- fails -->$/ { fails = 1; next }
/^```/ {
    if (block) {
        block = kind = within = fails = ""
    } else if (kind) {
        block = kind
        n++
        print subject >step(kind)
    } else {
        block = $0 == "```console" ? "console" : "prose"
        expected = ""
    }
    next
}
block == "file" || block == "excerpt" { print >step(block) }
block == "console" && (/^\$ / || continued) {
    if (!continued) {
        n++
        expected = step("expected")
        print (within ? within : 0.02) >step("within")
        printf "" >expected
        if (fails) printf "" >step("fails")
        sub(/^\$ /, "")
    }
    print >step("command")
    continued = /\\$/
    next
}
block == "console" { print >expected }
!block && NF { kind = within = fails = "" }
