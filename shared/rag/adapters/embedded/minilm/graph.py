"""Writes ONNX: as much of its protobuf messages as one encoder needs.

A file format of seven messages is less to carry than the `onnx` package and its 30 MB.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Field: TypeAlias = int | float | str | bytes
Shape: TypeAlias = Sequence[int | str]

# TensorProto.DataType
TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int64": 7}
IR_VERSION, OPSET = 8, 18
CONTRIB = "com.microsoft"


class Graph:
    """Nodes and constants in the order in which they were added."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []
        self._names = 0

    def constant(self, array: NDArray[Any]) -> str:
        """Add a tensor; returns its name."""
        name = self._name()
        dims = [_field(1, size) for size in array.shape]
        data = [_field(2, TYPES[array.dtype.name]), _field(8, name), _field(9, array.tobytes())]
        self._constants.append(b"".join(dims + data))
        return name

    def scalar(self, value: float) -> str:
        """Add a number; returns its name."""
        return self.constant(np.array(value, np.float32))

    def op(self, kind: str, *inputs: str, domain: str = "", **attributes: float) -> str:
        """Add a node with one output; returns its name."""
        return self.split(kind, *inputs, outputs=1, domain=domain, **attributes)[0]

    def split(
        self, kind: str, *inputs: str, outputs: int, domain: str = "", **attributes: float
    ) -> list[str]:
        """Add a node with several outputs; returns their names."""
        names = [self._name() for _ in range(outputs)]
        self._nodes.append(
            b"".join(
                [_field(1, name) for name in inputs]
                + [_field(2, name) for name in names]
                + [_field(4, kind), _field(7, domain)]
                + [_field(5, _attribute(key, value)) for key, value in attributes.items()]
            )
        )
        return names

    def model(self, inputs: dict[str, Shape], outputs: dict[str, Shape]) -> bytes:
        """The whole as a file; inputs and outputs are floats."""
        graph = b"".join(
            [_field(1, node) for node in self._nodes]
            + [_field(2, "encoder")]
            + [_field(5, constant) for constant in self._constants]
            + [_field(11, _value(name, shape)) for name, shape in inputs.items()]
            + [_field(12, _value(name, shape)) for name, shape in outputs.items()]
        )
        opsets = {"": OPSET, CONTRIB: 1}
        return b"".join(
            [_field(1, IR_VERSION), _field(7, graph)]
            + [_field(8, _field(1, domain) + _field(2, v)) for domain, v in opsets.items()]
        )

    def _name(self) -> str:
        self._names += 1
        return str(self._names)


def _attribute(name: str, value: float) -> bytes:
    if isinstance(value, int):
        return _field(1, name) + _field(3, value) + _field(20, 2)
    return _field(1, name) + _field(2, value) + _field(20, 1)


def _value(name: str, shape: Shape) -> bytes:
    dims = [_field(1, _field(2 if isinstance(size, str) else 1, size)) for size in shape]
    tensor = _field(1, TYPES["float32"]) + _field(2, b"".join(dims))
    return _field(1, name) + _field(2, _field(1, tensor))


def _field(number: int, value: Field) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    if isinstance(value, float):
        return _varint(number << 3 | 5) + struct.pack("<f", value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1  # a negative number is its two's complement
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])
