"""The report: one HTML page that shows everything in a folder of results."""

from tradewind.report.page.document import PATH_S, write_report

__all__ = ["PATH_S", "write_report"]
