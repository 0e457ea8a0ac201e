//===- LauncherBindings.cpp - loading and launching kernels ---------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "Extension.h"
#include "spine-runtime/Board.h"
#include "spine-runtime/Launch.h"
#include "spine-triton/Analysis/OverlapCondition.h"
#include "spine-triton/Target/JITLoader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <array>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;
using namespace spine::python;
using mlir::spine::LoadedKernel;

namespace {

/// What has to hold at each launch of a kernel.
class OverlapConditions {
public:
  /// Raises ValueError if the text is not what the compiler wrote.
  explicit OverlapConditions(const std::string &text);

  const std::vector<mlir::spine::OverlapCondition> &get() const {
    return conditions;
  }

private:
  std::vector<mlir::spine::OverlapCondition> conditions;
};

/// Pairs of arguments, by number.
using ArgumentPairs = std::vector<std::pair<size_t, size_t>>;

/// Calls kernels of one signature.
class Launcher {
public:
  /// `disjoint` are the pairs of pointers that have to be apart; nothing: all.
  Launcher(const std::vector<std::string> &signature, std::string coreModel,
           uint32_t vectorBytes, bool needsAlignment,
           const std::optional<ArgumentPairs> &disjoint, bool variantIsLater);

  /// False, and nothing is run, if arguments overlap that the kernel needs
  /// apart and the variant for that is not made yet.
  bool call(const LoadedKernel &kernel, nb::handle x, nb::handle y,
            nb::handle z, nb::handle arguments) const;

  /// What a runner in another process needs to do the same: slots, the storage
  /// behind each pointer, whether two that have to be apart may overlap.
  nb::tuple pack(nb::handle arguments) const;

  std::vector<std::string> getSignature() const;

  /// Whether the memory of two pointer arguments that have to be apart may be
  /// the same.
  bool mayAlias(nb::handle arguments) const;

  /// The first condition that is not shown to hold, and the memory of its
  /// arguments; None if all hold.
  nb::object findOverlap(const OverlapConditions &conditions, nb::handle x,
                         nb::handle y, nb::handle z,
                         nb::handle arguments) const;

private:
  /// A kernel, and the function of it to run.
  using Choice = std::pair<const LoadedKernel *, LoadedKernel::Function>;

  /// What to run for these arguments; null if it is not made yet.
  Choice choose(const LoadedKernel &kernel, nb::handle tuple) const;
  void setDisjoint(const std::optional<ArgumentPairs> &pairs);
  nb::object toTuple(nb::handle arguments) const;
  std::vector<uint64_t> convert(nb::handle tuple) const;

  /// Model of the cores to run on; empty for those that the process is on.
  std::string coreModel;
  /// Bytes of their vector registers, 0 for any.
  uint32_t vectorBytes;
  /// Whether vectors are loaded and stored at multiples of an element only.
  bool needsAlignment;
  std::vector<ArgumentType> types;
  /// Indices of the arguments that are pointers.
  std::vector<size_t> pointers;
  /// Those that have to be apart from others, and the pairs, as places in
  /// `apart`.
  std::vector<size_t> apart;
  ArgumentPairs disjoint;
  /// Whether a kernel that has no variant for those that are not gets it later.
  bool variantIsLater;
};

} // namespace

Launcher::Launcher(const std::vector<std::string> &signature,
                   std::string coreModel, uint32_t vectorBytes,
                   bool needsAlignment,
                   const std::optional<ArgumentPairs> &disjoint,
                   bool variantIsLater)
    : coreModel(std::move(coreModel)), vectorBytes(vectorBytes),
      needsAlignment(needsAlignment), variantIsLater(variantIsLater) {
  for (const std::string &name : signature) {
    types.push_back(ArgumentType::parse(name));
    if (types.back().kind == ArgumentType::Kind::Pointer)
      pointers.push_back(types.size() - 1);
  }
  setDisjoint(disjoint);
}

