"""Programs that read figures of reports, and mistakes in figures and names."""

from typing import assert_type

import venice


def figures_of_a_report() -> None:
    report = venice.run(workload="random-read", requests=10)
    assert_type(report.latency_us.all.p99, float | None)
    assert_type(report.breakdown_us.read.path_wait, float)
    assert_type(report.scheduler.scheme if report.scheduler else "none", str)
    assert_type(report.queues[0].read_bytes, int)
    assert_type(report.flash.gc_moves, int)


def misspelt_figures(report: venice.Report) -> None:
    _ = report.latency_us.all.p98  # type: ignore[attr-defined]
    _ = report.flash.gc_move  # type: ignore[attr-defined]
    if report.scheduler:
        _ = report.scheduler.sceme  # type: ignore[attr-defined]


def figures_that_a_run_may_lack(report: venice.Report) -> None:
    _ = report.write_amplification + 1  # type: ignore[operator]
    _ = report.latency_us.write.p99 / 2  # type: ignore[operator]
    _ = report.scheduler.scheme  # type: ignore[union-attr]
    _ = report.gather.in_place  # type: ignore[union-attr]


def names_of_lists() -> None:
    for fabric in venice.fabric_names():
        venice.run(fabric=fabric, workload="random-read")
    venice.run(drive="my/drive.toml", fabric="venice", workload="random-read")
    venice.run(drive="my/drive.toml", trace="disk.csv", format="spc")
    venice.run(drive="my/drive.toml", trace="disk.csv", event="D")
    venice.compare(fabrics=["bus", "venice"], workload="random-read")
    venice.compare(fabrics="all", drives=["my/drive.toml"], workload="my/load.toml")
    venice.compare_schemes(schemes=["noop", "piq"], drive="piq-128gb", workload="random-read")


def misspelt_names() -> None:
    venice.run(fabric="venus", workload="random-read")  # type: ignore[arg-type]
    venice.run(trace="disk.csv", format="spk")  # type: ignore[arg-type]
    venice.run(trace="disk.csv", event="C")  # type: ignore[arg-type]
    venice.compare(fabrics=["bos", "venice"], workload="random-read")  # type: ignore[list-item]
    venice.compare(fabrics="al", workload="random-read")  # type: ignore[arg-type]
    venice.compare_schemes(schemes=["pig"], workload="random-read")  # type: ignore[list-item]
