// The reservation table (Figure 7): rows of valid, packet id, entry port, exit port.
//
// Two rows: a port is in one row at most, and a router has five ports. Ports have three bits, since two cannot name
// the chip's. In a cycle each of the four inputs may take a row out and put one in, in this order: all removals and
// ends of circuits, then insertions by number of the input.
//
// Where loops are cut, the table also knows which row came last and which are from before their controller's last
// search (of a loop that is still being given back): a bit and two bits.

module venice_table #(
    parameter  int unsigned Controllers = 8,
    parameter  int unsigned PathLoops   = venice_pkg::LoopsKept,
    localparam int unsigned IdW         = (Controllers <= 2) ? 1 : $clog2(Controllers)
) (
    input  logic                                                   clk_i,
    input  logic                                                   rst_ni,
    // By controller: it begins a new search.
    input  logic              [         Controllers-1:0]           fresh_i,
    // By row: take it out.
    input  logic              [                      1:0]          remove_i,
    // By input: a row to put in.
    input  logic              [venice_pkg::NumInputs-1:0]          insert_i,
    input  logic              [venice_pkg::NumInputs-1:0][IdW-1:0] id_i,
    input  venice_pkg::port_t [venice_pkg::NumInputs-1:0]          entry_i,
    input  venice_pkg::port_t [venice_pkg::NumInputs-1:0]          exit_i,
    output logic              [                      1:0]          valid_o,
    output logic              [                      1:0][IdW-1:0] id_o,
    output venice_pkg::port_t [                      1:0]          entry_o,
    output venice_pkg::port_t [                      1:0]          exit_o,
    // By row: the other one is of an earlier visit of the same scout.
    output logic              [                      1:0]          again_o
);

  logic [1:0] valid_q, valid_d, write, put_in;
  logic [1:0][IdW-1:0] id_q, id_d;
  venice_pkg::port_t [1:0] entry_q, entry_d, exit_q, exit_d;

  always_comb begin
    valid_d = valid_q & ~remove_i;
    id_d    = id_q;
    entry_d = entry_q;
    exit_d  = exit_q;
    write   = '0;
    put_in  = '0;
    for (int unsigned p = 0; p < venice_pkg::NumInputs; p++) begin
      if (insert_i[p]) begin
        // The first row that is empty.
        write  = valid_d[0] ? 2'b10 : 2'b01;
        put_in = put_in | write;
        for (int unsigned r = 0; r < 2; r++) begin
          if (write[r]) begin
            valid_d[r] = 1'b1;
            id_d[r]    = id_i[p];
            entry_d[r] = entry_i[p];
            exit_d[r]  = exit_i[p];
          end
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= valid_d;
  end

  // Only what is valid is read.
  always_ff @(posedge clk_i) begin
    id_q    <= id_d;
    entry_q <= entry_d;
    exit_q  <= exit_d;
  end

  if (PathLoops == venice_pkg::LoopsCut) begin : gen_ages
    logic last_q, last_d;
    logic [1:0] old_q, old_d;

    always_comb begin
      last_d = last_q;
      old_d  = old_q;
      for (int unsigned r = 0; r < 2; r++) begin
        if (fresh_i[id_q[r]]) old_d[r] = 1'b1;
        if (put_in[r]) old_d[r] = 1'b0;
      end
      if (write != '0) last_d = write[1];
    end

    always_ff @(posedge clk_i) begin
      last_q <= last_d;
      old_q  <= old_d;
    end

    logic same;
    assign same = (valid_q == 2'b11) & (id_q[0] == id_q[1]);
    assign again_o = {same & last_q & ~old_q[0], same & ~last_q & ~old_q[1]};
  end else begin : gen_no_ages
    logic unused;
    assign unused  = &{1'b0, fresh_i, put_in, write};
    assign again_o = '0;
  end

  assign valid_o = valid_q;
  assign id_o    = id_q;
  assign entry_o = entry_q;
  assign exit_o  = exit_q;

endmodule
