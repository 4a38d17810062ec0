// Small floating types by the names that HIP has for them, in sources that are compiled for both.
#pragma once
#pragma clang system_header

typedef __nv_bfloat16 __hip_bfloat16;
typedef __nv_bfloat162 __hip_bfloat162;
typedef __nv_bfloat16 hip_bfloat16;
typedef __nv_bfloat16_raw __hip_bfloat16_raw;
typedef __nv_fp8_e4m3 __hip_fp8_e4m3;
typedef __nv_fp8_e4m3 __hip_fp8_e4m3_fnuz;
typedef __nv_fp8_e5m2 __hip_fp8_e5m2;
typedef __nv_fp8_e5m2 __hip_fp8_e5m2_fnuz;
