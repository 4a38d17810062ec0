"""Functions of their arguments alone: arithmetic, bits, conversions, constructors of vectors, assumptions.

The lists are generated from stems, because both dialects derive names by rule (``sin sinf native_sin half_sin``).
"""

from __future__ import annotations

from kernlint.frontends.clang.intrinsics.base import (
    CallContext,
    Handler,
    address_of,
    assign,
    deref,
    effect_free,
    is_float,
    pure,
    sequence,
    transparent,
    words,
)
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import Assume, Call, Cast, Conditional, Expr, InitList, Opaque
from kernlint.tree.types import UNKNOWN, PointerType, StructType, Type, VectorType

# ------------------------------------------------------------------------------------------------ plain lists

_FLOAT_STEMS = words(
    """acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh cospi cyl_bessel_i0 cyl_bessel_i1 erf erfc
    erfcinv erfcx erfinv exp exp10 exp2 expm1 fdim fdivide floor fma fmod hypot ilogb j0 j1 jn ldexp lgamma
    llrint llround log log10 log1p log2 logb lrint lround nan nearbyint nextafter norm3d norm4d normcdf
    normcdfinv pow powi rcbrt remainder rhypot rint rnorm3d rnorm4d round rsqrt scalbln scalbn sin sinh sinpi
    sqrt tan tanh tanpi tgamma trunc y0 y1 yn isfinite isinf isnan isnormal signbit finite pow10 rcp"""
)
_OPENCL_STEMS = words(
    """acospi asinpi atan2pi atanpi tanpi mad maxmag minmag pown powr rootn cospi sinpi sign degrees radians mix step
    smoothstep dot cross distance length normalize fast_distance fast_length fast_normalize isequal isnotequal
    isgreater isgreaterequal isless islessequal islessgreater isordered isunordered any all bitselect shuffle
    shuffle2 upsample add_sat sub_sat abs_diff mad_hi mad_sat hadd rhadd vec_step divide recip bit_reverse
    bitfield_insert bitfield_extract_signed bitfield_extract_unsigned dot_acc_sat dot_4x8packed_uu_uint
    dot_4x8packed_ss_int dot_4x8packed_us_int dot_4x8packed_su_int dot_acc_sat_4x8packed_uu_uint
    dot_acc_sat_4x8packed_ss_int nan fast_mul24 amd_bitalign amd_bytealign amd_bfe amd_bfm amd_lerp amd_sad
    amd_sad4 amd_pack amd_unpack0 amd_unpack1 amd_unpack2 amd_unpack3 amd_median3 amd_min3 amd_max3 amd_mqsad
    amd_qsad amd_sadhi amd_sadw amd_sadd amd_msad get_kernel_work_group_size
    get_kernel_preferred_work_group_size_multiple is_valid_event is_valid_reserve_id"""
)
_CUDA_NAMES = words(
    """__exp2f __frcp_approx __rsqrtf __sqrtf __float_to_tf32 cuComplexDoubleToFloat cuComplexFloatToDouble
    hipComplexDoubleToFloat hipComplexFloatToDouble __sinf __cosf __tanf __expf __exp10f __logf __log2f
    __log10f __powf __fdividef __saturatef __tanhf __frsqrt_rn __byte_perm __funnelshift_l __funnelshift_lc
    __funnelshift_r __funnelshift_rc __fns __sad __usad __hadd __rhadd __uhadd __urhadd __dp4a __dp2a_lo
    __dp2a_hi __bitextract_u32 __bitextract_u64 __bitinsert_u32 __bitinsert_u64 __lastbit_u32_u32
    __lastbit_u32_u64 __vimax_s16x2_relu __vimax3_s32 __vimin3_s32 __vimax_s32_relu __vimin_s32_relu
    __vimax3_u32 __vimin3_u32 __viaddmax_s32 __viaddmin_s32 __vibmax_s32 __vibmin_s32 __viaddmax_s32_relu
    __double2hiint __double2loint __hiloint2double __finitef __isinff __isnanf __signbitf __isinf __isnan
    __finite __signbit __signbitd fminimum fmaximum __cosf lerp saturate __nv_cvt_float_to_fp8
    __nv_cvt_float2_to_fp8x2 __nv_cvt_double_to_fp8 __nv_cvt_halfraw_to_fp8 __nv_cvt_halfraw2_to_fp8x2
    __nv_cvt_bfloat16raw_to_fp8 __nv_cvt_bfloat16raw2_to_fp8x2 __nv_cvt_fp8_to_halfraw
    __nv_cvt_fp8x2_to_halfraw2 __nv_cvt_float_to_fp4 __nv_cvt_float2_to_fp4x2 __nv_cvt_fp4_to_halfraw
    __nv_cvt_fp4x2_to_halfraw2 __nv_cvt_float_to_fp6 __nv_cvt_float2_to_fp6x2 __hip_cvt_float_to_fp8
    __hip_cvt_float2_to_fp8x2 __hip_cvt_fp8_to_halfraw __hip_cvt_fp8x2_to_halfraw2 has_single_bit bit_ceil
    bit_floor bit_width midpoint"""
)
_COMPLEX = words("abs add sub mul div onj real imag fma")
_SIMD_STEMS = words(
    """abs absss neg negss add addss addus sub subss subus avgs avgu haddu absdiffs absdiffu sads sadu maxs maxu mins
    minu cmpeq cmpne cmpges cmpgeu cmpgts cmpgtu cmples cmpleu cmplts cmpltu seteq setne setgtu setgts setltu
    setlts setgeu setges setleu setles"""
)
_ROUNDED = ("rn", "rz", "ru", "rd", "ieee_rn", "ieee_rz")
_ROUNDED_STEMS = words(
    """__fadd __fsub __fmul __fdiv __fmaf __frcp __fsqrt __frsqrt __dadd __dsub __dmul __ddiv __fma __drcp __dsqrt
    __hadd __hsub __hmul __hadd2 __hsub2 __hmul2"""
)
_HALF_STEMS = words(
    """__hadd __hsub __hmul __hdiv __hfma __hneg __hmax __hmin __habs __hmax_nan __hmin_nan __hadd_sat __hsub_sat
    __hmul_sat __hfma_sat __hfma_relu __hlt __hgt __hle __hge __heq __hne __hltu __hgtu __hleu __hgeu __hequ
    __hneu __hisnan __hisinf hexp hexp2 hexp10 hlog hlog2 hlog10 hsqrt hrsqrt hrcp htanh hsin hcos hceil
    hfloor hrint htrunc hdiv htanh_approx __hcmadd"""
)
_HALF2_NAMES = words(
    """__hadd2 __hsub2 __hmul2 __h2div __hfma2 __hneg2 __hmax2 __hmin2 __habs2 __hmax2_nan __hmin2_nan __hadd2_sat
    __hsub2_sat __hmul2_sat __hfma2_sat __hfma2_relu __hlt2 __hgt2 __hle2 __hge2 __heq2 __hne2 __hbeq2 __hbne2
    __hblt2 __hbgt2 __hble2 __hbge2 __hbequ2 __hbneu2 __hltu2 __hgtu2 __hleu2 __hgeu2 __hequ2 __hneu2
    __heq2_mask __hne2_mask __hgt2_mask __hge2_mask __hlt2_mask __hle2_mask __hisnan2 h2exp h2exp2 h2exp10
    h2log h2log2 h2log10 h2sqrt h2rsqrt h2rcp h2tanh h2sin h2cos h2ceil h2floor h2rint h2trunc h2div
    __low2half __high2half __low2float __high2float __low2half2 __high2half2 __lows2half2 __highs2half2
    __lowhigh2highlow __half2half2 __float2half2_rn __low2bfloat16 __high2bfloat16 __low2bfloat162
    __high2bfloat162 __lows2bfloat162 __highs2bfloat162 __bfloat162bfloat162 __float2bfloat162_rn __hcmadd
    hisnan hisinf __halves2half2_sat"""
)
_BUILTIN_PURE = words(
    """__builtin_amdgcn_rcp __builtin_amdgcn_rcpf __builtin_amdgcn_rsq __builtin_amdgcn_rsqf __builtin_amdgcn_sqrtf
    __builtin_amdgcn_sqrt __builtin_amdgcn_exp2f __builtin_amdgcn_logf __builtin_amdgcn_sinf
    __builtin_amdgcn_cosf __builtin_amdgcn_fractf __builtin_amdgcn_fract __builtin_amdgcn_ldexpf
    __builtin_amdgcn_ldexp __builtin_amdgcn_fmed3f __builtin_amdgcn_fmed3h __builtin_amdgcn_perm
    __builtin_amdgcn_alignbit __builtin_amdgcn_alignbyte __builtin_amdgcn_ubfe __builtin_amdgcn_sbfe
    __builtin_amdgcn_sad_u8 __builtin_amdgcn_msad_u8 __builtin_amdgcn_sad_hi_u8 __builtin_amdgcn_sad_u16
    __builtin_amdgcn_lerp __builtin_amdgcn_cvt_pkrtz __builtin_amdgcn_cvt_pk_i16 __builtin_amdgcn_cvt_pk_u16
    __builtin_amdgcn_cvt_pknorm_i16 __builtin_amdgcn_cvt_pknorm_u16 __builtin_amdgcn_cvt_pk_u8_f32
    __builtin_amdgcn_cvt_off_f32_i4 __builtin_amdgcn_cvt_pk_fp8_f32 __builtin_amdgcn_cvt_pk_bf8_f32
    __builtin_amdgcn_cvt_pk_f32_fp8 __builtin_amdgcn_cvt_pk_f32_bf8 __builtin_amdgcn_cvt_f32_fp8
    __builtin_amdgcn_cvt_f32_bf8 __builtin_amdgcn_cvt_sr_fp8_f32 __builtin_amdgcn_cvt_sr_bf8_f32
    __builtin_amdgcn_frexp_mantf __builtin_amdgcn_frexp_expf __builtin_amdgcn_classf
    __builtin_amdgcn_div_scalef __builtin_amdgcn_div_fmasf __builtin_amdgcn_div_fixupf __builtin_amdgcn_fdot2
    __builtin_amdgcn_fdot2_f32_bf16 __builtin_amdgcn_fdot2_f16_f16 __builtin_amdgcn_fdot2_bf16_bf16
    __builtin_amdgcn_sdot2 __builtin_amdgcn_udot2 __builtin_amdgcn_sdot4 __builtin_amdgcn_udot4
    __builtin_amdgcn_sudot4 __builtin_amdgcn_sdot8 __builtin_amdgcn_udot8 __builtin_amdgcn_sudot8
    __builtin_amdgcn_bitop3_b32 __builtin_amdgcn_dispatch_ptr __builtin_amdgcn_implicitarg_ptr
    __builtin_amdgcn_kernarg_segment_ptr __builtin_amdgcn_queue_ptr __builtin_amdgcn_is_shared
    __builtin_amdgcn_is_private __builtin_amdgcn_make_buffer_rsrc __builtin_amdgcn_groupstaticsize
    __builtin_constant_p __builtin_object_size __builtin_huge_val __builtin_huge_valf __builtin_inf
    __builtin_inff __builtin_nan __builtin_nanf __builtin_parity __builtin_parityll __builtin_bswap16
    __builtin_bswap32 __builtin_bswap64 __builtin_shufflevector __builtin_convertvector __builtin_isnan
    __builtin_isinf __builtin_isfinite __builtin_signbit __builtin_elementwise_add_sat
    __builtin_elementwise_sub_sat __builtin_reduce_add __builtin_is_constant_evaluated"""
)
_MATRIX_PREFIXES = (
    "__builtin_amdgcn_mfma_",
    "__builtin_amdgcn_smfmac_",
    "__builtin_amdgcn_wmma_",
    "__builtin_amdgcn_swmmac_",
    "__builtin_amdgcn_cvt_",
)
"""AMD's matrix instructions take and give registers of the whole wavefront and touch no memory."""

