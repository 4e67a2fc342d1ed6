#!jinja|yaml
# What a node needs before its first Volume; the storage itself is prepared by functions of metalk8s_volumes.
include:
  - metalk8s.volumes.minion
{%- if salt['file.directory_exists']('/run/systemd/system') %}
  - metalk8s.volumes.boot
{%- endif %}
