{{/* Seconds from SIGTERM to the end, at the most: a consumer drains answers, then its feedback, each
within grace_s; closing its clients takes up to 17 s more. */}}
{{- define "groundwatch.gracePeriod" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $needed := $root.Values.config.grace_s | default 20 | float64 | ceil | int | mul 2 | add 20 -}}
{{- $asked := (index $root.Values $component).terminationGracePeriodSeconds | default $needed | int -}}
{{- if lt $asked (int $needed) -}}
{{- fail (printf "%s.terminationGracePeriodSeconds: %d is too short: with grace_s, draining and committing may take %d s" $component $asked (int $needed)) -}}
{{- end -}}
{{- $asked -}}
{{- end -}}

{{/* Consumers without KEDA, and KEDA's maximum: (list $ 10). */}}
{{- define "groundwatch.capped" -}}
{{- $partitions := (index . 0).Values.partitions | default (index . 1) -}}
{{- min (int (index . 1)) (int $partitions) -}}
{{- end -}}

{{/* What every pod of groundwatch has. */}}
{{- define "groundwatch.pod" -}}
serviceAccountName: {{ include "groundwatch.serviceAccount" . }}
automountServiceAccountToken: false
# Else a Service called groundwatch would put GROUNDWATCH_PORT=tcp://… into the environment.
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.podSecurityContext }}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* (dict "root" $ "component" "consumer" "port" "metrics" "args" (list "consume")): the pods of a
component, from `metadata` on. */}}
{{- define "groundwatch.pods" -}}
{{- $root := .root -}}
{{- $values := .root.Values -}}
{{- $own := index .root.Values .component -}}
metadata:
  labels:
    {{- include "groundwatch.labels" (list $root .component) | nindent 4 }}
    {{- with $values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    checksum/settings: {{ include "groundwatch.checksum" $root }}
    {{- with merge (dict) $own.podAnnotations $values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  {{- include "groundwatch.pod" $root | nindent 2 }}
  terminationGracePeriodSeconds: {{ include "groundwatch.gracePeriod" (list $root .component) }}
  {{- with $own.nodeSelector | default $values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $own.tolerations | default $values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $own.affinity | default $values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.topologySpread.topologyKeys }}
  topologySpreadConstraints:
    {{- range . }}
    - topologyKey: {{ . }}
      maxSkew: 1
      whenUnsatisfiable: {{ $values.topologySpread.whenUnsatisfiable }}
      labelSelector:
        matchLabels:
          {{- include "groundwatch.selector" (list $root $.component) | nindent 10 }}
      # Only pods of the same rollout: the old ones go.
      matchLabelKeys: [pod-template-hash]
    {{- end }}
  {{- end }}
  containers:
    - name: {{ .component }}
      image: {{ include "groundwatch.image" $root }}
      imagePullPolicy: {{ $values.image.pullPolicy }}
      command: [groundwatch]
      args:
        {{- toYaml (concat .args $own.extraArgs) | nindent 8 }}
      {{- include "groundwatch.env" (list $root $values.listenAddress) | nindent 6 }}
        {{- if eq .component "web" }}
        {{- include "groundwatch.authEnv" $root | nindent 8 }}
        {{- end }}
        {{- with $own.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      ports:
        - name: {{ .port }}
          containerPort: {{ eq .port "http" | ternary 8321 9464 }}
      # A start may wait for Redis: five minutes, then once more.
      startupProbe:
        httpGet: {path: /healthz, port: {{ .port }}}
        periodSeconds: 5
        timeoutSeconds: 5
        failureThreshold: 60
      # 503 when the loop has not gone round for 30 s. An outage does not enter: a restart mends none.
      livenessProbe:
        httpGet: {path: /healthz, port: {{ .port }}}
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 3
      # 503 while something that it depends on is away; its body names what.
      readinessProbe:
        httpGet: {path: /readyz, port: {{ .port }}}
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 2
      {{- if eq .component "web" }}
      # Until nobody is sent here any more.
      lifecycle:
        preStop:
          sleep: {seconds: 5}
      {{- end }}
      {{- with $own.resources }}
      resources:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $values.securityContext }}
      securityContext:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      volumeMounts:
        {{- include "groundwatch.volumeMounts" $root | nindent 8 }}
        {{- if eq .component "web" }}
        - name: groundwatch-access
          mountPath: /etc/groundwatch/access
          readOnly: true
        {{- end }}
    {{- with $values.extraContainers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  volumes:
    {{- include "groundwatch.volumes" $root | nindent 4 }}
    {{- if eq .component "web" }}
    {{- include "groundwatch.accessVolume" $root | nindent 4 }}
    {{- end }}
{{- end -}}

{{/* (list $ "consumer"): its disruption budget. Unready pods are no reason to keep a node: a halted
consumer waits for a person. */}}
{{- define "groundwatch.pdb" -}}
{{- $pdb := (index (index . 0).Values (index . 1)).pdb -}}
{{- if $pdb.enabled }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "groundwatch.metadata" . | nindent 2 }}
spec:
  maxUnavailable: {{ $pdb.maxUnavailable }}
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "groundwatch.selector" . | nindent 6 }}
{{- end }}
{{- end -}}

{{/* (list $ "consumer"): Prometheus finds the pods by it, unready ones too. */}}
{{- define "groundwatch.metricsService" }}
---
apiVersion: v1
kind: Service
metadata:
  {{- include "groundwatch.metadata" . | nindent 2 }}
spec:
  clusterIP: None
  publishNotReadyAddresses: true
  selector:
    {{- include "groundwatch.selector" . | nindent 4 }}
  ports:
    - name: metrics
      port: 9464
      targetPort: metrics
{{- end -}}
