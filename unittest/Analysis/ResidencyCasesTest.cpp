//===- ResidencyCasesTest.cpp - plans of the table of cases ---------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//
//
// Each entry of the table becomes a kernel that holds all tiles of the entry at
// one point: those with one copy are loaded first, those with more in a loop
// with that many stages, and all are stored in the end of it.
//
//===----------------------------------------------------------------------===//

#include "mlir/Parser/Parser.h"
#include "spine-triton/Analysis/Residency.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::spine;

namespace {

using Object = llvm::json::Object;

SmallVector<int64_t> getIntegers(const llvm::json::Array &array) {
  SmallVector<int64_t> integers;
  for (const llvm::json::Value &value : array)
    integers.push_back(*value.getAsInteger());
  return integers;
}

/// The text of the kernel of one entry.
class KernelText {
public:
  explicit KernelText(const Object &entry) {
    int64_t copies = *entry.getInteger("copies");
    std::string before, inside, stores;
    for (const llvm::json::Value &value : *entry.getArray("tiles")) {
      const Object &tile = *value.getAsObject();
      addPointer(tile);
      (*tile.getInteger("copies") > 1 ? inside : before) += load(tile);
      stores += store(tile);
    }
    text = "tt.func @entry(%trips: i32" + arguments + ") {\n" + body + before;
    if (copies > 1)
      text += "%one = arith.constant 1 : i32\n"
              "scf.for %i = %zero to %trips step %one : i32 {\n" +
              inside + stores + "} {tt.num_stages = " + std::to_string(copies) +
              " : i32}\n";
    else
      text += stores;
    text += "tt.return\n}";
  }

  std::string text;

private:
  static std::string getName(const Object &tile) {
    return tile.getString("operand")->str();
  }

  /// A block pointer has a dimension at least: a scalar is a tile of one.
  static SmallVector<int64_t> getShape(const Object &tile) {
    SmallVector<int64_t> shape = getIntegers(*tile.getArray("tile_shape"));
    return shape.empty() ? SmallVector<int64_t>{1} : shape;
  }

  static std::string getType(const Object &tile) {
    std::string type = "tensor<";
    for (int64_t size : getShape(tile))
      type += std::to_string(size) + "x";
    return type + tile.getString("dtype")->str() + ">";
  }

  static std::string getPointerType(const Object &tile) {
    return "!tt.ptr<" + getType(tile) + ">";
  }

  /// An i64 value: a constant, or an argument if there is no number.
  std::string addNumber(const std::string &name,
                        std::optional<int64_t> number) {
    if (number)
      body += llvm::formatv("%{0} = arith.constant {1} : i64\n", name, *number);
    else
      arguments += ", %" + name + ": i64";
    return "%" + name;
  }

  void addPointer(const Object &tile) {
    if (body.empty())
      body = "%zero = arith.constant 0 : i32\n";
    std::string name = getName(tile);
    const llvm::json::Array *strides = tile.getArray("strides");
    SmallVector<std::string> extents, steps, offsets, order;
    for (auto [dim, size] : llvm::enumerate(*tile.getArray("base_shape")))
      extents.push_back(
          addNumber(llvm::formatv("{0}_e{1}", name, dim), size.getAsInteger()));
    size_t rank = getShape(tile).size();
    for (size_t dim = 0; dim < rank; ++dim) {
      std::optional<int64_t> stride;
      if (strides)
        stride = strides->empty() ? 1 : (*strides)[dim].getAsInteger();
      steps.push_back(addNumber(llvm::formatv("{0}_s{1}", name, dim), stride));
      offsets.push_back("%zero");
      order.push_back(std::to_string(rank - 1 - dim));
    }
    // The base tensor's own rank plays no part.
    while (extents.size() < rank)
      extents.push_back(addNumber(name + "_e", 1));
    arguments +=
        llvm::formatv(", %{0}_p: !tt.ptr<{1}> {{tt.divisibility = 64 : i32}",
                      name, *tile.getString("dtype"));
    body += llvm::formatv("%{0}_b = tt.make_tensor_ptr %{0}_p, [{1}], [{2}], "
                          "[{3}] {{order = array<i32: {4}>} : <{5}>\n",
                          name, llvm::join(extents, ", "),
                          llvm::join(steps, ", "), llvm::join(offsets, ", "),
                          llvm::join(order, ", "), getType(tile));
  }

  static std::string load(const Object &tile) {
    return llvm::formatv("%{0} = tt.load %{0}_b : {1} loc(\"{0}\")\n",
                         getName(tile), getPointerType(tile));
  }
  static std::string store(const Object &tile) {
    return llvm::formatv("tt.store %{0}_b, %{0} : {1}\n", getName(tile),
                         getPointerType(tile));
  }

  std::string arguments, body;
};

void checkTile(const ResidentTile &tile, const Object &expected) {
  SCOPED_TRACE(tile.name);
  EXPECT_EQ(tile.name, expected.getString("operand")->str());
  EXPECT_EQ(tile.copies, *expected.getInteger("copies"));
  EXPECT_EQ(tile.denseBytes, *expected.getInteger("dense_bytes"));
  EXPECT_EQ(tile.spanBytes, expected.getInteger("span_bytes"));
  EXPECT_EQ(tile.granuleBytes, expected.getInteger("granule_bytes"));
  EXPECT_EQ(tile.bytes, tile.denseBytes * tile.copies);
}

void checkEntry(const Object &entry) {
  SCOPED_TRACE(entry.getString("name")->str());
  MLIRContext context;
  context.loadDialect<triton::TritonDialect, arith::ArithDialect,
                      scf::SCFDialect>();
  KernelText kernel(entry);
  auto module = parseSourceString<ModuleOp>(kernel.text, &context);
  ASSERT_TRUE(module) << kernel.text;
  std::vector<ResidencyReport> reports = analyzeKernelResidency(*module);
  ASSERT_EQ(reports.size(), 1u);
  const ResidencyReport &report = reports.front();
  EXPECT_EQ(report.peakBytes, *entry.getInteger("peak_dense_bytes"));
  EXPECT_EQ(report.arenaBytes, report.peakBytes);
  EXPECT_EQ(report.fits(*entry.getInteger("capacity_bytes")),
            *entry.getString("verdict") == "fits");
  // Exact at the limit.
  EXPECT_TRUE(report.fits(report.peakBytes));
  EXPECT_FALSE(report.fits(report.peakBytes - 1));

  const llvm::json::Array &tiles = *entry.getArray("tiles");
  ASSERT_EQ(report.tiles.size(), tiles.size());
  for (const ResidentTile &tile : report.tiles)
    for (const llvm::json::Value &expected : tiles)
      if (*expected.getAsObject()->getString("operand") == tile.name)
        checkTile(tile, *expected.getAsObject());
}

TEST(ResidencyCases, AllEntries) {
  auto file = llvm::MemoryBuffer::getFile(SPINE_RESIDENCY_CASES);
  ASSERT_TRUE(bool(file));
  auto json = llvm::json::parse((*file)->getBuffer());
  ASSERT_TRUE(bool(json));
  const llvm::json::Array *entries = json->getAsObject()->getArray("entries");
  ASSERT_TRUE(entries);
  EXPECT_GT(entries->size(), 40u);
  for (const llvm::json::Value &entry : *entries)
    checkEntry(*entry.getAsObject());
}

} // namespace
