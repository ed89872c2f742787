// Runs the mesh in lock step with the simulator's trace (docs/models/venice-rtl.md has its format), read from the
// standard input: after every cycle the reservation tables and busy ports of all routers are compared, and each
// scout's end, each word of data and each release with the cycle in which the simulator has it.

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "Vmesh.h"
#include "verilated.h"

#ifndef ROWS
#error "ROWS, COLS, ROUTING, CHOICE, LOOPS: what the model was built with"
#endif

namespace {

constexpr unsigned kRows = ROWS, kCols = COLS, kChips = ROWS * COLS, kLinkW = 8, kLengthW = 16;

constexpr unsigned width_for(unsigned count) {
  unsigned bits = 1;
  while ((1u << bits) < count) bits++;
  return bits;
}
constexpr unsigned kIdW = width_for(kRows), kChipW = width_for(kChips);

// A port of the model: a plain integer, or an array of words where it is wide.
template <typename T>
uint32_t get(const T& port, unsigned low, unsigned width) {
  return static_cast<uint32_t>(static_cast<uint64_t>(port) >> low) & ((1ull << width) - 1);
}
template <std::size_t N>
uint32_t get(const VlWide<N>& port, unsigned low, unsigned width) {
  uint64_t value = port.at(low / 32);
  if (low / 32 + 1 < N) value |= static_cast<uint64_t>(port.at(low / 32 + 1)) << 32;
  return static_cast<uint32_t>(value >> (low % 32)) & ((1ull << width) - 1);
}
template <typename T>
void set(T& port, unsigned low, unsigned width, uint32_t value) {
  const uint64_t mask = ((1ull << width) - 1) << low;
  port = static_cast<T>((static_cast<uint64_t>(port) & ~mask) | (static_cast<uint64_t>(value) << low & mask));
}
template <std::size_t N>
void set(VlWide<N>& port, unsigned low, unsigned width, uint32_t value) {
  for (unsigned bit = 0; bit < width; bit++) {
    const unsigned at = low + bit;
    const uint32_t mask = 1u << (at % 32);
    port.at(at / 32) = (port.at(at / 32) & ~mask) | ((value >> bit & 1) ? mask : 0);
  }
}

enum Kind : uint32_t { kIdle = 0, kScout = 1, kData = 2, kRelease = 3 };

struct Event {
  char what;
  std::array<uint32_t, 4> value;
};

struct Cycle {
  uint64_t number;
  std::vector<Event> events;
};

// One reservation, as a number: controller, entry, exit.
uint32_t row_of(uint32_t id, uint32_t entry, uint32_t exit) { return 1u << 31 | id << 6 | entry << 3 | exit; }

struct RouterState {
  std::array<uint32_t, 2> rows{};  // Greater first; none is zero.
  uint32_t busy = 0;
  bool operator==(const RouterState& other) const { return rows == other.rows && busy == other.busy; }
  void order() {
    if (rows[0] < rows[1]) std::swap(rows[0], rows[1]);
  }
  void add(uint32_t row) { rows[rows[0] == 0 ? 0 : 1] = row, order(); }
  bool remove(uint32_t row) {
    for (auto& mine : rows) {
      if (mine == row) return mine = 0, order(), true;
    }
    return false;
  }
};

// A transfer, from the request to the release.
struct Transfer {
  bool active = false, write = false;
  uint32_t chip = 0, words = 0, number = 0;
  uint32_t sent = 0, received = 0;
  uint64_t stream_from = UINT64_MAX;  // The cycle in which a chip begins to send.
  uint32_t hops = 0;
  bool has_path = false;
  uint64_t ends_at = UINT64_MAX;  // A scout's end is told to the controller in this cycle.
  bool ends_well = false;
};

uint32_t word_of(uint32_t controller, uint32_t transfer, uint32_t index) {
  uint32_t x = controller * 0x9e3779b9u ^ transfer * 0x85ebca6bu ^ index * 0xc2b2ae35u;
  x ^= x >> 15;
  x *= 0x2c1b3c6du;
  return (x ^ x >> 13) & ((1u << kLinkW) - 1);
}

class Bench {
 public:
  // The activity of one router's ports is written here, one line a cycle, for the power report.
  std::FILE* record = nullptr;
  uint32_t recorded_router = 0;

