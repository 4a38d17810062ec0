// What kernels use of Eigen: matrices and arrays of fixed size, maps of memory, rotations, and functions of them.
// Values are computed of single coefficients only: what whole matrices give is some matrix of the right shape.
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin

#define EIGEN_DEVICE_FUNC __host__ __device__
#define EIGEN_STRONG_INLINE inline
#define EIGEN_ALWAYS_INLINE inline
#define EIGEN_MAKE_ALIGNED_OPERATOR_NEW
#define EIGEN_MAKE_ALIGNED_OPERATOR_NEW_IF(X)
#define EIGEN_ALIGN16
#define EIGEN_ALIGN_MAX
#define EIGEN_RESTRICT __restrict__
#define EIGEN_UNUSED_VARIABLE(X) (void)(X)
#define EIGEN_PI 3.141592653589793238462643383279502884L
#define EIGEN_DEFAULT_DENSE_INDEX_TYPE long
#define EIGEN_STATIC_ASSERT(...)
#define EIGEN_WORLD_VERSION 3
#define EIGEN_MAJOR_VERSION 4
#define EIGEN_MINOR_VERSION 0

namespace Eigen {
typedef long Index;
enum { Dynamic = -1, Infinity = -1 };
enum { ColMajor = 0, RowMajor = 1, AutoAlign = 0, DontAlign = 2 };
enum { Unaligned = 0, Aligned8 = 8, Aligned16 = 16, Aligned32 = 32, Aligned64 = 64, Aligned = 16, AlignedMax = 64 };
enum { Isometry = 1, Affine = 2, AffineCompact = 18, Projective = 32 };
enum { ComputeFullU = 4, ComputeThinU = 8, ComputeFullV = 16, ComputeThinV = 32, EigenvaluesOnly = 64,
       ComputeEigenvectors = 128 };
enum { Lower = 1, Upper = 2, StrictlyLower = 9, StrictlyUpper = 10, UnitLower = 5, UnitUpper = 6, SelfAdjoint = 16 };
enum ComputationInfo { Success = 0, NumericalIssue = 1, NoConvergence = 2, InvalidInput = 3 };
enum NoChange_t { NoChange };
template <class T> struct kl_same { typedef T type; };
#define KL_VALUE(T) typename kl_same<T>::type

template <class T> struct NumTraits {
    typedef T Real;
    static T epsilon();
    static T dummy_precision();
    static T highest();
    static T lowest();
    static T infinity();
    static T quiet_NaN();
};

template <class T, int R, int C, int Options = 0, int MaxR = R, int MaxC = C> struct Matrix;
template <class T, int R, int C, int Options = 0, int MaxR = R, int MaxC = C> struct Array;
template <class D> struct kl_traits;
template <class T, int R, int C, int O, int P, int Q> struct kl_traits<Matrix<T, R, C, O, P, Q>> {
    typedef T Scalar;
    static constexpr int rows = R, cols = C;
};
template <class T, int R, int C, int O, int P, int Q> struct kl_traits<Array<T, R, C, O, P, Q>> {
    typedef T Scalar;
    static constexpr int rows = R, cols = C;
};
#define KL_T typename kl_traits<D>::Scalar
#define KL_R kl_traits<D>::rows
#define KL_C kl_traits<D>::cols
#define KL_PLAIN Matrix<KL_T, KL_R, KL_C>

template <class T, int N, bool Fixed = (N > 0)> struct kl_storage {
    T value[N];
};
template <class T, int N> struct kl_storage<T, N, false> {
    T *value;
    Index rows, cols;
};

template <class M> struct CommaInitializer {
    template <class A> CommaInitializer &operator,(const A &);
    M &finished();
};

template <class D> struct DenseBase {
    typedef KL_T Scalar;
    typedef Eigen::Index Index;
    typedef KL_T RealScalar;
    static constexpr int RowsAtCompileTime = KL_R, ColsAtCompileTime = KL_C, SizeAtCompileTime = KL_R * KL_C;
    static constexpr bool IsVectorAtCompileTime = KL_R == 1 || KL_C == 1;
    KL_T sum() const;
    KL_T prod() const;
    KL_T mean() const;
    KL_T trace() const;
    KL_T minCoeff() const;
    KL_T maxCoeff() const;
    template <class I> KL_T minCoeff(I *) const;
    template <class I> KL_T maxCoeff(I *) const;
    template <class I> KL_T minCoeff(I *, I *) const;
    template <class I> KL_T maxCoeff(I *, I *) const;
    KL_T norm() const;
    KL_T squaredNorm() const;
    KL_T stableNorm() const;
    template <int P> KL_T lpNorm() const;
    KL_T determinant() const;
    bool all() const;
    bool any() const;
    Index count() const;
    bool allFinite() const;
    bool hasNaN() const;
    template <class B> bool isApprox(const B &, KL_T = KL_T()) const;
    bool isZero(KL_T = KL_T()) const;
    bool isIdentity(KL_T = KL_T()) const;
    KL_PLAIN eval() const;
    KL_PLAIN normalized() const;
    KL_PLAIN inverse() const;
    KL_PLAIN conjugate() const;
    Matrix<KL_T, KL_C, KL_R> transpose() const;
    Matrix<KL_T, KL_C, KL_R> adjoint() const;
    KL_PLAIN matrix() const;
    Array<KL_T, KL_R, KL_C> array() const;
    template <class U> Matrix<U, KL_R, KL_C> cast() const;
    template <class A> KL_T dot(const A &) const;
    template <class A> KL_PLAIN cross(const A &) const;
    template <class A> KL_PLAIN cwiseProduct(const A &) const;
    template <class A> KL_PLAIN cwiseQuotient(const A &) const;
    template <class A> KL_PLAIN cwiseMin(const A &) const;
    template <class A> KL_PLAIN cwiseMax(const A &) const;
    template <class A> Matrix<bool, KL_R, KL_C> cwiseEqual(const A &) const;
    KL_PLAIN cwiseAbs() const;
    KL_PLAIN cwiseAbs2() const;
    KL_PLAIN cwiseSqrt() const;
    KL_PLAIN cwiseInverse() const;
    KL_PLAIN cwiseSign() const;
    template <class F> KL_PLAIN unaryExpr(const F &) const;
    template <class B, class F> KL_PLAIN binaryExpr(const B &, const F &) const;
    template <class A, class B> KL_PLAIN select(const A &, const B &) const;
    KL_PLAIN reverse() const;
    Matrix<KL_T, (KL_R < 0 ? -1 : KL_R + 1), KL_C> homogeneous() const;
    Matrix<KL_T, (KL_R < 2 ? -1 : KL_R - 1), KL_C> hnormalized() const;
    Matrix<KL_T, KL_R, 1> diagonal() const;
    Matrix<KL_T, KL_R, KL_R> asDiagonal() const;
    Matrix<KL_T, KL_R, KL_C> ldlt() const;
    Matrix<KL_T, KL_R, KL_C> llt() const;
    Matrix<KL_T, KL_R, KL_C> householderQr() const;
    Matrix<KL_T, KL_R, KL_C> colPivHouseholderQr() const;
    Matrix<KL_T, KL_R, KL_C> fullPivLu() const;
    template <class B> B solve(const B &) const;
    template <class V> Matrix<KL_T, KL_C, 1> eulerAngles(V, V, V) const;
};
template <class D> struct MatrixBase : DenseBase<D> {};
template <class D> struct ArrayBase : DenseBase<D> {};
template <class D> using EigenBase = DenseBase<D>;
template <class D> using PlainObjectBase = DenseBase<D>;

// Coefficients: RR, CC rows and columns; V the first of them; ONE reads and writes where it stands.
#define KL_COEFFICIENTS(T, RR, CC, O, V) \
    KL_FOLLOW T &operator()(Index i, Index j) { return V[((O) & 1) ? i * (CC) + j : j * (RR) + i]; } \
    KL_FOLLOW const T &operator()(Index i, Index j) const { return V[((O) & 1) ? i * (CC) + j : j * (RR) + i]; } \
    KL_FOLLOW T &coeffRef(Index i, Index j) { return V[((O) & 1) ? i * (CC) + j : j * (RR) + i]; } \
    KL_FOLLOW T coeff(Index i, Index j) const { return V[((O) & 1) ? i * (CC) + j : j * (RR) + i]; } \
    KL_FOLLOW T &operator()(Index i) { return V[i]; } \
    KL_FOLLOW const T &operator()(Index i) const { return V[i]; } \
    KL_FOLLOW T &operator[](Index i) { return V[i]; } \
    KL_FOLLOW const T &operator[](Index i) const { return V[i]; } \
    KL_FOLLOW T &coeffRef(Index i) { return V[i]; } \
    KL_FOLLOW T coeff(Index i) const { return V[i]; } \
    KL_FOLLOW T &x() { return V[0]; } \
    KL_FOLLOW T &y() { return V[1]; } \
    KL_FOLLOW T &z() { return V[2]; } \
    KL_FOLLOW T &w() { return V[3]; } \
    KL_FOLLOW const T &x() const { return V[0]; } \
    KL_FOLLOW const T &y() const { return V[1]; } \
    KL_FOLLOW const T &z() const { return V[2]; } \
    KL_FOLLOW const T &w() const { return V[3]; } \
    KL_FOLLOW T *data() { return V; } \
    KL_FOLLOW const T *data() const { return V; } \
    static constexpr Index innerStride() { return 1; }

// Parts of a matrix that can be assigned: matrices in the same memory, from their first coefficient on.
#define KL_PARTS(T, RR, CC, O, V, KIND) \
    template <int R2, int C2> KL_FOLLOW KIND<T, R2, C2> &block(Index i, Index j) \
    { return *(KIND<T, R2, C2> *)&V[((O) & 1) ? i * (CC) + j : j * (RR) + i]; } \
    template <int R2, int C2> KIND<T, R2, C2> block(Index i, Index j) const; \
    KIND<T, -1, -1> &block(Index, Index, Index, Index); \
    KIND<T, -1, -1> block(Index, Index, Index, Index) const; \
    template <int N> KL_FOLLOW KIND<T, N, 1> &segment(Index i) { return *(KIND<T, N, 1> *)&V[i]; } \
    template <int N> KIND<T, N, 1> segment(Index) const; \
    KIND<T, -1, 1> &segment(Index, Index); \
    KIND<T, -1, 1> segment(Index, Index) const; \
    template <int N> KL_FOLLOW KIND<T, N, 1> &head() { return *(KIND<T, N, 1> *)&V[0]; } \
    template <int N> KIND<T, N, 1> head() const; \
    KIND<T, -1, 1> &head(Index); \
    KIND<T, -1, 1> head(Index) const; \
    template <int N> KL_FOLLOW KIND<T, N, 1> &tail() { return *(KIND<T, N, 1> *)&V[(RR) * (CC)-N]; } \
    template <int N> KIND<T, N, 1> tail() const; \
    KIND<T, -1, 1> &tail(Index); \
    KIND<T, -1, 1> tail(Index) const; \
    KL_FOLLOW KIND<T, (RR), 1> &col(Index j) { return *(KIND<T, (RR), 1> *)&V[((O) & 1) ? j : j * (RR)]; } \
    KIND<T, (RR), 1> col(Index) const; \
    KL_FOLLOW KIND<T, 1, (CC)> &row(Index i) { return *(KIND<T, 1, (CC)> *)&V[((O) & 1) ? i * (CC) : i]; } \
    KIND<T, 1, (CC)> row(Index) const; \
    template <int R2, int C2> KL_FOLLOW KIND<T, R2, C2> &topLeftCorner() { return *(KIND<T, R2, C2> *)&V[0]; } \
    template <int R2, int C2> KIND<T, R2, C2> topLeftCorner() const; \
    template <int R2, int C2> KL_FOLLOW KIND<T, R2, C2> &topRightCorner() { return *(KIND<T, R2, C2> *)&V[0]; } \
    template <int R2, int C2> KIND<T, R2, C2> topRightCorner() const; \
    template <int R2, int C2> KL_FOLLOW KIND<T, R2, C2> &bottomLeftCorner() { return *(KIND<T, R2, C2> *)&V[0]; } \
    template <int R2, int C2> KL_FOLLOW KIND<T, R2, C2> &bottomRightCorner() { return *(KIND<T, R2, C2> *)&V[0]; } \
    template <int N> KL_FOLLOW KIND<T, N, (CC)> &topRows() { return *(KIND<T, N, (CC)> *)&V[0]; } \
    template <int N> KL_FOLLOW KIND<T, N, (CC)> &bottomRows() { return *(KIND<T, N, (CC)> *)&V[0]; } \
    template <int N> KL_FOLLOW KIND<T, (RR), N> &leftCols() { return *(KIND<T, (RR), N> *)&V[0]; } \
    template <int N> KL_FOLLOW KIND<T, (RR), N> &rightCols() { return *(KIND<T, (RR), N> *)&V[0]; }

// All coefficients are set, or changed.
#define KL_SETTERS(SELF, T, SET, CHANGE) \
    KL_FOLLOW SELF &setZero() { SET; return *this; } \
    KL_FOLLOW SELF &setOnes() { SET; return *this; } \
    KL_FOLLOW SELF &setConstant(const T &) { SET; return *this; } \
    KL_FOLLOW SELF &setIdentity() { SET; return *this; } \
    KL_FOLLOW SELF &setRandom() { SET; return *this; } \
    KL_FOLLOW void fill(const T &) { SET; } \
    KL_FOLLOW void normalize() { CHANGE; } \
    KL_FOLLOW void stableNormalize() { CHANGE; } \
    KL_FOLLOW SELF &noalias() { return *this; } \
    template <class A> void swap(A &); \
    template <class A> KL_FOLLOW SELF &operator=(const DenseBase<A> &) { SET; return *this; } \
    template <class A> KL_FOLLOW SELF &operator+=(const A &) { CHANGE; return *this; } \
    template <class A> KL_FOLLOW SELF &operator-=(const A &) { CHANGE; return *this; } \
    template <class A> KL_FOLLOW SELF &operator*=(const A &) { CHANGE; return *this; } \
    template <class A> KL_FOLLOW SELF &operator/=(const A &) { CHANGE; return *this; } \
    KL_FOLLOW CommaInitializer<SELF> operator<<(const T &) { SET; return {}; } \
    template <class A> KL_FOLLOW CommaInitializer<SELF> operator<<(const DenseBase<A> &) { SET; return {}; }

template <class S> Index kl_rows(const S &);
template <class S> Index kl_cols(const S &);

// What matrices and arrays have alike.
#define KL_DENSE(KIND) \
    kl_storage<T, (R < 0 || C < 0 ? -1 : R * C)> plain; \
    KIND() = default; \
    KL_FOLLOW explicit KIND(const T *p) : KIND(kl_any()) { T first = p[0]; } \
    explicit KIND(const T &a) { plain.value[0] = a; } \
    template <class A, class B> KIND(const A &a, const B &b) { plain.value[0] = T(a); plain.value[1] = T(b); } \
    template <class A, class B, class E> KIND(const A &a, const B &b, const E &c) \
    { plain.value[0] = T(a); plain.value[1] = T(b); plain.value[2] = T(c); } \
    template <class A, class B, class E, class F> KIND(const A &a, const B &b, const E &c, const F &d) \
    { plain.value[0] = T(a); plain.value[1] = T(b); plain.value[2] = T(c); plain.value[3] = T(d); } \
    template <class A> KIND(const DenseBase<A> &); \
    static KIND kl_any(); \
    static KIND kl_any(const KIND &); \
    static KIND Zero(); \
    static KIND Ones(); \
    static KIND Identity(); \
    static KIND Random(); \
    static KIND Constant(const T &); \
    static KIND LinSpaced(const T &, const T &); \
    static KIND Unit(Index); \
    static KIND UnitX(); \
    static KIND UnitY(); \
    static KIND UnitZ(); \
    static KIND UnitW(); \
    static KIND Zero(Index); \
    static KIND Zero(Index, Index); \
    static KIND Ones(Index); \
    static KIND Ones(Index, Index); \
    static KIND Identity(Index, Index); \
    static KIND Constant(Index, const T &); \
    static KIND Constant(Index, Index, const T &); \
    Index rows() const { return R >= 0 ? R : kl_rows(*this); } \
    Index cols() const { return C >= 0 ? C : kl_cols(*this); } \
    Index size() const { return rows() * cols(); } \
    void resize(Index); \
    void resize(Index, Index); \
    void conservativeResize(Index, Index); \
    KL_COEFFICIENTS(T, R, C, O, plain.value) \
    KL_PARTS(T, R, C, O, plain.value, KIND) \
    KL_SETTERS(KIND, T, *this = kl_any(), *this = kl_any(*this))

template <class T, int R, int C, int O, int P, int Q> struct Matrix : MatrixBase<Matrix<T, R, C, O, P, Q>> {
    typedef Matrix PlainObject;
    typedef Matrix PlainMatrix;
    KL_DENSE(Matrix)
};

template <class T, int R, int C, int O, int P, int Q> struct Array : ArrayBase<Array<T, R, C, O, P, Q>> {
    KL_DENSE(Array)
#define KL_EACH(NAME) Array NAME() const;
    KL_EACH(abs) KL_EACH(abs2) KL_EACH(sqrt) KL_EACH(rsqrt) KL_EACH(square) KL_EACH(cube) KL_EACH(inverse)
    KL_EACH(exp) KL_EACH(log) KL_EACH(sin) KL_EACH(cos) KL_EACH(tan) KL_EACH(tanh) KL_EACH(floor) KL_EACH(ceil)
    KL_EACH(round) KL_EACH(sign)
#undef KL_EACH
    template <class A> Array min(const A &) const;
    template <class A> Array max(const A &) const;
    template <class A> Array pow(const A &) const;
};
#undef KL_DENSE

// Memory seen as a matrix.
template <int Outer = 0, int Inner = 0> struct Stride { Stride() = default; Stride(Index, Index); };
template <int N = -1> struct OuterStride { OuterStride() = default; OuterStride(Index); };
template <int N = -1> struct InnerStride { InnerStride() = default; InnerStride(Index); };
template <class T> struct kl_bare { typedef T type; };
template <class T> struct kl_bare<const T> { typedef T type; };
template <class M, int Options = 0, class S = Stride<0, 0>> struct Map;
template <class M, int O, class S> struct kl_traits<Map<M, O, S>> : kl_traits<typename kl_bare<M>::type> {};
template <class M> struct kl_order { static constexpr int value = 0; };
template <class T, int R, int C, int O, int P, int Q> struct kl_order<Matrix<T, R, C, O, P, Q>> {
    static constexpr int value = O;
};
template <class M, int Options, class S> struct Map : MatrixBase<Map<M, Options, S>> {
    typedef typename kl_bare<M>::type kl_plain;
    typedef typename kl_traits<kl_plain>::Scalar T;
    static constexpr int R = kl_traits<kl_plain>::rows, C = kl_traits<kl_plain>::cols, O = kl_order<kl_plain>::value;
    T *at;
    KL_FOLLOW explicit Map(const T *p) : at((T *)p) {}
    KL_FOLLOW Map(const T *p, Index) : at((T *)p) {}
    KL_FOLLOW Map(const T *p, Index, Index) : at((T *)p) {}
    KL_FOLLOW Map(const T *p, S) : at((T *)p) {}
    KL_FOLLOW Map(const T *p, Index, Index, S) : at((T *)p) {}
    Index rows() const { return R >= 0 ? R : kl_rows(*this); }
    Index cols() const { return C >= 0 ? C : kl_cols(*this); }
    KL_FOLLOW Index size() const { return R >= 0 && C >= 0 ? R * C : kl_rows(*this); }
    KL_FOLLOW Map &operator=(const Map &b) {
        for (Index k = 0; k < size(); ++k) at[k] = b.at[k];
        return *this;
    }
    KL_COEFFICIENTS(T, R, C, O, at)
    KL_PARTS(T, R, C, O, at, Matrix)
    KL_SETTERS(Map, T, for (Index k = 0; k < size(); ++k) at[k] = T(), for (Index k = 0; k < size(); ++k) at[k] += T())
};
template <class M, int Options = 0, class S = Stride<0, 0>> using Ref = Map<M, Options, S>;

// Arithmetic of matrices.
#define KL_SUM(OP) \
    template <class D, class B> KL_PLAIN operator OP(const MatrixBase<D> &, const MatrixBase<B> &); \
    template <class D, class B> Array<KL_T, KL_R, KL_C> operator OP(const ArrayBase<D> &, const ArrayBase<B> &); \
    template <class D> Array<KL_T, KL_R, KL_C> operator OP(const ArrayBase<D> &, KL_VALUE(KL_T)); \
    template <class D> Array<KL_T, KL_R, KL_C> operator OP(KL_VALUE(KL_T), const ArrayBase<D> &);
KL_SUM(+)
KL_SUM(-)
#undef KL_SUM
template <class D> KL_PLAIN operator-(const MatrixBase<D> &);
template <class D> Array<KL_T, KL_R, KL_C> operator-(const ArrayBase<D> &);
template <class D, class B> Matrix<KL_T, KL_R, kl_traits<B>::cols> operator*(const MatrixBase<D> &,
                                                                             const MatrixBase<B> &);
template <class D> KL_PLAIN operator*(const MatrixBase<D> &, KL_VALUE(KL_T));
template <class D> KL_PLAIN operator*(KL_VALUE(KL_T), const MatrixBase<D> &);
template <class D> KL_PLAIN operator/(const MatrixBase<D> &, KL_VALUE(KL_T));
template <class D, class B> Array<KL_T, KL_R, KL_C> operator*(const ArrayBase<D> &, const ArrayBase<B> &);
template <class D, class B> Array<KL_T, KL_R, KL_C> operator/(const ArrayBase<D> &, const ArrayBase<B> &);
template <class D> Array<KL_T, KL_R, KL_C> operator*(const ArrayBase<D> &, KL_VALUE(KL_T));
template <class D> Array<KL_T, KL_R, KL_C> operator*(KL_VALUE(KL_T), const ArrayBase<D> &);
template <class D> Array<KL_T, KL_R, KL_C> operator/(const ArrayBase<D> &, KL_VALUE(KL_T));
template <class D> Array<KL_T, KL_R, KL_C> operator/(KL_VALUE(KL_T), const ArrayBase<D> &);
template <class D, class B> bool operator==(const MatrixBase<D> &, const MatrixBase<B> &);
template <class D, class B> bool operator!=(const MatrixBase<D> &, const MatrixBase<B> &);
#define KL_COMPARE(OP) \
    template <class D, class B> Array<bool, KL_R, KL_C> operator OP(const ArrayBase<D> &, const ArrayBase<B> &); \
    template <class D> Array<bool, KL_R, KL_C> operator OP(const ArrayBase<D> &, KL_VALUE(KL_T));
KL_COMPARE(<)
KL_COMPARE(<=)
KL_COMPARE(>)
KL_COMPARE(>=)
KL_COMPARE(==)
KL_COMPARE(!=)
KL_COMPARE(&&)
KL_COMPARE(||)
#undef KL_COMPARE
#define KL_EACH(NAME) \
    template <class D> KL_PLAIN NAME(const MatrixBase<D> &); \
    template <class D> Array<KL_T, KL_R, KL_C> NAME(const ArrayBase<D> &);
KL_EACH(abs) KL_EACH(floor) KL_EACH(ceil) KL_EACH(round) KL_EACH(sqrt) KL_EACH(exp) KL_EACH(log)
#undef KL_EACH

// Rotations and transformations.
template <class T> struct AngleAxis {
    T a;
    Matrix<T, 3, 1> n;
    AngleAxis() = default;
    template <class D> AngleAxis(const T &, const MatrixBase<D> &);
    template <class A> explicit AngleAxis(const A &);
    T &angle() { return a; }
    T angle() const { return a; }
    Matrix<T, 3, 1> &axis() { return n; }
    const Matrix<T, 3, 1> &axis() const { return n; }
    Matrix<T, 3, 3> toRotationMatrix() const;
    Matrix<T, 3, 3> matrix() const;
    AngleAxis inverse() const;
};
template <class T, int Options = 0> struct Quaternion;
template <class D, class T> struct QuaternionBase {
    Quaternion<T> conjugate() const;
    Quaternion<T> inverse() const;
    Quaternion<T> normalized() const;
    Matrix<T, 3, 3> toRotationMatrix() const;
    Matrix<T, 3, 3> matrix() const;
    T norm() const;
    T squaredNorm() const;
    template <class A> T dot(const A &) const;
    template <class A> T angularDistance(const A &) const;
    template <class A> Quaternion<T> slerp(const T &, const A &) const;
    template <class A> Matrix<T, 3, 1> _transformVector(const A &) const;
    template <class U> Quaternion<U> cast() const;
    template <class A> bool isApprox(const A &, T = T()) const;
};
#define KL_QUATERNION(SELF, V) \
    KL_FOLLOW T &x() { return V[0]; } \
    KL_FOLLOW T &y() { return V[1]; } \
    KL_FOLLOW T &z() { return V[2]; } \
    KL_FOLLOW T &w() { return V[3]; } \
    KL_FOLLOW const T &x() const { return V[0]; } \
    KL_FOLLOW const T &y() const { return V[1]; } \
    KL_FOLLOW const T &z() const { return V[2]; } \
    KL_FOLLOW const T &w() const { return V[3]; } \
    KL_FOLLOW Matrix<T, 4, 1> &coeffs() { return *(Matrix<T, 4, 1> *)&V[0]; } \
    Matrix<T, 4, 1> coeffs() const; \
    KL_FOLLOW Matrix<T, 3, 1> &vec() { return *(Matrix<T, 3, 1> *)&V[0]; } \
    Matrix<T, 3, 1> vec() const; \
    KL_FOLLOW void normalize() { for (int k = 0; k < 4; ++k) V[k] += T(); } \
    KL_FOLLOW SELF &setIdentity() { for (int k = 0; k < 4; ++k) V[k] = T(); return *this; } \
    template <class A, class B> KL_FOLLOW SELF &setFromTwoVectors(const A &, const B &) \
    { for (int k = 0; k < 4; ++k) V[k] = T(); return *this; } \
    template <class A> KL_FOLLOW SELF &operator*=(const A &) \
    { for (int k = 0; k < 4; ++k) V[k] += T(); return *this; }
template <class T, int Options> struct Quaternion : QuaternionBase<Quaternion<T, Options>, T> {
    typedef T Scalar;
    T value[4];
    Quaternion() = default;
    Quaternion(const T &w, const T &x, const T &y, const T &z) : value{x, y, z, w} {}
    explicit Quaternion(const T *p) : value{p[0], p[1], p[2], p[3]} {}
    template <class D> Quaternion(const T &, const MatrixBase<D> &);
    template <class D> explicit Quaternion(const MatrixBase<D> &);
    template <class D> Quaternion(const QuaternionBase<D, T> &);
    explicit Quaternion(const AngleAxis<T> &);
    static Quaternion Identity();
    static Quaternion UnitRandom();
    template <class A, class B> static Quaternion FromTwoVectors(const A &, const B &);
    KL_QUATERNION(Quaternion, value)
};
template <class T, int Q, int O, class S> struct Map<Quaternion<T, Q>, O, S>
    : QuaternionBase<Map<Quaternion<T, Q>, O, S>, T> {
    T *at;
    KL_FOLLOW explicit Map(const T *p) : at((T *)p) {}
    template <class D> KL_FOLLOW Map &operator=(const QuaternionBase<D, T> &) {
        for (int k = 0; k < 4; ++k) at[k] = T();
        return *this;
    }
    KL_QUATERNION(Map, at)
};
template <class T, int Q, int O, class S> struct Map<const Quaternion<T, Q>, O, S>
    : QuaternionBase<Map<const Quaternion<T, Q>, O, S>, T> {
    T *at;
    KL_FOLLOW explicit Map(const T *p) : at((T *)p) {}
    KL_QUATERNION(Map, at)
};
template <class A, class B, class T> Quaternion<T> operator*(const QuaternionBase<A, T> &, const QuaternionBase<B, T> &);
template <class A, class T, class D> Matrix<T, 3, 1> operator*(const QuaternionBase<A, T> &, const MatrixBase<D> &);
template <class T> Quaternion<T> operator*(const AngleAxis<T> &, const AngleAxis<T> &);
template <class T, class D> Matrix<T, 3, kl_traits<D>::cols> operator*(const AngleAxis<T> &, const MatrixBase<D> &);

template <class T, int N> struct Translation {
    Translation() = default;
    template <class A> explicit Translation(const A &);
    Translation(const T &, const T &, const T &);
};
template <class T, int N, int Mode, int Options = 0> struct Transform {
    Matrix<T, N + 1, N + 1> m;
    Transform() = default;
    template <class A> explicit Transform(const A &);
    static Transform Identity();
    Transform &setIdentity() { m.plain.value[0] = T(1); return *this; }
    Matrix<T, N + 1, N + 1> &matrix() { return m; }
    const Matrix<T, N + 1, N + 1> &matrix() const { return m; }
    Matrix<T, N, N> &linear() { return *(Matrix<T, N, N> *)m.plain.value; }
    Matrix<T, N, N> linear() const;
    Matrix<T, N, N> rotation() const;
    Matrix<T, N, 1> &translation() { return *(Matrix<T, N, 1> *)&m.plain.value[N * (N + 1)]; }
    Matrix<T, N, 1> translation() const;
    Transform inverse() const;
    template <class U> Transform<U, N, Mode> cast() const;
    T &operator()(Index i, Index j) { return m(i, j); }
    const T &operator()(Index i, Index j) const { return m(i, j); }
    T *data() { return m.plain.value; }
    const T *data() const { return m.plain.value; }
    template <class A> Transform &translate(const A &);
    template <class A> Transform &pretranslate(const A &);
    template <class A> Transform &rotate(const A &);
    template <class A> Transform &prerotate(const A &);
    template <class A> Transform &scale(const A &);
};
template <class T, int N, int M, int O, int P, int Q>
Transform<T, N, M> operator*(const Transform<T, N, M, O> &, const Transform<T, N, P, Q> &);
template <class T, int N, int M, int O, class D>
Matrix<T, kl_traits<D>::rows, kl_traits<D>::cols> operator*(const Transform<T, N, M, O> &, const MatrixBase<D> &);

template <class T, int N> struct AlignedBox {
    Matrix<T, N, 1> least, most;
    AlignedBox() = default;
    template <class A, class B> AlignedBox(const A &, const B &);
    template <class A> explicit AlignedBox(const A &);
    Matrix<T, N, 1> &min() { return least; }
    Matrix<T, N, 1> &max() { return most; }
    const Matrix<T, N, 1> &min() const { return least; }
    const Matrix<T, N, 1> &max() const { return most; }
    Matrix<T, N, 1> center() const;
    Matrix<T, N, 1> sizes() const;
    T volume() const;
    bool isEmpty() const;
    template <class A> bool contains(const A &) const;
    template <class A> bool intersects(const A &) const;
    template <class A> AlignedBox &extend(const A &);
    template <class A> AlignedBox intersection(const A &) const;
    template <class A> AlignedBox merged(const A &) const;
    template <class A> T exteriorDistance(const A &) const;
    template <class A> T squaredExteriorDistance(const A &) const;
};
template <class T, int N, int O = 0> struct ParametrizedLine {
    ParametrizedLine() = default;
    template <class A, class B> ParametrizedLine(const A &, const B &);
    Matrix<T, N, 1> origin() const;
    Matrix<T, N, 1> direction() const;
    Matrix<T, N, 1> pointAt(const T &) const;
};
template <class T, int N, int O = 0> struct Hyperplane {
    Hyperplane() = default;
    template <class A, class B> Hyperplane(const A &, const B &);
    Matrix<T, N, 1> normal() const;
    template <class A> T signedDistance(const A &) const;
    template <class A> T absDistance(const A &) const;
};

// Decompositions.
#define KL_DECOMPOSITION(NAME) \
    template <class M, int O = 0> struct NAME { \
        typedef typename kl_traits<M>::Scalar T; \
        NAME() = default; \
        template <class A> explicit NAME(const A &, unsigned = 0); \
        template <class A> NAME &compute(const A &, unsigned = 0); \
        template <class A> NAME &computeDirect(const A &, unsigned = 0); \
        template <class B> B solve(const B &) const; \
        ComputationInfo info() const; \
        M matrixU() const; \
        M matrixV() const; \
        M matrixL() const; \
        M eigenvectors() const; \
        Matrix<T, kl_traits<M>::rows, 1> singularValues() const; \
        Matrix<T, kl_traits<M>::rows, 1> eigenvalues() const; \
        M inverse() const; \
        T determinant() const; \
        Index rank() const; \
    };
KL_DECOMPOSITION(JacobiSVD)
KL_DECOMPOSITION(BDCSVD)
KL_DECOMPOSITION(SelfAdjointEigenSolver)
KL_DECOMPOSITION(EigenSolver)
KL_DECOMPOSITION(LDLT)
KL_DECOMPOSITION(LLT)
KL_DECOMPOSITION(PartialPivLU)
KL_DECOMPOSITION(FullPivLU)
KL_DECOMPOSITION(HouseholderQR)
KL_DECOMPOSITION(ColPivHouseholderQR)
#undef KL_DECOMPOSITION

template <class T> struct aligned_allocator {
    typedef T value_type;
    T *allocate(size_t);
    void deallocate(T *, size_t);
};
struct IOFormat { template <class... A> IOFormat(A...); };
enum { StreamPrecision = -1, FullPrecision = -2, DontAlignCols = 1 };

#define KL_NAMES(T, S) \
    typedef Matrix<T, 2, 2> Matrix2##S; \
    typedef Matrix<T, 3, 3> Matrix3##S; \
    typedef Matrix<T, 4, 4> Matrix4##S; \
    typedef Matrix<T, -1, -1> MatrixX##S; \
    typedef Matrix<T, 2, -1> Matrix2X##S; \
    typedef Matrix<T, 3, -1> Matrix3X##S; \
    typedef Matrix<T, 4, -1> Matrix4X##S; \
    typedef Matrix<T, -1, 2> MatrixX2##S; \
    typedef Matrix<T, -1, 3> MatrixX3##S; \
    typedef Matrix<T, -1, 4> MatrixX4##S; \
    typedef Matrix<T, 2, 1> Vector2##S; \
    typedef Matrix<T, 3, 1> Vector3##S; \
    typedef Matrix<T, 4, 1> Vector4##S; \
    typedef Matrix<T, -1, 1> VectorX##S; \
    typedef Matrix<T, 1, 2> RowVector2##S; \
    typedef Matrix<T, 1, 3> RowVector3##S; \
    typedef Matrix<T, 1, 4> RowVector4##S; \
    typedef Matrix<T, 1, -1> RowVectorX##S; \
    typedef Array<T, 2, 1> Array2##S; \
    typedef Array<T, 3, 1> Array3##S; \
    typedef Array<T, 4, 1> Array4##S; \
    typedef Array<T, -1, 1> ArrayX##S; \
    typedef Array<T, 2, 2> Array22##S; \
    typedef Array<T, 3, 3> Array33##S; \
    typedef Array<T, 4, 4> Array44##S; \
    typedef Array<T, -1, -1> ArrayXX##S;
KL_NAMES(float, f)
KL_NAMES(double, d)
KL_NAMES(int, i)
#undef KL_NAMES
#define KL_NAMES(T, S) \
    typedef Quaternion<T> Quaternion##S; \
    typedef AngleAxis<T> AngleAxis##S; \
    typedef Transform<T, 2, Affine> Affine2##S; \
    typedef Transform<T, 3, Affine> Affine3##S; \
    typedef Transform<T, 2, Isometry> Isometry2##S; \
    typedef Transform<T, 3, Isometry> Isometry3##S; \
    typedef Transform<T, 3, Projective> Projective3##S; \
    typedef Translation<T, 2> Translation2##S; \
    typedef Translation<T, 3> Translation3##S; \
    typedef AlignedBox<T, 2> AlignedBox2##S; \
    typedef AlignedBox<T, 3> AlignedBox3##S;
KL_NAMES(float, f)
KL_NAMES(double, d)
#undef KL_NAMES
typedef AlignedBox<int, 2> AlignedBox2i;
typedef AlignedBox<int, 3> AlignedBox3i;
template <class T> using Vector2 = Matrix<T, 2, 1>;
template <class T> using Vector3 = Matrix<T, 3, 1>;
template <class T> using Vector4 = Matrix<T, 4, 1>;
template <class T> using VectorX = Matrix<T, -1, 1>;
template <class T> using Matrix2 = Matrix<T, 2, 2>;
template <class T> using Matrix3 = Matrix<T, 3, 3>;
template <class T> using Matrix4 = Matrix<T, 4, 4>;
template <class T> using MatrixX = Matrix<T, -1, -1>;
template <class T, int N> using Vector = Matrix<T, N, 1>;
template <class T, int N> using RowVector = Matrix<T, 1, N>;
#undef KL_COEFFICIENTS
#undef KL_PARTS
#undef KL_SETTERS
#undef KL_QUATERNION
#undef KL_PLAIN
#undef KL_T
#undef KL_R
#undef KL_C
#undef KL_VALUE
}  // namespace Eigen

#pragma clang force_cuda_host_device end
