"""Who may do what. PURE: roles, grants of apps, the keys of machines, the rules for people, and
which addresses are a proxy's. ``service.store.api_keys`` keeps the keys, ``service.web.needs`` says
what each route needs.
"""
