// What a header and a tail flit say, or why they say nothing. The errors and their order are those of the
// simulator's `PacketFormat::decode`; the first that applies is told.

module venice_scout_decode #(
    parameter  int unsigned Chips       = 64,
    parameter  int unsigned Controllers = 8,
    parameter  int unsigned WordW       = 8,
    localparam int unsigned ChipW       = (Chips <= 2) ? 1 : $clog2(Chips),
    localparam int unsigned IdW         = (Controllers <= 2) ? 1 : $clog2(Controllers)
) (
    input  logic [WordW-1:0] header_i,
    input  logic [WordW-1:0] tail_i,
    output logic             reserve_o,
    output logic [ChipW-1:0] chip_o,
    output logic [  IdW-1:0] id_o,
    // None, too wide, out of order, mixed modes, unused bits set, no such chip, no such controller.
    output logic [      2:0] error_o
);

  localparam int unsigned FlitW = 2 + $clog2(Chips);
  localparam int unsigned FieldW = FlitW - 2;
  localparam int unsigned ChipShift = FieldW - $clog2(Chips);
  localparam int unsigned IdShift = FieldW - $clog2(Controllers);

  localparam logic [WordW-1:0] FieldMask = (WordW'(1'b1) << FieldW) - 1'b1;
  localparam logic [WordW-1:0] ChipSpare = (WordW'(1'b1) << ChipShift) - 1'b1;
  localparam logic [WordW-1:0] IdSpare = (WordW'(1'b1) << IdShift) - 1'b1;

  logic [WordW-1:0] chip_field, id_field, chip, id, header_type, tail_type;
  assign chip_field  = header_i & FieldMask;
  assign id_field    = tail_i & FieldMask;
  assign chip        = chip_field >> ChipShift;
  assign id          = id_field >> IdShift;
  assign header_type = header_i >> FieldW;
  assign tail_type   = tail_i >> FieldW;

  assign reserve_o   = header_type[0];
  assign chip_o      = ChipW'(chip);
  assign id_o        = IdW'(id);

  always_comb begin
    if (header_type > WordW'(2'd3) || tail_type > WordW'(2'd3)) error_o = 3'd1;
    else if (header_type[1] || !tail_type[1]) error_o = 3'd2;
    else if (header_type[0] != tail_type[0]) error_o = 3'd3;
    else if ((chip_field & ChipSpare) != '0) error_o = 3'd4;
    else if (chip >= WordW'(Chips) && $clog2(Chips) != 0) error_o = 3'd5;
    else if ((id_field & IdSpare) != '0) error_o = 3'd4;
    else if (id >= WordW'(Controllers) && $clog2(Controllers) != 0) error_o = 3'd6;
    else error_o = 3'd0;
  end

endmodule
