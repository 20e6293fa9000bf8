"""Programs on real MPI: which MPI there is, and how they are started."""

from tradewind.mpi.installation import Mpi, find
from tradewind.mpi.launch import run
from tradewind.mpi.words import words_of

__all__ = ["Mpi", "find", "run", "words_of"]
