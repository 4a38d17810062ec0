"""Static analysis of CUDA, HIP and OpenCL kernels, with no GPU and no toolkit."""

__version__ = "0.1.0"
