"""What is drawn as a graph: the canvas, the nested list beside it, and the forms of its steps."""
