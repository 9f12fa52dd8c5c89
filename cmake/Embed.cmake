# Writes a file as a C array: cmake -DINPUT=page.css -DNAME=cli_page_css -DOUTPUT=page_css.c -P Embed.cmake
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n    " bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " bytes "${bytes}")
file(WRITE ${OUTPUT} "extern const unsigned char ${NAME}[];\nconst unsigned char ${NAME}[] = {\n    ${bytes}0x00};\n")
