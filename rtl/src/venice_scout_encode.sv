// What a scout packet says, as header and tail flit (Figure 6). Both fields are left-aligned behind the two type
// bits; what is unused is zero. A flit is a number of `FlitW` bits in a word of `WordW`.

module venice_scout_encode #(
    parameter  int unsigned Chips       = 64,
    parameter  int unsigned Controllers = 8,
    parameter  int unsigned WordW       = 8,
    localparam int unsigned ChipW       = (Chips <= 2) ? 1 : $clog2(Chips),
    localparam int unsigned IdW         = (Controllers <= 2) ? 1 : $clog2(Controllers)
) (
    input  logic             reserve_i,
    input  logic [ChipW-1:0] chip_i,
    input  logic [  IdW-1:0] id_i,
    output logic [WordW-1:0] header_o,
    output logic [WordW-1:0] tail_o
);

  localparam int unsigned FlitW = 2 + $clog2(Chips);
  localparam int unsigned FieldW = FlitW - 2;
  localparam int unsigned ChipShift = FieldW - $clog2(Chips);
  localparam int unsigned IdShift = FieldW - $clog2(Controllers);

  // A single chip or controller has no number.
  logic [WordW-1:0] chip, id;
  assign chip = ($clog2(Chips) == 0) ? '0 : WordW'(chip_i) << ChipShift;
  assign id = ($clog2(Controllers) == 0) ? '0 : WordW'(id_i) << IdShift;

  assign header_o = (WordW'(reserve_i) << FieldW) | chip;
  assign tail_o = (WordW'(1'b1) << (FieldW + 1)) | (WordW'(reserve_i) << FieldW) | id;

endmodule
