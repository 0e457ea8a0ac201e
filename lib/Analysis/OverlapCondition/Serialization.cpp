//===- Serialization.cpp - conditions as JSON -----------------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "spine-triton/Analysis/OverlapCondition.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

using namespace mlir::spine;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// To JSON
//===----------------------------------------------------------------------===//

static json::Value toJSON(const Polynomial &polynomial) {
  json::Array terms;
  for (const auto &[monomial, coefficient] : polynomial.getTerms()) {
    json::Array term{coefficient};
    for (unsigned number : monomial)
      term.push_back(number);
    terms.push_back(std::move(term));
  }
  return terms;
}

static json::Value toJSON(const AddressVariable &variable) {
  return json::Object{{"kind", static_cast<int64_t>(variable.kind)},
                      {"number", variable.number},
                      {"bits", variable.bits},
                      {"name", variable.name},
                      {"a", toJSON(variable.a)},
                      {"b", toJSON(variable.b)}};
}

static json::Value toJSON(const AccessShape &access) {
  json::Array indices;
  for (const AddressIndex &index : access.indices) {
    json::Array bounds;
    for (const IndexBound &bound : index.bounds)
      bounds.push_back(json::Object{{"left", toJSON(bound.left)},
                                    {"right", toJSON(bound.right)},
                                    {"bits", bound.bits}});
    indices.push_back(json::Object{{"stride", toJSON(index.stride)},
                                   {"size", index.size},
                                   {"bounds", std::move(bounds)}});
  }
  return json::Object{{"argument", access.argument},
                      {"bytes", access.elementBytes},
                      {"indices", std::move(indices)}};
}

std::string mlir::spine::serialize(const OverlapCondition &condition) {
  json::Array variables;
  for (const AddressVariable &variable : condition.variables)
    variables.push_back(toJSON(variable));
  json::Object object{
      {"variables", std::move(variables)},
      {"store", toJSON(condition.store)},
      {"other", toJSON(condition.other)},
      {"modulus_bits", condition.modulusBits},
      {"store_name", condition.storeName},
      {"other_name", condition.otherName},
      {"store_place", condition.storePlace},
      {"other_place", condition.otherPlace},
      {"other_is_store", condition.otherIsStore},
  };
  if (condition.axis)
    object["axis"] = json::Array{condition.axis->first, condition.axis->second};
  if (condition.offset)
    object["offset"] = toJSON(*condition.offset);
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(std::move(object));
  return text;
}

//===----------------------------------------------------------------------===//
// From JSON
//===----------------------------------------------------------------------===//

namespace mlir::spine {

static bool fromJSON(const json::Value &value, Polynomial &polynomial,
                     json::Path path) {
  const json::Array *terms = value.getAsArray();
  if (!terms)
    return false;
  for (const json::Value &term : *terms) {
    const json::Array *numbers = term.getAsArray();
    if (!numbers || numbers->empty())
      return false;
    Polynomial::Monomial monomial;
    for (const json::Value &number : llvm::drop_begin(*numbers))
      monomial.push_back(
          static_cast<unsigned>(number.getAsInteger().value_or(0)));
    polynomial.add(monomial, numbers->front().getAsInteger().value_or(0));
  }
  return true;
}

static bool fromJSON(const json::Value &value, AddressVariable &variable,
                     json::Path path) {
  json::ObjectMapper object(value, path);
  int64_t kind;
  const json::Object *fields = value.getAsObject();
  if (!object || !object.map("kind", kind) ||
      !object.map("number", variable.number) ||
      !object.map("bits", variable.bits) ||
      !object.map("name", variable.name) || !fields->get("a") ||
      !fields->get("b"))
    return false;
  variable.kind = static_cast<AddressVariable::Kind>(kind);
  return fromJSON(*fields->get("a"), variable.a, path.field("a")) &&
         fromJSON(*fields->get("b"), variable.b, path.field("b"));
}

static bool fromJSON(const json::Value &value, IndexBound &bound,
                     json::Path path) {
  json::ObjectMapper object(value, path);
  const json::Object *fields = value.getAsObject();
  return object && object.map("bits", bound.bits) && fields->get("left") &&
         fields->get("right") &&
         fromJSON(*fields->get("left"), bound.left, path.field("left")) &&
         fromJSON(*fields->get("right"), bound.right, path.field("right"));
}

static bool fromJSON(const json::Value &value, AddressIndex &index,
                     json::Path path) {
  json::ObjectMapper object(value, path);
  const json::Object *fields = value.getAsObject();
  return object && object.map("size", index.size) &&
         object.map("bounds", index.bounds) && fields->get("stride") &&
         fromJSON(*fields->get("stride"), index.stride, path.field("stride"));
}

static bool fromJSON(const json::Value &value, AccessShape &access,
                     json::Path path) {
  json::ObjectMapper object(value, path);
  return object && object.map("argument", access.argument) &&
         object.map("bytes", access.elementBytes) &&
         object.map("indices", access.indices);
}

static bool fromJSON(const json::Value &value, OverlapCondition &condition,
                     json::Path path) {
  json::ObjectMapper object(value, path);
  if (!object || !object.map("variables", condition.variables) ||
      !object.map("store", condition.store) ||
      !object.map("other", condition.other) ||
      !object.map("modulus_bits", condition.modulusBits) ||
      !object.map("store_name", condition.storeName) ||
      !object.map("other_name", condition.otherName) ||
      !object.map("store_place", condition.storePlace) ||
      !object.map("other_place", condition.otherPlace) ||
      !object.map("other_is_store", condition.otherIsStore))
    return false;
  const json::Object *fields = value.getAsObject();
  if (const json::Array *axis = fields->getArray("axis"))
    condition.axis = {
        static_cast<unsigned>((*axis)[0].getAsInteger().value_or(0)),
        static_cast<unsigned>((*axis)[1].getAsInteger().value_or(0))};
  if (const json::Value *offset = fields->get("offset"))
    return fromJSON(*offset, condition.offset.emplace(), path.field("offset"));
  return true;
}

} // namespace mlir::spine

llvm::Expected<std::vector<OverlapCondition>>
mlir::spine::parseOverlapConditions(llvm::StringRef text) {
  return json::parse<std::vector<OverlapCondition>>(text);
}