_NO_EFFECT = words(
    """prefetch __prof_trigger __nanosleep nanosleep __builtin_prefetch __builtin_amdgcn_s_sleep
    __builtin_amdgcn_s_setprio __builtin_amdgcn_sched_barrier __builtin_amdgcn_sched_group_barrier
    __builtin_amdgcn_iglp_opt __builtin_amdgcn_s_waitcnt __builtin_amdgcn_s_waitcnt_vscnt
    __builtin_amdgcn_s_nop __builtin_amdgcn_s_setreg __builtin_amdgcn_s_sethalt
    __builtin_amdgcn_s_incperflevel __builtin_amdgcn_s_decperflevel __builtin_amdgcn_s_dcache_inv
    __builtin_amdgcn_s_dcache_wb __builtin_amdgcn_buffer_wbinvl1 __builtin_amdgcn_buffer_wbinvl1_vol
    __builtin_amdgcn_s_sendmsg __builtin_amdgcn_s_ttracedata cudaTriggerProgrammaticLaunchCompletion
    discard_memory release_event retain_event"""
)
_CLOCKS = words(
    """clock clock64 wall_clock64 globaltimer __clock __clock64 __builtin_readcyclecounter __builtin_amdgcn_s_memtime
    __builtin_amdgcn_s_memrealtime __builtin_readsteadycounter __smid __globaltimer __builtin_amdgcn_s_getreg"""
)
_PRINTING = words("printf vprintf puts putchar __assertfail fprintf")

