// The single modules, side by side, for bench/units.cpp.

module unit_bench (
    input logic clk_i,
    input logic rst_ni,
    // The register.
    input logic [1:0] init_i,
    output logic [1:0] state_o,
    output logic flip_o,
    // Packets: what they say, on every array of the shared vectors, 16 bits a word.
    input logic reserve_i,
    input logic [7:0] chip_i,
    input logic [3:0] id_i,
    output logic [9:0][15:0] header_o,
    output logic [9:0][15:0] tail_o,
    input logic [15:0] header_i,
    input logic [15:0] tail_i,
    output logic [9:0] reserve_o,
    output logic [9:0][7:0] chip_o,
    output logic [9:0][3:0] id_o,
    output logic [9:0][2:0] error_o,
    // Algorithm 1 in its nine settings.
    input logic [2:0] row_i,
    input logic [2:0] col_i,
    input logic [5:0] goal_i,
    input logic [3:0] open_i,
    input logic chip_free_i,
    input logic [1:0] lfsr_i,
    input logic flip_i,
    output logic [8:0] eject_o,
    output logic [8:0] forward_o,
    output logic [8:0][1:0] port_o,
    // A port's buffer.
    input venice_pkg::kind_t kind_i,
    input logic [7:0] data_i,
    output logic [1:0][7:0] words_o,
    output logic arrived_o,
    output venice_pkg::kind_t pass_kind_o,
    output logic [7:0] pass_data_o,
    output logic release_o,
    // A reservation table.
    input logic [1:0] remove_i,
    input logic [3:0] insert_i,
    input logic [3:0][2:0] row_id_i,
    input venice_pkg::port_t [3:0] entry_i,
    input venice_pkg::port_t [3:0] exit_i,
    output logic [1:0] valid_o,
    output logic [1:0][2:0] row_id_o,
    output venice_pkg::port_t [1:0] entry_o,
    output venice_pkg::port_t [1:0] exit_o,
    input logic [7:0] table_fresh_i,
    output logic [1:0] again_o
);

  venice_lfsr u_lfsr (
      .clk_i,
      .rst_ni,
      .init_i,
      .state_o,
      .flip_o
  );

  // In the order of the shapes in bench/units.cpp.
  localparam int unsigned Shapes = 10;
  localparam int unsigned Rows[Shapes] = '{8, 4, 16, 4, 16, 1, 4, 1, 3, 2};
  localparam int unsigned Cols[Shapes] = '{8, 16, 4, 5, 16, 4, 1, 1, 5, 2};

  for (genvar s = 0; s < Shapes; s++) begin : gen_packet
    localparam int unsigned Chips = Rows[s] * Cols[s];
    localparam int unsigned ChipW = (Chips <= 2) ? 1 : $clog2(Chips);
    localparam int unsigned IdW = (Rows[s] <= 2) ? 1 : $clog2(Rows[s]);
    logic [ChipW-1:0] chip;
    logic [  IdW-1:0] id;

    venice_scout_encode #(
        .Chips      (Chips),
        .Controllers(Rows[s]),
        .WordW      (16)
    ) u_encode (
        .reserve_i,
        .chip_i  (ChipW'(chip_i)),
        .id_i    (IdW'(id_i)),
        .header_o(header_o[s]),
        .tail_o  (tail_o[s])
    );

    venice_scout_decode #(
        .Chips      (Chips),
        .Controllers(Rows[s]),
        .WordW      (16)
    ) u_decode (
        .header_i,
        .tail_i,
        .reserve_o(reserve_o[s]),
        .chip_o   (chip),
        .id_o     (id),
        .error_o  (error_o[s])
    );

    assign chip_o[s] = 8'(chip);
    assign id_o[s]   = 4'(id);
  end

  for (genvar n = 0; n < 9; n++) begin : gen_route
    venice_route #(
        .Rows      (8),
        .Cols      (8),
        .Routing   (n / 3),
        .PortChoice(n % 3)
    ) u_route (
        .row_i,
        .col_i,
        .chip_i   (goal_i),
        .open_i,
        .chip_free_i,
        .lfsr_i,
        .flip_i,
        .eject_o  (eject_o[n]),
        .forward_o(forward_o[n]),
        .port_o   (port_o[n])
    );
  end

  venice_port_buffer #(
      .LinkW(8),
      .Beats(2)
  ) u_buffer (
      .clk_i,
      .rst_ni,
      .kind_i,
      .data_i,
      .words_o,
      .arrived_o,
      .pass_kind_o,
      .pass_data_o,
      .release_o
  );

  venice_table #(
      .Controllers(8),
      .PathLoops  (venice_pkg::LoopsCut)
  ) u_table (
      .clk_i,
      .rst_ni,
      .fresh_i    (table_fresh_i),
      .remove_i,
      .insert_i,
      .id_i(row_id_i),
      .entry_i,
      .exit_i,
      .valid_o,
      .id_o(row_id_o),
      .entry_o,
      .exit_o,
      .again_o
  );

endmodule
