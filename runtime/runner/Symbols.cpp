//===- Symbols.cpp - functions that kernels may call, by name -------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Symbols.h"
#include <cmath>
#include <cstring>

using namespace spine::rt;

// Helpers of the compiler's own library. They have no header.
extern "C" {
__int128 __multi3(__int128, __int128);
__int128 __fixdfti(double);
__int128 __fixsfti(float);
unsigned __int128 __fixunsdfti(double);
unsigned __int128 __fixunssfti(float);
double __floattidf(__int128);
float __floattisf(__int128);
double __floatuntidf(unsigned __int128);
float __floatuntisf(unsigned __int128);
int __popcountdi2(long);
int __clzdi2(long);
int __ctzdi2(long);
}

/// A function of <cmath> for double and the one for float. Names of the C
/// library have one meaning each, so no overload has to be chosen.
#define MATH(name)                                                             \
  {#name, reinterpret_cast<void *>(static_cast<double (*)(double)>(::name))},  \
  {                                                                            \
    #name "f",                                                                 \
        reinterpret_cast<void *>(static_cast<float (*)(float)>(::name##f))     \
  }
#define MATH2(name)                                                            \
  {#name,                                                                      \
   reinterpret_cast<void *>(static_cast<double (*)(double, double)>(::name))}, \
  {                                                                            \
    #name "f", reinterpret_cast<void *>(                                       \
                   static_cast<float (*)(float, float)>(::name##f))            \
  }
#define FUNCTION(name) {#name, reinterpret_cast<void *>(&(name))}

static const KernelSymbol libraries[] = {
    MATH(acos),
    MATH(acosh),
    MATH(asin),
    MATH(asinh),
    MATH(atan),
    MATH(atanh),
    MATH(cbrt),
    MATH(ceil),
    MATH(cos),
    MATH(cosh),
    MATH(erf),
    MATH(erfc),
    MATH(exp),
    MATH(exp2),
    MATH(expm1),
    MATH(fabs),
    MATH(floor),
    MATH(lgamma),
    MATH(log),
    MATH(log10),
    MATH(log1p),
    MATH(log2),
    MATH(nearbyint),
    MATH(rint),
    MATH(round),
    MATH(sin),
    MATH(sinh),
    MATH(sqrt),
    MATH(tan),
    MATH(tanh),
    MATH(tgamma),
    MATH(trunc),
    MATH2(atan2),
    MATH2(copysign),
    MATH2(fdim),
    MATH2(fmax),
    MATH2(fmin),
    MATH2(fmod),
    MATH2(hypot),
    MATH2(nextafter),
    MATH2(pow),
    MATH2(remainder),
    {"fma", reinterpret_cast<void *>(
                static_cast<double (*)(double, double, double)>(::fma))},
    {"fmaf", reinterpret_cast<void *>(
                 static_cast<float (*)(float, float, float)>(::fmaf))},
    {"ldexp",
     reinterpret_cast<void *>(static_cast<double (*)(double, int)>(::ldexp))},
    {"ldexpf",
     reinterpret_cast<void *>(static_cast<float (*)(float, int)>(::ldexpf))},
    FUNCTION(memcmp),
    FUNCTION(memcpy),
    FUNCTION(memmove),
    FUNCTION(memset),
    FUNCTION(__multi3),
    FUNCTION(__fixdfti),
    FUNCTION(__fixsfti),
    FUNCTION(__fixunsdfti),
    FUNCTION(__fixunssfti),
    FUNCTION(__floattidf),
    FUNCTION(__floattisf),
    FUNCTION(__floatuntidf),
    FUNCTION(__floatuntisf),
    FUNCTION(__popcountdi2),
    FUNCTION(__clzdi2),
    FUNCTION(__ctzdi2),
};

std::vector<KernelSymbol> spine::runner::getSymbols() {
  size_t count = 0;
  const KernelSymbol *own = getKernelSymbols(count);
  std::vector<KernelSymbol> symbols(own, own + count);
  symbols.insert(symbols.end(), std::begin(libraries), std::end(libraries));
  return symbols;
}