TRAPS = frozenset(
    words(
        """__trap __brkpt abort __builtin_trap __builtin_unreachable __builtin_debugtrap __builtin_abort unreachable
        __builtin_amdgcn_endpgm __builtin_amdgcn_s_endpgm exit _exit __assert_fail __assertfail __assert_rtn __assert
        __kl_fail terminate quick_exit ggml_abort throw"""
    )
)
"""Calls that do not come back.  :func:`lower_call` leaves them alone: they become a ``Trap`` statement."""

# ------------------------------------------------------------------------------------------- canonical names


def _renamed(name: str) -> Handler:
    return lambda ctx: pure(ctx, name)


def _extreme(name: str) -> Handler:
    """``min``/``max`` on integers, ``fmin``/``fmax`` on floats."""

    def make(ctx: CallContext) -> Expr | None:
        if not ctx.args:
            return None
        floating = is_float(ctx.type) or (ctx.type == UNKNOWN and any(is_float(arg.type) for arg in ctx.args))
        # std::min gives a reference; its value is what counts here.
        type_: Type = ctx.type.pointee if isinstance(ctx.type, PointerType) and ctx.type.reference else ctx.type
        return Call(ctx.span, type_, f"f{name}" if floating or is_float(type_) else name, None, ctx.args, None, True)

    return make