  uint64_t cycles = 0, scouts = 0, failures = 0, circuits = 0, words = 0;
  // Circuits that met themselves, and the links that were given back of them.
  uint64_t cut_circuits = 0, cut_links = 0;

  int run(std::istream& in) {
    std::string line;
    while (std::getline(in, line)) {
      if (line.rfind("mesh", 0) == 0) {
        begin(line);
      } else if (line[0] == '@') {
        ahead_.push_back({std::stoull(line.substr(2)), {}});
      } else if (line.rfind("end", 0) == 0) {
        finish(line);
      } else {
        Event event{line[0], {}};
        std::istringstream words_in(line.substr(2));
        std::string word;
        for (unsigned i = 0; i < 4 && words_in >> word; i++) {
          event.value[i] = word == "w" ? 1 : word == "r" ? 0 : static_cast<uint32_t>(std::stoul(word));
        }
        ahead_.back().events.push_back(event);
        continue;
      }
      // Requests are made so many cycles before the scout is in its first router.
      while (!ahead_.empty() && ahead_.back().number > now_ + beats_ && ahead_.size() > 1) step();
    }
    return 0;
  }

 private:
  std::unique_ptr<Vmesh> mesh_;
  std::deque<Cycle> ahead_;
  std::array<RouterState, kChips> expected_{};
  std::array<Transfer, kRows> transfers_{};
  std::array<uint32_t, kRows> transfer_count_{};
  uint64_t now_ = 0, beats_ = 2;

  [[noreturn]] void fail(const std::string& what) {
    std::fprintf(stderr, "cycle %llu of %ux%u: %s\n", static_cast<unsigned long long>(now_), kRows, kCols,
                 what.c_str());
    std::exit(1);
  }

  void begin(const std::string& line) {
    std::istringstream words_in(line);
    std::string word;
    unsigned rows, cols, routing, choice, loops;
    words_in >> word >> rows >> cols >> beats_ >> routing >> choice >> loops;
    if (rows != kRows || cols != kCols || routing != ROUTING || choice != CHOICE || loops != LOOPS) {
      fail("a trace of another mesh");
    }
    mesh_ = std::make_unique<Vmesh>();
    for (unsigned router = 0; router < kChips; router++) {
      uint32_t state;
      words_in >> state;
      set(mesh_->lfsr_init_i, router * 2, 2, state);
    }
    ahead_.clear();
    expected_ = {};
    transfers_ = {};
    now_ = 0;
    mesh_->rst_ni = 0;
    tick();
    tick();
    mesh_->rst_ni = 1;
  }

  void tick() {
    mesh_->clk_i = 0;
    mesh_->eval();
    mesh_->clk_i = 1;
    mesh_->eval();
  }

  void finish(const std::string& line) {
    while (!ahead_.empty()) step();
    for (unsigned i = 0; i < 64; i++) step();
    for (const auto& transfer : transfers_) {
      if (transfer.active) fail("a transfer never ended");
    }
    std::istringstream words_in(line.substr(4));
    uint64_t sent, failed;
    words_in >> sent >> failed;
    if (sent != sent_ || failed != failed_) fail("other numbers of scouts or failures than the simulator's");
    scouts += sent_, failures += failed_;
    sent_ = failed_ = 0;
  }

  uint64_t sent_ = 0, failed_ = 0;

  // One cycle: inputs, what the mesh answers in the same cycle, the clock's edge, and what is stored behind it.
  void step() {
    request();
    chips_send();
    mesh_->clk_i = 0;
    mesh_->eval();
    if (mesh_->error_o) fail("a packet was refused, or a link driven from both ends");
    if (record != nullptr) write_record();
    answers();
    data();
    apply();
    mesh_->clk_i = 1;
    mesh_->eval();
    compare();
    now_++;
    cycles++;
  }

