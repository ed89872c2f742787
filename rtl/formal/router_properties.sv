// What must hold in one router, whatever comes in by its ports, if the far ends keep to the rules: whole packets;
// a new scout only over a link that is free, a scout on its way back only over a link that its own scout went out by;
// data and the end of a circuit only over links of circuits.

module router_properties #(
    parameter bit Late = 1'b0,
    localparam int unsigned LinkW = 4
) (
    input logic                   clk_i,
    input logic [1:0]             lfsr_init_i,
    input logic [4:0][1:0]        kind_i,
    input logic [4:0][LinkW-1:0]  data_i
);

  // The router in the corner of a 2 x 2 mesh with two controllers: two neighbours, a controller, a chip. Flits of
  // four bits: two of type, two of the chip; or of type, one of the controller, and one unused.
  logic rst_nq = 1'b0;
  always_ff @(posedge clk_i) rst_nq <= 1'b1;

  logic [4:0][1:0] kind;
  logic [4:0][LinkW-1:0] data;
  logic error;
  logic [4:0] busy;
  logic [1:0] valid;
  logic [1:0][0:0] id;
  logic [1:0][2:0] entry, exit;

  venice_router #(
      .Rows           (2),
      .Cols           (2),
      .LinkW          (LinkW),
      .ReleaseTogether(1'b0),
      .Late           (Late)
  ) u_router (
      .clk_i,
      .rst_ni     (rst_nq),
      .row_i      (1'b0),
      .col_i      (1'b0),
      .lfsr_init_i,
      .fresh_i    ('0),
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

  always_comb assume (lfsr_init_i != 2'd0);

  // By port: is it the exit of a row, or in a row at all, and whose.
  logic [4:0] is_exit, in_row, half_q, was_answered_q;
  logic [4:0][0:0] owner;
  for (genvar p = 0; p < 5; p++) begin : gen_port
    always_comb begin
      is_exit[p] = 1'b0;
      in_row[p]  = 1'b0;
      owner[p]   = 1'b0;
      for (int unsigned r = 0; r < 2; r++) begin
        if (valid[r] && exit[r] == 3'(p)) is_exit[p] = 1'b1;
        if (valid[r] && (exit[r] == 3'(p) || entry[r] == 3'(p))) begin
          in_row[p] = 1'b1;
          owner[p]  = id[r];
        end
      end
    end

    // Half a packet has come; a packet that reserves has come back by this exit, so the circuit is there.
    always_ff @(posedge clk_i) begin
      half_q[p] <= rst_nq && kind_i[p] == 2'd1 && !half_q[p];
      if (!rst_nq || !in_row[p]) was_answered_q[p] <= 1'b0;
      else if (is_exit[p] && half_q[p] && data_i[p][2]) was_answered_q[p] <= 1'b1;
    end
    logic mode_q;
    always_ff @(posedge clk_i) if (kind_i[p] == 2'd1) mode_q <= data_i[p][2];

    always_comb begin
      if (!rst_nq) assume (kind_i[p] == 2'd0);
      // Up and right, the controller, the chip; nothing is below.
      if (p == 3) assume (kind_i[p] == 2'd0);
      if (half_q[p]) begin
        // The tail: of the same mode, whose unused bit is zero; on its way back that of its row.
        assume (kind_i[p] == 2'd1 && data_i[p][3] && data_i[p][2] == mode_q && !data_i[p][0]);
        if (is_exit[p]) assume (data_i[p][1] == owner[p]);
        // A controller has one scout: no second search by an id that is in the table otherwise.
      end else if (kind_i[p] == 2'd1) begin
        assume (p != 4 && !data_i[p][3]);
        assume ((!busy[p] && kind[p] == 2'd0 && data_i[p][2]) || (is_exit[p] && !was_answered_q[p]));
      end
      if (kind_i[p] >= 2'd2) assume (in_row[p] && was_answered_q != '0 && kind[p] == 2'd0);
    end
  end

  // The two rows share no port, and every port of a row is busy.
  always_comb begin
    if (rst_nq) begin
      for (int unsigned r = 0; r < 2; r++) begin
        if (valid[r]) assert (entry[r] != exit[r] && busy[entry[r]] && busy[exit[r]]);
      end
      if (valid == 2'b11) begin
        assert (entry[0] != entry[1] && entry[0] != exit[1] && exit[0] != entry[1] && exit[0] != exit[1]);
      end
    end
  end

  // Every packet that was accepted leaves, in the two cycles behind its tail, by one port; a port that sends a header
  // sends the tail next.
  logic [4:0] came_q, sends_q;
  logic [2:0] came, headers;
  always_comb begin
    came = '0;
    headers = '0;
    for (int unsigned p = 0; p < 5; p++) begin
      came    = came + 3'(came_q[p]);
      headers = headers + 3'(kind[p] == 2'd1 && !sends_q[p]);
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < 5; p++) begin
      came_q[p]  <= rst_nq && half_q[p];
      sends_q[p] <= rst_nq && kind[p] == 2'd1 && !sends_q[p];
    end
  end
  always_comb begin
    if (rst_nq) begin
      assert (error || headers == came);
      for (int unsigned p = 0; p < 5; p++) if (sends_q[p]) assert (kind[p] == 2'd1 && data[p][3]);
    end
  end

endmodule
