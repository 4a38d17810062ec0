// Random numbers on the device and the host: cuRAND, and hipRAND by its own names.
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin

// Declares the API with prefix P, its states (S, of N words) and its host part.
#define KL_RANDOM_STATE(P, S, N) \
    typedef struct P##S { unsigned int __state[N]; } P##S##_t; \
    void P##_init(unsigned long long, unsigned long long, unsigned long long, P##S*); \
    unsigned int P(P##S*); \
    uint4 P##4(P##S*); \
    float P##_uniform(P##S*); \
    float2 P##_uniform2(P##S*); \
    float4 P##_uniform4(P##S*); \
    double P##_uniform_double(P##S*); \
    double2 P##_uniform2_double(P##S*); \
    float P##_normal(P##S*); \
    float2 P##_normal2(P##S*); \
    float4 P##_normal4(P##S*); \
    double P##_normal_double(P##S*); \
    double2 P##_normal2_double(P##S*); \
    float P##_log_normal(P##S*, float, float); \
    double P##_log_normal_double(P##S*, double, double); \
    unsigned int P##_poisson(P##S*, double); \
    void skipahead(unsigned long long, P##S*); \
    void skipahead_sequence(unsigned long long, P##S*);

#define KL_RANDOM(P, U) \
    KL_RANDOM_STATE(P, StateXORWOW, 12) \
    KL_RANDOM_STATE(P, StateMRG32k3a, 12) \
    KL_RANDOM_STATE(P, StatePhilox4_32_10, 12) \
    KL_RANDOM_STATE(P, StateMtgp32, 1030) \
    KL_RANDOM_STATE(P, StateSobol32, 12) \
    KL_RANDOM_STATE(P, StateScrambledSobol32, 12) \
    typedef P##StateXORWOW P##State; \
    typedef P##StateXORWOW P##State_t; \
    typedef struct P##Generator_st* P##Generator_t; \
    typedef unsigned int P##DirectionVectors32_t[32]; \
    enum P##Status_t { U##_STATUS_SUCCESS, U##_STATUS_FAILURE = 201 }; \
    enum P##RngType_t { \
        U##_RNG_PSEUDO_DEFAULT = 100, \
        U##_RNG_PSEUDO_XORWOW = 101, \
        U##_RNG_PSEUDO_MRG32K3A = 121, \
        U##_RNG_PSEUDO_MTGP32 = 141, \
        U##_RNG_PSEUDO_MT19937 = 142, \
        U##_RNG_PSEUDO_PHILOX4_32_10 = 161, \
        U##_RNG_QUASI_DEFAULT = 200, \
    }; \
    P##Status_t P##CreateGenerator(P##Generator_t*, P##RngType_t); \
    P##Status_t P##DestroyGenerator(P##Generator_t); \
    P##Status_t P##SetPseudoRandomGeneratorSeed(P##Generator_t, unsigned long long); \
    P##Status_t P##SetGeneratorOffset(P##Generator_t, unsigned long long); \
    P##Status_t P##Generate(P##Generator_t, unsigned int*, size_t); \
    P##Status_t P##GenerateUniform(P##Generator_t, float*, size_t); \
    P##Status_t P##GenerateUniformDouble(P##Generator_t, double*, size_t); \
    P##Status_t P##GenerateNormal(P##Generator_t, float*, size_t, float, float); \
    P##Status_t P##GenerateNormalDouble(P##Generator_t, double*, size_t, double, double);

KL_RANDOM(curand, CURAND)
KL_RANDOM(hiprand, HIPRAND)
#undef KL_RANDOM
#undef KL_RANDOM_STATE

#pragma clang force_cuda_host_device end
