"""DAGs, separation, triangulation, clique trees and edge knowledge: numbers, no probabilities."""
