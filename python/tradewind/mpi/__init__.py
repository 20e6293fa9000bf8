"""Programs on real MPI: which MPI there is, and how they are started."""

from tradewind.mpi.installation import Mpi, find
from tradewind.mpi.launch import join, run, world
from tradewind.mpi.words import words_of

__all__ = ["Mpi", "find", "join", "run", "words_of", "world"]
