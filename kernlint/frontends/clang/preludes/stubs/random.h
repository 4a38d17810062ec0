// Random numbers on the device and the host: cuRAND, and hipRAND by its own names.
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin

// Declares the API with prefix P that draws from states S, of N words; R: what a draw without a distribution gives.
#define KL_RANDOM_DRAWS(P, S, N, R) \
    typedef struct P##S { unsigned int __state[N]; } P##S##_t; \
    R P(P##S*); \
    uint4 P##4(P##S*); \
    float P##_uniform(P##S*); \
    float2 P##_uniform2(P##S*); \
    float4 P##_uniform4(P##S*); \
    double P##_uniform_double(P##S*); \
    double2 P##_uniform2_double(P##S*); \
    double4 P##_uniform4_double(P##S*); \
    float P##_normal(P##S*); \
    float2 P##_normal2(P##S*); \
    float4 P##_normal4(P##S*); \
    double P##_normal_double(P##S*); \
    double2 P##_normal2_double(P##S*); \
    double4 P##_normal4_double(P##S*); \
    float P##_log_normal(P##S*, float, float); \
    float2 P##_log_normal2(P##S*, float, float); \
    float4 P##_log_normal4(P##S*, float, float); \
    double P##_log_normal_double(P##S*, double, double); \
    double2 P##_log_normal2_double(P##S*, double, double); \
    double4 P##_log_normal4_double(P##S*, double, double); \
    unsigned int P##_poisson(P##S*, double); \
    uint4 P##_poisson4(P##S*, double); \
    unsigned int P##_discrete(P##S*, struct P##DiscreteDistribution_st*); \
    uint4 P##_discrete4(P##S*, struct P##DiscreteDistribution_st*);

// Pseudo-random states begin with a seed, quasi-random ones with direction vectors of numbers as wide as D, and some
// with a number that scrambles them.
#define KL_RANDOM_PSEUDO(P, S, N) \
    KL_RANDOM_DRAWS(P, S, N, unsigned int) \
    void P##_init(unsigned long long, unsigned long long, unsigned long long, P##S*); \
    void skipahead(unsigned long long, P##S*); \
    void skipahead_sequence(unsigned long long, P##S*); \
    void skipahead_subsequence(unsigned long long, P##S*);
#define KL_RANDOM_SOBOL(P, S, N, D) \
    KL_RANDOM_DRAWS(P, S, N, D) \
    void P##_init(D*, D, P##S*); \
    void skipahead(D, P##S*);
#define KL_RANDOM_SCRAMBLED(P, S, N, D) \
    KL_RANDOM_DRAWS(P, S, N, D) \
    void P##_init(D*, D, D, P##S*); \
    void skipahead(D, P##S*);

#define KL_RANDOM(P, U) \
    KL_RANDOM_PSEUDO(P, StateXORWOW, 12) \
    KL_RANDOM_PSEUDO(P, StateMRG32k3a, 12) \
    KL_RANDOM_PSEUDO(P, StatePhilox4_32_10, 12) \
    KL_RANDOM_PSEUDO(P, StateMtgp32, 1030) \
    KL_RANDOM_SOBOL(P, StateSobol32, 12, unsigned int) \
    KL_RANDOM_SCRAMBLED(P, StateScrambledSobol32, 12, unsigned int) \
    KL_RANDOM_SOBOL(P, StateSobol64, 20, unsigned long long) \
    KL_RANDOM_SCRAMBLED(P, StateScrambledSobol64, 20, unsigned long long) \
    typedef P##StateXORWOW P##State; \
    typedef P##StateXORWOW P##State_t; \
    typedef struct P##Generator_st* P##Generator_t; \
    typedef unsigned int P##DirectionVectors32_t[32]; \
    typedef unsigned long long P##DirectionVectors64_t[64]; \
    typedef struct P##DiscreteDistribution_st* P##DiscreteDistribution_t; \
    enum P##DirectionVectorSet_t { U##_DIRECTION_VECTORS_32_JOEKUO6 = 101, \
        U##_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6, U##_DIRECTION_VECTORS_64_JOEKUO6, \
        U##_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6 }; \
    enum P##Ordering_t { U##_ORDERING_PSEUDO_BEST = 100, U##_ORDERING_PSEUDO_DEFAULT, \
        U##_ORDERING_PSEUDO_SEEDED, U##_ORDERING_PSEUDO_LEGACY, U##_ORDERING_PSEUDO_DYNAMIC, \
        U##_ORDERING_QUASI_DEFAULT = 201 }; \
    enum P##Status_t { U##_STATUS_SUCCESS, U##_STATUS_VERSION_MISMATCH = 100, U##_STATUS_NOT_INITIALIZED, \
        U##_STATUS_ALLOCATION_FAILED, U##_STATUS_TYPE_ERROR, U##_STATUS_OUT_OF_RANGE, \
        U##_STATUS_LENGTH_NOT_MULTIPLE, U##_STATUS_DOUBLE_PRECISION_REQUIRED, U##_STATUS_LAUNCH_FAILURE = 201, \
        U##_STATUS_PREEXISTING_FAILURE, U##_STATUS_INITIALIZATION_FAILED, U##_STATUS_ARCH_MISMATCH, \
        U##_STATUS_INTERNAL_ERROR = 999 }; \
    enum P##RngType_t { \
        U##_RNG_PSEUDO_DEFAULT = 100, \
        U##_RNG_PSEUDO_XORWOW = 101, \
        U##_RNG_PSEUDO_MRG32K3A = 121, \
        U##_RNG_PSEUDO_MTGP32 = 141, \
        U##_RNG_PSEUDO_MT19937 = 142, \
        U##_RNG_PSEUDO_PHILOX4_32_10 = 161, \
        U##_RNG_QUASI_DEFAULT = 200, \
        U##_RNG_QUASI_SOBOL32, U##_RNG_QUASI_SCRAMBLED_SOBOL32, U##_RNG_QUASI_SOBOL64, \
        U##_RNG_QUASI_SCRAMBLED_SOBOL64, \
    }; \
    P##Status_t P##CreateGenerator(P##Generator_t*, P##RngType_t); \
    P##Status_t P##CreateGeneratorHost(P##Generator_t*, P##RngType_t); \
    P##Status_t P##DestroyGenerator(P##Generator_t); \
    P##Status_t P##SetGeneratorOrdering(P##Generator_t, P##Ordering_t); \
    P##Status_t P##SetQuasiRandomGeneratorDimensions(P##Generator_t, unsigned int); \
    P##Status_t P##GenerateSeeds(P##Generator_t); \
    P##Status_t P##GetVersion(int*); \
    P##Status_t P##GetDirectionVectors32(P##DirectionVectors32_t**, P##DirectionVectorSet_t); \
    P##Status_t P##GetDirectionVectors64(P##DirectionVectors64_t**, P##DirectionVectorSet_t); \
    P##Status_t P##GetScrambleConstants32(unsigned int**); \
    P##Status_t P##GetScrambleConstants64(unsigned long long**); \
    template <class S> P##Status_t P##SetStream(P##Generator_t, S); \
    P##Status_t P##GenerateLongLong(P##Generator_t, unsigned long long*, size_t); \
    P##Status_t P##GenerateLogNormal(P##Generator_t, float*, size_t, float, float); \
    P##Status_t P##GenerateLogNormalDouble(P##Generator_t, double*, size_t, double, double); \
    P##Status_t P##GeneratePoisson(P##Generator_t, unsigned int*, size_t, double); \
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
#undef KL_RANDOM_DRAWS
#undef KL_RANDOM_PSEUDO
#undef KL_RANDOM_SOBOL
#undef KL_RANDOM_SCRAMBLED

#pragma clang force_cuda_host_device end
