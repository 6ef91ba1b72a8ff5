"""The commands of `applegpu`, one a module: their options, and what is printed."""
