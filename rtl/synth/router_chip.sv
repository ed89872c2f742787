// A router as a chip of its own, without what is there to be observed: what is synthesised.

module router_chip #(
    parameter  int unsigned Rows            = 8,
    parameter  int unsigned Cols            = 8,
    parameter  int unsigned Controllers     = 8,
    parameter  int unsigned LinkW           = 8,
    parameter  int unsigned Routing         = venice_pkg::RoutingNonMinimal,
    parameter  int unsigned PortChoice      = venice_pkg::ChoiceRandom,
    parameter  int unsigned PathLoops       = venice_pkg::LoopsKept,
    parameter  bit          ReleaseTogether = 1'b0,
    parameter  bit          Late            = 1'b0,
    localparam int unsigned RowW            = (Rows <= 2) ? 1 : $clog2(Rows),
    localparam int unsigned ColW            = (Cols <= 2) ? 1 : $clog2(Cols),
    localparam int unsigned IdW             = (Controllers <= 2) ? 1 : $clog2(Controllers)
) (
    input  logic                                                    clk_i,
    input  logic                                                    rst_ni,
    input  logic              [                RowW-1:0]            row_i,
    input  logic              [                ColW-1:0]            col_i,
    input  logic              [                     1:0]            lfsr_init_i,
    input  logic              [         Controllers-1:0]            fresh_i,
    input  venice_pkg::kind_t [venice_pkg::NumPorts-1:0]            kind_i,
    input  logic              [venice_pkg::NumPorts-1:0][LinkW-1:0] data_i,
    output venice_pkg::kind_t [venice_pkg::NumPorts-1:0]            kind_o,
    output logic              [venice_pkg::NumPorts-1:0][LinkW-1:0] data_o
);

  logic unused_error;
  logic [venice_pkg::NumPorts-1:0] unused_busy;
  logic [1:0] unused_valid;
  logic [1:0][IdW-1:0] unused_id;
  venice_pkg::port_t [1:0] unused_entry, unused_exit;

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
      .row_i,
      .col_i,
      .lfsr_init_i,
      .fresh_i,
      .kind_i,
      .data_i,
      .kind_o,
      .data_o,
      .error_o    (unused_error),
      .busy_o     (unused_busy),
      .row_valid_o(unused_valid),
      .row_id_o   (unused_id),
      .row_entry_o(unused_entry),
      .row_exit_o (unused_exit)
  );

endmodule
