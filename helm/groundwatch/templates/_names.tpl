{{/* No two releases share it: it ends in the chart's name, and what comes before is the release. */}}
{{- define "groundwatch.fullname" -}}
{{- $release := .Release.Name -}}
{{- .Values.fullnameOverride | default (eq $release "groundwatch" | ternary $release (printf "%s-groundwatch" $release)) -}}
{{- end -}}

{{/* (list $ "consumer"): the name of a release's object. A StatefulSet's must leave room for a hash of
its revision in a label of 63 characters; what is cut gets a hash, so that it stays unique. */}}
{{- define "groundwatch.name" -}}
{{- $name := printf "%s-%s" (include "groundwatch.fullname" (index . 0)) (index . 1) -}}
{{- if gt (len $name) 50 -}}
{{- printf "%s-%s" ($name | trunc 41 | trimSuffix "-") ($name | sha256sum | trunc 8) -}}
{{- else -}}
{{- $name -}}
{{- end -}}
{{- end -}}

{{- define "groundwatch.serviceAccount" -}}
{{- $account := .Values.serviceAccount -}}
{{- if $account.create -}}
{{- $account.name | default (include "groundwatch.name" (list . "pods")) -}}
{{- else -}}
{{- $account.name | default "default" -}}
{{- end -}}
{{- end -}}

{{/* (list $ "consumer"): what a component's pods are found by; never changes. */}}
{{- define "groundwatch.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: groundwatch
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{/* (list $ "consumer") */}}
{{- define "groundwatch.labels" -}}
{{- $root := index . 0 -}}
{{- include "groundwatch.selector" . }}
app.kubernetes.io/part-of: groundwatch
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" | trunc 63 }}
{{- with $root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* (list $ "consumer"): name, namespace and labels of an object. */}}
{{- define "groundwatch.metadata" -}}
{{- $root := index . 0 -}}
name: {{ include "groundwatch.name" (list $root (index . 1)) }}
namespace: {{ $root.Release.Namespace }}
labels:
  {{- include "groundwatch.labels" (list $root (index . 1)) | nindent 2 }}
{{- end -}}
