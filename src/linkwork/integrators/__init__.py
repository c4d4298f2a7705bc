"""Methods that advance a mechanism in time, a method a file."""
