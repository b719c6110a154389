"""Expressions of workflows: {{ path | filter: argument }}. They look values up and convert them; they run no code."""

from workflows.expressions.compile import BadExpression, Compiled, compile_value

__all__ = ["BadExpression", "Compiled", "compile_value"]
