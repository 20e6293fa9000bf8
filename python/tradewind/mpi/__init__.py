"""Programs on real MPI: which MPI there is, and how they are started."""

from tradewind.mpi.comm import Comm, Halo
from tradewind.mpi.installation import Mpi, find, find_all
from tradewind.mpi.launch import run, world
from tradewind.mpi.mesh import Mesh, Share
from tradewind.mpi.stream import stream
from tradewind.mpi.words import words_of

__all__ = [
    "Comm",
    "Halo",
    "Mesh",
    "Mpi",
    "Share",
    "find",
    "find_all",
    "run",
    "stream",
    "words_of",
    "world",
]
