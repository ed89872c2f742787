// Rows x Cols routers, and a flash controller at the left end of each of the first `Controllers` rows.
//
// Chips are outside: each has the chip's port of its router. Arrays are flat vectors, item 0 in the lowest bits.

module venice_mesh #(
    parameter  int unsigned Rows            = 8,
    parameter  int unsigned Cols            = 8,
    parameter  int unsigned Controllers     = Rows,
    parameter  int unsigned LinkW           = 8,
    parameter  int unsigned LengthW         = 16,
    parameter  int unsigned Routing         = venice_pkg::RoutingNonMinimal,
    parameter  int unsigned PortChoice      = venice_pkg::ChoiceRandom,
    parameter  int unsigned PathLoops       = venice_pkg::LoopsKept,
    parameter  bit          ReleaseTogether = 1'b1,
    localparam int unsigned Chips           = Rows * Cols,
    localparam int unsigned ChipW           = (Chips <= 2) ? 1 : $clog2(Chips),
    localparam int unsigned IdW             = (Controllers <= 2) ? 1 : $clog2(Controllers)
) (
    input  logic                                                                     clk_i,
    input  logic                                                                     rst_ni,
    input  logic              [      Chips-1:0][                     1:0]            lfsr_init_i,
    // By controller: see venice_controller.
    input  logic              [Controllers-1:0]                                      req_valid_i,
    output logic              [Controllers-1:0]                                      req_ready_o,
    input  logic              [Controllers-1:0][               ChipW-1:0]            req_chip_i,
    input  logic              [Controllers-1:0]                                      req_write_i,
    input  logic              [Controllers-1:0][             LengthW-1:0]            req_words_i,
    input  logic              [Controllers-1:0][               LinkW-1:0]            hops_i,
    input  logic              [Controllers-1:0][               LinkW-1:0]            wr_data_i,
    output logic              [Controllers-1:0]                                      wr_take_o,
    output logic              [Controllers-1:0]                                      rd_valid_o,
    output logic              [Controllers-1:0][               LinkW-1:0]            rd_data_o,
    output logic              [Controllers-1:0]                                      done_o,
    output logic              [Controllers-1:0]                                      reserved_o,
    output logic              [Controllers-1:0]                                      failed_o,
    // By chip: the wires between it and its router.
    input  venice_pkg::kind_t [      Chips-1:0]                                      chip_kind_i,
    input  logic              [      Chips-1:0][               LinkW-1:0]            chip_data_i,
    output venice_pkg::kind_t [      Chips-1:0]                                      chip_kind_o,
    output logic              [      Chips-1:0][               LinkW-1:0]            chip_data_o,
    // Some packet was refused, or some link was driven from both ends.
    output logic                                                                     error_o,
    // By router, to be observed.
    output logic              [      Chips-1:0][venice_pkg::NumPorts-1:0]            busy_o,
    output logic              [      Chips-1:0][                     1:0]            row_valid_o,
    output logic              [      Chips-1:0][                     1:0][  IdW-1:0] row_id_o,
    output venice_pkg::port_t [      Chips-1:0][                     1:0]            row_entry_o,
    output venice_pkg::port_t [      Chips-1:0][                     1:0]            row_exit_o,
    output logic              [Controllers-1:0]                                      fresh_o,
    output venice_pkg::kind_t [      Chips-1:0][venice_pkg::NumPorts-1:0]            in_kind_o,
    output logic              [      Chips-1:0][venice_pkg::NumPorts-1:0][LinkW-1:0] in_data_o,
    output venice_pkg::kind_t [      Chips-1:0][venice_pkg::NumPorts-1:0]            out_kind_o,
    output logic              [      Chips-1:0][venice_pkg::NumPorts-1:0][LinkW-1:0] out_data_o
);

  localparam int unsigned RowW = (Rows <= 2) ? 1 : $clog2(Rows);
  localparam int unsigned ColW = (Cols <= 2) ? 1 : $clog2(Cols);

  logic [Controllers-1:0] fresh, controller_error;
  logic [Chips-1:0] router_error, clash;

  // What routers and controllers drive, by router and port. The early and the late routers have vectors of their
  // own, as what late ones drive follows from what early ones drive in the same cycle.
  venice_pkg::kind_t [Chips-1:0][venice_pkg::NumPorts-1:0] early_kind, late_kind;
  logic [Chips-1:0][venice_pkg::NumPorts-1:0][LinkW-1:0] early_data, late_data;
  venice_pkg::kind_t [Controllers-1:0] inject_kind, eject_kind;
  logic [Controllers-1:0][LinkW-1:0] inject_data, eject_data;

  for (genvar i = 0; i < Chips; i++) begin : gen_router
    localparam int unsigned Row = i / Cols;
    localparam int unsigned Col = i % Cols;
    localparam bit Late = ((Row + Col) % 2) == 1;

    logic [2*venice_pkg::NumPorts-1:0] in_kind, out_kind;
    logic [LinkW*venice_pkg::NumPorts-1:0] in_data, out_data;

    assign early_kind[i] = Late ? '0 : out_kind;
    assign early_data[i] = Late ? '0 : out_data;
    assign late_kind[i]  = Late ? out_kind : '0;
    assign late_data[i]  = Late ? out_data : '0;

    if (Col + 1 < Cols) begin : gen_right
      assign in_kind[2*venice_pkg::PortRight+:2] =
          Late ? early_kind[i+1][venice_pkg::PortLeft] : late_kind[i+1][venice_pkg::PortLeft];
      assign in_data[LinkW*venice_pkg::PortRight+:LinkW] =
          Late ? early_data[i+1][venice_pkg::PortLeft] : late_data[i+1][venice_pkg::PortLeft];
    end else begin : gen_no_right
      assign in_kind[2*venice_pkg::PortRight+:2] = venice_pkg::KindIdle;
      assign in_data[LinkW*venice_pkg::PortRight+:LinkW] = '0;
    end

    if (Col > 0) begin : gen_left
      assign in_kind[2*venice_pkg::PortLeft+:2] =
          Late ? early_kind[i-1][venice_pkg::PortRight] : late_kind[i-1][venice_pkg::PortRight];
      assign in_data[LinkW*venice_pkg::PortLeft+:LinkW] =
          Late ? early_data[i-1][venice_pkg::PortRight] : late_data[i-1][venice_pkg::PortRight];
    end else if (Row < Controllers) begin : gen_controller
      assign in_kind[2*venice_pkg::PortLeft+:2] = inject_kind[Row];
      assign in_data[LinkW*venice_pkg::PortLeft+:LinkW] = inject_data[Row];
      assign eject_kind[Row] = out_kind[2*venice_pkg::PortLeft+:2];
      assign eject_data[Row] = out_data[LinkW*venice_pkg::PortLeft+:LinkW];
    end else begin : gen_no_left
      assign in_kind[2*venice_pkg::PortLeft+:2] = venice_pkg::KindIdle;
      assign in_data[LinkW*venice_pkg::PortLeft+:LinkW] = '0;
    end

    if (Row + 1 < Rows) begin : gen_up
      assign in_kind[2*venice_pkg::PortUp+:2] =
          Late ? early_kind[i+Cols][venice_pkg::PortDown] : late_kind[i+Cols][venice_pkg::PortDown];
      assign in_data[LinkW*venice_pkg::PortUp+:LinkW] =
          Late ? early_data[i+Cols][venice_pkg::PortDown] : late_data[i+Cols][venice_pkg::PortDown];
    end else begin : gen_no_up
      assign in_kind[2*venice_pkg::PortUp+:2] = venice_pkg::KindIdle;
      assign in_data[LinkW*venice_pkg::PortUp+:LinkW] = '0;
    end

    if (Row > 0) begin : gen_down
      assign in_kind[2*venice_pkg::PortDown+:2] =
          Late ? early_kind[i-Cols][venice_pkg::PortUp] : late_kind[i-Cols][venice_pkg::PortUp];
      assign in_data[LinkW*venice_pkg::PortDown+:LinkW] =
          Late ? early_data[i-Cols][venice_pkg::PortUp] : late_data[i-Cols][venice_pkg::PortUp];
    end else begin : gen_no_down
      assign in_kind[2*venice_pkg::PortDown+:2] = venice_pkg::KindIdle;
      assign in_data[LinkW*venice_pkg::PortDown+:LinkW] = '0;
    end

    assign in_kind[2*venice_pkg::PortChip+:2] = chip_kind_i[i];
    assign in_data[LinkW*venice_pkg::PortChip+:LinkW] = chip_data_i[i];
    assign chip_kind_o[i]    = out_kind[2*venice_pkg::PortChip+:2];
    assign chip_data_o[i]    = out_data[LinkW*venice_pkg::PortChip+:LinkW];

    assign in_kind_o[i]  = in_kind;
    assign in_data_o[i]  = in_data;
    assign out_kind_o[i] = out_kind;
    assign out_data_o[i] = out_data;

    // The wires of a link are the same in both directions: one end drives them at most.
    logic [venice_pkg::NumPorts-1:0] both;
    for (genvar p = 0; p < venice_pkg::NumPorts; p++) begin : gen_both
      assign both[p] = (in_kind[2*p+:2] != venice_pkg::KindIdle) & (out_kind[2*p+:2] != venice_pkg::KindIdle);
    end
    assign clash[i] = both != '0;

    venice_router #(
        .Rows           (Rows),
        .Cols           (Cols),
        .Controllers    (Controllers),
        .LinkW          (LinkW),
        .Routing        (Routing),
        .PortChoice     (PortChoice),
        .PathLoops      (PathLoops),
        .ReleaseTogether(ReleaseTogether),
        .Late           (Late)
    ) u_router (
        .clk_i,
        .rst_ni,
        .row_i      (RowW'(Row)),
        .col_i      (ColW'(Col)),
        .lfsr_init_i(lfsr_init_i[i]),
        .fresh_i    (fresh),
        .kind_i     (in_kind),
        .data_i     (in_data),
        .kind_o     (out_kind),
        .data_o     (out_data),
        .error_o    (router_error[i]),
        .busy_o     (busy_o[i]),
        .row_valid_o(row_valid_o[i]),
        .row_id_o   (row_id_o[i]),
        .row_entry_o(row_entry_o[i]),
        .row_exit_o (row_exit_o[i])
    );
  end

  for (genvar c = 0; c < Controllers; c++) begin : gen_controller_end
    venice_controller #(
        .Rows           (Rows),
        .Cols           (Cols),
        .Controllers    (Controllers),
        .LinkW          (LinkW),
        .LengthW        (LengthW),
        .ReleaseTogether(ReleaseTogether),
        .Id             (c)
    ) u_controller (
        .clk_i,
        .rst_ni,
        .req_valid_i(req_valid_i[c]),
        .req_ready_o(req_ready_o[c]),
        .req_chip_i (req_chip_i[c]),
        .req_write_i(req_write_i[c]),
        .req_words_i(req_words_i[c]),
        .hops_i     (hops_i[c]),
        .wr_data_i  (wr_data_i[c]),
        .wr_take_o  (wr_take_o[c]),
        .rd_valid_o (rd_valid_o[c]),
        .rd_data_o  (rd_data_o[c]),
        .done_o     (done_o[c]),
        .reserved_o (reserved_o[c]),
        .failed_o   (failed_o[c]),
        .error_o    (controller_error[c]),
        .fresh_o    (fresh[c]),
        .kind_i     (eject_kind[c]),
        .data_i     (eject_data[c]),
        .kind_o     (inject_kind[c]),
        .data_o     (inject_data[c])
    );
  end

  assign fresh_o = fresh;
  assign error_o = (router_error != '0) | (controller_error != '0) | (clash != '0);

endmodule
