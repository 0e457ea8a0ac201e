//===- RandomKernel.cpp - kernels made of block pointers ------------------===//
//
// Part of spine-triton, under the MIT licence.
//
//===----------------------------------------------------------------------===//

#include "RandomKernel.h"

using namespace mlir::spine::test;

std::string RandomKernel::list(unsigned count, const Names &names) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", " : "") + any(names);
  return text;
}

std::string RandomKernel::repeat(const std::string &text, unsigned count) {
  std::string all;
  for (unsigned i = 0; i < count; ++i)
    all += (i ? ", " : "") + text;
  return all;
}

void RandomKernel::make(Names &pointers) {
  std::string name = fresh(), order;
  for (unsigned i = 0; i < rank; ++i)
    order += (i ? ", " : "") + std::to_string(rank - 1 - i);
  line(name + " = tt.make_tensor_ptr " + any(bases) + ", [" +
       list(rank, longs) + "], [" + list(rank, longs) + "], [" +
       list(rank, ints) + "] {order = array<i32: " + order + ">} : <" + tile +
       ">");
  pointers.push_back(name);
}

void RandomKernel::advance(Names &pointers) {
  std::string name = fresh();
  line(name + " = tt.advance " + any(pointers) + ", [" + list(rank, ints) +
       "] : <" + tile + ">");
  pointers.push_back(name);
}

void RandomKernel::select(Names &pointers) {
  std::string name = fresh();
  line(name + " = arith.select %flag" + std::to_string(pick(numFlags)) + ", " +
       list(2, pointers) + " : " + type);
  pointers.push_back(name);
}

void RandomKernel::access(const Names &pointers) {
  std::string checks;
  for (unsigned i = 0; i < rank; ++i)
    if (pick(3) != 0)
      checks += (checks.empty() ? "" : ", ") + std::to_string(i);
  std::string attributes =
      checks.empty() ? "" : "boundaryCheck = array<i32: " + checks + ">";
  if (pick(2)) {
    line("tt.store " + any(pointers) + ", %tile {" + attributes +
         "} : " + type);
    return;
  }
  if (!checks.empty())
    attributes += ", padding = " + std::to_string(1 + pick(2)) + " : i32";
  line(fresh() + " = tt.load " + any(pointers) + " {" + attributes +
       "} : " + type);
}

void RandomKernel::loop(Names &pointers) {
  unsigned count = 1 + pick(2);
  std::string name = fresh(), arguments;
  Names inner = pointers;
  for (unsigned i = 0; i < count; ++i) {
    inner.push_back(fresh());
    arguments += (i ? ", " : "") + inner.back() + " = " + any(pointers);
  }
  line(name + ":" + std::to_string(count) + " = scf.for " + fresh() +
       " = %c0 to %trips step %c1 iter_args(" + arguments + ") -> (" +
       repeat(type, count) + ") : i32 {");
  Names visible;
  statements(inner, 3, &visible);
  line("  scf.yield " + list(count, visible) + " : " + repeat(type, count));
  line("}");
  for (unsigned i = 0; i < count; ++i)
    pointers.push_back(name + "#" + std::to_string(i));
}

void RandomKernel::whileLoop(Names &pointers) {
  std::string name = fresh(), before = fresh(), i = fresh(), go = fresh();
  std::string types = type + ", i32";
  line(name + ":2 = scf.while (" + before + " = " + any(pointers) + ", " + i +
       " = %c0) : (" + types + ") -> (" + types + ") {");
  line("  " + go + " = arith.cmpi slt, " + i + ", %trips : i32");
  Names inner = pointers, visible;
  inner.push_back(before);
  statements(inner, 1, &visible);
  line("  scf.condition(" + go + ") " + any(visible) + ", " + i + " : " +
       types);
  line("} do {");
  std::string after = fresh(), j = fresh(), k = fresh();
  line("^bb0(" + after + ": " + type + ", " + j + ": i32):");
  inner = pointers;
  inner.push_back(after);
  statements(inner, 2, &visible);
  line("  " + k + " = arith.addi " + j + ", %c1 : i32");
  line("  scf.yield " + any(visible) + ", " + k + " : " + types);
  line("}");
  pointers.push_back(name + "#0");
}

