"""Screens: the model drawn on a canvas of styled cells. Drawing reads the model and never changes it."""
