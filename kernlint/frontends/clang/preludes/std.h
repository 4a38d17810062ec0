#pragma once
#pragma clang system_header
namespace std {
    using ::size_t;
    using ::ptrdiff_t;
    using ::int8_t;
    using ::int16_t;
    using ::int32_t;
    using ::int64_t;
    using ::uint8_t;
    using ::uint16_t;
    using ::uint32_t;
    using ::uint64_t;
    using ::uintptr_t;
    using ::intptr_t;
    typedef decltype(nullptr) nullptr_t;
    KL_MATH
    using ::printf;
    using ::fprintf;
    using ::malloc;
    using ::free;
    using ::calloc;
    using ::memset;
    using ::memcpy;
    using ::memmove;
    using ::strlen;
    using ::strcmp;
    using ::exit;
    using ::abort;
    using ::atoi;
    using ::atof;
    using ::rand;
    using ::srand;
    using ::getenv;
    using ::clock;
    using ::clock_t;
    using ::time;
    using ::time_t;
    using ::FILE;
    using ::memcmp;
    using ::snprintf;
    using ::strcpy;
    using ::strncpy;
    using ::strcat;
    using ::va_list;
    using ::puts;
    using ::sprintf;
    using ::sscanf;
    using ::fread;
    using ::fwrite;
    using ::fflush;
    using ::strstr;
    using ::strchr;
    using ::qsort;
    using ::labs;
    using ::fopen;
    using ::fclose;
    using ::strtol;
    using ::aligned_alloc;
    template <class E> class initializer_list {
        const E* b;
        size_t n;
        public: constexpr const E* begin() const {return b;}
        constexpr const E* end() const {return b+n;}
        constexpr size_t size() const {return n;}
    };
    template <class T> constexpr const T& min(const T&, const T&);
    template <class T> constexpr const T& max(const T&, const T&);
    template <class T> constexpr T min(initializer_list<T>);
    template <class T> constexpr T max(initializer_list<T>);
    template <class T, class C> constexpr const T& max(const T&, const T&, C);
    template <class T, class C> constexpr const T& min(const T&, const T&, C);
    template <class T> struct remove_reference { typedef T type; };
    template <class T> struct remove_reference<T&> { typedef T type; };
    template <class T> struct remove_reference<T&&> { typedef T type; };
    template <class T> using remove_reference_t = typename remove_reference<T>::type;
    template <class T> struct remove_const { typedef T type; };
    template <class T> struct remove_const<const T> { typedef T type; };
    template <class T> using remove_const_t = typename remove_const<T>::type;
    template <class T> struct remove_cv { typedef __remove_cv(T) type; };
    template <class T> using remove_cv_t = __remove_cv(T);
    template <class T> struct decay { typedef __decay(T) type; };
    template <class T> using decay_t = __decay(T);
    template <class T> struct remove_pointer { typedef __remove_pointer(T) type; };
    template <class T> using remove_pointer_t = __remove_pointer(T);
    template <class T> constexpr remove_reference_t<T>&& move(T&&) noexcept;
    template <class T> constexpr T&& forward(remove_reference_t<T>&) noexcept;
    template <class T> void swap(T&, T&);
    template <class T> T&& declval();
    template <class T, class U = T> T exchange(T&, U&&);
    template <class T, T v> struct integral_constant {
        static constexpr T value = v;
        typedef T value_type;
        typedef integral_constant type;
        constexpr operator T() const {return v;}
        constexpr T operator()() const {return v;}
    };
    template <bool B> using bool_constant = integral_constant<bool, B>;
    typedef integral_constant<bool, true> true_type;
    typedef integral_constant<bool, false> false_type;
    template <class A, class B> struct is_same : bool_constant<__is_same(A, B)> {};
    template <class A, class B> constexpr bool is_same_v = __is_same(A, B);
#define KL_TR(N,...) template<class T> struct N : bool_constant<__VA_ARGS__> {}; template<class T> constexpr bool N##_v=__VA_ARGS__;
    KL_TR(is_integral, __is_integral(T)) KL_TR(is_floating_point, __is_floating_point(T)) KL_TR(is_arithmetic, __is_arithmetic(T)) KL_TR(is_signed, __is_signed(T)) KL_TR(is_unsigned, __is_unsigned(T)) KL_TR(is_pointer, __is_pointer(T)) KL_TR(is_class, __is_class(T)) KL_TR(is_enum, __is_enum(T)) KL_TR(is_const, __is_const(T)) KL_TR(is_trivially_copyable, __is_trivially_copyable(T)) KL_TR(is_void, __is_void(T)) KL_TR(is_reference, __is_reference(T)) KL_TR(is_scalar, __is_scalar(T)) KL_TR(is_empty, __is_empty(T)) KL_TR(is_pod, __is_pod(T))
    template <class A, class B> struct is_convertible : bool_constant<__is_convertible_to(A, B)> {};
    template <class A, class B> constexpr bool is_convertible_v = __is_convertible_to(A, B);
    template <class A, class B> struct is_base_of : bool_constant<__is_base_of(A, B)> {};
    template <class A, class B> constexpr bool is_base_of_v = __is_base_of(A, B);
    template <bool B, class T = void> struct enable_if {};
    template <class T> struct enable_if<true, T> { typedef T type; };
    template <bool B, class T = void> using enable_if_t = typename enable_if<B, T>::type;
    template <bool B, class T, class F> struct conditional { typedef T type; };
    template <class T, class F> struct conditional<false, T, F> { typedef F type; };
    template <bool B, class T, class F> using conditional_t = typename conditional<B, T, F>::type;
    template <class...> using void_t = void;
    template <class T> struct make_unsigned { typedef __make_unsigned(T) type; };
    template <class T> using make_unsigned_t = __make_unsigned(T);
    template <class T> struct make_signed { typedef __make_signed(T) type; };
    template <class T> using make_signed_t = __make_signed(T);
    template <class T> struct underlying_type { typedef __underlying_type(T) type; };
    template <class T> using underlying_type_t = __underlying_type(T);
    template <class T> struct add_const { typedef const T type; };
    template <class T> struct is_array : bool_constant<__is_array(T)> {};
    template <size_t N, size_t A = 16> struct aligned_storage {
        struct alignas(A) type { unsigned char d[N]; };
    };
    template <class F, class... A> struct invoke_result { typedef decltype(declval<F>()(declval<A>()...)) type; };
    template <class F, class... A> using invoke_result_t = typename invoke_result<F, A...>::type;
    template <class... A> struct common_type { typedef decltype((declval<A>()+...)) type; };
    template <class... A> using common_type_t = typename common_type<A...>::type;
    template <class T, T...I> struct integer_sequence {
        static constexpr size_t size() {return sizeof...(I);}
    };
    template <size_t...I> using index_sequence = integer_sequence<size_t, I...>;
    template <class T, T N> using make_integer_sequence = __make_integer_seq<integer_sequence, T, N>;
    template <size_t N> using make_index_sequence = make_integer_sequence<size_t, N>;
    template <class T> struct numeric_limits {
        static constexpr bool is_integer = true, is_signed = true, has_infinity = true;
        static constexpr int digits = 31, digits10 = 9, max_digits10 = 17;
        static constexpr T max() {return T();}
        static constexpr T min() {return T();}
        static constexpr T lowest() {return T();}
        static constexpr T infinity() {return T();}
        static constexpr T epsilon() {return T();}
        static constexpr T quiet_NaN() {return T();}
    };
    template <class A, class B> struct pair {
        typedef A first_type;
        typedef B second_type;
        A first;
        B second;
        pair()=default;
        template <class X, class Y> constexpr pair(X&&, Y&&);
        template <class X, class Y> pair(const pair<X, Y>&);
        bool operator<(const pair&) const;
        bool operator==(const pair&) const;
        bool operator>(const pair&) const;
    };
    template <class A, class B> constexpr pair<decay_t<A>, decay_t<B>> make_pair(A&&, B&&);
    template <class... T> struct tuple { template <class... U> constexpr tuple(U&&...); };
    template <class... T> tuple<decay_t<T>...> make_tuple(T&&...);
    template <class... T> tuple<T&...> tie(T&...);
    template <size_t I, class T> struct tuple_element;
    template <size_t I, class H, class... T> struct tuple_element<I, tuple<H, T...>> : tuple_element<I-1, tuple<T...>> {};
    template <class H, class... T> struct tuple_element<0, tuple<H, T...>> { typedef H type; };
    template <class T> struct tuple_size;
    template <class... T> struct tuple_size<tuple<T...>> : integral_constant<size_t, sizeof...(T)> {};
    template <class A, class B> struct tuple_size<pair<A, B>> : integral_constant<size_t, 2> {};
    template <class A, class B> struct tuple_element<0, pair<A, B>> { typedef A type; };
    template <class A, class B> struct tuple_element<1, pair<A, B>> { typedef B type; };
    template <size_t I, class T> using tuple_element_t = typename tuple_element<I, T>::type;
    template <size_t I, class T> constexpr tuple_element_t<I, T>& get(T&&);
    template <class T> struct allocator { typedef T value_type; };
    template <class T> struct less { bool operator()(const T&, const T&) const; };
    template <class T> struct greater { bool operator()(const T&, const T&) const; };
    template <class T = void> struct plus { T operator()(const T&, const T&) const; };
    template <class T = void> struct multiplies { T operator()(const T&, const T&) const; };
    template <class T> struct hash { size_t operator()(const T&) const; };
#define KL_SEQ(C,T) typedef T value_type; typedef size_t size_type; typedef T* iterator; typedef const T* const_iterator; typedef T& reference; typedef const T& const_reference; iterator begin(); iterator end(); const_iterator begin() const; const_iterator end() const; const_iterator cbegin() const; const_iterator cend() const; iterator rbegin(); iterator rend(); size_t size() const; bool empty() const; T& front(); T& back(); const T& front() const; const T& back() const; void clear(); bool operator==(const C&) const; bool operator!=(const C&) const; bool operator<(const C&) const; void swap(C&);
#define KL_RND(T) constexpr T& operator[](size_t); constexpr const T& operator[](size_t) const; T& at(size_t); const T& at(size_t) const; T* data(); const T* data() const;
    template <class T, class A = allocator<T>> struct vector {
        KL_SEQ(vector, T) KL_RND(T) vector();
        vector(size_t);
        vector(size_t, const T&);
        vector(initializer_list<T>);
        template <class I, class = decltype(*declval<I>())> vector(I, I);
        vector(const vector&);
        vector& operator = (const vector&);
        vector& operator = (initializer_list<T>);
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
    template <class T, size_t N> struct array {
        T _e[N];
        typedef T value_type;
        typedef T* iterator;
        constexpr T& operator[](size_t);
        constexpr const T& operator[](size_t) const;
        constexpr T* begin();
        constexpr T* end();
        constexpr const T* begin() const;
        constexpr const T* end() const;
        constexpr size_t size() const {return N;}
        T* data();
        const T* data() const;
        void fill(const T&);
    };
    template <class T, class... U> array(T, U...) -> array<T, 1+sizeof...(U)>;
    template <class C> struct basic_string {
        KL_SEQ(basic_string, C) KL_RND(C) static constexpr size_t npos=-1;
        basic_string();
        basic_string(const C*);
        basic_string(const C*, size_t);
        basic_string(size_t, C);
        template <class I> basic_string(I, I);
        basic_string(const basic_string&);
        ~basic_string();
        basic_string& operator = (const C*);
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
    template <class T, class D = void> struct unique_ptr {
        unique_ptr();
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
        template <class... X> explicit unique_ptr(X&&...);
        T* get() const;
        T& operator[](size_t) const;
        void reset(T* =0);
    };
    template <class T> struct shared_ptr : unique_ptr<T> {
        using unique_ptr<T>::unique_ptr;
        template <class U> shared_ptr(const shared_ptr<U>&);
    };
    template <class T, class... A> unique_ptr<T> make_unique(A&&...);
    template <class T, class... A> shared_ptr<T> make_shared(A&&...);
    template <class> struct function;
    template <class R, class... A> struct function<R(A...)> {
        function();
        template <class F> function(F);
        R operator()(A...) const;
        explicit operator bool() const;
    };
    template <class T> struct optional {
        template <class... X> optional(X&&...);
        T& value();
        T& operator*();
        T* operator->();
        explicit operator bool() const;
        bool has_value() const;
        T value_or(T) const;
    };
    struct exception { virtual const char* what() const; virtual ~exception(); };
    struct runtime_error : exception { runtime_error(const string&); runtime_error(const char*); };
    struct logic_error : runtime_error { using runtime_error::runtime_error; };
    struct invalid_argument : logic_error { using logic_error::logic_error; };
    struct out_of_range : logic_error { using logic_error::logic_error; };
    struct bad_alloc : exception {};
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
#define KL_DIST(N,D) template<class T=D> struct N { template<class...X> explicit N(X...); template<class G> T operator()(G&); };
    KL_DIST(uniform_real_distribution, double) KL_DIST(uniform_int_distribution, int) KL_DIST(normal_distribution, double) KL_DIST(exponential_distribution, double) KL_DIST(poisson_distribution, int) KL_DIST(bernoulli_distribution, bool)
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
    template <class T> constexpr const T& clamp(const T&, const T&, const T&);
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
    template <class T> struct complex {
        T r, i;
        constexpr complex(T = T(), T = T());
        T real() const;
        T imag() const;
        complex operator+(const complex&) const;
        complex operator-(const complex&) const;
        complex operator*(const complex&) const;
    };
    struct thread {
        template <class... X> explicit thread(X&&...);
        thread();
        void join();
        void detach();
        static unsigned int hardware_concurrency();
    };
    struct mutex { void lock(); void unlock(); };
    template <class M> struct lock_guard { explicit lock_guard(M&); };
    template <class M> struct unique_lock { explicit unique_lock(M&); void unlock(); void lock(); };
    template <class T> struct atomic {
        constexpr atomic(T = T());
        T load(int = 0) const;
        void store(T, int = 0);
        T fetch_add(T, int = 0);
        operator T() const;
        T operator = (T);
        T operator++(int);
        T operator++();
        bool compare_exchange_strong(T&, T, int = 0);
    };
    typedef atomic<int> atomic_int;
    typedef atomic<bool> atomic_bool;
    template <class T> struct reference_wrapper {};
    template <class T> T& ref(T&);
    template <class T> T* addressof(T&);
    struct ignore_t { template <class T> const ignore_t& operator = (T&&) const; };
}
inline void* operator new(size_t, void* p) noexcept { return p; }


