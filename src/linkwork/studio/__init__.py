"""The Studio: a mechanism that is seen, touched and edited while it moves, in a page of the browser."""
