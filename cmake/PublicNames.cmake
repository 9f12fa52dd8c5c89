# Keeps every name that include/latentforce.h and latentforce_processes.h do not declare inside the library. Hidden visibility does most of that for the shared
# library, but compilers add names of their own (clang: resolvers of function versions, locks of OpenMP), and in an archive of many
# objects hidden names still meet those of the program that it is linked to.
#
# lf_export_public_names(TARGET): a version script for a shared library.
# lf_one_object(TARGET RESULT): the objects of an object library linked into one, in which all other names are local. RESULT is that
# object, or the objects as they are where the compiler or objcopy cannot do this.

include(CheckLinkerFlag)
set(lf_names_file ${PROJECT_BINARY_DIR}/public_names.txt)
set(lf_version_script ${PROJECT_BINARY_DIR}/public_names.map)

# The names as objcopy reads them and as the linker reads them; written again only when they change.
set(lf_names)
set(lf_declarations)
foreach(header latentforce latentforce_processes)
    file(STRINGS ${PROJECT_SOURCE_DIR}/include/${header}.h lines REGEX "^LF_API ")
    list(APPEND lf_declarations ${lines})
endforeach()
foreach(line ${lf_declarations})
    string(REGEX MATCH "(lf_[a-z0-9_]+)\\(" name "${line}")
    list(APPEND lf_names ${CMAKE_MATCH_1})
endforeach()
list(JOIN lf_names "\n" text)
file(CONFIGURE OUTPUT ${lf_names_file} CONTENT "${text}\n" @ONLY)
list(JOIN lf_names ";\n    " text)
file(CONFIGURE OUTPUT ${lf_version_script} CONTENT "{\nglobal:\n    ${text};\nlocal:\n    *;\n};\n" @ONLY)

function(lf_export_public_names target)
    set(trial ${PROJECT_BINARY_DIR}/CMakeFiles/version_script.map)
    file(CONFIGURE OUTPUT ${trial} CONTENT "{\nlocal:\n    *;\n};\n" @ONLY)
    check_linker_flag(C "LINKER:--version-script=${trial}" LF_HAVE_VERSION_SCRIPT)
    if(LF_HAVE_VERSION_SCRIPT)
        target_link_options(${target} PRIVATE "LINKER:--version-script=${lf_version_script}")
        set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${lf_version_script})
    endif()
endfunction()

# The compiler links, not the linker itself: objects of link-time optimisation hold no machine code before that. -d gives common
# symbols their place; without one they cannot be local.
set(lf_link_one ${CMAKE_C_COMPILER} -r -nostdlib -Wl,-d)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    list(APPEND lf_link_one -flinker-output=nolto-rel) # machine code, whatever the objects hold
endif()

# Tries it on two files, one of which calls a hidden function of the other, and leaves the answer in LF_ONE_OBJECT. The flags of the
# build decide too: not every compiler turns objects of link-time optimisation into one.
function(lf_check_one_object)
    set(folder ${PROJECT_BINARY_DIR}/CMakeFiles/one_object)
    string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
    separate_arguments(flags UNIX_COMMAND "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${type}}")
    if(CMAKE_INTERPROCEDURAL_OPTIMIZATION)
        list(APPEND flags ${CMAKE_C_COMPILE_OPTIONS_IPO})
    endif()
    file(WRITE ${folder}/hidden.c "int lf_hidden(int a);\nint lf_hidden(int a) { return a + 1; }\n")
    file(WRITE ${folder}/shown.c
        "int lf_hidden(int a);\nint lf_version(int a);\nint lf_version(int a) { return lf_hidden(a); }\n")
    set(LF_ONE_OBJECT ON)
    foreach(command
        "${CMAKE_C_COMPILER};${flags};-fPIC;-c;hidden.c;shown.c" "${lf_link_one};-o;one.o;hidden.o;shown.o"
        "${CMAKE_OBJCOPY};--keep-global-symbols=${lf_names_file};one.o" "${CMAKE_NM};one.o")
        execute_process(COMMAND ${command} WORKING_DIRECTORY ${folder} RESULT_VARIABLE failed OUTPUT_VARIABLE names ERROR_QUIET)
        if(failed)
            set(LF_ONE_OBJECT OFF)
        endif()
    endforeach()
    if(NOT names MATCHES " T lf_version" OR names MATCHES " T lf_hidden")
        set(LF_ONE_OBJECT OFF)
    endif()
    set(LF_ONE_OBJECT ${LF_ONE_OBJECT} PARENT_SCOPE)
endfunction()

function(lf_one_object target result)
    lf_check_one_object()
    if(NOT LF_ONE_OBJECT)
        message(STATUS "The static library will also define names that are not public")
        set(${result} $<TARGET_OBJECTS:${target}> PARENT_SCOPE)
        return()
    endif()
    set(object ${PROJECT_BINARY_DIR}/${target}.o)
    add_custom_command(OUTPUT ${object}
        COMMAND ${lf_link_one} -o ${object} $<TARGET_OBJECTS:${target}>
        COMMAND ${CMAKE_OBJCOPY} --keep-global-symbols=${lf_names_file} ${object}
        DEPENDS ${target} $<TARGET_OBJECTS:${target}> ${lf_names_file} COMMAND_EXPAND_LISTS VERBATIM
        COMMENT "Linking the objects of the static library")
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    set(${result} ${object} PARENT_SCOPE)
endfunction()
