// RUN: spine-triton-opt %s -split-input-file -convert-triton-to-linalg | FileCheck %s

// linalg.fill knows numbers only; a tile of equal pointers is a generic.

// CHECK-LABEL: tt.func @splat(
// CHECK-SAME:    %[[X:[^:]*]]: i8, %[[P:[^:]*]]: !tt.ptr<f32>
// CHECK:         linalg.fill ins(%[[X]] : i8) outs(%{{.*}} : tensor<4x1xi8>)
// CHECK:         linalg.generic {indexing_maps = [#{{.*}}], iterator_types = ["parallel"]} outs(%{{.*}} : tensor<8x!tt.ptr<f32>>)
// CHECK:           linalg.yield %[[P]] : !tt.ptr<f32>
tt.func @splat(%x: i8, %p: !tt.ptr<f32>) -> (tensor<4x1xi8>, tensor<8x!tt.ptr<f32>>) {
  %a = tt.splat %x : i8 -> tensor<4x1xi8>
  %b = tt.splat %p : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  tt.return %a, %b : tensor<4x1xi8>, tensor<8x!tt.ptr<f32>>
}

// -----

// CHECK-LABEL: tt.func @make_range(
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<8xi32>)
// CHECK:           %[[I:.*]] = linalg.index 0 : index
// CHECK-NEXT:      %[[J:.*]] = arith.index_cast %[[I]] : index to i32
// CHECK-NEXT:      %[[START:.*]] = arith.constant 3 : i32
// CHECK-NEXT:      %[[K:.*]] = arith.addi %[[J]], %[[START]] : i32
// CHECK-NEXT:      linalg.yield %[[K]] : i32
tt.func @make_range() -> tensor<8xi32> {
  %r = tt.make_range {start = 3 : i32, end = 11 : i32} : tensor<8xi32>
  tt.return %r : tensor<8xi32>
}

// -----

// A dimension that is 1 in the result too is no broadcast.

// CHECK-DAG:     #[[FROM:.*]] = affine_map<(d0, d1, d2) -> (d0, 0, d2)>
// CHECK-DAG:     #[[ID:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-LABEL: tt.func @broadcast(
// CHECK-SAME:    %[[A:[^:]*]]: tensor<1x1x8xf32>
// CHECK:         linalg.generic {indexing_maps = [#[[FROM]], #[[ID]]], iterator_types = ["parallel", "parallel", "parallel"]} ins(%[[A]] : tensor<1x1x8xf32>) outs(%{{.*}} : tensor<1x4x8xf32>)
// CHECK-NEXT:    ^bb0(%[[IN:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      linalg.yield %[[IN]] : f32
tt.func @broadcast(%a: tensor<1x1x8xf32>) -> tensor<1x4x8xf32> {
  %r = tt.broadcast %a : tensor<1x1x8xf32> -> tensor<1x4x8xf32>
  tt.return %r : tensor<1x4x8xf32>
}

// -----

