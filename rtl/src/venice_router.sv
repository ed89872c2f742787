// One router of the mesh: port buffers, scout decoding, reservation table, Algorithm 1, cancel mode, circuits both
// ways, ejection to the chip.
//
// A scout packet that has arrived whole is decided on in the next cycle, and its first beat leaves in that cycle:
// a hop takes as many cycles as the packet has beats. Data pass in one cycle each.
//
// Who goes first. In one cycle several scouts may ask in one router, and both ends of a link may want it. The
// routers are coloured like a chess board: the early ones decide on what they know at the start of the cycle, the
// late ones see the first beats that the early ones send in the same cycle. So of two ends one always comes first.
// In one router the ports have their turn in their order.
//
// `busy_o` and the rows are there to be observed; nothing else needs them.

module venice_router #(
    parameter  int unsigned Rows            = 8,
    parameter  int unsigned Cols            = 8,
    parameter  int unsigned Controllers     = Rows,
    parameter  int unsigned LinkW           = 8,
    parameter  int unsigned Routing         = venice_pkg::RoutingNonMinimal,
    parameter  int unsigned PortChoice      = venice_pkg::ChoiceRandom,
    parameter  int unsigned PathLoops       = venice_pkg::LoopsKept,
    parameter  bit          ReleaseTogether = 1'b1,
    parameter  bit          Late            = 1'b0,
    localparam int unsigned RowW            = (Rows <= 2) ? 1 : $clog2(Rows),
    localparam int unsigned ColW            = (Cols <= 2) ? 1 : $clog2(Cols),
    localparam int unsigned IdW             = (Controllers <= 2) ? 1 : $clog2(Controllers)
) (
    input  logic                                       clk_i,
    input  logic                                       rst_ni,
    // Straps: where the router is, and the first state of its register.
    input  logic [                RowW-1:0]            row_i,
    input  logic [                ColW-1:0]            col_i,
    input  logic [                     1:0]            lfsr_init_i,
    // By controller: it begins a new search.
    input  logic [         Controllers-1:0]            fresh_i,
    // By port: what the far end drives, and what this end drives. Idle: nobody drives.
    input  logic [venice_pkg::NumPorts-1:0][      1:0] kind_i,
    input  logic [venice_pkg::NumPorts-1:0][LinkW-1:0] data_i,
    output logic [venice_pkg::NumPorts-1:0][      1:0] kind_o,
    output logic [venice_pkg::NumPorts-1:0][LinkW-1:0] data_o,
    // A packet was refused.
    output logic                                       error_o,
    output logic [venice_pkg::NumPorts-1:0]            busy_o,
    output logic [                     1:0]            row_valid_o,
    output logic [                     1:0][  IdW-1:0] row_id_o,
    output logic [                     1:0][      2:0] row_entry_o,
    output logic [                     1:0][      2:0] row_exit_o
);

  // Compiled once for all instances of a mesh.
  /* verilator hier_block */

  localparam int unsigned ChipW = ((Rows * Cols) <= 2) ? 1 : $clog2(Rows * Cols);
  localparam int unsigned FlitW = 2 + $clog2(Rows * Cols);
  localparam int unsigned Beats = 2 * ((FlitW + LinkW - 1) / LinkW);
  localparam int unsigned BeatW = (Beats <= 2) ? 1 : $clog2(Beats);
  localparam int unsigned Half = Beats / 2;
  localparam int unsigned WordW = Half * LinkW;

  // The mode is the second bit of each flit, in its first beat.
  localparam int unsigned ModeBit = FlitW - 2 - (Half - 1) * LinkW;

  // ---- Ports ------------------------------------------------------------------------------------------------------

  logic [venice_pkg::NumInputs-1:0] is_there;
  assign is_there = {row_i != '0, row_i != RowW'(Rows - 1), col_i != '0, col_i != ColW'(Cols - 1)};

  logic [venice_pkg::NumPorts-1:0][Beats-1:0][LinkW-1:0] words;
  logic [venice_pkg::NumPorts-1:0] arrived, port_release, scout_in;
  venice_pkg::kind_t [venice_pkg::NumPorts-1:0]            pass_kind;
  logic              [venice_pkg::NumPorts-1:0][LinkW-1:0] pass_data;

  for (genvar p = 0; p < venice_pkg::NumPorts; p++) begin : gen_buffer
    venice_port_buffer #(
        .LinkW          (LinkW),
        .Beats          (Beats),
        .ReleaseTogether(ReleaseTogether)
    ) u_buffer (
        .clk_i,
        .rst_ni,
        .kind_i     (kind_i[p]),
        .data_i     (data_i[p]),
        .words_o    (words[p]),
        .arrived_o  (arrived[p]),
        .pass_kind_o(pass_kind[p]),
        .pass_data_o(pass_data[p]),
        .release_o  (port_release[p])
    );
    assign scout_in[p] = kind_i[p] == venice_pkg::KindScout;
  end

  // ---- Who is in which path ---------------------------------------------------------------------------------------

  logic [1:0] row_valid, row_remove, row_again;
  logic [1:0][IdW-1:0] row_id;
  venice_pkg::port_t [1:0] row_entry, row_exit;

  logic [venice_pkg::NumInputs-1:0]          insert;
  logic [venice_pkg::NumInputs-1:0][IdW-1:0] id;
  venice_pkg::port_t [venice_pkg::NumInputs-1:0] entry, exit;

  venice_table #(
      .Controllers(Controllers),
      .PathLoops  (PathLoops)
  ) u_table (
      .clk_i,
      .rst_ni,
      .fresh_i,
      .remove_i(row_remove),
      .insert_i(insert),
      .id_i    (id),
      .entry_i (entry),
      .exit_i  (exit),
      .valid_o (row_valid),
      .id_o    (row_id),
      .entry_o (row_entry),
      .exit_o  (row_exit),
      .again_o (row_again)
  );

  // Busy: in a row, or taken by the far end, or not yet given back by it.
  logic [venice_pkg::NumPorts-1:0] busy_q, busy_d, give_q, give_d, known_busy;
  // By controller: the ports that its scout has reserved here.
  logic [Controllers-1:0][3:0] tried_q, tried_d;

  // A late router knows what the early ones have done in this cycle; an early one does not.
  assign known_busy = Late ? ((busy_q & ~give_q) | scout_in) : busy_q;

  logic [1:0] lfsr;
  logic       flip;

  venice_lfsr u_lfsr (
      .clk_i,
      .rst_ni,
      .init_i (lfsr_init_i),
      .state_o(lfsr),
      .flip_o (flip)
  );

  // ---- One decision for each input, one after the other -----------------------------------------------------------

  logic [venice_pkg::NumInputs-1:0] refused, sends, undoes, forwards;
  logic              [venice_pkg::NumInputs-1:0][1:0] undone_row;
  venice_pkg::port_t [venice_pkg::NumInputs-1:0]      send_port;
  logic              [venice_pkg::NumInputs-1:0]      send_reserve;
  // A packet on its way back with a path has met an earlier visit to this router: the loop begins at this port.
  logic [venice_pkg::NumInputs-1:0] cuts;
  venice_pkg::port_t [venice_pkg::NumInputs-1:0] loop_port;

  for (genvar p = 0; p < venice_pkg::NumInputs; p++) begin : gen_decide
    localparam venice_pkg::port_t Here = venice_pkg::port_t'(p);

    // What is busy when this input has its turn, and behind it. (Signals of their own in each turn: one vector of
    // all would be a loop to a simulator.)
    logic [venice_pkg::NumPorts-1:0] known, held, freed;
    // Nobody asks behind the last.
    /* verilator lint_off UNUSEDSIGNAL */
    logic [venice_pkg::NumPorts-1:0] behind;
    /* verilator lint_on UNUSEDSIGNAL */
    if (p == 0) begin : gen_first
      assign known = known_busy;
    end else begin : gen_next
      assign known = gen_decide[p-1].behind;
    end

    logic reserve, no_packet, answers, undo, decides, at_chip, goes, puts_in, which, earlier;
    logic [ChipW-1:0] chip;
    logic [  IdW-1:0] packet_id;
    logic [      2:0] malformed;
    logic [1:0] is_exit, route_port;
    logic [3:0] tried, open;
    venice_pkg::port_t came_by, out;

    logic [WordW-1:0] header, tail;
    for (genvar b = 0; b < Half; b++) begin : gen_word
      assign header[(Half-1-b)*LinkW+:LinkW] = words[p][b];
      assign tail[(Half-1-b)*LinkW+:LinkW]   = words[p][Half+b];
    end

    venice_scout_decode #(
        .Chips      (Rows * Cols),
        .Controllers(Controllers),
        .WordW      (WordW)
    ) u_decode (
        .header_i (header),
        .tail_i   (tail),
        .reserve_o(reserve),
        .chip_o   (chip),
        .id_o     (packet_id),
        .error_o  (malformed)
    );

    // A packet that comes in by the exit of its own row is on its way back.
    for (genvar r = 0; r < 2; r++) begin : gen_exit
      assign is_exit[r] = row_valid[r] && row_exit[r] == Here && row_id[r] == packet_id;
    end

    // A cancelling packet without a row has no business here.
    assign no_packet = arrived[p] & ((malformed != '0) | (~reserve & (is_exit == '0)));
    assign answers   = arrived[p] & ~no_packet & reserve & (is_exit != '0);
    assign undo      = arrived[p] & ~no_packet & ~reserve;
    assign decides   = arrived[p] & ~no_packet & ~answers;

    // It goes back by the entry of its row, or of the earlier of two.
    assign which     = ~is_exit[0];
    assign cuts[p]   = answers & row_again[which];
    assign earlier   = which ^ cuts[p];
    assign came_by   = (is_exit == '0) ? Here : row_entry[earlier];
    assign loop_port[p] = row_exit[earlier];

    // The link is free again before the scout looks for another one.
    assign freed     = venice_pkg::NumPorts'(undo) << p;
    assign held      = known & ~freed;

    assign tried     = tried_q[packet_id];
    for (genvar o = 0; o < 4; o++) begin : gen_open
      // The left port of column 0 leads to the controller: to no router.
      assign open[o] = is_there[o] & ~held[o] & ~tried[o] & (came_by != venice_pkg::port_t'(o));
    end

    venice_route #(
        .Rows      (Rows),
        .Cols      (Cols),
        .Routing   (Routing),
        .PortChoice(PortChoice)
    ) u_route (
        .row_i,
        .col_i,
        .chip_i     (chip),
        .open_i     (open),
        .chip_free_i(~held[venice_pkg::PortChip]),
        .lfsr_i     (lfsr),
        .flip_i     (flip),
        .eject_o    (at_chip),
        .forward_o  (goes),
        .port_o     (route_port)
    );

    assign puts_in         = decides & (at_chip | goes);
    assign out             = at_chip ? venice_pkg::PortChip : venice_pkg::port_t'(route_port);
    assign behind          = held | (venice_pkg::NumPorts'(puts_in) << out);

    assign refused[p]      = no_packet;
    assign undoes[p]       = undo;
    assign undone_row[p]   = undo ? is_exit : {2{cuts[p]}};
    assign insert[p]       = puts_in | cuts[p];
    assign id[p]           = packet_id;
    assign entry[p]        = came_by;
    assign exit[p]         = cuts[p] ? Here : out;
    assign forwards[p]     = decides & goes;

    // On, or back: with its news after a dead end, with a path behind it when it has been at the chip.
    assign sends[p]        = decides | answers;
    assign send_port[p]    = forwards[p] ? out : came_by;
    assign send_reserve[p] = answers | puts_in;
  end

  assign error_o = (refused != '0) | arrived[venice_pkg::PortChip];

  // ---- Beats of packets that follow the first ---------------------------------------------------------------------

  logic [venice_pkg::NumInputs-1:0] rest_q, rest_reserve_q, sending;
  venice_pkg::port_t [venice_pkg::NumInputs-1:0] rest_port_q, sending_port;
  logic [venice_pkg::NumInputs-1:0][BeatW-1:0] rest_beat_q, sending_beat;
  logic [venice_pkg::NumInputs-1:0] sending_reserve, last_beat;

  for (genvar p = 0; p < venice_pkg::NumInputs; p++) begin : gen_rest
    assign sending[p]         = sends[p] | rest_q[p];
    assign sending_port[p]    = sends[p] ? send_port[p] : rest_port_q[p];
    assign sending_beat[p]    = sends[p] ? '0 : rest_beat_q[p];
    assign sending_reserve[p] = sends[p] ? send_reserve[p] : rest_reserve_q[p];
    assign last_beat[p]       = sending[p] & (sending_beat[p] == BeatW'(Beats - 1));

    always_ff @(posedge clk_i) begin
      if (!rst_ni) rest_q[p] <= 1'b0;
      else rest_q[p] <= sending[p] & ~last_beat[p];
    end

    always_ff @(posedge clk_i) begin
      if (sending[p]) begin
        rest_port_q[p]    <= sending_port[p];
        rest_reserve_q[p] <= sending_reserve[p];
        rest_beat_q[p]    <= sending_beat[p] + BeatW'(1'b1);
      end
    end
  end

  // ---- Outputs ----------------------------------------------------------------------------------------------------

  // The port that a port is joined to, whichever of the two was the entry.
  logic [venice_pkg::NumPorts-1:0] joined;
  venice_pkg::port_t [venice_pkg::NumPorts-1:0] across;
  for (genvar p = 0; p < venice_pkg::NumPorts; p++) begin : gen_across
    always_comb begin
      joined[p] = 1'b0;
      across[p] = venice_pkg::PortRight;
      for (int unsigned r = 0; r < 2; r++) begin
        if (row_valid[r] && row_entry[r] == venice_pkg::port_t'(p)) begin
          joined[p] = 1'b1;
          across[p] = row_exit[r];
        end
        if (row_valid[r] && row_exit[r] == venice_pkg::port_t'(p)) begin
          joined[p] = 1'b1;
          across[p] = row_entry[r];
        end
      end
    end
  end

  for (genvar o = 0; o < venice_pkg::NumPorts; o++) begin : gen_output
    always_comb begin
      kind_o[o] = venice_pkg::KindIdle;
      data_o[o] = '0;
      for (int unsigned p = 0; p < venice_pkg::NumPorts; p++) begin
        if (joined[p] && across[p] == venice_pkg::port_t'(o) && pass_kind[p] != venice_pkg::KindIdle) begin
          kind_o[o] = pass_kind[p];
          data_o[o] = pass_data[p];
        end
      end
      for (int unsigned p = 0; p < venice_pkg::NumInputs; p++) begin
        if (sending[p] && sending_port[p] == venice_pkg::port_t'(o)) begin
          kind_o[o] = venice_pkg::KindScout;
          data_o[o] = words[p][sending_beat[p]];
          if (sending_beat[p] == '0 || sending_beat[p] == BeatW'(Half)) begin
            data_o[o][ModeBit] = sending_reserve[p];
          end
        end
        // The end of the loop goes along it, and each router gives back its part.
        if (cuts[p] && loop_port[p] == venice_pkg::port_t'(o)) kind_o[o] = venice_pkg::KindRelease;
      end
    end
  end

  // ---- What changes -----------------------------------------------------------------------------------------------

  logic [venice_pkg::NumPorts-1:0] ended, taken, told;

  // An end that goes on in the cycle in which it takes effect here takes effect at the next router one cycle later.
  always_comb begin
    told = '0;
    for (int unsigned p = 0; p < venice_pkg::NumPorts; p++) begin
      for (int unsigned o = 0; o < 4; o++) begin
        if (is_there[o] && joined[p] && across[p] == venice_pkg::port_t'(o) && port_release[p] &&
            pass_kind[p] == venice_pkg::KindRelease) begin
          told[o] = 1'b1;
        end
      end
    end
  end

  always_comb begin
    row_remove = '0;
    // What ends in no row is the last link of a loop.
    ended      = port_release & ~joined;
    for (int unsigned r = 0; r < 2; r++) begin
      for (int unsigned p = 0; p < venice_pkg::NumPorts; p++) begin
        if (row_valid[r] && port_release[p] &&
            (row_entry[r] == venice_pkg::port_t'(p) || row_exit[r] == venice_pkg::port_t'(p))) begin
          row_remove[r] = 1'b1;
        end
      end
      for (int unsigned p = 0; p < venice_pkg::NumPorts; p++) begin
        if (row_remove[r] && (row_entry[r] == venice_pkg::port_t'(p) || row_exit[r] == venice_pkg::port_t'(p)))
          ended[p] = 1'b1;
      end
    end
    for (int unsigned p = 0; p < venice_pkg::NumInputs; p++) begin
      row_remove = row_remove | undone_row[p];
      if (undoes[p] || refused[p]) ended[p] = 1'b1;
    end
    ended = ended & ~told;
  end

  always_comb begin
    taken = '0;
    for (int unsigned p = 0; p < venice_pkg::NumInputs; p++) begin
      for (int unsigned o = 0; o < venice_pkg::NumPorts; o++) begin
        if (insert[p] && exit[p] == venice_pkg::port_t'(o)) taken[o] = 1'b1;
      end
    end
  end

  // A link that a scout goes back over is free when the far end has its packet, one cycle after the last beat; a link
  // of a loop, and one that is given back behind the last beat, likewise.
  always_comb begin
    give_d = told;
    for (int unsigned p = 0; p < venice_pkg::NumInputs; p++) begin
      for (int unsigned o = 0; o < venice_pkg::NumPorts; o++) begin
        if (last_beat[p] && !sending_reserve[p] && sending_port[p] == venice_pkg::port_t'(o)) give_d[o] = 1'b1;
        if (cuts[p] && loop_port[p] == venice_pkg::port_t'(o)) give_d[o] = 1'b1;
      end
    end
  end

  assign busy_d = (busy_q & ~give_q & ~ended) | scout_in | taken;

  always_comb begin
    tried_d = tried_q;
    for (int unsigned p = 0; p < venice_pkg::NumInputs; p++) begin
      for (int unsigned o = 0; o < 4; o++) begin
        if (forwards[p] && exit[p] == venice_pkg::port_t'(o)) tried_d[id[p]][o] = 1'b1;
      end
    end
    for (int unsigned c = 0; c < Controllers; c++) begin
      if (fresh_i[c]) tried_d[c] = '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q  <= '0;
      give_q  <= '0;
      tried_q <= '0;
    end else begin
      busy_q  <= busy_d;
      give_q  <= give_d;
      tried_q <= tried_d;
    end
  end

  assign busy_o      = busy_q;
  assign row_valid_o = row_valid;
  assign row_id_o    = row_id;
  assign row_entry_o = row_entry;
  assign row_exit_o  = row_exit;

endmodule
