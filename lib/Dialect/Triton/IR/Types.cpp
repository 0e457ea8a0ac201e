//===- Types.cpp - types of the tt dialect --------------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "triton/Dialect/Triton/IR/Types.h"
#include "mlir/IR/DialectImplementation.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::triton;

#define GET_TYPEDEF_CLASSES
#include "triton/Dialect/Triton/IR/Types.cpp.inc"

void TritonDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "triton/Dialect/Triton/IR/Types.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Whether memory and tiles can hold `type`.
static bool isElementType(Type type) {
  return isa<IntegerType, FloatType>(type) || triton::isScalarPointerType(type);
}

LogicalResult triton::verifyTile(function_ref<InFlightDiagnostic()> emitError,
                                 RankedTensorType tile) {
  int64_t elements = 1;
  for (auto [dim, size] : llvm::enumerate(tile.getShape())) {
    if (ShapedType::isDynamic(size))
      return emitError() << "dimension " << dim << " of tile " << tile
                         << " is dynamic: tiles have a static shape";
    if (size == 0)
      return emitError() << "dimension " << dim << " of tile " << tile
                         << " has size 0: tiles are not empty";
    if (llvm::MulOverflow(elements, size, elements))
      return emitError() << "tile " << tile
                         << " has more elements than 64 bits can count";
  }
  Type element = tile.getElementType();
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  if (llvm::MulOverflow(elements, bits, bits))
    return emitError() << "tile " << tile
                       << " has more bits than 64 bits can count";
  return success();
}

//===----------------------------------------------------------------------===//
// PointerType
//===----------------------------------------------------------------------===//

/// Whether `pointee` is a pointer to a pointer to a pointer, `limit` times.
static bool nestsDeeperThan(Type pointee, unsigned limit) {
  while (auto pointer = dyn_cast<PointerType>(getElementTypeOrSelf(pointee))) {
    if (limit-- == 0)
      return true;
    pointee = pointer.getPointeeType();
  }
  return false;
}

LogicalResult PointerType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  Type pointee, int addressSpace) {
  if (addressSpace < 0)
    return emitError() << "address space of a pointer is not negative, got "
                       << addressSpace;
  // Passes follow pointers recursively; aliases can nest them without brackets.
  constexpr unsigned maxDepth = 64;
  if (nestsDeeperThan(pointee, maxDepth))
    return emitError() << "pointers nest more than " << maxDepth << " deep";
  Type element = pointee;
  if (auto tile = dyn_cast<RankedTensorType>(pointee)) {
    if (failed(verifyTile(emitError, tile)))
      return failure();
    element = tile.getElementType();
  }
  if (isElementType(element))
    return success();
  return emitError() << "pointer to " << pointee
                     << ": pointers address numbers, pointers to scalars, and "
                        "tiles of them";
}

Type PointerType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  Type pointee;
  int addressSpace = 1;
  if (parser.parseLess() || parser.parseType(pointee))
    return Type();
  if (succeeded(parser.parseOptionalComma()) &&
      parser.parseInteger(addressSpace))
    return Type();
  if (parser.parseGreater())
    return Type();
  return parser.getChecked<PointerType>(loc, parser.getContext(), pointee,
                                        addressSpace);
}

void PointerType::print(AsmPrinter &printer) const {
  printer << "<" << getPointeeType();
  if (getAddressSpace() != 1)
    printer << ", " << getAddressSpace();
  printer << ">";
}

//===----------------------------------------------------------------------===//
// TensorDescType
//===----------------------------------------------------------------------===//

LogicalResult
TensorDescType::verify(function_ref<InFlightDiagnostic()> emitError,
                       RankedTensorType block) {
  if (failed(verifyTile(emitError, block)))
    return failure();
  if (block.getRank() == 0)
    return emitError() << "a descriptor's block has at least one dimension";
  if (!block.getElementType().isIntOrFloat())
    return emitError() << "descriptor of " << block.getElementType()
                       << " elements: descriptors describe tensors of numbers";
  return success();
}

RankedTensorType TensorDescType::getSignlessBlockType() const {
  RankedTensorType block = getBlockType();
  auto integer = dyn_cast<IntegerType>(block.getElementType());
  if (!integer)
    return block;
  return block.clone(IntegerType::get(getContext(), integer.getWidth()));
}

Type TensorDescType::parse(AsmParser &parser) {
  if (parser.parseLess())
    return Type();
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  OptionalParseResult parsed = parser.parseOptionalType(type);
  if (parsed.has_value() && failed(*parsed))
    return Type();
  if (!parsed.has_value()) {
    // `<16x16xf32>`, as later versions of Triton print it.
    SmallVector<int64_t> shape;
    Type element;
    if (parser.parseDimensionList(shape) || parser.parseType(element))
      return Type();
    type = RankedTensorType::getChecked([&] { return parser.emitError(loc); },
                                        shape, element, Attribute());
    if (!type)
      return Type();
  }
  auto block = dyn_cast<RankedTensorType>(type);
  if (!block) {
    parser.emitError(loc) << "expects a ranked tensor as a descriptor's block, "
                             "got "
                          << type;
    return Type();
  }
  if (parser.parseGreater())
    return Type();
  return parser.getChecked<TensorDescType>(loc, parser.getContext(), block);
}

void TensorDescType::print(AsmPrinter &printer) const {
  printer << "<" << getBlockType() << ">";
}

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

bool triton::isScalarPointerType(Type type) {
  auto pointer = dyn_cast<PointerType>(type);
  return pointer && !isa<RankedTensorType>(pointer.getPointeeType());
}

bool triton::isTensorPointerType(Type type) {
  auto pointer = dyn_cast<PointerType>(type);
  return pointer && isa<RankedTensorType>(pointer.getPointeeType());
}

bool triton::isTensorOrTensorPointerType(Type type) {
  return isa<RankedTensorType>(type) || isTensorPointerType(type);
}

Type triton::getPointeeType(Type type) {
  if (auto pointer = dyn_cast<PointerType>(type))
    return pointer.getPointeeType();
  if (auto tile = dyn_cast<RankedTensorType>(type))
    if (auto pointer = dyn_cast<PointerType>(tile.getElementType()))
      return tile.clone(pointer.getPointeeType());
  return type;
}

unsigned triton::getPointeeBitWidth(Type type) {
  Type element = getElementTypeOrSelf(getPointeeType(type));
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
}

Type triton::getElementTypeOfTensorPointerType(Type type) {
  return getElementTypeOrSelf(getPointeeType(type));
}

int triton::getAddressSpace(Type type) {
  auto pointer = dyn_cast<PointerType>(getElementTypeOrSelf(type));
  return pointer ? pointer.getAddressSpace() : 1;
}

Type triton::getPointerType(Type type, int addressSpace) {
  return PointerType::get(type, addressSpace);
}

Type triton::getPointerTypeToElement(Type type) {
  return PointerType::get(getElementTypeOrSelf(type), 1);
}

Type triton::getPointerTypeSameShape(Type type) {
  Type pointer = getPointerTypeToElement(type);
  if (auto tile = dyn_cast<RankedTensorType>(type))
    return tile.clone(pointer);
  return pointer;
}

/// An integer of `width` bits in the shape of `type`.
static Type getIntegerSameShape(Type type, unsigned width) {
  Type integer = IntegerType::get(type.getContext(), width);
  if (auto tile = dyn_cast<RankedTensorType>(type))
    return tile.clone(integer);
  return integer;
}

Type triton::getI1SameShape(Type type) { return getIntegerSameShape(type, 1); }

Type triton::getI32SameShape(Type type) {
  return getIntegerSameShape(type, 32);
}
