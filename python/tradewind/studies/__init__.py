"""Published studies as data: their experiments, their claims, and what this installation finds of them."""

from tradewind.studies.definition import Claim, Part, Study, load_study, study_names
from tradewind.studies.reproduction import Reproduction, reproduce

__all__ = ["Claim", "Part", "Reproduction", "Study", "load_study", "reproduce", "study_names"]
