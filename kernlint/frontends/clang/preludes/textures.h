// Textures and surfaces.
#pragma once
#pragma clang system_header

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
enum cudaTextureReadMode {
    cudaReadModeElementType,
    cudaReadModeNormalizedFloat,
};
enum cudaTextureAddressMode {
    cudaAddressModeWrap,
    cudaAddressModeClamp,
    cudaAddressModeMirror,
    cudaAddressModeBorder,
};
enum cudaTextureFilterMode {
    cudaFilterModePoint,
    cudaFilterModeLinear,
};
enum cudaSurfaceBoundaryMode {
    cudaBoundaryModeZero,
    cudaBoundaryModeClamp,
    cudaBoundaryModeTrap,
};
enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned,
    cudaChannelFormatKindUnsigned,
    cudaChannelFormatKindFloat,
    cudaChannelFormatKindNone,
};
enum {
    cudaTextureType1D = 1,
    cudaTextureType2D = 2,
    cudaTextureType3D = 3,
    cudaTextureTypeCubemap = 12,
    cudaTextureType1DLayered = 0xF1,
    cudaTextureType2DLayered = 0xF2,
    cudaTextureTypeCubemapLayered = 0xFC,
};
enum {
    cudaSurfaceType1D = 1,
    cudaSurfaceType2D = 2,
    cudaSurfaceType3D = 3,
    cudaSurfaceTypeCubemap = 12,
    cudaSurfaceType1DLayered = 0xF1,
    cudaSurfaceType2DLayered = 0xF2,
    cudaSurfaceTypeCubemapLayered = 0xFC,
};
struct cudaChannelFormatDesc {
    int x, y, z, w;
    cudaChannelFormatKind f;
};
struct textureReference {
    int normalized;
    cudaTextureFilterMode filterMode;
    cudaTextureAddressMode addressMode[3];
    cudaChannelFormatDesc channelDesc;
    int sRGB;
};
template <class T, int D = 1, cudaTextureReadMode M = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : textureReference {
    template <class... A> texture(A...);
};
struct surfaceReference {
    cudaChannelFormatDesc channelDesc;
};
template <class T, int D = 1>
struct __attribute__((device_builtin_surface_type)) surface;
template <int D>
struct __attribute__((device_builtin_surface_type)) surface<void, D> : surfaceReference {
    surface();
};

// What a read gives: the element, or its normalised value as float.
template <class T, cudaTextureReadMode M> struct __kl_texel { typedef T type; };
template <class T> struct __kl_texel<T, cudaReadModeNormalizedFloat> { typedef float type; };
template <> struct __kl_texel<uchar2, cudaReadModeNormalizedFloat> { typedef float2 type; };
template <> struct __kl_texel<uchar4, cudaReadModeNormalizedFloat> { typedef float4 type; };
template <> struct __kl_texel<ushort2, cudaReadModeNormalizedFloat> { typedef float2 type; };
template <> struct __kl_texel<ushort4, cudaReadModeNormalizedFloat> { typedef float4 type; };

#define KL_TEXTURE(F) \
    template <class T, class... A> T F(cudaTextureObject_t, A...); \
    template <class T, class... A> void F(T*, cudaTextureObject_t, A...); \
    template <class T, int D, cudaTextureReadMode M, class... A> \
    typename __kl_texel<T, M>::type F(texture<T, D, M>, A...);
KL_TEXTURE(tex1D)
KL_TEXTURE(tex1Dfetch)
KL_TEXTURE(tex1DLod)
KL_TEXTURE(tex1DLayered)
KL_TEXTURE(tex2D)
KL_TEXTURE(tex2DLod)
KL_TEXTURE(tex2DGrad)
KL_TEXTURE(tex2DLayered)
KL_TEXTURE(tex2Dgather)
KL_TEXTURE(tex3D)
KL_TEXTURE(tex3DLod)
KL_TEXTURE(tex3DGrad)
KL_TEXTURE(texCubemap)
KL_TEXTURE(texCubemapLod)
#undef KL_TEXTURE

#define KL_SURFACE(D) \
    template <class T, class... A> T surf##D##read(A...); \
    template <class T, class S, class... A> void surf##D##read(T*, S, A...); \
    template <class T, class... A> void surf##D##write(T, A...);
KL_SURFACE(1D)
KL_SURFACE(2D)
KL_SURFACE(3D)
KL_SURFACE(1DLayered)
KL_SURFACE(2DLayered)
KL_SURFACE(Cubemap)
#undef KL_SURFACE