def _rotate(ctx: CallContext) -> Expr | None:
    return pure(ctx, "rotate") if len(ctx.args) == 2 else None


def _only_argument(ctx: CallContext) -> Expr | None:
    """``std::move(x)``; with three arguments it is an algorithm."""
    return ctx.args[0] if len(ctx.args) == 1 else None


def _magnitude(ctx: CallContext) -> Expr | None:
    if len(ctx.args) != 1:
        return None
    return pure(ctx, "fabs" if is_float(ctx.type) or is_float(ctx.args[0].type) else "abs")


_CANONICAL = {
    "popcount": "__popc __popcll popcount __builtin_popcount __builtin_popcountl __builtin_popcountll",
    "clz": "__clz __clzll clz __builtin_clz __builtin_clzl __builtin_clzll __builtin_clzs countl_zero",
    "ctz": "ctz __builtin_ctz __builtin_ctzl __builtin_ctzll __builtin_ctzs countr_zero",
    "ffs": "__ffs __ffsll ffs ffsll __builtin_ffs __builtin_ffsl __builtin_ffsll",
    "rotate": "__builtin_rotateleft8 __builtin_rotateleft16 __builtin_rotateleft32 __builtin_rotateleft64 rotl",
    "rotate_right": "__builtin_rotateright16 __builtin_rotateright32 __builtin_rotateright64 rotr",
    "bitreverse": "__brev __brevll __builtin_bitreverse8 __builtin_bitreverse32 __builtin_bitreverse64 bit_reverse",
    "mul24": "__mul24 __umul24 mul24",
    "mad24": "mad24",
    "mulhi": "__mulhi __umulhi __mul64hi __umul64hi mul_hi",
    "clamp": "clamp",
    "fmin": "fmin fminf fminl __builtin_fmin __builtin_fminf __builtin_fminf16 __builtin_elementwise_minnum",
    "fmax": "fmax fmaxf fmaxl __builtin_fmax __builtin_fmaxf __builtin_fmaxf16 __builtin_elementwise_maxnum",
    "fabs": "fabs fabsf fabsl __builtin_fabs __builtin_fabsf __builtin_fabsf16",
}
_MIN_MAX = {
    "min": "min umin llmin ullmin __builtin_elementwise_min",
    "max": "max umax llmax ullmax __builtin_elementwise_max",
}

