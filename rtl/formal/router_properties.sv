// What must hold in one router, whatever comes in by its ports, if the far ends keep to the rules: whole packets;
// a new scout only over a link that is free, a scout on its way back only over a link that its own scout went out by;
// data and the end of a circuit only over links of circuits.
//
// By bit of `bad_o`: 0 a port is not in one path alone; 1 something is left of what a scout took back; 2 a scout goes out
// by a port for the second time in a search; 3 a flit that was accepted does not leave.

module router_properties #(
    parameter  bit          Late        = 1'b0,
    parameter  int unsigned PathLoops   = venice_pkg::LoopsKept,
    // A mesh, and the router's place in it: the corner of 2 x 2, or the centre of 3 x 3 which has all five ports.
    parameter  int unsigned Side        = 2,
    parameter  int unsigned Place       = 0,
    localparam int unsigned ChipW       = $clog2(Side * Side),
    localparam int unsigned IdW         = (Side <= 2) ? 1 : $clog2(Side),
    localparam int unsigned LinkW       = 2 + ChipW,
    localparam int unsigned Mode        = LinkW - 2,
    localparam int unsigned Spare       = ChipW - $clog2(Side)
) (
    input logic                  clk_i,
    input logic [1:0]            lfsr_init_i,
    input logic [Side-1:0]       fresh_i,
    input logic [4:0][1:0]       kind_i,
    input logic [4:0][LinkW-1:0] data_i,
    output logic [3:0]           bad_o
);

  logic rst_nq = 1'b0;
  always_ff @(posedge clk_i) rst_nq <= 1'b1;

  logic [4:0][1:0] kind;
  logic [4:0][LinkW-1:0] data;
  logic error;
  logic [4:0] busy;
  logic [1:0] valid;
  logic [1:0][IdW-1:0] id;
  logic [1:0][2:0] entry, exit;

  venice_router #(
      .Rows           (Side),
      .Cols           (Side),
      .LinkW          (LinkW),
      .PathLoops      (PathLoops),
      .ReleaseTogether(1'b0),
      .Late           (Late)
  ) u_router (
      .clk_i,
      .rst_ni     (rst_nq),
      .row_i      (IdW'(Place)),
      .col_i      (IdW'(Place)),
      .lfsr_init_i,
      .fresh_i,
      .kind_i,
      .data_i,
      .kind_o     (kind),
      .data_o     (data),
      .error_o    (error),
      .busy_o     (busy),
      .row_valid_o(valid),
      .row_id_o   (id),
      .row_entry_o(entry),
      .row_exit_o (exit)
  );

  // ---- The far ends -------------------------------------------------------------------------------------------------

  always_comb assume (lfsr_init_i != 2'd0);

  logic [4:0] there, is_exit, in_row, half_q, whole_q, answered_q, mode_q, sends_q, ended_q;
  logic [4:0][IdW-1:0] owner, from_q;
  logic [4:0][2:0] across;
  // The controller's port is there in column 0, where no neighbour is.
  assign there = {1'b1, 1'(Place > 0), 1'(Place + 1 < Side), 1'b1, 1'(Place + 1 < Side)};

  for (genvar p = 0; p < 5; p++) begin : gen_port
    always_comb begin
      is_exit[p] = 1'b0;
      in_row[p]  = 1'b0;
      owner[p]   = '0;
      across[p]  = '0;
      for (int unsigned r = 0; r < 2; r++) begin
        if (valid[r] && exit[r] == 3'(p)) begin
          is_exit[p] = 1'b1;
          in_row[p]  = 1'b1;
          owner[p]   = id[r];
          across[p]  = entry[r];
        end
        if (valid[r] && entry[r] == 3'(p)) begin
          in_row[p] = 1'b1;
          owner[p]  = id[r];
          across[p] = exit[r];
        end
      end
    end

    always_ff @(posedge clk_i) begin
      ended_q[p] <= rst_nq && kind_i[p] == venice_pkg::KindRelease;
      half_q[p]  <= rst_nq && kind_i[p] == venice_pkg::KindScout && !half_q[p];
      whole_q[p] <= rst_nq && half_q[p];
      sends_q[p] <= rst_nq && kind[p] == venice_pkg::KindScout && !sends_q[p];
      if (kind_i[p] == venice_pkg::KindScout) mode_q[p] <= data_i[p][Mode];
      if (half_q[p]) from_q[p] <= IdW'(data_i[p] >> Spare);
      // A packet that reserves has come back by this exit: the circuit is there.
      if (!rst_nq || !in_row[p]) answered_q[p] <= 1'b0;
      // Out of the chip's port a scout is answered at once.
      else if (p == venice_pkg::PortChip) answered_q[p] <= is_exit[p];
      else if (is_exit[p] && half_q[p] && data_i[p][Mode]) answered_q[p] <= 1'b1;
    end

    always_comb begin
      if (!rst_nq || !there[p]) assume (kind_i[p] == venice_pkg::KindIdle);
      if (half_q[p]) begin
        // The tail: of the same mode, of a controller that is there, unused bits zero; on its way back that of its row.
        assume (kind_i[p] == venice_pkg::KindScout && data_i[p][LinkW-1] && data_i[p][Mode] == mode_q[p]);
        assume ((data_i[p] & LinkW'((1 << Spare) - 1)) == '0);
        assume (((data_i[p] & LinkW'((1 << ChipW) - 1)) >> Spare) < LinkW'(Side));
        if (is_exit[p]) assume (IdW'(data_i[p] >> Spare) == owner[p] && !is_first[p]);
        assume (!is_elsewhere[p]);
      end else if (kind_i[p] == venice_pkg::KindScout) begin
        assume (p != venice_pkg::PortChip && !data_i[p][LinkW-1]);
        assume ((data_i[p] & LinkW'((1 << ChipW) - 1)) < LinkW'(Side * Side));
        // A late far end may set out over a link that it has just given back, if this end does not take it at once.
        if (is_exit[p] && !whole_q[p]) assume (!answered_q[p]);
        else assume (data_i[p][Mode] && (!busy[p] || (!Late && whole_q[p] && !mode_q[p])));
      end
      // One end of a link at a time.
      if (kind_i[p] != venice_pkg::KindIdle) assume (kind[p] == venice_pkg::KindIdle);
      // Of a circuit, from either end.
      if (kind_i[p] >= venice_pkg::KindData) begin
        assume ((in_row[p] && (answered_q[p] || answered_q[across[p]])) ||
                (awaits_q[p] && kind_i[p] == venice_pkg::KindRelease));
        // Behind the packet that said so, and not against what comes from the other end.
        assume (kind[across[p]] != venice_pkg::KindScout && kind_i[across[p]] == venice_pkg::KindIdle);
        // Nothing of a circuit follows its end, from either end.
        assume (!ended_q[p] && !ended_q[across[p]]);
      end
    end
  end

  // Of two visits of one scout: it comes back by the later one first, and the earlier one waits until that is done. When
  // the loop between them is cut, its end comes by the later one's entry.
  logic last_q, last, other, two_visits;
  logic [1:0] valid_q;
  logic [1:0][IdW-1:0] id_q;
  logic [1:0][2:0] entry_q, exit_q;
  logic [4:0] is_first, awaits_q, is_cut;
  always_comb begin
    last = last_q;
    for (int unsigned r = 0; r < 2; r++) begin
      if (valid[r] && !(valid_q[r] && id_q[r] == id[r] && entry_q[r] == entry[r] && exit_q[r] == exit[r])) last = r[0];
    end
    two_visits = valid == 2'b11 && id[0] == id[1];
    is_first = '0;
    other = last == 1'b0;
    if (PathLoops == venice_pkg::LoopsCut && two_visits && !answered_q[exit[last]]) is_first[exit[other]] = 1'b1;
    // One row now has the entry of the earlier and the exit of the later one of the two that were there.
    is_cut = '0;
    for (int unsigned r = 0; r < 2; r++) begin
      if (PathLoops == venice_pkg::LoopsCut && valid_q == 2'b11 && id_q[0] == id_q[1] && valid[r] &&
          id[r] == id_q[0] && entry[r] == entry_q[last_q == 1'b0] && exit[r] == exit_q[last_q]) begin
        is_cut[entry_q[last_q]] = 1'b1;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    last_q  <= last;
    valid_q <= {2{rst_nq}} & valid;
    id_q    <= id;
    entry_q <= entry;
    exit_q  <= exit;
    for (int unsigned p = 0; p < 5; p++) begin
      awaits_q[p] <= rst_nq && kind_i[p] != venice_pkg::KindRelease && (awaits_q[p] || is_cut[p]);
    end
  end

  // Where loops are cut, two visits are told apart by their order, so here a scout is at one place: no packet of its ends
  // in the cycle in which it is decided on here, and none comes in by another port once it has its path. (Where they
  // stay, properties hold without that.)
  logic [4:0] is_elsewhere;
  logic [4:0][IdW-1:0] tail_id;
  always_comb begin
    is_elsewhere = '0;
    for (int unsigned p = 0; p < 5; p++) begin
      tail_id[p] = IdW'(data_i[p] >> Spare);
      if (PathLoops == venice_pkg::LoopsCut) begin
        for (int unsigned s = 0; s < 5; s++) begin
          if (whole_q[s] && from_q[s] == tail_id[p]) is_elsewhere[p] = 1'b1;
          if (!is_exit[p] && is_exit[s] && (answered_q[s] || s == venice_pkg::PortChip) && owner[s] == tail_id[p]) begin
            is_elsewhere[p] = 1'b1;
          end
        end
      end
    end
  end

  // A controller has one scout: nobody sends a second one of the same id, and it begins no search while one is here.
  for (genvar c = 0; c < Side; c++) begin : gen_one
    logic here;
    always_comb begin
      here = 1'b0;
      for (int unsigned p = 0; p < 5; p++) begin
        if (whole_q[p] && from_q[p] == IdW'(c)) here = 1'b1;
        if (half_q[p]) here = 1'b1;
        if (is_exit[p] && owner[p] == IdW'(c) && !answered_q[p]) here = 1'b1;
      end
      if (here) assume (!fresh_i[c]);
    end
  end
  for (genvar p = 0; p < 4; p++) begin : gen_pair
    for (genvar s = p + 1; s < 4; s++) begin : gen_other
      always_comb if (half_q[p] && half_q[s]) assume (IdW'(data_i[p] >> Spare) != IdW'(data_i[s] >> Spare));
    end
  end

  // ---- 1: a port is in one path at most -----------------------------------------------------------------------------

  logic two_paths;
  always_comb begin
    two_paths = error;
    for (int unsigned r = 0; r < 2; r++) begin
      if (valid[r] && !(entry[r] != exit[r] && busy[entry[r]] && busy[exit[r]])) two_paths = 1'b1;
    end
    if (valid == 2'b11 &&
        !(entry[0] != entry[1] && entry[0] != exit[1] && exit[0] != entry[1] && exit[0] != exit[1])) begin
      two_paths = 1'b1;
    end
  end

  // ---- 2: what is taken back is gone --------------------------------------------------------------------------------

  // A cancelling packet that has come back by an exit: behind that cycle no row has it, unless the scout has been sent
  // out again by it, which property 3 excludes; and a port that is in no row, over which nothing comes or goes, is free.
  logic [4:0] back_q, rest_q, quiet;
  always_comb begin
    for (int unsigned p = 0; p < 5; p++) begin
      quiet[p] = kind_i[p] == venice_pkg::KindIdle && kind[p] == venice_pkg::KindIdle;
    end
  end
  logic [4:0] idle_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < 5; p++) begin
      back_q[p] <= rst_nq && whole_q[p] && !mode_q[p] && is_exit[p];
      // Two cycles: the packet that came is decided on in the second.
      // A port over which the end of a loop is to come is not at rest.
      idle_q[p] <= rst_nq && quiet[p] && !in_row[p] && !half_q[p] && !awaits_q[p] && !is_cut[p];
      rest_q[p] <= rst_nq && idle_q[p] && quiet[p] && !in_row[p];
    end
  end
  logic left_behind;
  always_comb begin
    left_behind = 1'b0;
    for (int unsigned p = 0; p < 4; p++) begin
      if (back_q[p] && is_exit[p] && owner[p] == from_q[p]) left_behind = 1'b1;
      if (rest_q[p] && busy[p] && !half_q[p] && !in_row[p]) left_behind = 1'b1;
    end
  end

  // ---- 3: the bound on visits ---------------------------------------------------------------------------------------

  // By controller and port: a row of it goes out there, and one has gone since its search began. A row stays for the way
  // there and back, so a new one is one that was not there in the cycle before.
  logic [Side-1:0][3:0] twice;
  for (genvar c = 0; c < Side; c++) begin : gen_bound
    for (genvar p = 0; p < 4; p++) begin : gen_exit
      logic goes, goes_q, went_q;
      assign goes = is_exit[p] && owner[p] == IdW'(c);
      always_ff @(posedge clk_i) begin
        goes_q <= rst_nq && goes;
        // The row may outlive its search where its loop is being given back; then it is not this search's.
        went_q <= rst_nq && !fresh_i[c] && (went_q || (goes && !goes_q));
      end
      assign twice[c][p] = went_q & goes & ~goes_q;
    end
  end

  // ---- 4: what is accepted leaves -----------------------------------------------------------------------------------

  // A packet: in the cycle behind its tail, by one port; a port that sends a header sends the tail next. A word of
  // data or the end of a circuit: in the next cycle, by the port that its own is joined to.
  logic [2:0] came, headers;
  logic [4:0] passes_q;
  logic [4:0][1:0] kind_q;
  logic [4:0][2:0] to_q;
  logic [4:0][LinkW-1:0] data_q;
  always_comb begin
    came    = '0;
    headers = '0;
    for (int unsigned p = 0; p < 5; p++) begin
      came    = came + 3'(whole_q[p]);
      headers = headers + 3'(kind[p] == venice_pkg::KindScout && !sends_q[p]);
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < 5; p++) begin
      passes_q[p] <= rst_nq && kind_i[p] >= venice_pkg::KindData && in_row[p];
      kind_q[p]   <= kind_i[p];
      data_q[p]   <= data_i[p];
      to_q[p]     <= across[p];
    end
  end
  logic lost;
  always_comb begin
    lost = headers != came;
    for (int unsigned p = 0; p < 5; p++) begin
      if (sends_q[p] && !(kind[p] == venice_pkg::KindScout && data[p][LinkW-1])) lost = 1'b1;
      if (passes_q[p] && !(kind[to_q[p]] == kind_q[p] && data[to_q[p]] == data_q[p])) lost = 1'b1;
    end
  end

  assign bad_o = {4{rst_nq}} & {lost, twice != '0, left_behind, two_paths};

endmodule
