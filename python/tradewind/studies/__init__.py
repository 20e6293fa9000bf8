"""Published studies as data: their experiments, their claims, and the verdicts on these."""

from tradewind.studies.definition import Claim, Part, Study, load_study, study_names
from tradewind.studies.reproduction import Reproduction, ledger_of, reproduce

__all__ = [
    "Claim",
    "Part",
    "Reproduction",
    "Study",
    "ledger_of",
    "load_study",
    "reproduce",
    "study_names",
]
