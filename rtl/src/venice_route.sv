// Algorithm 1: where one router sends one scout. Combinational.
//
// `open_i` are the ports to other routers that are in no path, that this scout has not reserved here before and by
// which it did not come. Of those that lead closer one is taken; if there is none, any (misrouting); if there is
// none either, the scout goes back.

module venice_route #(
    parameter  int unsigned Rows       = 8,
    parameter  int unsigned Cols       = 8,
    parameter  int unsigned Routing    = venice_pkg::RoutingNonMinimal,
    parameter  int unsigned PortChoice = venice_pkg::ChoiceRandom,
    localparam int unsigned ChipW      = ((Rows * Cols) <= 2) ? 1 : $clog2(Rows * Cols),
    localparam int unsigned RowW       = (Rows <= 2) ? 1 : $clog2(Rows),
    localparam int unsigned ColW       = (Cols <= 2) ? 1 : $clog2(Cols)
) (
    input  logic [ RowW-1:0] row_i,
    input  logic [ ColW-1:0] col_i,
    input  logic [ChipW-1:0] chip_i,
    input  logic [      3:0] open_i,
    input  logic             chip_free_i,
    input  logic [      1:0] lfsr_i,
    input  logic             flip_i,
    output logic             eject_o,
    output logic             forward_o,
    output logic [      1:0] port_o
);

  // Lines 2 and 3: ID mod Nc and ID / Nc.
  logic [RowW-1:0] to_row;
  logic [ColW-1:0] to_col;
  assign to_row = RowW'(chip_i / ChipW'(Cols));
  assign to_col = ColW'(chip_i % ChipW'(Cols));

  // Lines 5 to 26: right, left, up, down.
  logic [3:0] closer, choices;
  assign closer = {to_row < row_i, to_row > row_i, to_col < col_i, to_col > col_i};

  logic at_goal;
  assign at_goal = closer == '0;

  always_comb begin
    choices = open_i & closer;
    if (Routing == venice_pkg::RoutingDimensionOrder) begin
      // Y has its turn when X is done.
      if (closer[1:0] != '0) choices[3:2] = '0;
    end else if (Routing == venice_pkg::RoutingNonMinimal) begin
      if (choices == '0) choices = open_i;
    end
  end

  // The first, second and third of the choices: three at most, since the scout came by one of four ports.
  logic [1:0] first, second, third;
  logic [2:0] count;
  always_comb begin
    first  = '0;
    second = '0;
    third  = '0;
    count  = '0;
    for (int unsigned p = 0; p < 4; p++) begin
      if (choices[p]) begin
        if (count == 3'd0) first = 2'(p);
        if (count == 3'd1) second = 2'(p);
        if (count == 3'd2) third = 2'(p);
        count = count + 3'd1;
      end
    end
  end

  logic turned_over;
  assign turned_over = (PortChoice == venice_pkg::ChoiceUnbiased) & flip_i;

  always_comb begin
    port_o = first;
    if (PortChoice != venice_pkg::ChoiceFixed) begin
      if (count == 3'd2 && (lfsr_i[0] == turned_over)) port_o = second;
      if (count == 3'd3 && lfsr_i == 2'd2) port_o = second;
      if (count == 3'd3 && lfsr_i == 2'd3) port_o = third;
    end
  end

  assign eject_o   = at_goal & chip_free_i;
  assign forward_o = !at_goal && choices != '0;

endmodule
