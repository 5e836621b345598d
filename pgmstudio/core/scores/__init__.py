"""What structure searches make large; counting lives in the data room."""
