// The buffers of one port: as many words of the link as a scout packet has beats (two of 8 bits in the paper).
//
// Beats of a packet fill the words in order; `arrived_o` is high in the one cycle in which the packet is whole. Of
// data and of the end of a circuit the first word holds the last beat. At the end of a circuit that word counts
// down the cycles until the path is given back; none means at once, here and behind.

module venice_port_buffer #(
    parameter  int unsigned LinkW           = 8,
    parameter  int unsigned Beats           = 2,
    // Whether a path is given back at one instant, as in the simulator, or link by link behind its last beat.
    parameter  bit          ReleaseTogether = 1'b1,
    localparam int unsigned BeatW           = (Beats <= 2) ? 1 : $clog2(Beats)
) (
    input  logic                                     clk_i,
    input  logic                                     rst_ni,
    input  venice_pkg::kind_t                        kind_i,
    input  logic              [LinkW-1:0]            data_i,
    output logic              [Beats-1:0][LinkW-1:0] words_o,
    output logic                                     arrived_o,
    // Data, or the end of the circuit, that goes on in this cycle, and what to send.
    output venice_pkg::kind_t                        pass_kind_o,
    output logic              [LinkW-1:0]            pass_data_o,
    // The path through this port ends with this cycle.
    output logic                                     release_o
);

  logic [Beats-1:0][LinkW-1:0] words_q;
  logic [BeatW-1:0]            beat_q;
  logic arrived_q, counting_q;
  venice_pkg::kind_t             pass_kind_q;
  logic              [LinkW-1:0] one_less;

  assign one_less = words_q[0] - LinkW'(1'b1);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      beat_q      <= '0;
      arrived_q   <= 1'b0;
      counting_q  <= 1'b0;
      pass_kind_q <= venice_pkg::KindIdle;
    end else begin
      arrived_q   <= 1'b0;
      pass_kind_q <= venice_pkg::KindIdle;
      if (release_o) counting_q <= 1'b0;
      if (kind_i == venice_pkg::KindScout) begin
        beat_q    <= (beat_q == BeatW'(Beats - 1)) ? '0 : beat_q + BeatW'(1'b1);
        arrived_q <= beat_q == BeatW'(Beats - 1);
      end else if (kind_i != venice_pkg::KindIdle) begin
        pass_kind_q <= kind_i;
        counting_q  <= kind_i == venice_pkg::KindRelease;
      end
    end
  end

  // What is in the words matters only after a beat has come.
  always_ff @(posedge clk_i) begin
    if (kind_i == venice_pkg::KindScout) begin
      for (int unsigned b = 0; b < Beats; b++) begin
        if (beat_q == BeatW'(b)) words_q[b] <= data_i;
      end
    end else if (kind_i != venice_pkg::KindIdle) begin
      words_q[0] <= data_i;
    end else if (counting_q) begin
      words_q[0] <= one_less;
    end
  end

  assign words_o     = words_q;
  assign arrived_o   = arrived_q;
  assign pass_kind_o = pass_kind_q;
  assign pass_data_o =
      (ReleaseTogether && pass_kind_q == venice_pkg::KindRelease && words_q[0] != '0) ? one_less : words_q[0];
  assign release_o   = counting_q & (!ReleaseTogether | (words_q[0] == '0));

endmodule
