{{/* Setting and value, as the environment holds them. toJson: a number that is printed otherwise
becomes 1.048576e+06. */}}
{{- define "groundwatch.settings" -}}
{{- include "groundwatch.refusals" . -}}
{{- range $name, $value := .Values.config }}
{{- if not (kindIs "invalid" $value) }}
GROUNDWATCH_{{ upper $name }}: {{ kindIs "string" $value | ternary $value (toJson $value) | quote }}
{{- end }}
{{- end }}
{{- if .Values.redis.enabled }}
GROUNDWATCH_REDIS_URL: redis://{{ include "groundwatch.name" (list . "redis") }}:6379/0
{{- end }}
GROUNDWATCH_POLICY: /etc/groundwatch/policy/policy.yaml
GROUNDWATCH_PORT: "8321"
GROUNDWATCH_METRICS_PORT: "9464"
{{- end -}}

{{/* What the schema cannot say: values that cannot be used together. */}}
{{- define "groundwatch.refusals" -}}
{{- $given := merge (dict) .Values.config .Values.existingSecret.env -}}
{{- if not $given.kafka_bootstrap -}}
{{- fail "set config.kafka_bootstrap: host:port (or existingSecret.env.kafka_bootstrap)" -}}
{{- end -}}
{{- $redis := or $given.redis_url $given.redis_url_file -}}
{{- if and .Values.redis.enabled $redis -}}
{{- fail "either redis.enabled or redis_url: which Redis is meant?" -}}
{{- end -}}
{{- if not (or .Values.redis.enabled $redis) -}}
{{- fail "set config.redis_url (or existingSecret.env.redis_url), or for a trial redis.enabled" -}}
{{- end -}}
{{- if and .Values.existingSecret.env (not .Values.existingSecret.name) -}}
{{- fail "existingSecret.env needs existingSecret.name: the Secret that holds those keys" -}}
{{- end -}}
{{- range $name, $_ := .Values.existingSecret.env -}}
{{- if hasKey $.Values.config $name -}}
{{- fail (printf "%s is given twice: in config and in existingSecret.env" $name) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.judge.enabled (not (and $given.judge_base_url $given.judge_model)) -}}
{{- fail "judge.enabled needs config.judge_base_url and config.judge_model" -}}
{{- end -}}
{{- if and .Values.auth.trustedProxies (ne .Values.auth.mode "required") -}}
{{- fail "auth.trustedProxies needs auth.mode required: else nobody asks who it is" -}}
{{- end -}}
{{- if and .Values.auth.trustedProxies (not (include "groundwatch.publicUrl" .)) -}}
{{- fail "auth.trustedProxies needs auth.publicUrl (or an ingress): where people find the pages" -}}
{{- end -}}
{{- if and .Values.auth.access .Values.auth.existingSecret -}}
{{- fail "either auth.access or auth.existingSecret: which one is meant?" -}}
{{- end -}}
{{- if and .Values.policy .Values.existingPolicy -}}
{{- fail "either policy or existingPolicy: which one is meant?" -}}
{{- end -}}
{{- end -}}

{{/* Where people find the pages; empty where nobody said. */}}
{{- define "groundwatch.publicUrl" -}}
{{- $first := first .Values.ingress.hosts -}}
{{- if .Values.auth.publicUrl -}}
{{- .Values.auth.publicUrl -}}
{{- else if and .Values.ingress.enabled $first -}}
{{- printf "%s://%s" (gt (len .Values.ingress.tls) 0 | ternary "https" "http") $first.host -}}
{{- end -}}
{{- end -}}

{{/* Who is let in to the pages; of their pods alone, since a sidecar answers its own pod only. */}}
{{- define "groundwatch.authEnv" -}}
{{- $auth := .Values.auth -}}
- name: GROUNDWATCH_AUTH
  value: {{ $auth.mode }}
- name: GROUNDWATCH_ACCESS
  value: /etc/groundwatch/access/access.yaml
- name: GROUNDWATCH_METRICS_OPEN
  value: {{ $auth.metricsOpen | quote }}
{{- with include "groundwatch.publicUrl" . }}
- name: GROUNDWATCH_PUBLIC_URL
  value: {{ . | quote }}
{{- end }}
{{- with $auth.trustedProxies }}
- name: GROUNDWATCH_TRUSTED_PROXIES
  value: {{ join "," . | quote }}
- name: GROUNDWATCH_PROXY_USER_HEADER
  value: {{ $auth.headers.user | quote }}
- name: GROUNDWATCH_PROXY_EMAIL_HEADER
  value: {{ $auth.headers.email | quote }}
- name: GROUNDWATCH_PROXY_GROUPS_HEADER
  value: {{ $auth.headers.groups | quote }}
{{- end }}
{{- end -}}

{{/* The access file; running processes read it again when it changes. */}}
{{- define "groundwatch.accessVolume" -}}
- name: groundwatch-access
  {{- with .Values.auth.existingSecret }}
  secret:
    secretName: {{ . }}
  {{- else }}
  configMap:
    name: {{ include "groundwatch.name" (list $ "access") }}
  {{- end }}
{{- end -}}

{{/* Pods start anew when it changes. The policy is not in it: running processes read that again. */}}
{{- define "groundwatch.checksum" -}}
{{- include "groundwatch.settings" . | sha256sum -}}
{{- end -}}

{{- define "groundwatch.image" -}}
{{- $image := .Values.image -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $image.repository $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $image.repository ($image.tag | default .Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{/* (list $ "0.0.0.0"): settings of a container, and where it serves pages; secret ones by reference. */}}
{{- define "groundwatch.env" -}}
{{- $root := index . 0 -}}
envFrom:
  - configMapRef:
      name: {{ include "groundwatch.name" (list $root "settings") }}
  {{- with $root.Values.extraEnvFrom }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
env:
  - name: GROUNDWATCH_HOST
    value: {{ index . 1 | quote }}
  - name: GROUNDWATCH_METRICS_HOST
    value: {{ $root.Values.listenAddress | quote }}
  {{- range $name, $key := $root.Values.existingSecret.env }}
  - name: GROUNDWATCH_{{ upper $name }}
    valueFrom:
      secretKeyRef:
        name: {{ $root.Values.existingSecret.name }}
        key: {{ $key | quote }}
  {{- end }}
  {{- with $root.Values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{- define "groundwatch.volumeMounts" -}}
- name: groundwatch-policy
  mountPath: /etc/groundwatch/policy
  readOnly: true
- name: groundwatch-tmp
  mountPath: /tmp
{{- range $name, $_ := .Values.secretMounts }}
- name: groundwatch-secret-{{ $name }}
  mountPath: /etc/groundwatch/secrets/{{ $name }}
  readOnly: true
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "groundwatch.volumes" -}}
- name: groundwatch-policy
  configMap:
    name: {{ .Values.existingPolicy | default (include "groundwatch.name" (list . "policy")) }}
- name: groundwatch-tmp
  emptyDir:
    sizeLimit: 64Mi
{{- range $name, $secret := .Values.secretMounts }}
- name: groundwatch-secret-{{ $name }}
  secret:
    secretName: {{ $secret }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}
