"""Ways to install the chart, each a set of values."""

from __future__ import annotations

from typing import Any

Values = dict[str, Any]

SMALL: Values = {
    "config": {"kafka_bootstrap": "kafka-1:9092,kafka-2:9092", "redis_url": "redis://redis:6379/0"}
}
POLICY: Values = {
    "default": {"citations": {"base": 0}},
    "apps": {"support": {"sampling": {"audit_per_day": 1_000_000, "audit": 0.05}}},
    "unknown_apps": "reject",
}
EVERYTHING: Values = {
    "image": {"repository": "registry.example.com/groundwatch", "tag": "0.1.0-1"},
    "imagePullSecrets": [{"name": "registry"}],
    "partitions": 12,
    "config": {
        "kafka_bootstrap": "kafka:9093",
        "kafka_security_protocol": "SASL_SSL",
        "kafka_sasl_mechanism": "SCRAM-SHA-512",
        "kafka_sasl_username": "groundwatch",
        "kafka_ssl_cafile": "/etc/groundwatch/secrets/kafka-ca/ca.crt",
        "topic_answers": "acme.answers",
        "group": "acme-checks",
        "grace_s": 12.5,
        "max_event_bytes": 1_048_576,
        "documents_cache_bytes": 134_217_728,
        "answers_transactional": True,
        "judge_base_url": "https://llm.example.com/v1",
        "judge_model": "a-model",
        "judge_temperature": "none",
        "judge_seed": None,
    },
    "policy": POLICY,
    "existingSecret": {
        "name": "groundwatch-secrets",
        "env": {
            "redis_url": "redis-url",
            "judge_api_key": "judge",
            "kafka_sasl_password": "kafka.password",
        },
    },
    "secretMounts": {"kafka-ca": "acme-cluster-ca"},
    "consumer": {
        "from": "latest",
        "extraArgs": ["--metrics-port", "9464"],
        "extraEnv": [{"name": "MALLOC_ARENA_MAX", "value": "2"}],
        "podAnnotations": {"example.com/of": "consumers"},
        "nodeSelector": {"pool": "monitoring"},
    },
    "judge": {"enabled": True},
    "web": {"replicas": 3},
    "auth": {
        "trustedProxies": ["10.3.0.0/16", "fd00::/8"],
        "headers": {"groups": "X-Auth-Request-Groups"},
        "access": {"people": [{"group": "search", "role": "reviewer", "apps": ["support"]}]},
        "metricsOpen": False,
    },
    "service": {"annotations": {"example.com/a": "b"}},
    "ingress": {
        "enabled": True,
        "className": "nginx",
        "annotations": {"example.com/c": "d"},
        "hosts": [{"host": "groundwatch.acme.example", "paths": ["/"]}],
        "tls": [{"secretName": "groundwatch-tls", "hosts": ["groundwatch.acme.example"]}],
    },
    "keda": {
        "enabled": True,
        "maxReplicas": 30,
        "authenticationRef": "kafka",
        "metadata": {"tls": "enable", "sasl": "scram_sha512"},
    },
    "serviceMonitor": {
        "enabled": True,
        "labels": {"release": "prometheus"},
        "endpoint": {"authorization": {"credentials": {"name": "scrape", "key": "token"}}},
    },
    "prometheusRule": {"enabled": True, "labels": {"release": "prometheus"}},
    "dashboards": {"enabled": True, "annotations": {"grafana_folder": "groundwatch"}},
    "links": {
        "groundwatch": "https://groundwatch.acme.example",
        "runbooks": "https://wiki.acme.example/runbooks",
    },
    "networkPolicy": {
        "enabled": True,
        "webFrom": [{"namespaceSelector": {"matchLabels": {"name": "ingress"}}}],
        "metricsFrom": [{"namespaceSelector": {"matchLabels": {"name": "prometheus"}}}],
        "dns": {"to": [{"namespaceSelector": {}}]},
        "kafka": {"to": [{"ipBlock": {"cidr": "10.1.0.0/16"}}], "ports": [9093]},
        "redis": {"ports": [6380]},
        "judge": {"to": [{"ipBlock": {"cidr": "10.2.0.0/16"}}], "ports": [8443]},
        "extraEgress": [{"ports": [{"port": 4318}]}],
    },
    "serviceAccount": {"annotations": {"example.com/role": "groundwatch"}},
    "extraEnv": [{"name": "TZ", "value": "UTC"}],
    "extraEnvFrom": [{"secretRef": {"name": "more", "optional": True}}],
    "extraVolumes": [{"name": "more", "emptyDir": {}}],
    "extraVolumeMounts": [{"name": "more", "mountPath": "/more"}],
    "extraContainers": [{"name": "beside", "image": "beside:1"}],
    "podAnnotations": {"example.com/of": "everything"},
    "podLabels": {"example.com/team": "search"},
    "tolerations": [{"key": "monitoring", "operator": "Exists"}],
    "affinity": {"nodeAffinity": {}},
    "priorityClassName": "high",
    "commonLabels": {"example.com/owner": "search"},
}
SECRETS = {
    "redis-url": "rediss://groundwatch:secret@redis:6380/0",
    "judge": "a-key",
    "kafka.password": "a-password",
    "kafka-bootstrap": "kafka:9093",
    "redis-password": "a-password",
    "kafka-password": "a-password",
}
"""What the Secrets of these values, and of the docs, hold."""

