// Names that all modules of the router share.
//
// Source: Nadig et al., "Venice", ISCA 2023, section 4, Figures 6 and 7, Algorithm 1.

// Not every module needs every name.
/* verilator lint_off UNUSEDPARAM */

package venice_pkg;

  // What the wires of a link carry in a cycle: two wires beside the data. The paper's 40 pins are five ports of
  // eight data wires and leave none to tell a flit from silence (docs/models/venice-rtl.md).
  typedef logic [1:0] kind_t;
  localparam kind_t KindIdle = 2'd0;
  localparam kind_t KindScout = 2'd1;
  localparam kind_t KindData = 2'd2;
  localparam kind_t KindRelease = 2'd3;

  // The five physical ports, in the order of preference. In column 0 the controller sits where the left neighbour
  // would be.
  localparam int unsigned NumPorts = 5;
  localparam int unsigned NumInputs = 4;  // A chip sends no scouts.
  typedef logic [2:0] port_t;
  localparam port_t PortRight = 3'd0;
  localparam port_t PortLeft = 3'd1;
  localparam port_t PortUp = 3'd2;
  localparam port_t PortDown = 3'd3;
  localparam port_t PortChip = 3'd4;

  // Which ports a scout may take: Algorithm 1; the same without misrouting; X then Y.
  localparam int unsigned RoutingNonMinimal = 0;
  localparam int unsigned RoutingMinimal = 1;
  localparam int unsigned RoutingDimensionOrder = 2;

  // Which of several equal ports is taken: by the register's low bit; by the low bit, turned over in every other
  // round; always the first.
  localparam int unsigned ChoiceRandom = 0;
  localparam int unsigned ChoiceUnbiased = 1;
  localparam int unsigned ChoiceFixed = 2;

  // What becomes of the loops of a path: they stay, or a scout on its way back cuts them.
  localparam int unsigned LoopsKept = 0;
  localparam int unsigned LoopsCut = 1;

endpackage

/* verilator lint_on UNUSEDPARAM */
