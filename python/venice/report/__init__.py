"""What runs say: reports, their files, where the time went, and the table."""

from venice.report.files import to_json
from venice.report.report import Report
from venice.report.several import load_reports, save_reports
from venice.report.stages import STAGES, Stage

__all__ = ["STAGES", "Report", "Stage", "load_reports", "save_reports", "to_json"]
