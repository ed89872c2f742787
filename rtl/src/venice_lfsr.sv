// The router's source of chance: a 2-bit linear feedback shift register, x^2 + x + 1, clocked in every cycle.
// `flip_o` turns over when a round of three states ends.

module venice_lfsr (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic [1:0] init_i,
    output logic [1:0] state_o,
    output logic       flip_o
);

  logic [1:0] state_q;
  logic       flip_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= init_i;
      flip_q  <= 1'b0;
    end else begin
      state_q <= {state_q[0], state_q[1] ^ state_q[0]};
      flip_q  <= flip_q ^ (state_q == 2'd2);
    end
  end

  assign state_o = state_q;
  assign flip_o  = flip_q;

endmodule
