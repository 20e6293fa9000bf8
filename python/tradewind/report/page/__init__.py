"""The report: one HTML page that shows everything in a folder of results."""

from tradewind.report.page.document import write_report

__all__ = ["write_report"]
