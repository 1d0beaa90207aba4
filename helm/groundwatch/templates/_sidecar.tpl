{{/* A native sidecar, an item of a pod's `initContainers`: {{ include "groundwatch.sidecar" . }}, in a
parent chart with `.Subcharts.groundwatch` for the dot. The pod needs `groundwatch.volumes` too, and
`enableServiceLinks: false`.

It must not stand in the way of the app: no probe but liveness, since an unready sidecar makes the pod
unready, and one that has not started holds up the app's containers. */}}
{{- define "groundwatch.sidecar" -}}
{{- $consumes := eq .Values.sidecar.process "consume" -}}
- name: groundwatch
  image: {{ include "groundwatch.image" . }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  restartPolicy: Always
  command: [groundwatch]
  {{- if $consumes }}
  args: [consume, --from, {{ .Values.consumer.from | quote }}]
  {{- else }}
  args: [serve]
  {{- end }}
  {{- /* What it serves is for the app in this pod alone, which therefore needs no key. */}}
  {{- include "groundwatch.env" (list . "127.0.0.1") | nindent 2 }}
  {{- if $consumes }}
  ports:
    - name: gw-metrics
      containerPort: 9464
  livenessProbe:
    httpGet: {path: /healthz, port: gw-metrics}
    periodSeconds: 10
    timeoutSeconds: 5
    failureThreshold: 30
  {{- else }}
  livenessProbe:
    exec: {command: [python, -m, service.alive, "8321"]}
    periodSeconds: 30
    timeoutSeconds: 10
    failureThreshold: 10
  {{- end }}
  {{- with .Values.sidecar.resources }}
  resources:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- /* All of it on the container, since the pod is the app's. */}}
  {{- $pod := pick .Values.podSecurityContext "runAsNonRoot" "runAsUser" "runAsGroup" "seccompProfile" }}
  securityContext:
    {{- toYaml (merge (dict) .Values.securityContext $pod) | nindent 4 }}
  volumeMounts:
    {{- include "groundwatch.volumeMounts" . | nindent 4 }}
{{- end -}}
