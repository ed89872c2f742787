// Checks the single modules: packets against the vectors that all implementations share, both ways; Algorithm 1
// against what the simulator decides in every situation (standard input); the register, a port's buffer and the
// reservation table against what they are meant to do.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "Vunits.h"
#include "verilated.h"

namespace {

Vunits top;
unsigned checks = 0;

void check(bool holds, const std::string& what) {
  checks++;
  if (!holds) {
    std::fprintf(stderr, "%s\n", what.c_str());
    std::exit(1);
  }
}

void tick() {
  top.clk_i = 0;
  top.eval();
  top.clk_i = 1;
  top.eval();
}

void reset() {
  top.rst_ni = 0;
  tick();
  top.rst_ni = 1;
}

template <std::size_t N>
uint32_t item(const VlWide<N>& port, unsigned index, unsigned width) {
  const unsigned low = index * width;
  uint64_t value = port.at(low / 32);
  if (low / 32 + 1 < N) value |= static_cast<uint64_t>(port.at(low / 32 + 1)) << 32;
  return static_cast<uint32_t>(value >> (low % 32)) & ((1u << width) - 1);
}
uint32_t item(uint64_t port, unsigned index, unsigned width) {
  return static_cast<uint32_t>(port >> (index * width)) & ((1u << width) - 1);
}

const std::vector<std::pair<unsigned, unsigned>> kShapes = {{8, 8},  {4, 16}, {16, 4}, {4, 5}, {16, 16},
                                                            {1, 4},  {4, 1},  {1, 1},  {3, 5}, {2, 2}};

unsigned shape(unsigned rows, unsigned cols) {
  for (unsigned s = 0; s < kShapes.size(); s++) {
    if (kShapes[s] == std::make_pair(rows, cols)) return s;
  }
  check(false, "no modules for the array of a vector: add it to bench/unit_bench.sv");
  return 0;
}

void packets(const std::string& file) {
  const std::vector<std::string> errors = {"",           "too-wide",     "out-of-order",      "mixed-modes",
                                           "unused-bits", "no-such-chip", "no-such-controller"};
  std::ifstream in(file);
  std::string line;
  unsigned seen = 0;
  while (std::getline(in, line)) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    unsigned rows, cols;
    std::string bar, mode, reason, header, tail;
    unsigned chip = 0, id = 0;
    words >> rows >> cols >> bar >> mode;
    if (mode == "!") {
      words >> reason >> bar >> header >> tail;
    } else {
      words >> chip >> id >> bar >> header >> tail;
    }
    const unsigned s = shape(rows, cols);
    top.header_i = static_cast<uint16_t>(std::stoul(header, nullptr, 2));
    top.tail_i = static_cast<uint16_t>(std::stoul(tail, nullptr, 2));
    top.reserve_i = mode == "reserve", top.chip_i = chip, top.id_i = id;
    top.eval();
    const unsigned error = item(top.error_o, s, 3);
    check(errors.at(error) == reason, line + ": decoded as `" + errors.at(error) + "`");
    if (mode != "!") {
      check(item(top.reserve_o, s, 1) == (mode == "reserve") && item(top.chip_o, s, 8) == chip &&
                item(top.id_o, s, 4) == id,
            line + ": decoded otherwise");
      check(item(top.header_o, s, 16) == top.header_i && item(top.tail_o, s, 16) == top.tail_i,
            line + ": encoded otherwise");
    }
    seen++;
  }
  check(seen >= 26, "the list of packets is nearly empty");
}

void decisions(std::istream& in) {
  unsigned routing, choice, row, col, goal, open, chip_free, lfsr, flip, eject, forward, port, seen = 0;
  while (in >> routing >> choice >> row >> col >> goal >> open >> chip_free >> lfsr >> flip >> eject >> forward >> port) {
    top.row_i = row, top.col_i = col, top.goal_i = goal, top.open_i = open;
    top.chip_free_i = chip_free, top.lfsr_i = lfsr, top.flip_i = flip;
    top.eval();
    const unsigned n = routing * 3 + choice;
    std::ostringstream what;
    what << "routing " << routing << " choice " << choice << " at " << row << "," << col << " to " << goal << " open "
         << open << " register " << lfsr << " flip " << flip << ": the simulator decides otherwise";
    check(item(top.eject_o, n, 1) == eject && item(top.forward_o, n, 1) == forward, what.str());
    if (forward) check(item(top.port_o, n, 2) == port, what.str());
    seen++;
  }
  check(seen > 100000, "the list of decisions is nearly empty");
}

void lfsr() {
  for (unsigned init = 1; init < 4; init++) {
    top.init_i = init;
    reset();
    unsigned state = init, flip = 0;
    for (unsigned cycle = 0; cycle < 12; cycle++) {
      check(top.state_o == state && top.flip_o == flip, "the register");
      flip ^= state == 2;
      state = state == 1 ? 3 : state == 3 ? 2 : 1;
      tick();
    }
  }
}

void send(unsigned kind, unsigned data) {
  top.kind_i = kind, top.data_i = data;
  tick();
}