  void request() {
    mesh_->req_valid_i = 0;
    for (const auto& cycle : ahead_) {
      if (cycle.number != now_ + beats_) continue;
      for (const auto& event : cycle.events) {
        if (event.what != 's') continue;
        const auto [who, chip, words_wanted, unused] =
            std::array<uint32_t, 4>{event.value[0], event.value[1], event.value[3], 0};
        (void)unused;
        if (transfers_[who].active || get(mesh_->req_ready_o, who, 1) == 0) fail("a request to a busy controller");
        Transfer transfer;
        transfer.active = true;
        transfer.write = event.value[2] == 1;
        transfer.chip = chip, transfer.words = words_wanted, transfer.number = transfer_count_[who]++;
        transfers_[who] = transfer;
        set(mesh_->req_valid_i, who, 1, 1);
        set(mesh_->req_chip_i, who * kChipW, kChipW, chip);
        set(mesh_->req_write_i, who, 1, event.value[2]);
        set(mesh_->req_words_i, who * kLengthW, kLengthW, words_wanted);
      }
    }
    for (unsigned who = 0; who < kRows; who++) {
      const auto& transfer = transfers_[who];
      set(mesh_->hops_i, who * kLinkW, kLinkW, transfer.hops);
      set(mesh_->wr_data_i, who * kLinkW, kLinkW, word_of(who, transfer.number, transfer.sent));
    }
  }

  // A chip whose data are read sends them behind the scout's return, and a release behind them.
  void chips_send() {
    for (auto& transfer : transfers_) {
      if (!transfer.active || transfer.write || transfer.stream_from > now_) continue;
      const uint32_t who = static_cast<uint32_t>(&transfer - transfers_.data());
      uint32_t kind = kIdle, word = 0;
      if (transfer.sent < transfer.words) {
        kind = kData, word = word_of(who, transfer.number, transfer.sent);
      } else if (transfer.sent == transfer.words) {
        kind = kRelease, word = transfer.hops;
      }
      transfer.sent++;
      set(mesh_->chip_kind_i, transfer.chip * 2, 2, kind);
      set(mesh_->chip_data_i, transfer.chip * kLinkW, kLinkW, word);
    }
  }

  // What the simulator does in this cycle.
  void apply() {
    if (ahead_.empty() || ahead_.front().number != now_) return;
    uint32_t arrived = 0;
    for (const auto& event : ahead_.front().events) {
      const auto& v = event.value;
      switch (event.what) {
        case 's':
        case 'r':
          sent_++;
          break;
        case 'f':
          transfers_[v[0]].ends_at = now_ + beats_, transfers_[v[0]].ends_well = false;
          failed_++;
          break;
        case 'p': {
          auto& transfer = transfers_[v[0]];
          transfer.hops = v[1], transfer.has_path = true;
          transfer.ends_at = now_ + beats_ * (v[1] + 1), transfer.ends_well = true;
          if (!transfer.write) transfer.stream_from = transfer.ends_at;
          circuits++;
          arrived |= 1u << v[0];
          break;
        }
        case 'd': {
          auto& transfer = transfers_[v[0]];
          if (transfer.received != transfer.words) fail("a circuit ended before its data were there");
          words += transfer.words;
          transfer.active = transfer.has_path = false;
          break;
        }
        case '+':
          expected_[v[0]].add(row_of(v[1], v[2], v[3]));
          break;
        case '-':
          if (!expected_[v[0]].remove(row_of(v[1], v[2], v[3]))) fail("the trace removes a row that is not there");
          break;
        case 'b':
          expected_[v[0]].busy = v[1];
          break;
        default:
          fail("an unknown line in the trace");
      }
    }
    ahead_.pop_front();
    for (unsigned who = 0; who < kRows; who++) {
      if (arrived >> who & 1) count_cut(who);
    }
  }

  // A path has a row for each visit of a router; what is more than the circuit's will be given back on the way back.
  void count_cut(uint32_t who) {
    uint32_t visits = 0;
    for (const auto& router : expected_) {
      for (const auto row : router.rows) visits += row != 0 && (row >> 6 & 0xff) == who;
    }
    const uint32_t kept = transfers_[who].hops + 1;
    if (visits < kept || (LOOPS == 0 && visits != kept)) fail("a circuit is not as long as its path");
    if (visits == kept) return;
    cut_circuits++;
    cut_links += visits - kept;
  }

  // Scouts come back to their controllers when the simulator says, and as it says.
  void answers() {
    for (unsigned who = 0; who < kRows; who++) {
      auto& transfer = transfers_[who];
      const bool well = get(mesh_->reserved_o, who, 1), badly = get(mesh_->failed_o, who, 1);
      const bool due = transfer.active && transfer.ends_at == now_;
      if (due != (well || badly) || (due && well != transfer.ends_well)) {
        fail("controller " + std::to_string(who) + ": its scout is back " + (well ? "with a path" : badly ? "in vain" : "not") +
             ", in the simulator " + (!due ? "not" : transfer.ends_well ? "with a path" : "in vain"));
      }
      if (due) transfer.ends_at = UINT64_MAX;
    }
  }