void Launcher::setDisjoint(const std::optional<ArgumentPairs> &pairs) {
  if (!pairs) {
    apart = pointers;
    for (size_t i = 0; i < apart.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        disjoint.emplace_back(i, j);
    return;
  }
  auto placeOf = [&](size_t argument) {
    if (!llvm::is_contained(pointers, argument))
      throw nb::value_error("disjoint: not numbers of pointer arguments");
    auto place = llvm::find(apart, argument);
    if (place == apart.end())
      place = apart.insert(place, argument);
    return static_cast<size_t>(place - apart.begin());
  };
  for (auto [one, other] : *pairs) {
    size_t place = placeOf(one);
    disjoint.emplace_back(place, placeOf(other));
  }
}

std::vector<std::string> Launcher::getSignature() const {
  std::vector<std::string> names;
  for (const ArgumentType &type : types)
    names.push_back(type.name);
  return names;
}

/// Borrowed, like all items of a tuple.
static nb::handle getItem(nb::handle tuple, size_t index) {
  return PyTuple_GetItem(tuple.ptr(), static_cast<Py_ssize_t>(index));
}

bool Launcher::mayAlias(nb::handle arguments) const {
  if (disjoint.empty())
    return false;
  llvm::SmallVector<MemoryRange, 8> ranges;
  for (size_t index : apart)
    ranges.push_back(getStorage(getItem(arguments, index)));
  return llvm::any_of(disjoint, [&](const auto &pair) {
    return ranges[pair.first].overlaps(ranges[pair.second]);
  });
}

static int32_t convertGrid(nb::handle value, char axis) {
  nb::object integer = nb::steal(PyNumber_Index(value.ptr()));
  if (!integer.is_valid())
    throw nb::python_error();
  int overflow = 0;
  long long size = PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow);
  if (size == -1 && PyErr_Occurred())
    throw nb::python_error();
  std::string name = std::string("the grid's size along ") + axis;
  if (overflow < 0 || size < 0)
    throw nb::value_error((name + " is negative").c_str());
  if (overflow > 0 || size > INT32_MAX)
    throw nb::value_error((name + " is more than 2147483647").c_str());
  return static_cast<int32_t>(size);
}

/// `name` is that of the kernel that was launched, `arenaBytes` are what the
/// chosen variant of it needs.
[[noreturn]] static void
raiseLaunchError(const std::string &name, int64_t arenaBytes,
                 const spine::rt::LaunchResult &result) {
  using spine::rt::LaunchStatus;
  const spine::rt::AssertFailure &failure = result.failure;
  switch (result.status) {
  case LaunchStatus::AssertFailed: {
    std::string text;
    if (!failure.file.empty())
      text = failure.file + ":" + std::to_string(failure.line) + ": ";
    if (!failure.function.empty())
      text += "in " + failure.function + ": ";
    text += "device assertion failed: " + failure.message + " [program (" +
            std::to_string(failure.program[0]) + ", " +
            std::to_string(failure.program[1]) + ", " +
            std::to_string(failure.program[2]) + ")]";
    PyErr_SetString(PyExc_AssertionError, text.c_str());
    break;
  }
  case LaunchStatus::OutOfMemory:
    PyErr_SetString(PyExc_MemoryError,
                    ("no memory for the scratch arenas of kernel '" + name +
                     "': " + std::to_string(arenaBytes) +
                     " bytes for each of " +
                     std::to_string(spine::rt::getNumThreads()) + " threads")
                        .c_str());
    break;
  case LaunchStatus::NoCores: {
    nb::object error =
        nb::module_::import_("spine_triton.errors").attr("RunnerError");
    PyErr_SetString(
        error.ptr(),
        ("kernel '" + name + "' cannot run: " + failure.message).c_str());
    break;
  }
  default:
    PyErr_SetString(PyExc_ValueError, "the grid has 2^63 programs or more");
    break;
  }
  throw nb::python_error();
}

nb::object Launcher::toTuple(nb::handle arguments) const {
  nb::object tuple = nb::borrow(arguments);
  if (!PyTuple_Check(arguments.ptr())) {
    tuple = nb::steal(PySequence_Tuple(arguments.ptr()));
    if (!tuple.is_valid())
      throw nb::python_error();
  }
  auto count = static_cast<size_t>(PyTuple_Size(tuple.ptr()));
  if (count != types.size())
    throw nb::value_error(("the kernel takes " + std::to_string(types.size()) +
                           " arguments, got " + std::to_string(count))
                              .c_str());
  return tuple;
}

static void checkAlignment(const ArgumentType &type, uint64_t address,
                           size_t index) {
  if (address % type.elementBytes == 0)
    return;
  throw nb::value_error(
      ("argument " + std::to_string(index) + " (" + type.name +
       ") is at an address that is no multiple of " +
       std::to_string(type.elementBytes) +
       ", the size of its elements: this target's vectors cannot load it; "
       "pass a copy")
          .c_str());
}

/// One slot at least, so that there is an address to hand over.
std::vector<uint64_t> Launcher::convert(nb::handle tuple) const {
  std::vector<uint64_t> slots(std::max<size_t>(types.size(), 1));
  for (size_t i = 0; i < types.size(); ++i) {
    nb::handle value = getItem(tuple, i);
    slots[i] = types[i].kind == ArgumentType::Kind::Pointer
                   ? convertPointer(types[i], value, i)
                   : convertNumber(types[i], value, i);
    if (needsAlignment && types[i].kind == ArgumentType::Kind::Pointer)
      checkAlignment(types[i], slots[i], i);
  }
  return slots;
}

