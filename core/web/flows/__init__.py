"""Pages that draw a graph: the canvas, the nested list next to it, and the forms of its steps."""
