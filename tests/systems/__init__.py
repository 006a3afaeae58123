"""Systems other than Linux: an evening with the installed commands, also with the features they lack hidden."""