OverlapConditions::OverlapConditions(const std::string &text) {
  auto parsed = mlir::spine::parseOverlapConditions(text);
  if (!parsed)
    throw nb::value_error(llvm::toString(parsed.takeError()).c_str());
  conditions = std::move(*parsed);
}

static nb::dict toDict(const mlir::spine::OverlapCondition &condition,
                       const mlir::spine::LaunchValues &values,
                       const MemoryRange &store, const MemoryRange &other) {
  auto bytes = [](const MemoryRange &range) {
    return nb::make_tuple(range.begin, range.end);
  };
  nb::dict result, numbers;
  for (const auto &[name, value] : mlir::spine::getNumbers(condition, values))
    numbers[nb::str(name.c_str())] = value;
  result["numbers"] = numbers;
  result["store"] = condition.storeName;
  result["other"] = condition.otherName;
  result["store_place"] = condition.storePlace;
  result["other_place"] = condition.otherPlace;
  result["other_is_store"] = condition.otherIsStore;
  result["is_one"] = condition.store.argument == condition.other.argument;
  result["is_followed"] = condition.offset.has_value();
  result["store_bytes"] = bytes(store);
  result["other_bytes"] = bytes(other);
  return result;
}

nb::object Launcher::findOverlap(const OverlapConditions &conditions,
                                 nb::handle x, nb::handle y, nb::handle z,
                                 nb::handle arguments) const {
  nb::object tuple = toTuple(arguments);
  std::vector<int64_t> numbers;
  for (auto [slot, type] : llvm::zip(convert(tuple), types))
    numbers.push_back(type.kind == ArgumentType::Kind::Pointer ||
                              type.bits == 0 || type.bits >= 64
                          ? static_cast<int64_t>(slot)
                          : llvm::SignExtend64(slot, type.bits));
  mlir::spine::LaunchValues values{
      numbers, {convertGrid(x, 'x'), convertGrid(y, 'y'), convertGrid(z, 'z')}};
  for (const mlir::spine::OverlapCondition &condition : conditions.get()) {
    MemoryRange store = getStorage(getItem(tuple, condition.store.argument));
    MemoryRange other = getStorage(getItem(tuple, condition.other.argument));
    bool isOne = condition.store.argument == condition.other.argument;
    if ((isOne || store.overlaps(other)) &&
        !mlir::spine::holds(condition, &values))
      return toDict(condition, values, store, other);
  }
  return nb::none();
}

nb::tuple Launcher::pack(nb::handle arguments) const {
  nb::object tuple = toTuple(arguments);
  std::vector<uint64_t> slots = convert(tuple);
  slots.resize(types.size());
  nb::list storages;
  for (size_t index : pointers) {
    MemoryRange range = getStorage(getItem(tuple, index));
    if (range.isEmpty)
      continue;
    nb::object bytes = nb::none();
    if (range.end - range.begin != UINTPTR_MAX)
      bytes = nb::int_(range.end - range.begin + 1);
    storages.append(nb::make_tuple(index, range.begin, bytes));
  }
  return nb::make_tuple(slots, storages, mayAlias(tuple));
}

Launcher::Choice Launcher::choose(const LoadedKernel &kernel,
                                  nb::handle tuple) const {
  LoadedKernel::Function variant = kernel.getMayAliasFunction();
  if ((!variant && !variantIsLater) || !mayAlias(tuple))
    return {&kernel, kernel.getFunction()};
  if (variant)
    return {&kernel, variant};
  const LoadedKernel *later = kernel.getMayAlias();
  return {later, later ? later->getFunction() : nullptr};
}

bool Launcher::call(const LoadedKernel &kernel, nb::handle x, nb::handle y,
                    nb::handle z, nb::handle arguments) const {
  std::array<int32_t, 3> grid = {convertGrid(x, 'x'), convertGrid(y, 'y'),
                                 convertGrid(z, 'z')};
  nb::object tuple = toTuple(arguments);
  std::vector<uint64_t> slots = convert(tuple);
  auto [chosen, function] = choose(kernel, tuple);
  if (!chosen)
    return false;

  spine::rt::LaunchResult result;
  {
    nb::gil_scoped_release release;
    spine::rt::WorkerMemory memory(static_cast<size_t>(chosen->getArenaBytes()),
                                   static_cast<size_t>(chosen->getKeptAt()));
    result = coreModel.empty()
                 ? spine::rt::launch(function, slots.data(), grid, memory)
                 : spine::rt::launchOnCores(coreModel, vectorBytes, function,
                                            slots.data(), grid, memory);
  }
  if (!result.ok())
    raiseLaunchError(kernel.getName(), chosen->getArenaBytes(), result);
  return true;
}

