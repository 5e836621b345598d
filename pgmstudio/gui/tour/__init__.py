"""The guided tour through the window."""
