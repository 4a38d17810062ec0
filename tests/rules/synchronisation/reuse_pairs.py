r"""Pairs of kernels, one of each with a race or a barrier that part of the block misses, from areas that have nothing
in common.

A line that begins with ``+`` is there only in the correct kernel, one with ``-`` only in the faulty one; lines that end
in ``// fault`` take part in the fault: a finding has to name one of them.
"""

from __future__ import annotations

from typing import NamedTuple


class Kernel(NamedTuple):
    """``text`` with its marks; the name of the ``rule`` that has to speak of the faulty one."""

    name: str
    rule: str
    text: str
    language: str = "cuda"

    @property
    def faulty(self) -> str:
        return "\n".join(
            line[1:] if line.startswith("-") else line for line in self.text.splitlines() if not line.startswith("+")
        )

    @property
    def correct(self) -> str:
        return "\n".join(
            line[1:] if line.startswith("+") else line for line in self.text.splitlines() if not line.startswith("-")
        )


RACE, GLOBAL, DIVERGENCE = "shared-memory-race", "global-memory-race", "barrier-divergence"
FENCE = "wrong-fence"

PAIRS = (
    Kernel(
        "loudness of a frame, by a helper called for two channels",
        RACE,
        """
__device__ float energy_of(float v, float *slots) {
  for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
  if ((threadIdx.x & 31) == 0) slots[threadIdx.x >> 5] = v; // fault
  __syncthreads();
  float sum = 0.0f;
  for (int w = 0; w < (blockDim.x + 31) / 32; ++w) sum += slots[w]; // fault
+  __syncthreads();
  return sum;
}
__global__ void loudness(const float *left, const float *right, float *out, int frame) {
  __shared__ float slots[32];
  const float *l = left + blockIdx.x * frame, *r = right + blockIdx.x * frame;
  float a = 0.0f, b = 0.0f;
  for (int i = threadIdx.x; i < frame; i += blockDim.x) { a += l[i] * l[i]; b += r[i] * r[i]; }
  a = energy_of(a, slots);
  b = energy_of(b, slots);
  if (threadIdx.x == 0) out[blockIdx.x] = a + b;
}
""",
    ),
    Kernel(
        "option prices on a binomial tree in place",
        RACE,
        """
__global__ void tree(const float *strike, float *price, int steps, float up, float down) {
  extern __shared__ float value[];
  int t = threadIdx.x;
  value[t] = fmaxf(strike[blockIdx.x] - t * up, 0.0f);
  __syncthreads();
  for (int s = steps; s > 0; --s) {
    float next = 0.0f;
    if (t < s) next = up * value[t + 1] + down * value[t]; // fault
+    __syncthreads();
    if (t < s) value[t] = next; // fault
    __syncthreads();
  }
  if (t == 0) price[blockIdx.x] = value[0];
}
""",
    ),
    Kernel(
        "alignment of sequences, one diagonal after the other",
        RACE,
        """
#define LEN 128
__global__ void align(const char *a, const char *b, int *best, int diagonals) {
  __shared__ int now[LEN + 1], before[LEN + 1];
  int t = threadIdx.x;
  now[t + 1] = before[t + 1] = 0;
  if (t == 0) now[0] = before[0] = 0;
  __syncthreads();
  int top = 0;
  for (int d = 0; d < diagonals; ++d) {
    int score = max(before[t] + (a[t] == b[d] ? 2 : -1), now[t] - 1); // fault
    top = max(top, score);
+    __syncthreads();
    before[t + 1] = now[t + 1]; // fault
    now[t + 1] = score; // fault
    __syncthreads();
  }
  best[blockIdx.x * LEN + t] = top;
}
""",
    ),
    Kernel(
        "frontier of a search kept by the block, its length the loop's condition",
        RACE,
        """
__global__ void spread(const int *first, const int *to, int *level, int root) {
  __shared__ int queue[1024];
  __shared__ int count, fresh;
  if (threadIdx.x == 0) { queue[0] = root; count = 1; fresh = 0; }
  __syncthreads();
  int depth = 1;
  while (count > 0) { // fault
    int mine = threadIdx.x < count ? queue[threadIdx.x] : -1; // fault
    __syncthreads();
    if (mine >= 0)
      for (int e = first[mine]; e < first[mine + 1]; ++e)
        if (atomicCAS(&level[to[e]], -1, depth) == -1) {
          int at = atomicAdd(&fresh, 1);
          if (at < 1024) queue[at] = to[e];
        }
    __syncthreads();
    if (threadIdx.x == 0) { count = min(fresh, 1024); fresh = 0; } // fault
+    __syncthreads();
    ++depth;
  }
}
""",
    ),
    Kernel(
        "lights of a tile, gathered and then shaded in rounds",
        RACE,
        """
struct Light { float x, y, z, reach; };
__global__ void shade(const Light *lights, int n, const float *depth, float *out, int width) {
  __shared__ Light near[256];
  __shared__ int found;
  int t = threadIdx.y * 16 + threadIdx.x;
  float sum = 0.0f, z = depth[(blockIdx.y * 16 + threadIdx.y) * width + blockIdx.x * 16 + threadIdx.x];
  for (int base = 0; base < n; base += 256) {
    if (t == 0) found = 0; // fault
    __syncthreads();
    if (base + t < n && fabsf(lights[base + t].z - z) < lights[base + t].reach) {
      int at = atomicAdd(&found, 1);
      near[at] = lights[base + t];
    }
    __syncthreads();
    for (int k = 0; k < found; ++k) sum += near[k].reach; // fault
+    __syncthreads();
  }
  out[(blockIdx.y * 16 + threadIdx.y) * width + blockIdx.x * 16 + threadIdx.x] = sum;
}
""",
    ),
    Kernel(
        "bodies in tiles, far tiles skipped",
        RACE,
        """
__kernel void forces(__global const float4 *body, __global const float4 *box, __global float4 *acc, int tiles) {
  __local float4 part[64];
  int l = get_local_id(0), i = get_global_id(0);
  float4 me = body[i], sum = (float4)(0.0f);
  for (int b = 0; b < tiles; ++b) {
    part[l] = body[b * 64 + l]; // fault
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += part[63 - l]; // fault
    if (fabs(box[b].x) > 9.0f) {
+      barrier(CLK_LOCAL_MEM_FENCE);
-      continue;
    }
+    else {
    for (int j = 0; j < 64; ++j) sum += part[j] - me;
+    barrier(CLK_LOCAL_MEM_FENCE);
+    }
-    barrier(CLK_LOCAL_MEM_FENCE);
  }
  acc[i] = sum;
}
""",
        "opencl",
    ),
    Kernel(
        "k-means: sums of clusters without an atomic",
        GLOBAL,
        """
__global__ void centroids(const float *points, const int *cluster, float *sums, int *members, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&members[cluster[i]], 1);
-    sums[cluster[i]] += points[i]; // fault
+    atomicAdd(&sums[cluster[i]], points[i]);
  }
}
""",
    ),
    Kernel(
        "nearest hit of each pixel kept by read, check, write",
        GLOBAL,
        """
__global__ void splat(const float *x, const float *depth, float *zbuffer, int n, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int cell = min(max((int)(x[i] * width), 0), width - 1);
-  if (depth[i] < zbuffer[cell]) // fault
-    zbuffer[cell] = depth[i]; // fault
+  atomicMin((int *)&zbuffer[cell], __float_as_int(depth[i]));
}
""",
    ),
    Kernel(
        "a smoothing step in place, rows of other blocks read",
        GLOBAL,
        """
-__global__ void relax(float *grid, int width, int height) {
+__global__ void relax(const float *grid, float *next, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && y > 0 && x < width - 1 && y < height - 1)
-    grid[y * width + x] = 0.5f * (grid[(y - 1) * width + x] + grid[(y + 1) * width + x]); // fault
+    next[y * width + x] = 0.5f * (grid[(y - 1) * width + x] + grid[(y + 1) * width + x]);
}
""",
    ),
    Kernel(
        "a carry between blocks: all but the first wait for what they read from shared memory",
        RACE,
        """
__global__ void integrate(float *signal, const float *carry, int n) {
  __shared__ float start[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  if (blockIdx.x > 0) {
    start[t] = carry[(blockIdx.x - 1) * 256 + t]; // fault
+    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < 256; ++k) sum += start[k]; // fault
    if (i < n) signal[i] += sum;
  }
}
""",
    ),
    Kernel(
        "particles drawn anew: a table of sums looked up where data say",
        RACE,
        """
__global__ void resample(const float *weight, const float *drawn, int *parent) {
  __shared__ float sums[512];
  int t = threadIdx.x;
  sums[t] = weight[blockIdx.x * 512 + t]; // fault
+  __syncthreads();
  int low = 0, high = 511;
  float wanted = drawn[blockIdx.x * 512 + t];
  while (low < high) {
    int middle = (low + high) / 2;
    if (sums[middle] < wanted) low = middle + 1; // fault
    else high = middle;
  }
  parent[blockIdx.x * 512 + t] = low;
}
""",
    ),
    Kernel(
        "hash join: the table is built and probed with keys of the other side",
        RACE,
        """
__global__ void probe(const unsigned *build, const unsigned *ask, int *hits) {
  __shared__ unsigned table[512];
  int t = threadIdx.x;
  table[t] = table[t + 256] = 0u;
  __syncthreads();
  unsigned key = build[blockIdx.x * 256 + t];
  unsigned at = (key * 2654435761u) >> 23;
  table[at] = key; // fault
+  __syncthreads();
  unsigned other = ask[blockIdx.x * 256 + t];
  hits[blockIdx.x * 256 + t] = table[(other * 2654435761u) >> 23] == other; // fault
}
""",
    ),
    Kernel(
        "run lengths: a running total read by all and moved on by the last",
        RACE,
        """
__device__ int before_me(int v, int *s) {
  int t = threadIdx.x;
  s[t] = v;
  __syncthreads();
  for (int d = 1; d < blockDim.x; d <<= 1) {
    int add = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += add;
    __syncthreads();
  }
  int r = s[t] - v;
  __syncthreads();
  return r;
}
__global__ void place(const int *lengths, int *offsets, int n) {
  __shared__ int s[256];
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  for (int base = 0; base < n; base += 256) {
    int i = base + threadIdx.x;
    int v = i < n ? lengths[i] : 0;
    int at = before_me(v, s);
    if (i < n) offsets[i] = total + at; // fault
+    __syncthreads();
    if (threadIdx.x == 255) total += at + v; // fault
    __syncthreads();
  }
}
""",
    ),
    Kernel(
        "text search that stops for the block when one thread has found it",
        RACE,
        """
__global__ void find(const char *text, int n, char wanted, int *where) {
  __shared__ int done;
  if (threadIdx.x == 0) done = 0;
  __syncthreads();
  for (int base = 0; base < n; base += blockDim.x) {
    int i = base + threadIdx.x;
    if (done) break; // fault
+    __syncthreads();
    if (i < n && text[i] == wanted) { done = 1; *where = i; } // fault
    __syncthreads();
  }
}
""",
    ),
    Kernel(
        "columns of air: threads beyond the last column leave before the tile is complete",
        DIVERGENCE,
        """
#define LEVELS 32
__global__ void columns(const float *t, float *out, int n) {
  __shared__ float tile[LEVELS][33];
  int c = blockIdx.x * 32 + threadIdx.x;
-  if (c >= n) return; // fault
  for (int k = threadIdx.y; k < LEVELS; k += 8) tile[k][threadIdx.x] = c < n ? t[k * n + c] : 0.0f;
  __syncthreads(); // fault
  float sum = 0.0f;
  for (int k = 0; k < LEVELS; ++k) sum += tile[k][31 - threadIdx.x];
+  if (c < n)
  if (threadIdx.y == 0) out[c] = sum;
}
""",
    ),
    Kernel(
        "last block sums up: the counter is raised before the block has stored its part",
        FENCE,
        """
__device__ unsigned arrived;
__global__ void mean(const float *in, float *rows, float *out) {
  __shared__ bool last;
  int t = threadIdx.x;
  rows[blockIdx.x * blockDim.x + t] = in[blockIdx.x * blockDim.x + t] * 0.5f; // fault
  __threadfence();
+  __syncthreads();
  if (t == 0) last = atomicAdd(&arrived, 1u) == gridDim.x - 1; // fault
  __syncthreads();
  if (last) {
    float sum = 0.0f;
    for (unsigned b = 0; b < gridDim.x; ++b) sum += rows[b * blockDim.x + (t + 1) % blockDim.x]; // fault
    out[t] = sum;
  }
}
""",
    ),
    Kernel(
        "scores of words: the maximum of a row, then its sum, by one scratch array",
        RACE,
        """
__kernel void softmax(__global const float *in, __global float *out, int columns, __local float *tmp) {
  int l = get_local_id(0), row = get_group_id(0);
  float top = -INFINITY;
  for (int c = l; c < columns; c += get_local_size(0)) top = fmax(top, in[row * columns + c]);
  tmp[l] = top;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
    if (l < s) tmp[l] = fmax(tmp[l], tmp[l + s]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  top = tmp[0]; // fault
+  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0.0f;
  for (int c = l; c < columns; c += get_local_size(0)) sum += exp(in[row * columns + c] - top);
  tmp[l] = sum; // fault
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
    if (l < s) tmp[l] += tmp[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int c = l; c < columns; c += get_local_size(0))
    out[row * columns + c] = exp(in[row * columns + c] - top) / tmp[0];
}
""",
        "opencl",
    ),
    Kernel(
        "a filter's taps replaced for the next band while the last is still filtered",
        RACE,
        """
__global__ void bands(const float *taps, const float *in, float *out, int bands, int n) {
  __shared__ float tap[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int b = 0; b < bands; b++) {
    if (threadIdx.x < 64) tap[threadIdx.x] = taps[b * 64 + threadIdx.x]; // fault
    __syncthreads();
    float sum = 0.0f;
    if (i < n)
      for (int k = 0; k < 64; k++) sum += tap[k] * in[i + k]; // fault
    if (i < n) out[b * n + i] = sum;
+    __syncthreads();
  }
}
""",
    ),
    Kernel(
        "two buffers, of which the wrong one is filled",
        RACE,
        """
__global__ void stream(const float *in, float *out, int rounds) {
  __shared__ float buffer[2][256];
  int t = threadIdx.x;
  buffer[0][t] = in[t];
  __syncthreads();
  float sum = 0.0f;
  for (int r = 0; r < rounds; ++r) {
-    if (r + 1 < rounds) buffer[r & 1][t] = in[(r + 1) * 256 + t]; // fault
+    if (r + 1 < rounds) buffer[(r + 1) & 1][t] = in[(r + 1) * 256 + t];
    sum += buffer[r & 1][255 - t]; // fault
    __syncthreads();
  }
  out[blockIdx.x * 256 + t] = sum;
}
""",
    ),
    Kernel(
        "parents of a forest: the flag that ends the rounds is cleared too early",
        RACE,
        """
__global__ void settle(int *parent, int n) {
  __shared__ int changed;
  do {
+    __syncthreads();
    if (threadIdx.x == 0) changed = 0; // fault
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      int p = parent[i], g = parent[p];
      if (p != g) { atomicMin(&parent[i], g); changed = 1; }
    }
    __syncthreads(); // fault
  } while (changed); // fault
}
""",
    ),
    Kernel(
        "words counted in bins that are cleared by the threads themselves",
        RACE,
        """
__global__ void tally(const unsigned char *word, int *out, int n) {
  __shared__ int bins[128];
  for (int round = 0; round < 4; ++round) {
    for (int b = threadIdx.x; b < 128; b += blockDim.x) bins[b] = 0; // fault
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&bins[word[round * n + i] & 127], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < 128; b += blockDim.x) out[round * 128 + b] = bins[(b + 1) & 127]; // fault
+    __syncthreads();
  }
}
""",
    ),
    Kernel(
        "degrees of vertices counted over edges",
        GLOBAL,
        """
__global__ void degrees(const int2 *edge, int *degree, int m) {
  for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < m; e += gridDim.x * blockDim.x) {
    int2 at = edge[e];
-    degree[at.x] = degree[at.x] + 1; // fault
+    atomicAdd(&degree[at.x], 1);
  }
}
""",
    ),
)