// CHECK-LABEL: tt.func @expand_dims(
// CHECK-SAME:    %[[A:[^:]*]]: tensor<8xf32>, %[[B:[^:]*]]: tensor<2x4xf32>
// CHECK:         tensor.expand_shape %[[A]] {{\[}}[0, 1]] output_shape [1, 8]
// CHECK:         tensor.expand_shape %[[A]] {{\[}}[0, 1]] output_shape [8, 1]
// CHECK:         tensor.expand_shape %[[B]] {{.*}} output_shape [2, 1, 4]
tt.func @expand_dims(%a: tensor<8xf32>, %b: tensor<2x4xf32>) -> (tensor<1x8xf32>, tensor<8x1xf32>, tensor<2x1x4xf32>) {
  %r = tt.expand_dims %a {axis = 0 : i32} : tensor<8xf32> -> tensor<1x8xf32>
  %s = tt.expand_dims %a {axis = 1 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  %t = tt.expand_dims %b {axis = 1 : i32} : tensor<2x4xf32> -> tensor<2x1x4xf32>
  tt.return %r, %s, %t : tensor<1x8xf32>, tensor<8x1xf32>, tensor<2x1x4xf32>
}

// -----

// One operation where the dimensions merge or split, through a row otherwise;
// nothing for the same shape.

// CHECK-LABEL: tt.func @reshape(
// CHECK-SAME:    %[[A:[^:]*]]: tensor<4x8xf32>
// CHECK:         %[[MERGED:.*]] = tensor.collapse_shape %[[A]] {{\[}}[0, 1]]
// CHECK:         %[[SPLIT:.*]] = tensor.expand_shape %[[A]] {{\[}}[0, 1], [2]] output_shape [2, 2, 8]
// CHECK:         %[[ROW:.*]] = tensor.collapse_shape %[[A]] {{\[}}[0, 1]]
// CHECK:         %[[OTHER:.*]] = tensor.expand_shape %[[ROW]] {{\[}}[0, 1]] output_shape [2, 16]
// CHECK:         tt.return %[[A]], %[[MERGED]], %[[SPLIT]], %[[OTHER]]
tt.func @reshape(%a: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<32xf32>, tensor<2x2x8xf32>, tensor<2x16xf32>) {
  %same = tt.reshape %a : tensor<4x8xf32> -> tensor<4x8xf32>
  %merged = tt.reshape %a : tensor<4x8xf32> -> tensor<32xf32>
  %split = tt.reshape %a : tensor<4x8xf32> -> tensor<2x2x8xf32>
  %other = tt.reshape %a : tensor<4x8xf32> -> tensor<2x16xf32>
  tt.return %same, %merged, %split, %other : tensor<4x8xf32>, tensor<32xf32>, tensor<2x2x8xf32>, tensor<2x16xf32>
}

// -----

// CHECK-LABEL: tt.func @trans(
// CHECK-SAME:    %[[A:[^:]*]]: tensor<2x4x8xf16>
// CHECK:         %[[E:.*]] = tensor.empty() : tensor<8x2x4xf16>
// CHECK:         linalg.transpose ins(%[[A]] : tensor<2x4x8xf16>) outs(%[[E]] : tensor<8x2x4xf16>) permutation = [2, 0, 1]
tt.func @trans(%a: tensor<2x4x8xf16>) -> tensor<8x2x4xf16> {
  %r = tt.trans %a {order = array<i32: 2, 0, 1>} : tensor<2x4x8xf16> -> tensor<8x2x4xf16>
  tt.return %r : tensor<8x2x4xf16>
}

// -----

// CHECK-DAG:     #[[HALF:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG:     #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: tt.func @join_and_split(
// CHECK-SAME:    %[[A:[^:]*]]: tensor<8xf32>, %[[B:[^:]*]]: tensor<8xf32>
// CHECK:         %[[J:.*]] = linalg.generic {indexing_maps = [#[[HALF]], #[[HALF]], #[[ID]]], {{.*}}} ins(%[[A]], %[[B]] : tensor<8xf32>, tensor<8xf32>) outs(%{{.*}} : tensor<8x2xf32>)
// CHECK-NEXT:    ^bb0(%[[L:.*]]: f32, %[[R:.*]]: f32, %{{.*}}: f32):
// CHECK:           %[[I:.*]] = linalg.index 1 : index
// CHECK:           %[[FIRST:.*]] = arith.cmpi eq, %[[I]], %{{.*}} : index
// CHECK:           arith.select %[[FIRST]], %[[L]], %[[R]] : f32
// CHECK:         tensor.extract_slice %[[J]][0, 0] [8, 1] [1, 1] : tensor<8x2xf32> to tensor<8xf32>
// CHECK:         tensor.extract_slice %[[J]][0, 1] [8, 1] [1, 1] : tensor<8x2xf32> to tensor<8xf32>
tt.func @join_and_split(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %j = tt.join %a, %b : tensor<8xf32> -> tensor<8x2xf32>
  %l, %r = tt.split %j : tensor<8x2xf32> -> tensor<8xf32>
  tt.return %l, %r : tensor<8xf32>, tensor<8xf32>
}
