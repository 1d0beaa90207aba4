{{/* (list $ "files/…"): one of the chart's files, its links to where this installation is. */}}
{{- define "groundwatch.file" -}}
{{- $links := (index . 0).Values.links -}}
{{- (index . 0).Files.Get (index . 1) | replace "https://groundwatch.example.com/runbooks" $links.runbooks | replace "https://groundwatch.example.com" $links.groundwatch -}}
{{- end -}}
