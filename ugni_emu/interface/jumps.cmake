# Writes a C file with a jump for each of uGNI's functions in a library.
# cmake -DNM=PROGRAM -DLIBRARY=FILE "-DOWN=OBJECT;..." -DOUTPUT=FILE -P jumps.cmake
# OWN: objects that define some of them, which get no jump.

# functions_of(RESULT FILE [NM OPTION ...]): the names of uGNI's functions that a file defines.
function(functions_of RESULT FILE)
  execute_process(COMMAND ${NM} ${ARGN} --defined-only ${FILE} OUTPUT_VARIABLE symbols RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${NM} ${FILE}: ${failed}")
  endif()
  string(REGEX MATCHALL " T (GNI|gni)_[A-Za-z0-9_]+" found "${symbols}")
  list(TRANSFORM found REPLACE "^ T " "")
  set(${RESULT} ${found} PARENT_SCOPE)
endfunction()

functions_of(names ${LIBRARY} -D)
foreach(object ${OWN})
  functions_of(own ${object})
  list(REMOVE_ITEM names ${own})
endforeach()
list(SORT names)
set(text "/* The functions of libugni: each is a jump to that of libcastor_ugni, by its second name. */
#define JUMP(name)                                          \\
  __asm__(\".text\\n.globl \" #name \"\\n.type \" #name \", @function\\n\" \\
          #name \":\\n.cfi_startproc\\n\"                       \\
          \"jmp *castor_\" #name \"@GOTPCREL(%rip)\\n\"         \\
          \".cfi_endproc\\n.size \" #name \", .-\" #name \"\\n\")
")
foreach(name ${names})
  string(APPEND text "JUMP(${name});\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
