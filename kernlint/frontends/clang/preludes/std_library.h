// The parts of the C++ standard library that host code next to kernels uses.
#pragma once
#pragma clang system_header

namespace std {

// The C library.
using ::FILE;
using ::abort;
using ::aligned_alloc;
using ::atof;
using ::atoi;
using ::calloc;
using ::clock;
using ::clock_t;
using ::exit;
using ::fclose;
using ::fflush;
using ::fopen;
using ::fprintf;
using ::fputs;
using ::fread;
using ::free;
using ::fwrite;
using ::getenv;
using ::isspace;
using ::labs;
using ::malloc;
using ::memcmp;
using ::memcpy;
using ::memmove;
using ::memset;
using ::tolower;
using ::toupper;
using ::printf;
using ::puts;
using ::qsort;
using ::rand;
using ::realloc;
using ::snprintf;
using ::sprintf;
using ::srand;
using ::sscanf;
using ::strcat;
using ::strchr;
using ::strcmp;
using ::strcpy;
using ::strlen;
using ::strncpy;
using ::strstr;
using ::strtod;
using ::strtol;
using ::time;
using ::time_t;
using ::va_list;

template <class T> struct allocator { typedef T value_type; };
template <class T> struct hash { size_t operator()(const T&) const; };

// Members that sequences have in common.
#define KL_SEQUENCE(C, T) \
    typedef T value_type; \
    typedef size_t size_type; \
    typedef T* iterator; \
    typedef const T* const_iterator; \
    typedef T& reference; \
    typedef const T& const_reference; \
    iterator begin(); \
    iterator end(); \
    const_iterator begin() const; \
    const_iterator end() const; \
    const_iterator cbegin() const; \
    const_iterator cend() const; \
    iterator rbegin(); \
    iterator rend(); \
    size_t size() const; \
    bool empty() const; \
    T& front(); \
    T& back(); \
    const T& front() const; \
    const T& back() const; \
    T& operator[](size_t); \
    const T& operator[](size_t) const; \
    T& at(size_t); \
    const T& at(size_t) const; \
    T* data(); \
    const T* data() const; \
    void clear(); \
    void swap(C&); \
    bool operator==(const C&) const; \
    bool operator!=(const C&) const; \
    bool operator<(const C&) const;

// <vector>
template <class T, class A = allocator<T>> struct vector {
    KL_SEQUENCE(vector, T)
    vector();
    vector(size_t);
    vector(size_t, const T&);
    vector(initializer_list<T>);
    template <class I, class = decltype(*declval<I>())> vector(I, I);
    vector(const vector&);
    vector& operator=(const vector&);
    vector& operator=(initializer_list<T>);
    ~vector();
    void push_back(const T&);
    template <class... X> T& emplace_back(X&&...);
    void pop_back();
    void resize(size_t);
    void resize(size_t, const T&);
    void reserve(size_t);
    void shrink_to_fit();
    size_t capacity() const;
    void assign(size_t, const T&);
    template <class I> void assign(I, I);
    template <class... X> iterator insert(X&&...);
    template <class... X> iterator erase(X&&...);
};

// <string>
template <class C> struct basic_string {
    KL_SEQUENCE(basic_string, C)
    static constexpr size_t npos = -1;
    basic_string();
    basic_string(const C*);
    basic_string(const C*, size_t);
    basic_string(size_t, C);
    template <class I> basic_string(I, I);
    basic_string(const basic_string&);
    ~basic_string();
    basic_string& operator=(const C*);
    const C* c_str() const;
    size_t length() const;
    basic_string substr(size_t = 0, size_t=-1) const;
    template <class... X> size_t find(X...) const;
    template <class... X> size_t rfind(X...) const;
    template <class... X> size_t find_first_of(X...) const;
    template <class... X> size_t find_last_of(X...) const;
    template <class... X> size_t find_first_not_of(X...) const;
    template <class X> basic_string& operator+=(const X&);
    template <class... X> basic_string& append(X...);
    void push_back(C);
    template <class... X> int compare(X...) const;
    template <class... X> basic_string& erase(X...);
    template <class... X> basic_string& replace(X...);
    template <class... X> basic_string& insert(X...);
    void resize(size_t);
    void reserve(size_t);
};
typedef basic_string<char> string;
typedef string string_view;
typedef basic_string<wchar_t> wstring;
template <class C> basic_string<C> operator+(const basic_string<C>&, const basic_string<C>&);
template <class C> basic_string<C> operator+(const basic_string<C>&, const C*);
template <class C> basic_string<C> operator+(const C*, const basic_string<C>&);
template <class C> basic_string<C> operator+(const basic_string<C>&, C);
template <class C> bool operator==(const basic_string<C>&, const C*);
template <class C> bool operator!=(const basic_string<C>&, const C*);
template <class T> string to_string(T);
int stoi(const string&, size_t* =0, int = 10);
long stol(const string&, size_t* =0, int = 10);
unsigned long stoul(const string&, size_t* =0, int = 10);
float stof(const string&, size_t* =0);
double stod(const string&, size_t* =0);
long long stoll(const string&, size_t* =0, int = 10);

// <map>, <set>, <queue> and the like
template <class K, class V> struct __kl_map {
    typedef pair<const K, V> value_type;
    typedef value_type* iterator;
    typedef const value_type* const_iterator;
    V& operator[](const K&);
    V& at(const K&);
    const V& at(const K&) const;
    iterator find(const K&);
    const_iterator find(const K&) const;
    iterator begin();
    iterator end();
    const_iterator begin() const;
    const_iterator end() const;
    size_t size() const;
    bool empty() const;
    size_t count(const K&) const;
    template <class... X> pair<iterator, bool> insert(X&&...);
    template <class... X> pair<iterator, bool> emplace(X&&...);
    template <class X> void erase(X);
    void clear();
    iterator lower_bound(const K&);
    __kl_map();
    __kl_map(initializer_list<value_type>);
};
template <class K, class V, class... R> struct map : __kl_map<K, V> { using __kl_map<K, V>::__kl_map; };
template <class K, class V, class... R> struct unordered_map : __kl_map<K, V> { using __kl_map<K, V>::__kl_map; };
template <class K, class V, class... R> struct multimap : __kl_map<K, V> {};
template <class T, class... R> struct set {
    typedef const T* iterator;
    template <class... X> set(X&&...);
    iterator begin() const;
    iterator end() const;
    iterator find(const T&) const;
    size_t count(const T&) const;
    size_t size() const;
    bool empty() const;
    template <class... X> pair<iterator, bool> insert(X&&...);
    template <class X> void erase(X);
    void clear();
};
template <class T, class... R> struct unordered_set : set<T> {};
template <class T, class... R> struct list : vector<T> {
    void push_front(const T&);
    void pop_front();
    using vector<T>::vector;
};
template <class T, class... R> struct deque : list<T> {};
template <class T, class... R> struct queue : list<T> { void push(const T&); void pop(); T& top(); };
template <class T, class... R> struct stack : queue<T> {};
template <class T, class... R> struct priority_queue : queue<T> {};
template <size_t N> struct bitset { template <class... X> bitset(X...); bool operator[](size_t) const; };

// <memory>, <functional>, <optional>
template <class T, class D = void> struct unique_ptr {
    unique_ptr();
    unique_ptr(decltype(nullptr));
    template <class... X> explicit unique_ptr(X&&...);
    T* get() const;
    T& operator*() const;
    T* operator->() const;
    T& operator[](size_t) const;
    void reset(T* =0);
    T* release();
    explicit operator bool() const;
};
template <class T, class D> struct unique_ptr<T[], D> {
    unique_ptr();
    unique_ptr(decltype(nullptr));
    template <class... X> explicit unique_ptr(X&&...);
    T* get() const;
    T& operator[](size_t) const;
    void reset(T* =0);
    T* release();
    explicit operator bool() const;
};
template <class T> struct shared_ptr : unique_ptr<T> {
    using unique_ptr<T>::unique_ptr;
    template <class U> shared_ptr(const shared_ptr<U>&);
};
template <class T, class... A> unique_ptr<T> make_unique(A&&...);
template <class T, class... A> shared_ptr<T> make_shared(A&&...);
template <class T> struct weak_ptr {
    weak_ptr();
    weak_ptr(const shared_ptr<T>&);
    shared_ptr<T> lock() const;
    bool expired() const;
};
template <class> struct function;
template <class R, class... A> struct function<R(A...)> {
    function();
    template <class F> function(F);
    R operator()(A...) const;
    explicit operator bool() const;
};
struct nullopt_t {};
constexpr nullopt_t nullopt{};
template <class T> struct optional {
    template <class... X> optional(X&&...);
    T& value() const;
    T& operator*() const;
    T* operator->() const;
    explicit operator bool() const;
    bool has_value() const;
    T value_or(T) const;
};

// <stdexcept>
struct exception { virtual const char* what() const; virtual ~exception(); };
struct runtime_error : exception { runtime_error(const string&); runtime_error(const char*); };
struct logic_error : runtime_error { using runtime_error::runtime_error; };
struct invalid_argument : logic_error { using logic_error::logic_error; };
struct out_of_range : logic_error { using logic_error::logic_error; };
struct domain_error : logic_error { using logic_error::logic_error; };
struct length_error : logic_error { using logic_error::logic_error; };
struct range_error : runtime_error { using runtime_error::runtime_error; };
struct overflow_error : runtime_error { using runtime_error::runtime_error; };
struct underflow_error : runtime_error { using runtime_error::runtime_error; };
struct bad_alloc : exception {};
struct bad_cast : exception {};
struct bad_function_call : exception {};
struct bad_optional_access : exception {};
struct error_code { error_code(); int value() const; string message() const; explicit operator bool() const; };
struct system_error : runtime_error { template <class... X> system_error(const X&...); const error_code& code() const; };
struct exception_ptr { exception_ptr(); exception_ptr(decltype(nullptr)); explicit operator bool() const; };
exception_ptr current_exception();
[[noreturn]] void rethrow_exception(exception_ptr);
[[noreturn]] void terminate();

// <iostream>
struct ios_base {
    enum openmode { in = 1, out = 2, binary = 4, app = 8, ate = 16, trunc = 32 };
    enum fmt { fixed_ = 1 };
    enum iostate { badbit = 1, failbit = 2, eofbit = 4, goodbit = 0 };
    struct failure : runtime_error { using runtime_error::runtime_error; };
    static bool sync_with_stdio(bool = true);
    template <class... X> void exceptions(X...);
    int precision(int = 0);
    int width(int = 0);
    template <class... X> void setf(X...);
    explicit operator bool() const;
    bool operator!() const;
    bool good() const;
    bool bad() const;
    bool fail() const;
    bool eof() const;
    void clear();
    void* rdbuf() const;
};
typedef ios_base ios;
inline ios_base::openmode operator|(ios_base::openmode, ios_base::openmode);
typedef long streamsize;
typedef long streamoff;
struct ostream : ios_base {
    template <class T> ostream& operator<<(const T&);
    ostream& operator<<(ostream&(*)(ostream&));
    ostream& write(const char*, long);
    ostream& flush();
    ostream& put(char);
};
struct istream : ios_base {
    template <class T> istream& operator>>(T&&);
    istream& read(char*, long);
    template <class... X> istream& getline(X...);
    template <class... X> istream& seekg(X...);
    long tellg();
    int get();
    template <class... X> istream& get(X&&...);
    template <class... X> istream& ignore(X...);
    long gcount() const;
    int peek();
};
struct iostream : ostream { template <class T> iostream& operator>>(T&&); };
struct ofstream : ostream {
    ofstream();
    template <class... X> ofstream(const X&...);
    template <class... X> void open(const X&...);
    void close();
    bool is_open() const;
};
struct ifstream : istream {
    ifstream();
    template <class... X> ifstream(const X&...);
    template <class... X> void open(const X&...);
    void close();
    bool is_open() const;
};
struct fstream : ifstream {
    using ifstream::ifstream;
    template <class T> fstream& operator<<(const T&);
    fstream& write(const char*, long);
};
struct ostringstream : ostream {
    template <class... X> ostringstream(const X&...);
    string str() const;
    void str(const string&);
};
struct istringstream : istream { template <class... X> istringstream(const X&...); string str() const; };
struct stringstream : istringstream {
    using istringstream::istringstream;
    template <class T> stringstream& operator<<(const T&);
};
extern ostream cout, cerr, clog;
extern istream cin;
ostream& endl(ostream&);
ostream& flush(ostream&);
ostream& fixed(ostream&);
ostream& scientific(ostream&);
ostream& left(ostream&);
ostream& right(ostream&);
ostream& hex(ostream&);
ostream& dec(ostream&);
ostream& boolalpha(ostream&);
struct __kl_manip {};
template <class T> __kl_manip setw(T);
template <class T> __kl_manip setprecision(T);
template <class T> __kl_manip setfill(T);
template <class... X> istream& getline(istream&, string&, X...);

// <chrono>
template <intmax_t N, intmax_t D = 1> struct ratio {};
typedef ratio<1, 1000> milli;
typedef ratio<1, 1000000> micro;
typedef ratio<1, 1000000000> nano;
namespace chrono {
    template <class R, class P = ratio<1>> struct duration {
        typedef R rep;
        constexpr duration();
        template <class X> constexpr explicit duration(const X&);
        template <class R2, class P2> constexpr duration(const duration<R2, P2>&);
        R count() const;
        duration& operator+=(const duration&);
        duration operator+(const duration&) const;
        duration operator-(const duration&) const;
        template <class X> duration operator/(X) const;
        bool operator<(const duration&) const;
        static duration zero();
    };
    typedef duration<long, nano> nanoseconds;
    typedef duration<long, micro> microseconds;
    typedef duration<long, milli> milliseconds;
    typedef duration<long> seconds;
    struct __clk {
        typedef chrono::nanoseconds duration;
        struct time_point {
            chrono::nanoseconds operator-(const time_point&) const;
            duration time_since_epoch() const;
            bool operator<(const time_point&) const;
            template <class D> time_point operator+(const D&) const;
        };
        static time_point now();
    };
    typedef __clk steady_clock, high_resolution_clock, system_clock;
    template <class C, class D = nanoseconds> using time_point = typename C::time_point;
    template <class T, class R, class P> T duration_cast(const duration<R, P>&);
}
class type_info {
    public: const char* name() const;
    bool operator==(const type_info&) const;
};

// <random>
struct mt19937 {
    typedef unsigned int result_type;
    mt19937();
    template <class T> explicit mt19937(T);
    unsigned int operator()();
    template <class T> void seed(T);
    static constexpr unsigned int min();
    static constexpr unsigned int max();
};
typedef mt19937 default_random_engine, mt19937_64, minstd_rand, knuth_b;
struct random_device { unsigned int operator()(); };
#define KL_DISTRIBUTION(N, D) \
    template <class T = D> struct N { \
        template <class... X> explicit N(X...); \
        template <class G> T operator()(G&); \
    };
KL_DISTRIBUTION(uniform_real_distribution, double)
KL_DISTRIBUTION(uniform_int_distribution, int)
KL_DISTRIBUTION(normal_distribution, double)
KL_DISTRIBUTION(exponential_distribution, double)
KL_DISTRIBUTION(poisson_distribution, int)
KL_DISTRIBUTION(bernoulli_distribution, bool)
#undef KL_DISTRIBUTION

// <algorithm>, <numeric>, <iterator>
template <class I, class... X> void sort(I, I, X...);
template <class I, class... X> void stable_sort(I, I, X...);
template <class I, class T> void fill(I, I, const T&);
template <class I, class N, class T> I fill_n(I, N, const T&);
template <class I, class F> void generate(I, I, F);
template <class I, class N, class F> void generate_n(I, N, F);
template <class I, class O> O copy(I, I, O);
template <class I, class N, class O> O copy_n(I, N, O);
template <class I, class T, class... X> T accumulate(I, I, T, X...);
template <class I, class T> void iota(I, I, T);
template <class I, class... X> I max_element(I, I, X...);
template <class I, class... X> I min_element(I, I, X...);
template <class I, class T> I find(I, I, const T&);
template <class I, class F> I find_if(I, I, F);
template <class I, class T> long count(I, I, const T&);
template <class I> void reverse(I, I);
template <class I, class F> F for_each(I, I, F);
template <class... X> bool equal(X...);
template <class I, class G> void shuffle(I, I, G&&);
template <class I, class... X> I unique(I, I, X...);
template <class I, class T, class... X> I lower_bound(I, I, const T&, X...);
template <class I, class T, class... X> I upper_bound(I, I, const T&, X...);
template <class I, class O, class F> O transform(I, I, O, F);
template <class... X> double transform_reduce(X&&...);
template <class C> auto begin(C& c) -> decltype(c.begin());
template <class C> auto end(C& c) -> decltype(c.end());
template <class I> long distance(I, I);
template <class C> auto size(const C& c) -> decltype(c.size());
template <class... X> bool all_of(X...);
template <class... X> bool any_of(X...);
template <class C> int back_inserter(C&);
template <class I, class I2, class T> T inner_product(I, I, I2, T);
template <class I, class O> O partial_sum(I, I, O);
template <class I, class O> O exclusive_scan(I, I, O);
template <class I, class... X> void nth_element(I, I, I, X...);
template <class I> void random_shuffle(I, I);
template <class I, class F> I remove_if(I, I, F);

// <thread>, <mutex>, <atomic>
struct thread {
    template <class... X> explicit thread(X&&...);
    thread();
    void join();
    void detach();
    static unsigned int hardware_concurrency();
};
struct mutex { void lock(); void unlock(); bool try_lock(); };
typedef mutex recursive_mutex, timed_mutex;
struct shared_mutex : mutex { void lock_shared(); void unlock_shared(); };
typedef shared_mutex shared_timed_mutex;
template <class M> struct shared_lock { explicit shared_lock(M&); void unlock(); void lock(); };
struct once_flag {};
template <class F, class... A> void call_once(once_flag&, F&&, A&&...);
struct condition_variable { template <class... A> void wait(A&&...); void notify_one(); void notify_all(); };
template <class M> struct lock_guard { explicit lock_guard(M&); };
struct defer_lock_t {};
struct try_to_lock_t {};
struct adopt_lock_t {};
inline constexpr defer_lock_t defer_lock{};
inline constexpr try_to_lock_t try_to_lock{};
inline constexpr adopt_lock_t adopt_lock{};
template <class M> struct unique_lock {
    explicit unique_lock(M&);
    unique_lock(M&, defer_lock_t);
    unique_lock(M&, try_to_lock_t);
    unique_lock(M&, adopt_lock_t);
    bool owns_lock() const;
    bool try_lock();
    void unlock();
    void lock();
};
template <class T> struct atomic {
    constexpr atomic(T = T());
    T load(int = 0) const;
    void store(T, int = 0);
    T fetch_add(T, int = 0);
    operator T() const;
    T operator=(T);
    T operator++(int);
    T operator++();
    bool compare_exchange_strong(T&, T, int = 0);
    T __kl_value;  // it is as large as what it holds
};
typedef atomic<int> atomic_int;
typedef atomic<bool> atomic_bool;
template <class T> struct reference_wrapper {};
template <class T> T& ref(T&);
template <class T> T* addressof(T&);
#undef KL_SEQUENCE

}  // namespace std
