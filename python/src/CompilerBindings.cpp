//===- CompilerBindings.cpp - modules, pipelines, code --------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "Extension.h"
#include "spine-triton/Target/Compiler.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>
#include <sstream>

namespace nb = nanobind;
using namespace nb::literals;
using namespace mlir::spine;
using spine::python::raise;

using ModulePtr = std::shared_ptr<CompilerModule>;
using CodePtr = std::shared_ptr<CompiledModule>;
using ContextPtr = std::shared_ptr<CompilerContext>;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

static PyObject *mlirError = nullptr;

void spine::python::addError(nb::module_ &module) {
  mlirError = PyErr_NewExceptionWithDoc(
      "spine_triton._spine.MLIRError",
      "A module could not be parsed, a pass failed, or code generation failed. "
      "The attribute `diagnostics` lists all messages.",
      PyExc_RuntimeError, nullptr);
  if (!mlirError)
    throw nb::python_error();
  module.attr("MLIRError") = nb::borrow(mlirError);
}

void spine::python::raise(const Messages &messages) {
  std::string text;
  for (const Message &message : messages)
    text += (text.empty() ? "" : "\n") + toString(message);
  nb::object error = nb::borrow(mlirError)(text);
  error.attr("diagnostics") = nb::cast(messages);
  PyErr_SetObject(mlirError, error.ptr());
  throw nb::python_error();
}

void spine::python::raise(std::string text) {
  Message message;
  message.text = std::move(text);
  raise(Messages{std::move(message)});
}

