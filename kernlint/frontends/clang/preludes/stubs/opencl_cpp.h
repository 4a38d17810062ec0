// The C++ bindings of OpenCL (cl.hpp, cl2.hpp, opencl.hpp).
#pragma once
#pragma clang system_header

namespace cl {
    struct NDRange {
        constexpr NDRange() : x(1), y(1), z(1) {}
        constexpr NDRange(::size_t vx, ::size_t vy = 1, ::size_t vz = 1) : x(vx), y(vy), z(vz) {}
        ::size_t operator[](::size_t) const;
        ::size_t dimensions() const;
        const ::size_t* data() const;
        ::size_t x, y, z;
    };
    extern const NDRange NullRange;
    struct Error : std::exception {
        cl_int err() const;
        const char* what() const noexcept;
    };
    struct Device {
        Device();
        Device(cl_device_id);
        static Device getDefault(cl_int* = nullptr);
        static Device setDefault(const Device&);
        template <int N, class T = ::size_t> T getInfo(cl_int* = nullptr) const;
        template <class T> cl_int getInfo(cl_device_info, T*) const;
        template <class... A> cl_int createSubDevices(A...);
        cl_device_id& operator()();
        cl_device_id operator()() const;
    };
    struct Platform {
        Platform();
        Platform(cl_platform_id);
        static cl_int get(std::vector<Platform>*);
        static cl_int get(Platform*);
        static Platform get(cl_int* = nullptr);
        static Platform getDefault(cl_int* = nullptr);
        static Platform setDefault(const Platform&);
        template <int N, class T = std::string> T getInfo(cl_int* = nullptr) const;
        template <class T> cl_int getInfo(cl_platform_info, T*) const;
        cl_int getDevices(cl_device_type, std::vector<Device>*) const;
        cl_platform_id& operator()();
        cl_platform_id operator()() const;
    };
    struct Context {
        template <class... A> Context(A...);
        static Context getDefault(cl_int* = nullptr);
        static Context setDefault(const Context&);
        template <int N, class T = std::vector<Device>> T getInfo(cl_int* = nullptr) const;
        template <class T> cl_int getInfo(cl_context_info, T*) const;
        template <class T> cl_int getSupportedImageFormats(cl_mem_flags, cl_mem_object_type, T*) const;
        cl_context& operator()();
        cl_context operator()() const;
    };
    struct Event {
        Event();
        Event(cl_event);
        cl_int wait() const;
        static cl_int waitForEvents(const std::vector<Event>&);
        cl_int setCallback(cl_int, void (*)(cl_event, cl_int, void*), void* = nullptr);
        template <int N, class T = cl_ulong> T getProfilingInfo(cl_int* = nullptr) const;
        template <class T> cl_int getProfilingInfo(cl_profiling_info, T*) const;
        template <int N, class T = cl_int> T getInfo(cl_int* = nullptr) const;
        template <class T> cl_int getInfo(cl_event_info, T*) const;
        cl_event& operator()();
        cl_event operator()() const;
    };
    struct UserEvent : Event {
        UserEvent(const struct Context&, cl_int* = nullptr);
        UserEvent();
        cl_int setStatus(cl_int);
    };
    cl_int WaitForEvents(const std::vector<Event>&);
    struct Memory {
        template <int N, class T = ::size_t> T getInfo(cl_int* = nullptr) const;
        template <class T> cl_int getInfo(cl_mem_info, T*) const;
        cl_mem& operator()();
        cl_mem operator()() const;
    };
    struct Buffer : Memory {
        Buffer();
        Buffer(cl_mem);
        Buffer(const Context&, cl_mem_flags, ::size_t, void* = nullptr, cl_int* = nullptr);
        Buffer(cl_mem_flags, ::size_t, void* = nullptr, cl_int* = nullptr);
        template <class I> Buffer(const Context&, I, I, bool, bool = false, cl_int* = nullptr);
        template <class I> Buffer(I, I, bool, bool = false, cl_int* = nullptr);
        template <class Q, class I> Buffer(const Q&, I, I, bool, bool = false, cl_int* = nullptr);
        Buffer createSubBuffer(cl_mem_flags, cl_buffer_create_type, const void*, cl_int* = nullptr);
    };
    struct BufferGL : Buffer { template <class... A> BufferGL(A...); };
    struct Pipe : Memory { template <class... A> Pipe(A...); };
    template <int N> struct size_t {
        ::size_t data_[N];
        ::size_t& operator[](int);
        ::size_t operator[](int) const;
        operator const ::size_t*() const;
    };
    using std::array;
    using std::string;
    using std::vector;
    typedef ::size_t size_type;
    struct ImageFormat : cl_image_format { ImageFormat(); ImageFormat(cl_channel_order, cl_channel_type); };
    struct Image : Memory {
        template <int N, class T = ::size_t> T getImageInfo(cl_int* = nullptr) const;
        template <class T> cl_int getImageInfo(cl_image_info, T*) const;
    };
    struct Image1DBuffer : Image { template <class... A> Image1DBuffer(A...); };
    struct Image1DArray : Image { template <class... A> Image1DArray(A...); };
    struct ImageGL : Image { template <class... A> ImageGL(A...); };
    struct Image2DGL : Image { template <class... A> Image2DGL(A...); };
    struct Image1D : Image { template <class... A> Image1D(A...); };
    struct Image2D : Image { template <class... A> Image2D(A...); };
    struct Image2DArray : Image { template <class... A> Image2DArray(A...); };
    struct Image3D : Image { template <class... A> Image3D(A...); };
    struct Sampler { template <class... A> Sampler(A...); };
    struct LocalSpaceArg { ::size_t size_; };
    KL_FOLLOW inline LocalSpaceArg Local(::size_t size) { return LocalSpaceArg{size}; }
    KL_FOLLOW inline LocalSpaceArg __local(::size_t size) { return LocalSpaceArg{size}; }
    struct Program {
        typedef std::vector<std::string> Sources;
        template <class... A> Program(A...);
        template <class... A> cl_int build(A...) const;
        typedef std::vector<std::vector<unsigned char>> Binaries;
        template <int N, class T = std::string> T getBuildInfo(const Device&) const;
        template <int N, class T = std::vector<std::pair<Device, std::string>>> T getBuildInfo(cl_int* = nullptr) const;
        template <class T> cl_int getBuildInfo(const Device&, cl_program_build_info, T*) const;
        template <int N, class T = std::string> T getInfo(cl_int* = nullptr) const;
        template <class T> cl_int getInfo(cl_program_info, T*) const;
        template <class... A> cl_int compile(A...) const;
        template <class T> cl_int createKernels(std::vector<T>*);
        struct Kernel create_kernel(const std::string&) const;
        template <class... A> static Program create_with_source(A...);
        template <class... A> static Program create_with_source_file(A...);
        template <class... A> static Program build_with_source(A...);
        cl_program& operator()();
        cl_program operator()() const;
    };
    struct Kernel {
        Kernel();
        Kernel(const Program&, const char*, cl_int* = nullptr);
        Kernel(const Program&, const std::string&, cl_int* = nullptr);
        template <class T> cl_int setArg(cl_uint, const T&);
        template <class T> void set_arg(::size_t, const T&);
        template <class... A> void set_args(const A&...);
        cl_int setArg(cl_uint, ::size_t, const void*);
        Kernel(cl_kernel);
        template <int N, class T = ::size_t> T getWorkGroupInfo(const Device&, cl_int* = nullptr) const;
        template <class T> cl_int getWorkGroupInfo(const Device&, cl_kernel_work_group_info, T*) const;
        template <int N, class T = std::string> T getInfo(cl_int* = nullptr) const;
        template <class T> cl_int getInfo(cl_kernel_info, T*) const;
        cl_kernel& operator()();
        cl_kernel operator()() const;
    };
    struct CommandQueue {
        template <class... A> CommandQueue(A...);
        cl_int enqueueNDRangeKernel(const Kernel&, const NDRange&, const NDRange&, const NDRange& = NullRange,
            const std::vector<Event>* = nullptr, Event* = nullptr) const;
        Event enqueue_nd_range_kernel(const Kernel&, ::size_t, const ::size_t*, const ::size_t*, const ::size_t*);
        Event enqueue_nd_range_kernel(const Kernel&, const NDRange&, const NDRange&, const NDRange&);
        Event enqueue_1d_range_kernel(const Kernel&, ::size_t, ::size_t, ::size_t);
        template <class... A> Event enqueue_read_buffer(const Buffer&, A...);
        template <class... A> Event enqueue_write_buffer(const Buffer&, A...);
        template <class... A> Event enqueue_write_image(A...);
        template <class... A> Event enqueue_read_image(A...);
        cl_int enqueueReadBuffer(const Buffer&, cl_bool, ::size_t, ::size_t, void*, const std::vector<Event>* = nullptr,
            Event* = nullptr) const;
        cl_int enqueueWriteBuffer(const Buffer&, cl_bool, ::size_t, ::size_t, const void*,
            const std::vector<Event>* = nullptr, Event* = nullptr) const;
        cl_int enqueueCopyBuffer(const Buffer&, const Buffer&, ::size_t, ::size_t, ::size_t,
            const std::vector<Event>* = nullptr, Event* = nullptr) const;
        template <class T> cl_int enqueueFillBuffer(const Buffer&, T, ::size_t, ::size_t,
            const std::vector<Event>* = nullptr, Event* = nullptr) const;
        void* enqueueMapBuffer(const Buffer&, cl_bool, cl_map_flags, ::size_t, ::size_t,
            const std::vector<Event>* = nullptr, Event* = nullptr, cl_int* = nullptr) const;
        template <class O, class R> cl_int enqueueReadImage(const Image&, cl_bool, const O&, const R&, ::size_t,
            ::size_t,
            void*, const std::vector<Event>* = nullptr, Event* = nullptr) const;
        template <class O, class R> cl_int enqueueWriteImage(const Image&, cl_bool, const O&, const R&, ::size_t,
            ::size_t,
            const void*, const std::vector<Event>* = nullptr, Event* = nullptr) const;
        template <class O, class T, class R> cl_int enqueueCopyImage(const Image&, const Image&, const O&, const T&,
            const R&, const std::vector<Event>* = nullptr, Event* = nullptr) const;
        template <class O, class H, class R> cl_int enqueueReadBufferRect(const Buffer&, cl_bool, const O&, const H&,
            const R&, ::size_t, ::size_t, ::size_t, ::size_t, void*, const std::vector<Event>* = nullptr,
            Event* = nullptr) const;
        template <class O, class H, class R> cl_int enqueueWriteBufferRect(const Buffer&, cl_bool, const O&, const H&,
            const R&, ::size_t, ::size_t, ::size_t, ::size_t, const void*, const std::vector<Event>* = nullptr,
            Event* = nullptr) const;
        template <class M> cl_int enqueueUnmapMemObject(const M&, void*, const std::vector<Event>* = nullptr,
            Event* = nullptr) const;
        template <class O, class R> cl_int enqueueCopyImageToBuffer(const Image&, const Buffer&, const O&, const R&,
            ::size_t, const std::vector<Event>* = nullptr, Event* = nullptr) const;
        template <class O, class R> cl_int enqueueCopyBufferToImage(const Buffer&, const Image&, ::size_t, const O&,
            const R&, const std::vector<Event>* = nullptr, Event* = nullptr) const;
        template <class O, class H, class R> cl_int enqueueCopyBufferRect(const Buffer&, const Buffer&, const O&,
            const H&, const R&, ::size_t, ::size_t, ::size_t, ::size_t, const std::vector<Event>* = nullptr,
            Event* = nullptr) const;
        template <class V, class O, class R> cl_int enqueueFillImage(const Image&, V, const O&, const R&,
            const std::vector<Event>* = nullptr, Event* = nullptr) const;
        template <class O, class R> void* enqueueMapImage(const Image&, cl_bool, cl_map_flags, const O&, const R&,
            ::size_t*, ::size_t*, const std::vector<Event>* = nullptr, Event* = nullptr, cl_int* = nullptr) const;
        template <class... A> cl_int enqueueMapSVM(A...) const;
        template <class... A> cl_int enqueueUnmapSVM(A...) const;
        cl_int enqueueTask(const Kernel&, const std::vector<Event>* = nullptr, Event* = nullptr) const;
        cl_int enqueueMigrateMemObjects(const std::vector<Memory>&, cl_mem_migration_flags,
            const std::vector<Event>* = nullptr, Event* = nullptr) const;
        cl_int enqueueAcquireGLObjects(const std::vector<Memory>* = nullptr, const std::vector<Event>* = nullptr,
            Event* = nullptr) const;
        cl_int enqueueReleaseGLObjects(const std::vector<Memory>* = nullptr, const std::vector<Event>* = nullptr,
            Event* = nullptr) const;
        cl_int enqueueMarker(Event* = nullptr) const;
        cl_int enqueueMarkerWithWaitList(const std::vector<Event>* = nullptr, Event* = nullptr) const;
        cl_int enqueueBarrier() const;
        cl_int enqueueBarrierWithWaitList(const std::vector<Event>* = nullptr, Event* = nullptr) const;
        cl_int enqueueWaitForEvents(const std::vector<Event>&) const;
        static CommandQueue getDefault(cl_int* = nullptr);
        static CommandQueue setDefault(const CommandQueue&);
        template <int N, class T = cl_ulong> T getInfo(cl_int* = nullptr) const;
        template <class T> cl_int getInfo(cl_command_queue_info, T*) const;
        cl_int flush() const;
        cl_int finish() const;
        cl_command_queue& operator()();
        cl_command_queue operator()() const;
    };
    struct EnqueueArgs {
        EnqueueArgs(const NDRange&, const NDRange& = NullRange);
        EnqueueArgs(const CommandQueue&, const NDRange&, const NDRange& = NullRange);
        EnqueueArgs(const CommandQueue&, const NDRange&, const NDRange&, const NDRange&);
    };
    template <class... A> struct KernelFunctor {
        KernelFunctor(Kernel);
        KernelFunctor(const Program&, const std::string&, cl_int* = nullptr);
        Event operator()(const EnqueueArgs&, A...);
    };
    template <class... A> using make_kernel = KernelFunctor<A...>;
    cl_int flush();
    cl_int finish();
    enum class QueueProperties : cl_command_queue_properties { None = 0, Profiling = 2, OutOfOrder = 1 };
    cl_int enqueueReadBuffer(const Buffer&, cl_bool, ::size_t, ::size_t, void*, const std::vector<Event>* = nullptr,
        Event* = nullptr);
    cl_int enqueueWriteBuffer(const Buffer&, cl_bool, ::size_t, ::size_t, const void*,
        const std::vector<Event>* = nullptr, Event* = nullptr);
    template <class I> cl_int copy(const CommandQueue&, I, I, Buffer&);
    template <class I> cl_int copy(const CommandQueue&, const Buffer&, I, I);
    template <class I> cl_int copy(I, I, Buffer&);
    template <class I> cl_int copy(const Buffer&, I, I);
}