void buffer() {
  reset();
  for (unsigned gap = 0; gap < 3; gap++) {
    send(1, 0x41);
    check(!top.arrived_o, "half a packet has not arrived");
    for (unsigned i = 0; i < gap; i++) send(0, 0);
    send(1, 0xc8);
    check(top.arrived_o && top.words_o == 0xc841, "a packet arrives with its second beat");
    send(0, 0);
    check(!top.arrived_o, "a packet arrives once");
  }
  for (unsigned word = 0; word < 5; word++) {
    send(2, 0x50 + word);
    check(top.pass_kind_o == 2 && top.pass_data_o == 0x50 + word && !top.release_o, "data pass in the next cycle");
  }
  for (unsigned wait = 0; wait < 9; wait++) {
    send(3, wait);
    check(top.pass_kind_o == 3, "the end of a circuit goes on");
    check(top.pass_data_o == (wait == 0 ? 0 : wait - 1), "and tells the next router one cycle less, or at once");
    for (unsigned cycle = 0; cycle < 12; cycle++) {
      check(top.release_o == (cycle == wait), "a path ends when its cycles are counted down, once");
      send(0, 0);
      check(top.pass_kind_o == 0, "and nothing goes on behind it");
    }
  }
}

void table() {
  reset();
  check(top.valid_o == 0, "a table begins empty");
  // Two rows from two inputs in one cycle.
  top.insert_i = 0b1001;
  top.row_id_i = 3 << 9 | 5;
  top.entry_i = 2 << 9 | 0;
  top.exit_i = 4 << 9 | 1;
  tick();
  top.insert_i = 0;
  check(top.valid_o == 3 && top.row_id_o == (3 << 3 | 5) && top.entry_o == (2 << 3 | 0) && top.exit_o == (4 << 3 | 1),
        "rows are put in by the number of their input");
  tick();
  check(top.valid_o == 3, "rows stay");
  // A row goes and another takes its place in the same cycle.
  top.remove_i = 1, top.insert_i = 0b0100;
  top.row_id_i = 7 << 6, top.entry_i = 3 << 6, top.exit_i = 4 << 6;
  tick();
  check(top.valid_o == 3 && item(top.row_id_o, 0, 3) == 7 && item(top.exit_o, 0, 3) == 4, "a row's place is free at once");
  top.insert_i = 0, top.remove_i = 2;
  tick();
  check(top.valid_o == 1, "the other row goes");
  top.remove_i = 0;

  // One scout comes through twice: the later row knows of the earlier one, until its controller searches again.
  const auto put = [](unsigned id, unsigned entry, unsigned exit) {
    top.insert_i = 1, top.row_id_i = id, top.entry_i = entry, top.exit_i = exit;
    tick();
    top.insert_i = 0;
  };
  reset();
  put(5, 1, 0);
  put(5, 2, 3);
  check(top.again_o == 2, "the later row knows the earlier one");
  top.table_fresh_i = 1 << 4;
  tick();
  check(top.again_o == 2, "another controller's search changes nothing");
  top.table_fresh_i = 1 << 5;
  tick();
  top.table_fresh_i = 0;
  check(top.again_o == 0, "rows of an earlier search are no visits of this one");
  top.remove_i = 1;
  tick();
  top.remove_i = 0;
  put(5, 1, 0);
  check(top.again_o == 0, "nor for a new row beside an old one");
  reset();
  put(5, 1, 0);
  put(6, 2, 3);
  check(top.again_o == 0, "another controller's row is no visit");
}

// Rows of the shared vectors, put in and read back; those of eight controllers, as the table has three bits of id.
void rows(const std::string& file) {
  const std::vector<std::string> ports = {"right", "left", "up", "down", "chip"};
  const auto number = [&](const std::string& name) {
    for (unsigned p = 0; p < ports.size(); p++) {
      if (ports[p] == name || (p == 1 && name == "controller")) return p;
    }
    check(false, "no port is called " + name);
    return 0u;
  };
  std::ifstream in(file);
  std::string line, entry, exit, bar, bits, more;
  unsigned count, cols, col, id, seen = 0;
  while (std::getline(in, line)) {
    if (line.rfind("8 8", 0) != 0 || line.find("empty") != std::string::npos) continue;
    std::istringstream words(line);
    words >> count >> cols >> col >> bar >> id >> entry >> exit >> bar;
    bits.clear();
    while (words >> more) bits += more;
    reset();
    top.insert_i = 1, top.row_id_i = id, top.entry_i = number(entry), top.exit_i = number(exit);
    tick();
    top.insert_i = 0;
    const unsigned found = (top.valid_o & 1u) << 9 | item(top.row_id_o, 0, 3) << 6 | item(top.entry_o, 0, 3) << 3 |
                           item(top.exit_o, 0, 3);
    check(found == std::stoul(bits, nullptr, 2), line + ": the table holds other bits");
    seen++;
  }
  check(seen >= 6, "the list of rows is nearly empty");
}

}  // namespace

int main(int, char** words) {
  top.kind_i = 0, top.remove_i = 0, top.insert_i = 0, top.table_fresh_i = 0;
  lfsr();
  packets(std::string(words[1]) + "/scout_packets.txt");
  rows(std::string(words[1]) + "/reservation_rows.txt");
  decisions(std::cin);
  buffer();
  table();
  std::printf("single modules: %u checks hold\n", checks);
  return 0;
}
