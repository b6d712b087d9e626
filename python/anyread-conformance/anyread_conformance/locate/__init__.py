"""What a reader costs an agent that looks up what tools printed, measured without a model."""