void RandomKernel::branch(Names &pointers) {
  std::string name = fresh();
  line(name + " = scf.if %flag" + std::to_string(pick(numFlags)) + " -> (" +
       type + ") {");
  Names visible;
  statements(pointers, 2, &visible);
  line("  scf.yield " + any(visible) + " : " + type);
  line("} else {");
  statements(pointers, 1, &visible);
  line("  scf.yield " + any(visible) + " : " + type);
  line("}");
  pointers.push_back(name);
}

void RandomKernel::statements(Names pointers, unsigned count, Names *visible) {
  ++depth;
  for (unsigned i = 0; i < count; ++i) {
    unsigned kind = pick(depth < 5 ? 10 : 7);
    if (kind == 0)
      make(pointers);
    else if (kind <= 3)
      advance(pointers);
    else if (kind == 4)
      select(pointers);
    else if (kind <= 6)
      access(pointers);
    else if (kind == 7)
      loop(pointers);
    else if (kind == 8)
      whileLoop(pointers);
    else
      branch(pointers);
  }
  access(pointers);
  --depth;
  if (visible)
    *visible = pointers;
}

/// A loop of blocks, with an exit in the middle.
void RandomKernel::blocks(Names pointers) {
  Names visible;
  auto argument = [&] {
    pointers.push_back(fresh());
    return pointers.back() + ": " + type;
  };
  std::string types = type + ", " + type, i = fresh(), j = fresh(),
              go = fresh();
  line("cf.br ^head(" + list(2, pointers) + ", %c0 : " + types + ", i32)");
  code += "^head(" + argument() + ", ";
  code += argument() + ", " + i + ": i32):\n";
  statements(pointers, 2, &pointers);
  line(go + " = arith.cmpi slt, " + i + ", %trips : i32");
  line("cf.cond_br " + go + ", ^body(" + any(pointers) + " : " + type +
       "), ^exit(" + list(2, pointers) + " : " + types + ")");
  Names seenAtHead = pointers;
  code += "^body(" + argument() + "):\n";
  statements(pointers, 2, &visible);
  line(j + " = arith.addi " + i + ", %c1 : i32");
  line("cf.br ^head(" + list(2, visible) + ", " + j + " : " + types + ", i32)");
  pointers = seenAtHead;
  code += "^exit(" + argument() + ", ";
  code += argument() + "):\n";
  statements(pointers, 1);
}

std::string RandomKernel::write() {
  static const char *const tiles[] = {"tensor<4xf32>", "tensor<4x2xf32>",
                                      "tensor<2x1x4xf32>"};
  rank = 1 + pick(3);
  tile = tiles[rank - 1];
  type = "!tt.ptr<" + tile + ">";
  std::string arguments;
  auto declare = [&](const char *prefix, unsigned count, const char *kind,
                     Names &names) {
    for (unsigned i = 0; i < count; ++i) {
      names.push_back(prefix + std::to_string(i));
      arguments += (arguments.empty() ? "" : ", ") + names.back() + ": " + kind;
    }
  };
  Names flags;
  declare("%base", numPointers, "!tt.ptr<f32>", bases);
  declare("%long", numLong, "i64", longs);
  declare("%int", numInt, "i32", ints);
  arguments += ", %trips: i32";
  declare("%flag", numFlags, "i1", flags);
  code = "tt.func public @kernel(" + arguments + ") {\n";
  line("%c0 = arith.constant 0 : i32");
  line("%c1 = arith.constant 1 : i32");
  line("%cm3 = arith.constant -3 : i32");
  line("%c7 = arith.constant 7 : i64");
  line("%wide = arith.extsi %int0 : i32 to i64");
  line("%tile = arith.constant dense<0.0> : " + tile);
  ints.insert(ints.end(), {"%c0", "%c0", "%c1", "%cm3"});
  longs.insert(longs.end(), {"%c7", "%wide"});
  Names pointers;
  make(pointers);
  make(pointers);
  statements(pointers, 5, &pointers);
  blocks(pointers);
  line("tt.return");
  return code + "}\n";
}
