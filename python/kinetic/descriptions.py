"""Robot descriptions that need Python packages: xacro files, and the collection ``robot_descriptions``.

`kinetic.Robot` calls this module; it is not needed otherwise.
"""

from __future__ import annotations

import difflib
import importlib
import sys
import threading
import types
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ._kinetic import _find_package, _read_file
from .exceptions import InputError

__all__ = ["expand_xacro", "locate"]

# xacro keeps what it is doing in module variables.
ONE_AT_A_TIME = threading.Lock()

# Where a module of robot_descriptions says its file is, best first.
PATHS = ("URDF_PATH", "MJCF_PATH", "XACRO_PATH")


def expand_xacro(path: str | Path, arguments: Mapping[str, str], package_dirs: Sequence[str | Path] = ()) -> str:
    """The document that a xacro file expands to.

    Args:
        path: The file.
        arguments: Values of its ``<xacro:arg>`` by name.
        package_dirs: Folders in which the packages of ``$(find package)`` are looked up first; then as the packages of
            meshes are.

    Raises:
        InputError: xacro is not installed, or the file cannot be expanded.
        OSError: The file cannot be read.
    """
    path = Path(path)
    _read_file(path)  # what cannot be read is told as elsewhere, whatever xacro says
    try:
        xacro: Any = importlib.import_module("xacro")
    except ImportError as error:
        command = f"xacro {path.name} > {Path(path.stem).stem}.urdf"
        wanted = f'the package xacro (pip install "kinetic[xacro]"), or a file expanded elsewhere: {command}'
        raise unusable("robot file", str(path), wanted) from error
    with ONE_AT_A_TIME, packages_found_near(path.parent, package_dirs):
        try:
            return str(xacro.process_file(str(path), mappings=dict(arguments)).toxml())
        except Exception as error:  # xacro raises a dozen classes, those of its XML parser among them
            detail = f"xacro: {type(error).__name__}: {error}"
            message = f"UrdfParse: {path}: {detail}"
            raise InputError(message, "UrdfParse", file=str(path), line=0, detail=detail) from error


@contextmanager
def packages_found_near(folder: Path, package_dirs: Sequence[str | Path]) -> Iterator[None]:
    """While this lasts, xacro finds packages as meshes do, not only those of an installed ROS."""

    def share_directory(package: str) -> str:
        return str(_find_package(package, folder, list(package_dirs)))

    # xacro asks this module of ROS 2, and imports it each time it does.
    packages = types.ModuleType("ament_index_python.packages")
    packages.__dict__["get_package_share_directory"] = share_directory
    parent = types.ModuleType("ament_index_python")
    parent.__dict__["packages"] = packages
    stand_ins = {parent.__name__: parent, packages.__name__: packages}
    before = {name: sys.modules.get(name) for name in stand_ins}
    sys.modules.update(stand_ins)
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


def locate(name: str) -> tuple[str, list[str], dict[str, str]]:
    """File, package folders and xacro arguments of a description of the package ``robot_descriptions``.

    Raises:
        InputError: The package is not installed, does not know the name, or has no file for it.
    """
    module = description_module(name)
    path = next((str(getattr(module, attribute)) for attribute in PATHS if hasattr(module, attribute)), None)
    if path is None:
        raise unusable("robot description", name, "one with a URDF, MJCF or xacro file")
    places = [getattr(module, attribute, None) for attribute in ("PACKAGE_PATH", "REPOSITORY_PATH")]
    folders = [str(place) for place in places if place is not None]
    parents = [str(Path(folder).parent) for folder in folders]
    arguments = {str(key): str(value) for key, value in getattr(module, "XACRO_ARGS", {}).items()}
    return path, [*folders, *parents], arguments


def description_module(name: str) -> types.ModuleType:
    """The module of a description, with or without ``_description`` behind its name; importing it downloads."""
    try:
        package = importlib.import_module("robot_descriptions")
    except ImportError as error:
        wanted = 'the package robot_descriptions (pip install "kinetic[descriptions]")'
        raise unusable("robot description", name, wanted) from error
    for candidate in (name, f"{name}_description"):
        full_name = f"{package.__name__}.{candidate}"
        try:
            return importlib.import_module(full_name)
        except ModuleNotFoundError as error:
            if error.name != full_name:
                raise
    known = sorted(getattr(package, "DESCRIPTIONS", ()))
    close = difflib.get_close_matches(name, known, n=5, cutoff=0.5)
    hint = f" (close: {', '.join(close)})" if close else ""
    raise unusable("robot description", name, f"a name that robot_descriptions knows{hint}")


def unusable(name: str, value: str, wanted: str) -> InputError:
    """The error for a value that cannot be used, as the compiled part makes it."""
    message = f"InvalidValue: {name} = {value}; wanted {wanted}"
    return InputError(message, "InvalidValue", name=name, value=value, wanted=wanted)