# ------------------------------------------------------------------------------------------------- conversions

_SHORT_TYPES = ("int", "uint", "ll", "ull", "float", "double", "half", "bfloat16", "short", "ushort", "char", "uchar")


def numeric(ctx: CallContext) -> Expr | None:
    """A conversion of the value of the only argument."""
    return Cast(ctx.span, ctx.type, ctx.args[0], explicit=True) if len(ctx.args) == 1 else None


def same_bits(ctx: CallContext) -> Expr | None:
    """The bits of the only argument as another type."""
    return Cast(ctx.span, ctx.type, ctx.args[0], explicit=True, bits=True) if len(ctx.args) == 1 else None


def _conversion_names() -> dict[str, Handler]:
    table: dict[str, Handler] = {}
    for source in _SHORT_TYPES:
        for target in _SHORT_TYPES:
            if source != target:
                table[f"__{source}2{target}"] = numeric
                table |= {f"__{source}2{target}_{mode}": numeric for mode in _ROUNDED}
    for pair in ("half22float2", "bfloat1622float2", "float22half2_rn", "float22bfloat162_rn", "hip_bfloat162float"):
        table[f"__{pair}"] = numeric
    for pair in words(
        "float_as_int float_as_uint int_as_float uint_as_float double_as_longlong longlong_as_double half_as_ushort "
        "half_as_short ushort_as_half short_as_half bfloat16_as_ushort bfloat16_as_short ushort_as_bfloat16 "
        "short_as_bfloat16 double_as_ulonglong ulonglong_as_double half2_as_uint uint_as_half2"
    ):
        table[f"__{pair}"] = same_bits
    table["__builtin_bit_cast"] = table["bit_cast"] = table["__builtin_astype"] = same_bits
    return table


_OPENCL_TYPES = words(
    "char uchar short ushort int uint long ulong float double half size_t ptrdiff_t intptr_t uintptr_t"
)
_LANES = ("", "2", "3", "4", "8", "16")


def _saturating(ctx: CallContext) -> Expr | None:
    # A cast would wrap where this clamps.
    return pure(ctx, "convert_sat")


def _opencl_conversions() -> dict[str, Handler]:
    table: dict[str, Handler] = {}
    for name in (f"{base}{lanes}" for base in _OPENCL_TYPES for lanes in _LANES):
        table[f"as_{name}"] = same_bits
        for mode in ("", "_rte", "_rtz", "_rtp", "_rtn"):
            table[f"convert_{name}{mode}"] = numeric
            table[f"convert_{name}_sat{mode}"] = _saturating
    return table


