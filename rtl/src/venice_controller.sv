// The flash controller's end of the mesh: sends a scout for a request, another one at once when it comes back in
// cancel mode, and streams the data when it comes back with a path.
//
// A request is taken in the cycle in which both `req_valid_i` and `req_ready_o` are high; the first beat of its
// scout leaves in that cycle. What is written is asked for word by word; what is read is handed on as it comes. The
// circuit ends with a release beat: from here behind data that were written, from the chip's side behind data read.

module venice_controller #(
    parameter  int unsigned Rows            = 8,
    parameter  int unsigned Cols            = 8,
    parameter  int unsigned Controllers     = Rows,
    parameter  int unsigned LinkW           = 8,
    parameter  int unsigned LengthW         = 16,
    parameter  bit          ReleaseTogether = 1'b1,
    parameter  int unsigned Id              = 0,
    localparam int unsigned ChipW           = ((Rows * Cols) <= 2) ? 1 : $clog2(Rows * Cols)
) (
    input  logic                            clk_i,
    input  logic                            rst_ni,
    input  logic                            req_valid_i,
    output logic                            req_ready_o,
    input  logic              [  ChipW-1:0] req_chip_i,
    input  logic                            req_write_i,
    input  logic              [LengthW-1:0] req_words_i,
    // For `ReleaseTogether` alone: the links of the path, which no message of the paper tells a controller.
    input  logic              [  LinkW-1:0] hops_i,
    // What is written: the word that is sent in a cycle in which `wr_take_o` is high.
    input  logic              [  LinkW-1:0] wr_data_i,
    output logic                            wr_take_o,
    output logic                            rd_valid_o,
    output logic              [  LinkW-1:0] rd_data_o,
    // The path is given back.
    output logic                            done_o,
    // A scout came back with a path, or in vain.
    output logic                            reserved_o,
    output logic                            failed_o,
    output logic                            error_o,
    // To all routers: a new search begins.
    output logic                            fresh_o,
    // The link to the router of column 0.
    input  venice_pkg::kind_t               kind_i,
    input  logic              [  LinkW-1:0] data_i,
    output venice_pkg::kind_t               kind_o,
    output logic              [  LinkW-1:0] data_o
);

  localparam int unsigned FlitW = 2 + $clog2(Rows * Cols);
  localparam int unsigned Beats = 2 * ((FlitW + LinkW - 1) / LinkW);
  localparam int unsigned BeatW = (Beats <= 2) ? 1 : $clog2(Beats);
  localparam int unsigned Half = Beats / 2;
  localparam int unsigned WordW = Half * LinkW;
  localparam int unsigned IdW = (Controllers <= 2) ? 1 : $clog2(Controllers);

  localparam logic [2:0] StIdle = 3'd0;
  localparam logic [2:0] StSend = 3'd1;
  localparam logic [2:0] StWait = 3'd2;
  localparam logic [2:0] StWrite = 3'd3;
  localparam logic [2:0] StRead = 3'd4;
  localparam logic [2:0] StDrain = 3'd5;

  logic [2:0] state_q, state_d;
  logic [ChipW-1:0] chip_q, chip;
  logic write_q;
  logic [LengthW-1:0] left_q, left_d;
  logic [BeatW-1:0] beat_q, beat_d, beat;
  logic [LinkW-1:0] drain_q, drain_d;

  // ---- The scout ----------------------------------------------------------------------------------------------------

  logic accept;
  logic [WordW-1:0] header, tail;
  assign accept = req_valid_i & req_ready_o;
  assign chip   = accept ? req_chip_i : chip_q;

  venice_scout_encode #(
      .Chips      (Rows * Cols),
      .Controllers(Controllers),
      .WordW      (WordW)
  ) u_encode (
      .reserve_i(1'b1),
      .chip_i   (chip),
      .id_i     (IdW'(Id)),
      .header_o (header),
      .tail_o   (tail)
  );

  logic [Beats-1:0][LinkW-1:0] packet;
  for (genvar b = 0; b < Half; b++) begin : gen_packet
    assign packet[b]      = header[(Half-1-b)*LinkW+:LinkW];
    assign packet[Half+b] = tail[(Half-1-b)*LinkW+:LinkW];
  end

  // ---- What comes back ----------------------------------------------------------------------------------------------

  logic [Beats-1:0][LinkW-1:0] words;
  logic arrived, unused_release;
  venice_pkg::kind_t             came_kind;
  logic              [LinkW-1:0] came_data;

  venice_port_buffer #(
      .LinkW          (LinkW),
      .Beats          (Beats),
      .ReleaseTogether(1'b0)
  ) u_buffer (
      .clk_i,
      .rst_ni,
      .kind_i,
      .data_i,
      .words_o    (words),
      .arrived_o  (arrived),
      .pass_kind_o(came_kind),
      .pass_data_o(came_data),
      .release_o  (unused_release)
  );

  logic [WordW-1:0] back_header, back_tail;
  for (genvar b = 0; b < Half; b++) begin : gen_back
    assign back_header[(Half-1-b)*LinkW+:LinkW] = words[b];
    assign back_tail[(Half-1-b)*LinkW+:LinkW]   = words[Half+b];
  end

  logic             back_reserve;
  logic [ChipW-1:0] back_chip;
  logic [  IdW-1:0] back_id;
  logic [      2:0] malformed;

  venice_scout_decode #(
      .Chips      (Rows * Cols),
      .Controllers(Controllers),
      .WordW      (WordW)
  ) u_decode (
      .header_i (back_header),
      .tail_i   (back_tail),
      .reserve_o(back_reserve),
      .chip_o   (back_chip),
      .id_o     (back_id),
      .error_o  (malformed)
  );

  // Another's packet, or one that was not waited for.
  assign error_o = arrived & ((malformed != '0) | (back_id != IdW'(Id)) | (back_chip != chip_q) | (state_q != StWait));
  assign reserved_o = arrived & ~error_o & back_reserve;
  assign failed_o = arrived & ~error_o & ~back_reserve;

  // ---- States -------------------------------------------------------------------------------------------------------

  logic first_beat, writes;
  assign req_ready_o = state_q == StIdle;
  assign first_beat  = accept | failed_o;
  assign beat        = first_beat ? '0 : beat_q;
  assign fresh_o     = first_beat;
  assign writes      = (reserved_o & write_q) | (state_q == StWrite);

  always_comb begin
    state_d   = state_q;
    left_d    = left_q;
    beat_d    = beat_q;
    drain_d   = drain_q;
    kind_o    = venice_pkg::KindIdle;
    data_o    = '0;
    wr_take_o = 1'b0;

    if (first_beat || state_q == StSend) begin
      kind_o  = venice_pkg::KindScout;
      data_o  = packet[beat];
      beat_d  = beat + BeatW'(1'b1);
      state_d = (beat == BeatW'(Beats - 1)) ? StWait : StSend;
    end
    if (reserved_o && !write_q) state_d = StRead;
    if (writes && left_q != '0) begin
      kind_o    = venice_pkg::KindData;
      data_o    = wr_data_i;
      wr_take_o = 1'b1;
      left_d    = left_q - LengthW'(1'b1);
      state_d   = StWrite;
    end else if (writes) begin
      // The last word is out: the path ends behind it.
      kind_o  = venice_pkg::KindRelease;
      data_o  = ReleaseTogether ? hops_i : '0;
      drain_d = ReleaseTogether ? hops_i : '0;
      state_d = StDrain;
    end
    if (state_q == StRead && came_kind == venice_pkg::KindRelease) state_d = StIdle;
    if (state_q == StDrain) begin
      drain_d = drain_q - LinkW'(1'b1);
      if (drain_q == '0) state_d = StIdle;
    end
    if (accept) left_d = req_words_i;
  end

  assign rd_valid_o = (state_q == StRead) & (came_kind == venice_pkg::KindData);
  assign rd_data_o = came_data;
  assign done_o = (state_q == StRead && came_kind == venice_pkg::KindRelease) || (state_q == StDrain && drain_q == '0);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= StIdle;
    else state_q <= state_d;
  end

  always_ff @(posedge clk_i) begin
    left_q  <= left_d;
    beat_q  <= beat_d;
    drain_q <= drain_d;
    if (accept) begin
      chip_q  <= req_chip_i;
      write_q <= req_write_i;
    end
  end

endmodule
