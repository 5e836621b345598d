"""Chow–Liu trees and forests."""
