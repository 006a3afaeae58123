"""Screens: the model drawn on a canvas of styled cells. They read the model and change nothing."""
