"""Dashboards, rules and runbooks, built from code: ``make dashboards`` writes dashboards/.

One module a dashboard; ``promql`` holds the formulas, ``panels`` and ``board`` what a panel and a
dashboard look like, ``rules`` fills the thresholds into the rules.
"""
