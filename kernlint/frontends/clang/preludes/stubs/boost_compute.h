// Boost.Compute: its classes are those of the C++ bindings of OpenCL, with methods of other names.
#pragma once
#pragma clang system_header
#include "opencl_host.h"

namespace boost { namespace compute {
    typedef cl::Buffer buffer;
    typedef cl::Context context;
    typedef cl::Device device;
    typedef cl::Event event;
    typedef cl::Image2D image2d;
    typedef cl::Image3D image3d;
    typedef cl::ImageFormat image_format;
    typedef cl::Kernel kernel;
    typedef cl::Program program;
    typedef cl::CommandQueue command_queue;
    template <int N> using extents = cl::NDRange;
    KL_FOLLOW inline cl::NDRange dim(::size_t x) { return cl::NDRange(x); }
    KL_FOLLOW inline cl::NDRange dim(::size_t x, ::size_t y) { return cl::NDRange(x, y); }
    KL_FOLLOW inline cl::NDRange dim(::size_t x, ::size_t y, ::size_t z) { return cl::NDRange(x, y, z); }
    struct system {
        static device default_device();
        static context& default_context();
        static command_queue& default_queue();
    };
} }
