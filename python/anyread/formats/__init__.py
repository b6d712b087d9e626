"""The formats that are not plain text, one file each."""