  void data() {
    for (unsigned who = 0; who < kRows; who++) {
      auto& transfer = transfers_[who];
      if (get(mesh_->wr_take_o, who, 1)) transfer.sent++;
      if (get(mesh_->rd_valid_o, who, 1)) {
        check_word(who, transfer, get(mesh_->rd_data_o, who * kLinkW, kLinkW));
      }
      if (!transfer.has_path || !transfer.write) continue;  // The chip may still be in another circuit.
      if (get(mesh_->chip_kind_o, transfer.chip * 2, 2) == kData) {
        check_word(who, transfer, get(mesh_->chip_data_o, transfer.chip * kLinkW, kLinkW));
      }
    }
  }

  void check_word(uint32_t who, Transfer& transfer, uint32_t word) {
    if (!transfer.active || transfer.received == transfer.words) fail("data that nobody sent");
    if (word != word_of(who, transfer.number, transfer.received)) {
      fail("controller " + std::to_string(who) + ": word " + std::to_string(transfer.received) + " of " +
           std::to_string(transfer.words) + " came out changed");
    }
    transfer.received++;
  }

  void compare() {
    for (unsigned router = 0; router < kChips; router++) {
      RouterState found;
      for (unsigned r = 0; r < 2; r++) {
        if (!get(mesh_->row_valid_o, router * 2 + r, 1)) continue;
        found.rows[r] = row_of(get(mesh_->row_id_o, (router * 2 + r) * kIdW, kIdW),
                               get(mesh_->row_entry_o, (router * 2 + r) * 3, 3),
                               get(mesh_->row_exit_o, (router * 2 + r) * 3, 3));
      }
      found.order();
      found.busy = get(mesh_->busy_o, router * 5, 5);
      // The controller's wires are not the simulator's.
      if (router % kCols == 0) found.busy &= ~2u;
      if (!(found == expected_[router])) {
        char text[200];
        std::snprintf(text, sizeof text, "router %u: rows %x %x, busy %x; in the simulator rows %x %x, busy %x", router,
                      found.rows[0], found.rows[1], found.busy, expected_[router].rows[0],
                      expected_[router].rows[1], expected_[router].busy);
        fail(text);
      }
    }
  }

  void write_record();
};

// One line: new searches, what comes in and what goes out by each port, as hexadecimal numbers.
void Bench::write_record() {
  std::fprintf(record, "%x", get(mesh_->fresh_o, 0, kRows));
  for (unsigned port = 0; port < 5; port++) {
    const unsigned at = recorded_router * 5 + port;
    std::fprintf(record, " %x %x %x %x", get(mesh_->in_kind_o, at * 2, 2), get(mesh_->in_data_o, at * kLinkW, kLinkW),
                 get(mesh_->out_kind_o, at * 2, 2), get(mesh_->out_data_o, at * kLinkW, kLinkW));
  }
  std::fputc('\n', record);
}

}  // namespace

int main(int count, char** words) {
  Verilated::commandArgs(count, words);
  Bench bench;
  // "ROUTER FILE": records that router.
  if (count > 2) {
    bench.recorded_router = static_cast<uint32_t>(std::atoi(words[1]));
    bench.record = std::fopen(words[2], "w");
  }
  std::ios::sync_with_stdio(false);
  bench.run(std::cin);
  if (bench.record != nullptr) std::fclose(bench.record);
  if (bench.scouts == 0) {
    std::fprintf(stderr, "the trace has no scouts\n");
    return 1;
  }
  std::printf("%ux%u: %llu scouts (%llu in vain), %llu circuits, %llu words in %llu cycles: no difference\n", kRows, kCols,
              static_cast<unsigned long long>(bench.scouts), static_cast<unsigned long long>(bench.failures),
              static_cast<unsigned long long>(bench.circuits), static_cast<unsigned long long>(bench.words),
              static_cast<unsigned long long>(bench.cycles));
  if (LOOPS != 0) {
    std::printf("%ux%u: of %llu circuits loops were cut, %llu links of them\n", kRows, kCols,
                static_cast<unsigned long long>(bench.cut_circuits), static_cast<unsigned long long>(bench.cut_links));
  }
  return 0;
}
