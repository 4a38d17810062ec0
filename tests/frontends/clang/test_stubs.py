"""Libraries declared when their headers are missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard
from kernlint_rules.memory.uninitialised_private import UninitialisedPrivate

from kernlint.analysis.trace import trace_function
from kernlint.frontends.clang import ClangFrontend, prelude
from kernlint.frontends.clang.kinds import CursorKind
from kernlint.frontends.clang.options import Language, ParseOptions
from kernlint.frontends.clang.session import parse
from kernlint.frontends.clang.stubs import STUBS, StubChoice, served
from kernlint.source import SourceFile
from kernlint.symbolic.show import show
from tests.rules.marked import findings

PRELUDES = Path(prelude.FOLDER)


def wanted(text: bytes, language: Language = Language.CUDA) -> tuple[str, ...]:
    choice = StubChoice(language)
    choice.see(text)
    return choice.headers()


def test_every_stub_exists_and_every_file_is_a_stub() -> None:
    files = {path.name for path in (PRELUDES / "stubs").glob("*.h")}
    assert {stub.header for stub in STUBS} == files - {"torch_macros.h", "opencl_constants.h", "opencl_cpp.h"}


def test_mentions_ask_for_stubs() -> None:
    assert wanted(b"int x;") == ()
    assert wanted(b"cub::BlockReduce<int, 4> r;") == ("cub.h",)
    assert wanted(b"namespace cg = cooperative_groups;") == ("cooperative_groups.h",)
    assert wanted(b"format::x; mycub::y; a::cub::z;") == ()
    assert "torch.h" in wanted(b"TORCH_CHECK(x);")
    assert wanted(b"cub::x", Language.OPENCL) == ()


def test_a_complex_of_one_s_own_beside_the_names_of_std() -> None:
    own = b"""using namespace std;
    struct complex { float re, im; __device__ complex(float re, float im) : re(re), im(im) {} };
    __device__ complex operator*(complex a, complex b) { return complex(a.re * b.re, a.im * b.im); }
    __global__ void k(complex *x) { x[threadIdx.x] = x[threadIdx.x] * x[0]; }"""
    assert wanted(own) == () and wanted(b"#include <complex>") == wanted(b"std::complex<float> x;") == (
        "std_complex.h",
    )
    with parse("own.cu", own, Language.CUDA) as parsed:
        assert not list(parsed.errors()) and not parsed.synthesised


def test_what_iterators_lead_to_and_spans() -> None:
    text = b"""#include <iterator>
    #include <span>
    template <class It> __global__ void k(It first) {
        typename std::iterator_traits<It>::value_type own = first[threadIdx.x];
        first[0] = own;
    }
    template __global__ void k<float *>(float *);
    __global__ void l(std::span<float> a) { for (auto &x : a.subspan(1)) x = 0; }"""
    (found,) = ClangFrontend().parse_file(SourceFile("spans.cu", text, "utf-8"))
    assert not found.missing_headers and not found.synthesised
    assert len(found.kernels) == 2 and not any(v.losses for each in found.kernels for v in each.variants)


def test_a_project_s_copy_of_a_single_header_is_read(tmp_path: Path) -> None:
    (tmp_path / "helper_math.h").write_text("inline __device__ float twice(float x) { return 2 * x; }\n")
    source = b'#include "helper_math.h"\n__global__ void k(float *p) { p[threadIdx.x] = twice(p[threadIdx.x]); }\n'
    options = ParseOptions()
    with parse(tmp_path / "a.cu", source, Language.CUDA, options, use_cache=False) as parsed:
        assert not list(parsed.errors()) and not parsed.missing


FOLLOWED = {
    "torch": (
        """#include <torch/extension.h>
        __global__ void k(at::PackedTensorAccessor32<float, 2> a, at::PackedTensorAccessor64<float, 3> b, int i) {
            b[i][2][1] = a[i][3] + b.size(1);
        }""",
        ["read a.data_[a.s0 * i * 4 + a.s1 * 3 * 4]", "write b.data_[b.s0 * i * 4 + b.s1 * 2 * 4 + b.s2 * 4]"],
    ),
    "torch atomics": (
        """#include <ATen/native/cuda/KernelUtils.cuh>
        __global__ void k(float *out, int i, int n, float v) { at::native::fastAtomicAdd(out, i, n, v, true); }""",
        ["atomic out[i * 4]"],
    ),
    "opencv": (
        """#include <opencv2/core/cuda_types.hpp>
        using namespace cv::cuda;
        __global__ void k(const PtrStepSzb src, PtrStepf dst, int y, int x) {
            if (x < src.cols && y < src.rows) dst.ptr(y)[x] = src(y, x) * CV_PI_F;
        }
        void run(PtrStepSzb a, PtrStepSzf b) { k<<<device::divUp(a.cols, 32), 32>>>(a, b, 0, 0); }""",
        ["read src.data[y * src.step + x]", "write dst.data[y * dst.step + x * 4]"],
    ),
}


@pytest.mark.parametrize("library", FOLLOWED)
def test_stubs_that_say_what_they_do_are_followed(library: str) -> None:
    text, expected = FOLLOWED[library]
    (module,) = ClangFrontend().parse_file(SourceFile("k.cu", text.encode(), "utf-8"))
    assert not [loss.reason for function in module.functions for loss in function.losses]
    of = trace_function(module.kernels[0].variants[0], "cuda")
    assert [f"{a.kind.value} {a.root.name}[{show(a.offset)}]" for a in of.accesses] == expected
    assert not of.gaps and not of.calls


def test_a_library_that_is_there_needs_no_stub(tmp_path: Path) -> None:
    (tmp_path / "cub").mkdir()
    (tmp_path / "cub" / "cub.cuh").write_text("namespace cub { struct Mine {}; }\n")
    source = b"#include <cub/cub.cuh>\n__global__ void k(int* x) { cub::Mine m; x[0] = sizeof(m); }\n"
    with parse("k.cu", source, Language.CUDA, ParseOptions(include_dirs=(str(tmp_path),))) as parsed:
        assert not parsed.diagnostics


SOURCES = {
    "cooperative groups": """
        #include <cooperative_groups.h>
        namespace cg = cooperative_groups;
        __global__ void k(float* x) {
            cg::thread_block block = cg::this_thread_block();
            auto tile = cg::tiled_partition<32>(block);
            float v = cg::reduce(tile, x[block.thread_rank()], cg::plus<float>());
            v += tile.shfl_down(v, 4) + tile.any(v > 0);
            block.sync();
            cg::grid_group grid = cg::this_grid();
            grid.sync();
            if (cg::coalesced_threads().thread_rank() == 0) x[0] = v;
        }""",
    "cub": """
        #include <cub/cub.cuh>
        template <int N> __global__ void k(int* x) {
            typedef cub::BlockReduce<int, N> Reduce;
            __shared__ typename Reduce::TempStorage storage;
            int sum = Reduce(storage).Sum(x[threadIdx.x]);
            if (threadIdx.x == 0) x[0] = sum;
        }
        template __global__ void k<128>(int*);
        __global__ void s(int* x) {
            using Scan = cub::BlockScan<int, 128>;
            using Load = cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_TRANSPOSE>;
            __shared__ union { Scan::TempStorage scan; Load::TempStorage load; } storage;
            int items[4], total;
            Load(storage.load).Load(x, items);
            __syncthreads();
            Scan(storage.scan).ExclusiveSum(items, items, total);
            x[threadIdx.x] = items[0] + total;
        }""",
    "torch": """
        #include <torch/extension.h>
        #include <c10/cuda/CUDAStream.h>
        template <typename scalar_t>
        __global__ void k(torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> x) {
            const int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < x.size(1)) x[0][i] = at::acc_type<scalar_t, true>(x[1][i]);
        }
        torch::Tensor run(torch::Tensor input) {
            TORCH_CHECK(input.is_cuda(), "on the GPU");
            TORCH_CHECK(input.dim() == 2, "no semicolon is needed")
            auto output = torch::empty_like(input);
            AT_DISPATCH_FLOATING_TYPES_AND_HALF(input.scalar_type(), "run", ([&] {
                k<scalar_t><<<(input.size(1) + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
                    output.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>());
            }));
            C10_CUDA_KERNEL_LAUNCH_CHECK();
            return output;
        }
        PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run, "run it"); }""",
    "glm": """
        #include <glm/glm.hpp>
        #include <glm/gtc/type_ptr.hpp>
        #include <glm/gtc/quaternion.hpp>
        using vec3 = glm::vec<3, float>;
        typedef glm::mat<3, 3, float> mat3;
        __global__ void k(const float *means, const glm::vec4 *quats, glm::vec3 *out, glm::ivec2 size, int n) {
            const int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            const vec3 mean = glm::make_vec3(means + 3 * i);
            const glm::vec4 q = quats[i];
            mat3 r = mat3(1.f - 2.f * q.y * q.y, q.x, q.y, q.z, 1.f, q.w, 0.f, 0.f, 1.f);
            r[1][2] = glm::dot(mean, vec3(q)) / glm::length(mean);
            glm::mat3 s = glm::transpose(r) * r + glm::outerProduct(mean, mean) * 2.f;
            glm::vec3 t = s * mean - glm::cross(mean, -out[i]) * 0.5f + 1.f;
            t += glm::max(t, 0.f);
            t /= t.x;
            const glm::quat p = glm::normalize(glm::quat(q.w, q.x, q.y, q.z));
            t = glm::mat3_cast(p) * glm::normalize(t);
            if (size.x > 3 && glm::all(glm::lessThan(t, mean))) out[i] = glm::mix(t, mean, glm::clamp(q.w, 0.f, 1.f));
            *reinterpret_cast<float *>(glm::value_ptr(out[i])) = t[2];
        }""",
    "eigen": """
        #include <Eigen/Core>
        #include <Eigen/Geometry>
        typedef Eigen::Matrix<float, 6, 1> Vector6;
        namespace Eigen { typedef Eigen::Matrix<float, 6, 6> Matrix6f; }
        template <class Scalar> struct Pose {
            EIGEN_MAKE_ALIGNED_OPERATOR_NEW
            using Vector3 = Eigen::Matrix<Scalar, 3, 1>;
            Eigen::Quaternion<Scalar> rotation;
            Vector3 translation;
            EIGEN_DEVICE_FUNC Pose(const Scalar *data) : rotation(data), translation(data + 4) {
                rotation.normalize();
            }
            EIGEN_DEVICE_FUNC Vector3 operator*(Vector3 const &p) const {
                return rotation._transformVector(p) + translation;
            }
            EIGEN_DEVICE_FUNC Eigen::Matrix<Scalar, 4, 4> matrix() const {
                Eigen::Matrix<Scalar, 4, 4> T = Eigen::Matrix<Scalar, 4, 4>::Identity();
                T.template block<3, 3>(0, 0) = rotation.toRotationMatrix();
                T.template block<3, 1>(0, 3) = translation;
                return T;
            }
        };
        __global__ void k(const Eigen::Vector3f *p, Eigen::Vector3f *q, Eigen::Matrix4f T, float *d, int n) {
            const int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            Eigen::Vector3f a = p[i], b = T.block<3, 3>(0, 0) * a + T.block<3, 1>(0, 3);
            b(0) += 1; b.y() = a.norm(); b[2] = b.dot(a);
            q[i] = b.cross(a) * 2.0f - a / 3;
            Eigen::Map<Vector6> m(d + 6 * i);
            Eigen::Map<const Eigen::Matrix<float, 3, 3, Eigen::RowMajor>> rows(d);
            m.head<3>() = rows * b;
            m.segment<3>(3) += 2 * a.cwiseProduct(b);
            b << 1, 2, 3;
            q[i] = (a.array() * b.array()).matrix() + (a.transpose() * b)(0) * b;
            Eigen::Affine3f moved = Eigen::Affine3f::Identity();
            if ((a.array() < 1.0f).all()) q[i].setZero();
            Eigen::Matrix3f h = a * b.transpose();
            Eigen::Vector3f s = h.ldlt().solve(moved * b + moved.translation());
            d[i] = s.x() + h(1, 2) + Eigen::Matrix3f::Identity()(0, 0) + (Pose<float>(d) * s).sum();
            d[i] += Pose<float>(d).matrix()(0);
        }""",
    "the samples' vectors": """
        #include "helper_math.h"
        __global__ void k(const float4 *pos, float3 *vel, float dt, uint n) {
            const uint i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            float3 p = make_float3(pos[i]), v = vel[i];
            v += normalize(p) * dt - cross(v, p) / dot(p, p);
            v = lerp(v, -p, 0.5f) * make_float3(2.0f) + length(v);
            vel[i] = clamp(v, make_float3(-1.0f), make_float3(1.0f)) + make_float3(make_int3(p));
        }""",
    "torch's small floats have limits": """
        #include <torch/headeronly/util/Float8_e4m3fn.h>
        template <class T> __host__ __device__ static constexpr T highest = std::numeric_limits<T>::max();
        template <class T> __global__ void k(float* x, int n) {
            const int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) x[i] = fminf(x[i], highest<T>);
        }
        template __global__ void k<signed char>(float*, int);
        template __global__ void k<torch::headeronly::Float8_e4m3fn>(float*, int);""",
    "torch's tensors as arguments": """
        #include <ATen/cuda/detail/IndexUtils.cuh>
        #include <ATen/cuda/detail/TensorInfo.cuh>
        __global__ void k(const at::cuda::detail::TensorInfo<long, int> where, float* out, int n) {
            const int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            const int at = at::cuda::detail::IndexToOffset<long, int, -1>::get(i, where);
            const int second = at::cuda::detail::IndexToOffset<long, int, 2>::get(i, where);
            out[i] = __ldg(where.data + at) + where.data[second] + where.sizes[where.dims - 1];
        }
        void run(at::Tensor index, at::Tensor out) {
            if (!at::cuda::detail::canUse32BitIndexMath(index)) return;
            auto where = at::cuda::detail::getTensorInfo<long, int>(index);
            k<<<(out.numel() + 255) / 256, 256>>>(where, out.data_ptr<float>(), out.numel());
        }""",
    "libcu++": """
        #include <cuda/barrier>
        #include <cuda/pipeline>
        #include <cuda/atomic>
        __global__ void k(int* x) {
            __shared__ cuda::barrier<cuda::thread_scope_block> bar;
            if (threadIdx.x == 0) init(&bar, blockDim.x);
            __syncthreads();
            cuda::atomic_ref<int, cuda::thread_scope_device> a(*x);
            a.fetch_add(1, cuda::memory_order_relaxed);
            bar.arrive_and_wait();
        }""",
    "random numbers": """
        #include <curand_kernel.h>
        __global__ void k(curandState* s, float* x) {
            curandState local = s[threadIdx.x];
            curand_init(1234, threadIdx.x, 0, &local);
            x[threadIdx.x] = curand_uniform(&local) + curand_normal(&local);
            s[threadIdx.x] = local;
        }""",
    "quasi-random numbers and draws of several": """
        #include <curand_kernel.h>
        __global__ void begin(curandStateSobol32_t* s, curandStateScrambledSobol64* t, curandDirectionVectors32_t* v,
                              curandDirectionVectors64_t* w, unsigned long long* c, unsigned int offset) {
            curand_init(v[threadIdx.x], offset, &s[threadIdx.x]);
            curand_init(w[threadIdx.x], c[threadIdx.x], 0ull, &t[threadIdx.x]);
            skipahead(7u, &s[threadIdx.x]);
            c[threadIdx.x] = curand(&t[threadIdx.x]);
        }
        __global__ void draw(curandStateMRG32k3a* s, curandStatePhilox4_32_10_t* p, double2* x, uint4* y) {
            skipahead_subsequence(3, &s[threadIdx.x]);
            skipahead_sequence(3, &p[threadIdx.x]);
            x[threadIdx.x] = curand_log_normal2_double(&s[threadIdx.x], 0.0, 1.0);
            y[threadIdx.x] = curand_poisson4(&p[threadIdx.x], 3.0);
        }""",
    "cupy": """
        #include <cupy/complex.cuh>
        extern "C" __global__ void k(complex<float>* z, const complex<double>* w, float* y) {
            int i = threadIdx.x;
            complex<float> v = conj(z[i]) * complex<float>(y[i], 0.0f);
            v += thrust::polar(abs(v), arg(v));
            y[i] = v.real() + norm(v) + (float)w[i].imag();
            z[i] = v;
        }""",
    "PyCUDA's headers": """
        #include <pycuda-helpers.hpp>
        texture<fp_tex_double, 1, cudaReadModeElementType> of_doubles;
        texture<fp_tex_cfloat, 2, cudaReadModeElementType> of_complex;
        texture<float, 3, cudaReadModeElementType> plain;
        surface<void, cudaSurfaceType2DLayered> layers;
        __global__ void k(pycuda::complex<float>* z, double* x, float* y) {
            int i = threadIdx.x;
            x[i] = fp_tex1Dfetch(of_doubles, i);
            z[i] = pycuda::conj(fp_tex2D(of_complex, i, 0)) * z[i] + 2.0f;
            y[i] = fp_tex3D(plain, i, 0, 0) + pycuda::abs(z[i]) + z[i].real();
            fp_surf2DLayeredwrite(y[i], layers, i, 0, 0, cudaBoundaryModeClamp);
        }""",
    "complex numbers": """
        #include <cuComplex.h>
        __global__ void k(cuDoubleComplex* x) {
            x[0] = cuCmul(x[0], make_cuDoubleComplex(1, 0));
            x[0].x = cuCabs(x[1]);
        }
        """,
    "thrust": """
        #include <thrust/complex.h>
        #include <thrust/device_vector.h>
        __global__ void k(thrust::complex<float>* x) { x[0] = x[1] * x[2] + thrust::complex<float>(1, 0); }
        void host() {
            thrust::device_vector<int> v(10);
            int* p = thrust::raw_pointer_cast(v.data());
            k<<<1, 1>>>(nullptr);
        }
        """,
    "matrices": """
        #include <mma.h>
        using namespace nvcuda;
        __global__ void k(half* a, float* c) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
            wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
            wmma::fill_fragment(fc, 0.0f);
            wmma::load_matrix_sync(fa, a, 16);
            for (int i = 0; i < fc.num_elements; i++) fc.x[i] *= 2;
            wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
        }""",
}


@pytest.mark.parametrize("language", [Language.CUDA, Language.HIP])
@pytest.mark.parametrize("library", SOURCES)
def test_typical_uses_parse(library: str, language: Language) -> None:
    source = SOURCES[library]
    if language is Language.HIP and library == "cub":
        source = source.replace("cub::", "hipcub::").replace("cub/", "hipcub/")
    with parse("k.cu", source.encode(), language) as parsed:
        assert not list(parsed.errors()), [d.message for d in parsed.errors()]
        assert not parsed.synthesised


def test_calls_keep_their_qualified_names() -> None:
    with parse("k.cu", SOURCES["cooperative groups"].encode(), Language.CUDA) as parsed:
        kernel = parsed.unit.top_level()[-1]
        called = [n.referenced for n in kernel.walk() if n.kind == CursorKind.CALL_EXPR]
        names = {c.qualified_name for c in called if c is not None}
        assert {"cooperative_groups::thread_block::sync", "cooperative_groups::grid_group::sync"} <= names
        assert "cooperative_groups::reduce" in names


def test_coefficients_of_eigen_s_matrices_are_where_they_are() -> None:
    code = b"""#include <Eigen/Dense>
    __global__ void k(Eigen::Matrix<float, 2, 3, Eigen::RowMajor> *rows, Eigen::Matrix<float, 2, 3> *columns,
                      float *d) {
        const int i = threadIdx.x;
        rows[i](1, 2) = 0;
        columns[i](1, 1) = 0;
        Eigen::Map<Eigen::Vector3f> v(d + 3 * i);
        v.y() = 0;
    }"""
    (module,) = ClangFrontend().parse_file(SourceFile("k.cu", code))
    (kernel,) = module.kernels
    assert not kernel.function.losses
    writes = [show(access.offset) for access in trace_function(kernel.function, "cuda").accesses if access.writes]
    assert writes == ["tid.x * 24 + 20", "tid.x * 24 + 12", "tid.x * 3 * 4 + 4"]


def test_a_matrix_whose_coefficients_are_set_is_set() -> None:
    code = """#include <Eigen/Dense>
    __global__ void k(const float *x, float *y) {
        Eigen::Matrix2f a;
        a(0, 0) = x[0]; a(0, 1) = x[1]; a(1, 0) = x[2]; a(1, 1) = x[3];
        if (a.isZero()) y[threadIdx.x] = 1.0f;
        Eigen::Matrix3f b;
        b << 1, 2, 3, 4, 5, 6, 7, 8, 9;
        if (b(2, 2) > x[4]) y[threadIdx.x] += 1.0f;
    }"""
    assert not findings(UninitialisedPrivate, code)


COLUMNS = """
#include <cudf/detail/utilities/cuda.cuh>
#include <rmm/device_uvector.hpp>
template <int N> __launch_bounds__(N) CUDF_KERNEL
void scaled(cudf::device_span<float const> in, float *out, int64_t const rows, cudf::bitmask_type const *mask) {
  auto const row = cudf::detail::grid_1d::global_thread_id();
  GUARD
  out[row] = in[row] * (mask[cudf::word_index(row)] & 1);
}
void run(rmm::device_uvector<float> &in, rmm::device_uvector<float> &out, int64_t rows, uint32_t *mask,
         rmm::cuda_stream_view stream) {
  auto const blocks = cudf::util::div_rounding_up_safe(rows, int64_t(256));
  scaled<256><<<blocks, 256, 0, stream.value()>>>({in.data(), in.size()}, out.data(), rows, mask);
}
"""


@pytest.mark.parametrize(("guard", "bad"), [("", True), ("if (row >= rows) return;", False)])
def test_kernels_beside_cudf(guard: str, bad: bool) -> None:
    assert wanted(b"rmm::device_uvector<int> x; cudf::size_type n;") == ("rmm.h", "cudf.h")
    assert bool(findings(MissingBoundsGuard, COLUMNS.replace("GUARD", guard))) is bad


def test_headers_of_which_a_stub_has_little_are_missed() -> None:
    with parse("columns.cu", COLUMNS.replace("GUARD", "").encode(), Language.CUDA) as parsed:
        assert not list(parsed.errors())
        assert parsed.missing == {"cudf/detail/utilities/cuda.cuh", "rmm/device_uvector.hpp"}
        assert not any(served(name, Language.CUDA) for name in parsed.missing)
