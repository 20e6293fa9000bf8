"""Meshes of Voronoi cells on the sphere: generated, cut, checked, partitioned, read and written."""

from tradewind.mesh.check import MeshQuality, check_mesh, mesh_quality
from tradewind.mesh.generation import generate, generate_region
from tradewind.mesh.graph_info import MeshPartition, partition
from tradewind.mesh.mpas_file import read_mesh, write_mesh
from tradewind.mesh.refine import Box, Circle, Refinement
from tradewind.mesh.voronoi_mesh import VoronoiMesh

__all__ = [
    "Box",
    "Circle",
    "MeshPartition",
    "MeshQuality",
    "Refinement",
    "VoronoiMesh",
    "check_mesh",
    "generate",
    "generate_region",
    "mesh_quality",
    "partition",
    "read_mesh",
    "write_mesh",
]
