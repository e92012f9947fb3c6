"""A tournament as it is shown: what there is to tell, charts of it, and one HTML page with every game in it."""
