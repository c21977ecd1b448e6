"""The transformer as an ONNX graph: weights in 7 bits, activations in 8, sums in float.

Seven bits, because kernels without VNNI add two products in 16 bits, which eight would overflow:
so vectors made on one processor serve on another.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from rag.adapters.embedded.minilm.graph import CONTRIB, TYPES, Graph
from rag.model import Vector

LAYERS, HEADS, WIDTH = 6, 12, 384
EPSILON = 1e-12
LARGEST_WEIGHT = 63
# GELU is never below minus this: shifted up by it, what it returns is unsigned.
GELU_FLOOR = 0.17


def encoder(weights: Mapping[str, Vector]) -> bytes:
    """An ONNX file: from one text's summed embeddings [1, n, 384] to its last states."""
    graph = Graph()
    states = _norm(graph, "embeddings", weights, "embeddings.LayerNorm")
    for layer in range(LAYERS):
        states = _attention(graph, states, weights, f"encoder.layer.{layer}.attention")
        states = _feed_forward(graph, states, weights, f"encoder.layer.{layer}")
    shape = (1, "n", WIDTH)
    return graph.model(inputs={"embeddings": shape}, outputs={states: shape})


def _attention(graph: Graph, states: str, weights: Mapping[str, Vector], name: str) -> str:
    parts = [f"{name}.self.{part}" for part in ("query", "key", "value")]
    weight = np.concatenate([weights[f"{part}.weight"] for part in parts])
    bias = np.concatenate([weights[f"{part}.bias"] for part in parts])
    sizes = graph.constant(np.full(3, WIDTH, np.int64))
    fused = _linear(graph, states, weight, bias)
    heads = graph.split("Split", fused, sizes, outputs=3, axis=2)
    mixed = graph.op("MultiHeadAttention", *heads, domain=CONTRIB, num_heads=HEADS)
    output = f"{name}.output"
    change = _linear(
        graph, mixed, weights[f"{output}.dense.weight"], weights[f"{output}.dense.bias"]
    )
    return _norm(graph, graph.op("Add", change, states), weights, f"{output}.LayerNorm")


def _feed_forward(graph: Graph, states: str, weights: Mapping[str, Vector], name: str) -> str:
    wide, output = f"{name}.intermediate.dense", f"{name}.output"
    bias = graph.constant(weights[f"{wide}.bias"])
    inner = _linear(graph, states, weights[f"{wide}.weight"])
    active = graph.op("BiasGelu", inner, bias, domain=CONTRIB)
    change = _linear_after_gelu(
        graph, active, weights[f"{output}.dense.weight"], weights[f"{output}.dense.bias"]
    )
    return _norm(graph, graph.op("Add", change, states), weights, f"{output}.LayerNorm")


def _norm(graph: Graph, states: str, weights: Mapping[str, Vector], name: str) -> str:
    scale, bias = (graph.constant(weights[f"{name}.{part}"]) for part in ("weight", "bias"))
    return graph.op("LayerNormalization", states, scale, bias, axis=-1, epsilon=EPSILON)


def _linear(graph: Graph, states: str, weight: Vector, bias: Vector | None = None) -> str:
    """One scale for all activations: enough for states that are normalised, or means of such."""
    integers, scales = _quantised(weight)
    zeros = np.zeros(len(scales), np.int8)
    names = [graph.constant(integers), graph.constant(scales), graph.constant(zeros)]
    if bias is not None:
        names.append(graph.constant(bias))
    return graph.op("DynamicQuantizeMatMul", states, *names, domain=CONTRIB)


def _linear_after_gelu(graph: Graph, active: str, weight: Vector, bias: Vector) -> str:
    """One scale per row: the few huge values of GELU would cost all other rows their precision."""
    integers, scales = _quantised(weight)
    floor, last_axis = graph.scalar(GELU_FLOOR), graph.constant(np.array([-1], np.int64))
    largest = graph.op("ReduceMax", active, last_axis)
    step = graph.op("Mul", graph.op("Add", largest, floor), graph.scalar(1 / 255))
    # The cast cuts fractions off: half a step more, and it rounds.
    shift = graph.op("Add", graph.op("Mul", step, graph.scalar(0.5)), floor)
    shifted = graph.op("Div", graph.op("Add", active, shift), step)
    unsigned = graph.op("Cast", shifted, to=TYPES["uint8"])
    one, columns = graph.scalar(1), graph.constant(scales)
    product = graph.op(
        "MatMulIntegerToFloat", unsigned, graph.constant(integers), one, columns, domain=CONTRIB
    )
    # What the floor added to every value, taken off again.
    excess = GELU_FLOOR * scales * integers.sum(axis=0, dtype=np.float32)
    return graph.op("Add", graph.op("Mul", product, step), graph.constant(bias - excess))


def _quantised(weight: Vector) -> tuple[NDArray[np.int8], Vector]:
    """[out, in] floats into [in, out] integers and one scale per column."""
    scales = np.abs(weight).max(axis=1) / np.float32(LARGEST_WEIGHT)
    return np.ascontiguousarray(np.rint(weight / scales[:, None]).astype(np.int8).T), scales