def _select(ctx: CallContext) -> Expr | None:
    """OpenCL's ``select(a, b, c)``: ``c ? b : a`` for scalars; lane by lane, on the sign bit, for vectors."""
    if len(ctx.args) != 3:
        return None
    no, yes, cond = ctx.args
    if isinstance(cond.type, VectorType) or isinstance(ctx.type, VectorType):
        return pure(ctx)
    return Conditional(ctx.span, ctx.type, cond, yes, no)


# ---------------------------------------------------------------------------------------------- constructors

_VECTOR_STEMS = words("char uchar short ushort int uint long ulong longlong ulonglong float double")


def _vector_value(lanes: int) -> Handler:
    def make(ctx: CallContext) -> Expr | None:
        # Overloads of a missing helper header (make_float4(float3, float)) spread their arguments otherwise.
        scalars = not any(isinstance(arg.type, (VectorType, StructType)) for arg in ctx.args)
        if len(ctx.args) == lanes and scalars:
            return InitList(ctx.span, ctx.type, ctx.args)
        return pure(ctx)

    return make


def _constructors() -> dict[str, Handler]:
    table = {f"make_{stem}{lanes}": _vector_value(lanes) for stem in _VECTOR_STEMS for lanes in (1, 2, 3, 4)}
    for name in words(
        "make_half2 make_bfloat162 __halves2half2 __halves2bfloat162 make_cuComplex make_cuFloatComplex "
        "make_cuDoubleComplex make_hipComplex make_hipFloatComplex make_hipDoubleComplex make___half2"
    ):
        table[name] = _vector_value(2)
    # These convert each element as well.
    table["__floats2half2_rn"] = table["__floats2bfloat162_rn"] = _vector_value(2)
    return table


# -------------------------------------------------------------------------------------- results through pointers


def _call(ctx: CallContext, name: str, *args: Expr) -> Call:
    return Call(ctx.span, args[0].type, name, None, args, None, True)


def _sincos(ctx: CallContext) -> Expr | None:
    if len(ctx.args) == 3:
        angle, sine, cosine = ctx.args
        return sequence(
            assign(deref(sine), _call(ctx, "sin", angle), ctx.span),
            assign(deref(cosine), _call(ctx, "cos", angle), ctx.span),
        )
    if len(ctx.args) == 2:  # OpenCL gives the sine and stores the cosine
        angle, cosine = ctx.args
        return sequence(assign(deref(cosine), _call(ctx, "cos", angle), ctx.span), _call(ctx, "sin", angle))
    return None


def _split_result(stored: str, value: str) -> Handler:
    """``f(arguments..., pointer)``: stores one pure result, gives another."""

    def make(ctx: CallContext) -> Expr | None:
        if len(ctx.args) < 2 or not isinstance(ctx.args[-1].type, PointerType):
            return None
        arguments = ctx.args[:-1]
        target = deref(ctx.args[-1])
        part = Call(ctx.span, target.type, stored, None, arguments, None, True)
        return sequence(assign(target, part, ctx.span), pure(ctx, value, arguments))

    return make


_SPLIT = {
    "modf": ("trunc", "modf"),
    "fract": ("floor", "fract"),
    "frexp": ("frexp_exponent", "frexp"),
    "lgamma_r": ("lgamma_sign", "lgamma"),
    "remquo": ("remquo_quotient", "remainder"),
}

# --------------------------------------------------------------------------------------- assumptions and the rest


def _assume(checked: bool) -> Handler:
    return lambda ctx: Assume(ctx.span, ctx.type, ctx.args[0], checked) if ctx.args else None


def _address(ctx: CallContext) -> Expr | None:
    return address_of(ctx.args[0]) if len(ctx.args) == 1 else None


def _known_call(ctx: CallContext) -> Expr:
    return effect_free(ctx)


