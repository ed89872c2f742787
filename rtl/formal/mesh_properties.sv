// What must hold in a mesh of 2 x 2 routers with two controllers, whatever is asked of them. Chips only listen:
// everything is written, two words at most. `bad_o` is as in router_properties.

module mesh_properties #(
    parameter  int unsigned Rows  = 2,
    parameter  int unsigned Cols  = 2,
    localparam int unsigned Chips = Rows * Cols,
    localparam int unsigned ChipW = $clog2(Chips),
    localparam int unsigned IdW   = (Rows <= 2) ? 1 : $clog2(Rows),
    localparam int unsigned LinkW = 2 + ChipW
) (
    input logic                        clk_i,
    input logic [ Rows-1:0]            req_valid_i,
    input logic [ Rows-1:0][ChipW-1:0] req_chip_i,
    input logic [ Rows-1:0][      1:0] req_words_i,
    input logic [ Rows-1:0][LinkW-1:0] wr_data_i,
    input logic [Chips-1:0][      1:0] lfsr_init_i,
    output logic [3:0]                 bad_o
);

  // Two flits over links of a flit's width.
  localparam int unsigned Beats = 2;
  localparam int unsigned Links = Rows * (Cols - 1) + Cols * (Rows - 1);
  // Forward and back over each link from each end, the way back from the chip, and the controller's wires.
  localparam int unsigned SearchCycles = Beats * (4 * Links + Links + 2);

  logic rst_nq = 1'b0;
  always_ff @(posedge clk_i) rst_nq <= 1'b1;

  logic [Rows-1:0] ready, take, unused_done, reserved, failed, fresh, unused_rd;
  logic [Rows-1:0][LinkW-1:0] unused_rd_data;
  logic [Chips-1:0][1:0] chip_kind;
  logic [Chips-1:0][LinkW-1:0] unused_chip_data;
  logic error;
  logic [Chips-1:0][4:0] busy;
  logic [Chips-1:0][1:0] valid;
  logic [Chips-1:0][1:0][IdW-1:0] id;
  logic [Chips-1:0][1:0][2:0] entry, exit;
  logic [Chips-1:0][4:0][1:0] in_kind, out_kind;
  logic [Chips-1:0][4:0][LinkW-1:0] unused_in, unused_out;

  venice_mesh #(
      .Rows           (Rows),
      .Cols           (Cols),
      .LinkW          (LinkW),
      .LengthW        (2),
      .ReleaseTogether(1'b0)
  ) u_mesh (
      .clk_i,
      .rst_ni     (rst_nq),
      .lfsr_init_i,
      .req_valid_i,
      .req_ready_o(ready),
      .req_chip_i,
      .req_write_i('1),
      .req_words_i,
      .hops_i     ('0),
      .wr_data_i,
      .wr_take_o  (take),
      .rd_valid_o (unused_rd),
      .rd_data_o  (unused_rd_data),
      .done_o     (unused_done),
      .reserved_o (reserved),
      .failed_o   (failed),
      .chip_kind_i('0),
      .chip_data_i('0),
      .chip_kind_o(chip_kind),
      .chip_data_o(unused_chip_data),
      .error_o    (error),
      .busy_o     (busy),
      .row_valid_o(valid),
      .row_id_o   (id),
      .row_entry_o(entry),
      .row_exit_o (exit),
      .fresh_o    (fresh),
      .in_kind_o  (in_kind),
      .in_data_o  (unused_in),
      .out_kind_o (out_kind),
      .out_data_o (unused_out)
  );

  always_comb begin
    for (int unsigned i = 0; i < Chips; i++) assume (lfsr_init_i[i] != 2'd0);
    for (int unsigned c = 0; c < Rows; c++) assume (req_words_i[c] != 2'd3);
  end

  // The two rows of a router share no port, and every port of a row is busy.
  logic [Chips-1:0] two_paths;
  for (genvar i = 0; i < Chips; i++) begin : gen_router
    always_comb begin
      two_paths[i] = 1'b0;
      for (int unsigned r = 0; r < 2; r++) begin
        if (valid[i][r] && !(entry[i][r] != exit[i][r] && busy[i][entry[i][r]] && busy[i][exit[i][r]])) begin
          two_paths[i] = 1'b1;
        end
      end
      if (valid[i] == 2'b11 && !(entry[i][0] != entry[i][1] && entry[i][0] != exit[i][1] &&
                                 exit[i][0] != entry[i][1] && exit[i][0] != exit[i][1])) begin
        two_paths[i] = 1'b1;
      end
    end
  end

  // A link belongs to one controller: what both ends say of it agrees.
  logic [Chips-1:0][1:0][1:0] two_owners;
  for (genvar i = 0; i < Chips; i++) begin : gen_link
    for (genvar r = 0; r < 2; r++) begin : gen_row
      for (genvar s = 0; s < 2; s++) begin : gen_other
        always_comb begin
          two_owners[i][r][s] = 1'b0;
          if (i % Cols + 1 < Cols && valid[i][r] && valid[(i+1)%Chips][s]) begin
            if ((entry[i][r] == venice_pkg::PortRight || exit[i][r] == venice_pkg::PortRight) &&
                (entry[(i+1)%Chips][s] == venice_pkg::PortLeft || exit[(i+1)%Chips][s] == venice_pkg::PortLeft)) begin
              if (id[i][r] != id[(i+1)%Chips][s]) two_owners[i][r][s] = 1'b1;
            end
          end
          if (i + Cols < Chips && valid[i][r] && valid[(i+Cols)%Chips][s]) begin
            if ((entry[i][r] == venice_pkg::PortUp || exit[i][r] == venice_pkg::PortUp) &&
                (entry[(i+Cols)%Chips][s] == venice_pkg::PortDown ||
                 exit[(i+Cols)%Chips][s] == venice_pkg::PortDown)) begin
              if (id[i][r] != id[(i+Cols)%Chips][s]) two_owners[i][r][s] = 1'b1;
            end
          end
        end
      end
    end
  end

  logic [Rows-1:0] left, late;
  logic [Rows-1:0][Chips-1:0][3:0] twice;
  for (genvar c = 0; c < Rows; c++) begin : gen_controller
    logic is_searching_q;
    always_ff @(posedge clk_i) begin
      is_searching_q <= rst_nq && (fresh[c] || (is_searching_q && !reserved[c] && !failed[c]));
    end

    // When a scout is back in vain no row of it is left.
    logic left_behind;
    always_comb begin
      left_behind = 1'b0;
      for (int unsigned i = 0; i < Chips; i++) begin
        for (int unsigned r = 0; r < 2; r++) begin
          if (valid[i][r] && id[i][r] == IdW'(c)) left_behind = 1'b1;
        end
      end
      left[c] = failed[c] & left_behind;
    end

    // A search ends in time, and goes out of each router by each of its ports once.
    logic [7:0] searching_q;
    always_ff @(posedge clk_i) searching_q <= fresh[c] ? 8'd1 : searching_q + 8'd1;
    assign late[c] = is_searching_q & (searching_q > 8'(SearchCycles));

    for (genvar i = 0; i < Chips; i++) begin : gen_visits
      for (genvar p = 0; p < 4; p++) begin : gen_exit
        logic goes, goes_q, went_q;
        always_comb begin
          goes = 1'b0;
          for (int unsigned r = 0; r < 2; r++) begin
            if (valid[i][r] && id[i][r] == IdW'(c) && exit[i][r] == 3'(p)) goes = 1'b1;
          end
        end
        always_ff @(posedge clk_i) begin
          goes_q <= rst_nq && goes;
          went_q <= rst_nq && !fresh[c] && (went_q || (goes && !goes_q));
        end
        assign twice[c][i][p] = went_q & goes & ~goes_q;
      end
    end
  end

  // Nothing is taken when nobody wants anything: no scout, no circuit, for as long as the end of a circuit goes.
  logic [2:0] rests_q;
  logic [Rows-1:0] busy_controllers;
  assign busy_controllers = ~ready | req_valid_i;
  logic [4:0] taken;
  logic left_taken;
  always_ff @(posedge clk_i) begin
    if (!rst_nq || busy_controllers != '0) rests_q <= '0;
    else if (rests_q != 3'd7) rests_q <= rests_q + 3'd1;
  end
  always_comb begin
    taken = '0;
    for (int unsigned i = 0; i < Chips; i++) taken = taken | busy[i];
    left_taken = rests_q == 3'd7 && taken != '0;
  end

  // Every word that a controller has sent reaches a chip by the time its circuit ends, and none appears from nowhere.
  logic [3:0] under_way_q, under_way;
  always_comb begin
    under_way = under_way_q;
    for (int unsigned c = 0; c < Rows; c++) if (take[c]) under_way = under_way + 4'd1;
    for (int unsigned i = 0; i < Chips; i++) if (chip_kind[i] == venice_pkg::KindData) under_way = under_way - 4'd1;
  end
  always_ff @(posedge clk_i) under_way_q <= rst_nq ? under_way : '0;
  logic lost;
  assign lost = under_way > 4'd8 || (busy == '0 && under_way_q != '0);

  assign bad_o = {4{rst_nq}} &
      {lost, (late != '0) | (twice != '0), (left != '0) | left_taken, error | (two_paths != '0) | (two_owners != '0)};

endmodule
