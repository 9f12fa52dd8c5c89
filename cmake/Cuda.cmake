# With LF_CUDA: the CUDA compiler, cuBLAS and cuSOLVER. Leaves LF_CUDA_SOURCES and adds to LF_LIBRARIES and LF_PC_LIBS.

if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 80 90) # machine code for A100 and H100, and what newer ones can translate
endif()
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
file(GLOB LF_CUDA_SOURCES CONFIGURE_DEPENDS src/device/*.cu)
list(APPEND LF_LIBRARIES CUDA::cublas CUDA::cusolver CUDA::cudart)
string(APPEND LF_PC_LIBS " -L${CUDAToolkit_LIBRARY_DIR} -lcusolver -lcublas -lcudart")