INSTALLATIONS: dict[str, Values] = {
    "small": SMALL,
    "everything": EVERYTHING,
    "trial": {"config": {"kafka_bootstrap": "kafka:9092"}, "redis": {"enabled": True}},
    "trial-that-forgets": {
        "config": {"kafka_bootstrap": "kafka:9092"},
        "redis": {"enabled": True, "persistence": {"enabled": False}, "maxmemory": "1gb"},
        "networkPolicy": {"enabled": True},
    },
    "addresses-from-a-secret": {
        "existingSecret": {
            "name": "addresses",
            "env": {"kafka_bootstrap": "kafka-bootstrap", "redis_url": "redis-url"},
        }
    },
    "judging": {
        "config": {
            **SMALL["config"],
            "judge_base_url": "http://llm.models:8000/v1",
            "judge_model": "a-model",
        },
        "judge": {"enabled": True, "replicas": 4},
        "networkPolicy": {"enabled": True, "judge": {"ports": [8000]}},
    },
    "more-consumers-than-partitions": {**SMALL, "partitions": 3, "consumer": {"replicas": 8}},
    "scaled": {**SMALL, "partitions": 6, "keda": {"enabled": True}},
    "consumers-alone": {**SMALL, "web": {"enabled": False}, "serviceMonitor": {"enabled": True}},
    "web-alone": {
        **SMALL,
        "consumer": {"enabled": False},
        "networkPolicy": {"enabled": True},
        "service": {"type": "LoadBalancer"},
    },
    "doors-open": {**SMALL, "auth": {"mode": "anyone-may-do-anything"}},
    "access-from-a-secret": {
        **SMALL,
        "auth": {
            "trustedProxies": ["10.0.0.1"],
            "publicUrl": "https://watch.acme.example",
            "existingSecret": "our-access",
        },
    },
    "openshift": {
        **SMALL,
        "podSecurityContext": {"runAsUser": None, "runAsGroup": None, "fsGroup": None},
        "serviceAccount": {"create": False, "name": "mine"},
    },
    "pinned-and-bare": {
        **SMALL,
        "image": {"digest": f"sha256:{'a' * 64}"},
        "existingPolicy": "our-policies",
        "listenAddress": "::",
        "serviceAccount": {"create": False},
        "topologySpread": {"topologyKeys": []},
        "consumer": {"pdb": {"enabled": False}},
        "web": {"pdb": {"maxUnavailable": "50%"}},
    },
}