/// Runs `action` on a list of messages without the interpreter lock. Raises
/// MLIRError if its result is null, empty or false.
template <typename Action> static auto compile(Action action) {
  Messages messages;
  auto result = [&] {
    nb::gil_scoped_release release;
    return action(messages);
  }();
  if (!result)
    raise(messages);
  return result;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static ModulePtr parseFile(ContextPtr context, const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  bool isOpen = file.is_open();
  std::stringstream text;
  // A folder can be opened and not read. No characters are a failure too, to
  // the stream, but an empty file is none.
  if (isOpen) {
    errno = 0;
    text << file.rdbuf();
  }
  if (!isOpen || (!text && errno != 0))
    raise("cannot read '" + path + "': " + std::strerror(errno));
  return compile([&](Messages &messages) {
    return CompilerModule::parse(context, text.str(), path, messages);
  });
}

static Messages runPipeline(CompilerModule &module, const std::string &pipeline,
                            bool verifyEach, bool printAfterAll, bool timing) {
  PipelineOptions options;
  options.verifyEach = verifyEach;
  options.printAfterAll = printAfterAll;
  options.timing = timing;
  Messages all;
  compile([&](Messages &messages) {
    bool done = module.runPipeline(pipeline, options, messages);
    all = messages;
    return done;
  });
  return all;
}

static ModulePtr lower(CompilerModule &module, const std::string &pipeline) {
  return compile([&](Messages &messages) {
    ModulePtr copy = module.clone(messages);
    if (copy && !copy->runPipeline(pipeline, {}, messages))
      copy = nullptr;
    return copy;
  });
}

static nb::dict getKernelMetadata(CompilerModule &module) {
  auto facts = compile(
      [&](Messages &messages) { return module.getKernelFacts(messages); });
  nb::dict result;
  result["name"] = facts->name;
  result["arena_bytes"] = facts->arenaBytes;
  result["has_may_alias"] = facts->hasMayAlias;
  result["disjoint_arguments"] = nb::none();
  if (facts->disjointArguments) {
    nb::list pairs;
    for (auto [one, other] : *facts->disjointArguments)
      pairs.append(nb::make_tuple(one, other));
    result["disjoint_arguments"] = pairs;
  }
  return result;
}

static nb::dict toDict(const Position &position) {
  nb::dict result;
  result["file"] = position.file;
  result["line"] = position.line;
  result["column"] = position.column;
  return result;
}

static void setPosition(nb::dict &result, const Position &position) {
  result.update(toDict(position));
}

static nb::object toNone(const std::string &text) {
  return text.empty() ? nb::none() : nb::object(nb::cast(text));
}

static nb::dict toDict(const TileResidency &tile);
static nb::dict toDict(const BlockResidency &block);
static nb::dict toDict(const ResidencyFacts &facts);
static nb::dict toDict(const KernelResidency &kernel);
static nb::dict toDict(const ScratchTile &tile);
static nb::dict toDict(const PlacedTile &tile);
static nb::dict toDict(const ScratchPlan &plan);

/// Numbers as numbers, expressions as texts, None for what is unknown.
static nb::list toStrides(const std::vector<std::string> &strides) {
  nb::list result;
  for (const std::string &stride : strides) {
    errno = 0;
    char *end = nullptr;
    long long number = std::strtoll(stride.c_str(), &end, 10);
    if (!stride.empty() && *end == 0 && errno == 0)
      result.append(number);
    else
      result.append(toNone(stride));
  }
  return result;
}

/// What tiles and buffers of all kinds have.
template <typename Tile> static nb::dict describeTile(const Tile &tile) {
  nb::dict result;
  result["name"] = tile.name;
  result["is_variable"] = tile.isVariable;
  result["shape"] = tile.shape;
  result["dtype"] = tile.elementType;
  setPosition(result, tile.position);
  return result;
}

static nb::dict toDict(const TileResidency &tile) {
  nb::dict result = describeTile(tile);
  result["role"] = tile.role;
  result["placement"] = tile.placement;
  result["bytes"] = tile.bytes;
  result["copies"] = tile.copies;
  result["dense_bytes"] = tile.denseBytes;
  result["span_bytes"] = tile.spanBytes;
  result["granule_bytes"] = tile.granuleBytes;
  result["span_expression"] = toNone(tile.spanExpression);
  result["granule_expression"] = toNone(tile.granuleExpression);
  result["strides"] =
      tile.strides.empty() ? nb::none() : nb::object(toStrides(tile.strides));
  result["live_at_peak"] = tile.liveAtPeak;
  result["live_range"] = nb::make_tuple(tile.firstPoint, tile.lastPoint);
  result["offset"] = tile.offset;
  result["last_use"] = toDict(tile.lastUse);
  return result;
}

static nb::dict toDict(const BlockResidency &block) {
  nb::dict result;
  result["size"] = block.size;
  result["fitting"] = block.fitting;
  result["places"] = block.places;
  return result;
}

template <typename T> static nb::list toList(const std::vector<T> &elements) {
  nb::list result;
  for (const T &element : elements)
    result.append(toDict(element));
  return result;
}

static nb::dict toDict(const KernelResidency &kernel) {
  nb::dict result;
  result["kernel"] = kernel.kernel;
  result["policy"] = kernel.policy;
  result["fits"] = kernel.fits;
  result["live_peak_bytes"] = kernel.peakBytes;
  result["arena_bytes"] = kernel.arenaBytes;
  result["capacity_bytes"] = kernel.capacity;
  result["reserve_bytes"] = kernel.reserve;
  result["granule_bytes"] = kernel.granule;
  result["alignment"] = kernel.alignment;
  result["unbounded"] = toNone(kernel.unbounded);
  result["contract"] = toNone(kernel.contract);
  result["peak_point"] = kernel.peakPoint;
  result["points"] = kernel.numPoints;
  result["peak"] = toDict(kernel.peakPosition);
  setPosition(result, kernel.position);
  result["tiles"] = toList(kernel.tiles);
  // Both are of code, which this plan does not look at.
  result["placements"] = nb::list();
  result["stack_bytes"] = nb::none();
  result["smaller_blocks"] = toList(kernel.smallerBlocks);
  return result;
}

static nb::list checkResidency(CompilerModule &module,
                               const std::string &target,
                               std::optional<int64_t> scratchpadBytes,
                               const std::string &policy,
                               std::optional<int64_t> alignment,
                               int64_t numStages) {
  if (scratchpadBytes && *scratchpadBytes < 0)
    throw nb::value_error("scratchpad_bytes must not be negative");
  if (numStages < 1)
    throw nb::value_error("num_stages must be at least 1");
  ResidencyRequest request{policy, scratchpadBytes, alignment, numStages};
  auto kernels = compile([&](Messages &messages) {
    return module.checkResidency(target, request, messages);
  });
  return toList(*kernels);
}

static nb::dict toDict(const ResidencyFacts &facts) {
  nb::dict result;
  result["kernel"] = facts.kernel;
  result["fits"] = facts.fits;
  result["live_peak_bytes"] = facts.peakBytes;
  result["arena_bytes"] = facts.arenaBytes;
  result["contract"] = toNone(facts.contract);
  result["conditions"] = toNone(facts.conditions);
  return result;
}

static nb::list getResidencyFacts(CompilerModule &module) {
  return toList(*compile(
      [&](Messages &messages) { return module.getResidencyFacts(messages); }));
}

static nb::dict toDict(const ScratchTile &tile) {
  nb::dict result = describeTile(tile);
  result["id"] = tile.id;
  result["tile_id"] =
      tile.tile < 0 ? nb::object(nb::none()) : nb::object(nb::int_(tile.tile));
  result["is_temporary"] = tile.isTemporary;
  result["role"] = tile.role;
  result["bytes"] = tile.bytes;
  result["offset"] = tile.offset;
  result["live_range"] = nb::make_tuple(tile.begin, tile.end);
  return result;
}

static nb::dict toDict(const PlacedTile &tile) {
  nb::dict result = describeTile(tile);
  result["id"] = tile.id;
  result["placement"] = tile.placement;
  return result;
}

static nb::dict toDict(const ScratchPlan &plan) {
  nb::dict result;
  result["function"] = plan.function;
  result["arena_bytes"] = plan.arenaBytes;
  result["live_peak_bytes"] = plan.liveBytes;
  result["tiles"] = toList(plan.tiles);
  result["placements"] = toList(plan.placements);
  return result;
}

static nb::list getScratchPlans(CompilerModule &module) {
  return toList(*compile(
      [&](Messages &messages) { return module.getScratchPlans(messages); }));
}

static std::map<std::string, uint64_t> readFrames(const nb::bytes &object) {
  return *compile([&](Messages &messages) {
    return getStackFrames(std::string_view(object.c_str(), object.size()),
                          messages);
  });
}

static nb::tuple footprint(const std::vector<int64_t> &shape,
                           const std::vector<int64_t> &strides,
                           int64_t elementBytes, int64_t granule,
                           std::optional<int64_t> alignment) {
  auto isPowerOf2 = [](int64_t n) { return n > 0 && (n & (n - 1)) == 0; };
  if (shape.size() != strides.size())
    throw nb::value_error("shape and strides must be of one length");
  if (std::any_of(shape.begin(), shape.end(), [](int64_t n) { return n < 1; }))
    throw nb::value_error("a shape's sizes must be positive");
  if (elementBytes < 1 || !isPowerOf2(granule) ||
      !isPowerOf2(alignment.value_or(1)))
    throw nb::value_error("element_bytes must be positive, granule and "
                          "alignment powers of two");
  FootprintBytes bytes = getFootprint(shape, strides, elementBytes, granule,
                                      alignment.value_or(granule));
  return nb::make_tuple(bytes.dense, bytes.span, bytes.granule);
}

static CodePtr translate(CompilerModule &module, const std::string &target,
                         int optLevel) {
  if (optLevel < 0 || optLevel > 3)
    throw nb::value_error("opt_level must be 0 to 3");
  return compile([&](Messages &messages) {
    return module.translate(target, static_cast<unsigned>(optLevel), messages);
  });
}

static std::string getText(CompiledModule &code) {
  nb::gil_scoped_release release;
  return code.toString();
}

static nb::bytes emitObject(CompiledModule &code) {
  auto object =
      compile([&](Messages &messages) { return code.emitObject(messages); });
  return nb::bytes(object->data(), object->size());
}

static std::string emitAssembly(CompiledModule &code) {
  return *compile(
      [&](Messages &messages) { return code.emitAssembly(messages); });
}

static std::string getModuleText(CompilerModule &module, bool debugInfo,
                                 bool generic) {
  return *compile([&](Messages &messages) {
    return module.toString(debugInfo, generic, messages);
  });
}

//===----------------------------------------------------------------------===//
// All of the way at once
//===----------------------------------------------------------------------===//

namespace {

/// The result of `compile`.
struct CompiledKernel {
  KernelFacts facts;
  Messages messages;
  std::vector<std::pair<std::string, ModulePtr>> stages;
  CodePtr code;

  std::string getStageText(const std::string &name) {
    for (auto &[stage, module] : stages)
      if (stage == name)
        return getModuleText(*module, false, false);
    throw nb::key_error(name.c_str());
  }
};

using StageList = std::vector<std::pair<std::string, std::string>>;

} // namespace

static bool runStages(CompiledKernel &kernel, CompilerModule &module,
                      const StageList &stages, bool keepStages) {
  for (const auto &[name, pipeline] : stages) {
    if (!module.runPipeline(pipeline, {}, kernel.messages))
      return false;
    if (!keepStages)
      continue;
    ModulePtr copy = module.clone(kernel.messages);
    if (!copy)
      return false;
    kernel.stages.emplace_back(name, std::move(copy));
  }
  return true;
}

static std::unique_ptr<CompiledKernel>
compileKernel(const std::string &ttir, const std::string &target,
              const StageList &stages, bool keepStages, int optLevel,
              const std::string &name) {
  if (optLevel < 0 || optLevel > 3)
    throw nb::value_error("opt_level must be 0 to 3");
  auto kernel = std::make_unique<CompiledKernel>();
  bool done = [&] {
    nb::gil_scoped_release release;
    auto context = std::make_shared<CompilerContext>();
    ModulePtr module =
        CompilerModule::parse(context, ttir, name, kernel->messages);
    if (!module || !runStages(*kernel, *module, stages, keepStages))
      return false;
    auto facts = module->getKernelFacts(kernel->messages);
    if (!facts)
      return false;
    kernel->facts = std::move(*facts);
    kernel->code = module->translate(target, static_cast<unsigned>(optLevel),
                                     kernel->messages);
    return kernel->code && kernel->code->emitObject(kernel->messages);
  }();
  if (!done)
    raise(kernel->messages);
  return kernel;
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

static void addDiagnostic(nb::module_ &module) {
  nb::class_<Message>(module, "Diagnostic", "One message of the compiler.")
      .def_prop_ro(
          "severity",
          [](const Message &message) { return getName(message.severity); })
      .def_ro("message", &Message::text)
      .def_ro("file", &Message::file)
      .def_ro("line", &Message::line)
      .def_ro("column", &Message::column)
      .def_ro("notes", &Message::notes)
      .def("__str__", [](const Message &message) { return toString(message); })
      .def("__repr__", [](const Message &message) {
        return "<Diagnostic: " + toString(message) + ">";
      });
}

static void addModule(nb::module_ &module) {
  nb::class_<CompilerContext>(
      module, "Context", "Owns types and attributes of the modules made in it.")
      .def(nb::init<>());
  nb::class_<CompilerModule>(module, "Module", "A module of the compiler.")
      .def_static(
          "parse",
          [](ContextPtr context, const std::string &text,
             const std::string &name) {
            return compile([&](Messages &messages) {
              return CompilerModule::parse(context, text, name, messages);
            });
          },
          "context"_a, "text"_a, "name"_a = "<string>",
          "Parses and verifies a text.")
      .def_static("parse_file", &parseFile, "context"_a, "path"_a,
                  "Parses and verifies a file.")
      .def_prop_ro("context", &CompilerModule::getContext)
      .def(
          "clone",
          [](CompilerModule &self) {
            return compile(
                [&](Messages &messages) { return self.clone(messages); });
          },
          "A deep copy in the same context.")
      .def(
          "verify",
          [](CompilerModule &self) {
            compile([&](Messages &messages) { return self.verify(messages); });
          },
          "Raises MLIRError if the module is not valid.")
      .def("to_string", &getModuleText, "debug_info"_a = false,
           "generic"_a = false, "The module's text.")
      .def("__str__", [](CompilerModule &self) {
        return getModuleText(self, false, false);
      });
}

static void addCode(nb::module_ &module) {
  nb::class_<CompiledModule>(module, "LLVMModule",
                             "LLVM IR for one target, already optimised.")
      .def_static(
          "parse",
          [](const std::string &text, const std::string &target) {
            return compile([&](Messages &messages) {
              return CompiledModule::parse(text, target, messages);
            });
          },
          "text"_a, "target_json"_a, "Reads LLVM IR; nothing is optimised.")
      .def("__str__", &getText)
      .def("emit_object", &emitObject, "A relocatable ELF object.")
      .def("emit_assembly", &emitAssembly, "The target's assembly.");
  module.def("translate", &translate, "module"_a, "target_json"_a,
             "opt_level"_a = 3,
             "Translates a module of the LLVM dialect to optimised LLVM IR.");
  module.def(
      "emit_llvm_ir",
      [](CompilerModule &self, const std::string &target, int optLevel) {
        return getText(*translate(self, target, optLevel));
      },
      "module"_a, "target_json"_a, "opt_level"_a = 3);
  module.def(
      "emit_assembly",
      [](CompilerModule &self, const std::string &target, int optLevel) {
        return emitAssembly(*translate(self, target, optLevel));
      },
      "module"_a, "target_json"_a, "opt_level"_a = 3);
  module.def(
      "emit_object",
      [](CompilerModule &self, const std::string &target, int optLevel) {
        return emitObject(*translate(self, target, optLevel));
      },
      "module"_a, "target_json"_a, "opt_level"_a = 3);
}

static void addCompiledKernel(nb::module_ &module) {
  nb::class_<CompiledKernel>(module, "CompiledKernel",
                             "The result of `compile`.")
      .def_prop_ro("name", [](CompiledKernel &self) { return self.facts.name; })
      .def_prop_ro("arena_bytes",
                   [](CompiledKernel &self) { return self.facts.arenaBytes; })
      .def_prop_ro("has_may_alias",
                   [](CompiledKernel &self) { return self.facts.hasMayAlias; })
      .def_ro("diagnostics", &CompiledKernel::messages)
      .def_prop_ro("stages",
                   [](CompiledKernel &self) {
                     std::vector<std::string> names;
                     for (auto &stage : self.stages)
                       names.push_back(stage.first);
                     return names;
                   })
      .def("text", &CompiledKernel::getStageText, "stage"_a)
      .def_prop_ro("llir",
                   [](CompiledKernel &self) { return getText(*self.code); })
      .def_prop_ro(
          "asm", [](CompiledKernel &self) { return emitAssembly(*self.code); })
      .def_prop_ro("obj",
                   [](CompiledKernel &self) { return emitObject(*self.code); });
  module.def("compile", &compileKernel, "ttir"_a, "target_json"_a, "stages"_a,
             "keep_stages"_a = true, "opt_level"_a = 3, "name"_a = "<string>",
             "All of the way from TTIR text to an object.");
}

void spine::python::addCompiler(nb::module_ &module) {
  addDiagnostic(module);
  addModule(module);
  addCode(module);
  addCompiledKernel(module);
  module.def("run_pipeline", &runPipeline, "module"_a, "pipeline"_a,
             "verify_each"_a = true, "print_after_all"_a = false,
             "timing"_a = false,
             "Runs a pass pipeline on the module, in place.");
  module.def("lower", &lower, "module"_a, "pipeline"_a,
             "A copy of the module after the pipeline.");
  module.def("kernel_metadata", &getKernelMetadata, "module"_a,
             "Facts of the one kernel in a module of the LLVM dialect.");
  module.def("check_residency", &checkResidency, "module"_a, "target_json"_a,
             "scratchpad_bytes"_a = nb::none(), "policy"_a = "stage-all",
             "alignment"_a = nb::none(), "num_stages"_a = 1,
             "The plans of a module's kernels, against a scratchpad.");
  module.def("residency_facts", &getResidencyFacts, "module"_a,
             "What the residency check left at the kernels of a module.");
  module.def("stack_frames", &readFrames, "object"_a,
             "Stack bytes of each function of an object.");
  module.def("scratch_plans", &getScratchPlans, "module"_a,
             "The arenas of a module of generated code.");
  module.def("footprint", &footprint, "shape"_a, "strides"_a, "element_bytes"_a,
             "granule"_a = 64, "alignment"_a = nb::none(),
             "Dense, span and granule bytes of an access.");
  module.def("host_target_json", &getHostTargetJSON,
             "The target description of this machine.");
}
