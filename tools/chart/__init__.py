"""The Helm chart: its README's table of values, and the package (``make chart``)."""
