"""The Grafana dashboards, built from code: ``make dashboards`` writes dashboards/grafana/*.json.

One module a dashboard; ``promql`` holds the formulas, ``panels`` and ``board`` what a panel and a
dashboard look like.
"""