def _table() -> dict[str, Handler]:
    table: dict[str, Handler] = {}
    names = [f"{stem}{suffix}" for stem in _FLOAT_STEMS for suffix in ("", "f", "l")]
    names += [f"{prefix}{stem}" for stem in _FLOAT_STEMS for prefix in ("native_", "half_")]
    names += [f"__builtin_{stem}{suffix}" for stem in _FLOAT_STEMS for suffix in ("", "f", "l", "f16")]
    names += [f"__builtin_elementwise_{stem}" for stem in _FLOAT_STEMS]
    names += [*_OPENCL_STEMS, "native_divide", "native_recip", "half_divide", "half_recip", "native_powr", "half_powr"]
    names += [f"{library}C{stem}{suffix}" for library in ("cu", "hip") for stem in _COMPLEX for suffix in ("", "f")]
    names += [*_CUDA_NAMES, *_HALF_STEMS, *_HALF2_NAMES, *_BUILTIN_PURE]
    names += [f"__v{stem}{width}" for stem in _SIMD_STEMS for width in ("2", "4")]
    names += [f"{stem}_{mode}" for stem in _ROUNDED_STEMS for mode in _ROUNDED]
    table |= dict.fromkeys(names, pure)
    for canonical, spellings in _CANONICAL.items():
        table |= dict.fromkeys(spellings.split(), _renamed(canonical))
    for canonical, spellings in _MIN_MAX.items():
        table |= dict.fromkeys(spellings.split(), _extreme(canonical))
    magnitudes = "abs labs llabs __builtin_abs __builtin_labs __builtin_llabs __builtin_elementwise_abs"
    table |= dict.fromkeys(magnitudes.split(), _magnitude)
    table |= _conversion_names() | _opencl_conversions() | _constructors()
    table["select"] = _select
    table |= dict.fromkeys(("sincos", "sincosf", "sincospi", "sincospif", "__sincosf", "native_sincos"), _sincos)
    for stem, (stored, value) in _SPLIT.items():
        table |= dict.fromkeys(
            (stem, f"{stem}f", f"__builtin_{stem}", f"__builtin_{stem}f"), _split_result(stored, value)
        )
    table |= dict.fromkeys(
        ("assert", "__kl_assert", "CUDA_KERNEL_ASSERT", "KERNEL_ASSERT", "_CCCL_ASSERT"), _assume(True)
    )
    table |= dict.fromkeys(("__builtin_assume", "__assume", "_CCCL_ASSUME"), _assume(False))
    passing = "__builtin_expect __builtin_expect_with_probability __builtin_assume_aligned __builtin_launder"
    table |= dict.fromkeys((*passing.split(), "launder", "assume_aligned"), transparent)
    table |= dict.fromkeys(("move", "forward", "as_const"), _only_argument)
    table["rotate"] = _rotate
    table |= dict.fromkeys(("__builtin_addressof", "addressof"), _address)
    table |= dict.fromkeys(_NO_EFFECT, pure)
    table |= dict.fromkeys((*_CLOCKS, *_PRINTING), _known_call)
    return table


TABLE = _table()
"""Handlers by unqualified name."""

OPENCL_NAMES = frozenset((*_OPENCL_STEMS, "rotate", "select"))
"""OpenCL functions with everyday names: in a namespace of C++ they are something else (``std::rotate``)."""

EFFECT_FREE = frozenset((*_CLOCKS, *_PRINTING))
"""Calls that change nothing a kernel can see, though their value is not a function of their arguments."""


_BUFFER = pattern(r"amdgcn_(?:raw|struct)_(?:ptr_)?(?:t?buffer|atomic_buffer)_(load|store|atomic)|amdgcn_\w*load_lds")


def by_prefix(ctx: CallContext) -> Expr | None:
    """Families too large to list: AMD's matrix instructions, and accesses through a buffer descriptor.

    A descriptor is four words of which nothing tells the object: the access is opaque.
    """
    if not ctx.name.startswith("__builtin_amdgcn_"):
        return None
    if ctx.name.startswith(_MATRIX_PREFIXES):
        return pure(ctx)
    access = _BUFFER.search(ctx.name)
    if access is None:
        return None
    writes = access.group(1) != "load"
    return Opaque(ctx.span, ctx.type, "access through a buffer descriptor", (), writes=writes)
