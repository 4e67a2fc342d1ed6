#!jinja|yaml
{#- Prepares the storage of the Volume that pillar `volume` names, or of all Volumes in the pillar. -#}
{%- set volumes = [pillar.volume] if pillar.get('volume') else (pillar.get('metalk8s', {}).get('volumes') or {}) | sort %}

{%- if salt['file.directory_exists']('/run/systemd/system') %}
include:
  - metalk8s.volumes.boot
{%- endif %}

{%- for volume in volumes %}
{{ ('metalk8s-volume-' ~ volume ~ '-prepared') | json }}:
  metalk8s_volumes.prepared:
    - name: {{ volume | json }}
{%- else %}
metalk8s-no-volumes:
  test.succeed_without_changes:
    - comment: There is no Volume in the pillar of this node.
{%- endfor %}
