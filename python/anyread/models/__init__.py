"""The models that receive results, and how they count images."""
