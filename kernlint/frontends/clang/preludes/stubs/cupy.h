// CuPy's own headers, which it puts on the path of the programs that it compiles: cupy/complex.cuh, whose complex
// numbers are Thrust's.
#pragma once
#pragma clang system_header
#include "thrust.h"

using thrust::arg;
using thrust::complex;
using thrust::conj;
using thrust::norm;
using thrust::polar;