static std::unique_ptr<LoadedKernel> load(nb::bytes object,
                                          const std::string &name) {
  std::unique_ptr<LoadedKernel> kernel;
  std::string problem;
  {
    nb::gil_scoped_release release;
    llvm::StringRef bytes(static_cast<const char *>(object.data()),
                          object.size());
    if (llvm::Error error = LoadedKernel::load(bytes, name).moveInto(kernel))
      problem = llvm::toString(std::move(error));
  }
  if (!kernel)
    raise(problem);
  return kernel;
}

static void setNumThreads(int count) {
  if (count < 1)
    throw nb::value_error("the number of threads must be at least 1");
  spine::rt::setNumThreads(static_cast<unsigned>(count));
}

static nb::dict boardFacts(const std::string &model) {
  spine::rt::BoardFacts facts = spine::rt::getBoardFacts(model);
  nb::dict result;
  result["cores"] = facts.cores;
  result["needs_admission"] = facts.needsAdmission;
  result["tcm_blocks"] = facts.tcmBlocks;
  result["tcm_block_bytes"] = facts.tcmBlockBytes;
  result["tcm_version"] = facts.tcmVersion;
  result["why_no_tcm"] = facts.whyNoTcm;
  return result;
}

static void addBoard(nb::module_ &module) {
  module.def("board_facts", &boardFacts, "core_model"_a,
             "Cores of a model in this machine, and their fast memory.");
  module.def("num_tcm_arenas", &spine::rt::getNumTcmArenas,
             "Cores of the last launch whose arena is fast memory.");
  module.def(
      "set_board_files",
      [](std::string aiThreads, std::string cpuInfo, std::string tcmLibrary) {
        spine::rt::setBoardFiles(
            {std::move(aiThreads), std::move(cpuInfo), std::move(tcmLibrary)});
      },
      "ai_threads"_a = spine::rt::BoardFiles().aiThreads,
      "cpu_info"_a = spine::rt::BoardFiles().cpuInfo,
      "tcm_library"_a = spine::rt::BoardFiles().tcmLibrary,
      "Takes other files for a board's own, from the next launch on.");
}

void spine::python::addLauncher(nb::module_ &module) {
  addBoard(module);
  nb::class_<LoadedKernel>(module, "Kernel", "Machine code in this process.")
      .def_prop_ro("name", &LoadedKernel::getName)
      .def_prop_ro("arena_bytes", &LoadedKernel::getArenaBytes)
      .def_prop_ro("has_may_alias",
                   [](const LoadedKernel &kernel) {
                     return kernel.getMayAliasFunction() ||
                            kernel.getMayAlias();
                   })
      .def("set_may_alias", &LoadedKernel::setMayAlias, "kernel"_a,
           nb::keep_alive<1, 2>(),
           "Makes another kernel the variant of this one for overlapping "
           "arguments.")
      .def_prop_ro("address", [](const LoadedKernel &kernel) {
        return reinterpret_cast<uintptr_t>(kernel.getFunction());
      });
  nb::class_<OverlapConditions>(module, "OverlapConditions",
                                "What has to hold at a launch.")
      .def(nb::init<const std::string &>(), "text"_a);
  nb::class_<Launcher>(module, "Launcher", "Calls kernels of one signature.")
      .def(nb::init<const std::vector<std::string> &, std::string, uint32_t,
                    bool, const std::optional<ArgumentPairs> &, bool>(),
           "signature"_a, "core_model"_a = "", "vector_bytes"_a = 0,
           "needs_alignment"_a = false, "disjoint"_a = nb::none(),
           "variant_is_later"_a = false)
      .def_prop_ro("signature", &Launcher::getSignature)
      .def("__call__", &Launcher::call, nb::arg(), nb::arg(), nb::arg(),
           nb::arg(), nb::arg(),
           "Runs all programs of the grid and returns when they are done. "
           "False, "
           "and nothing is run, if the variant that it takes is not made yet.")
      .def("pack", &Launcher::pack, nb::arg(),
           "Slots, storages and overlap of a launch's arguments.")
      .def("find_overlap", &Launcher::findOverlap, "conditions"_a, "x"_a, "y"_a,
           "z"_a, "arguments"_a,
           "What a launch would have to be refused for, or None.")
      .def("may_alias", &Launcher::mayAlias, "arguments"_a,
           "Whether two pointers of a tuple of arguments may overlap.");
  module.def("load", &load, "obj"_a, "kernel_name"_a,
             "Links an object made for this machine into the process.");
  module.def("num_threads", &spine::rt::getNumThreads,
             "Number of threads that run programs.");
  module.def("set_arena_poison", &spine::rt::setArenaPoison, "on"_a,
             "Whether arenas are filled with NaNs before each program.");
  module.def("set_num_threads", &setNumThreads, "count"_a,
             "Changes the number of threads from the next launch on.");
}
