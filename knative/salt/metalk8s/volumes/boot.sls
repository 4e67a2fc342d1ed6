#!jinja|yaml
{#- Sparse volumes are attached again when the node starts, without Salt. Included where systemd runs. -#}
{%- set directory = opts.get('metalk8s_volumes', {}).get('directory', '/var/lib/metalk8s/storage') %}
metalk8s-sparse-volumes-script:
  file.managed:
    - name: /usr/local/sbin/metalk8s-attach-sparse-volumes
    - source: salt://metalk8s/volumes/files/attach-sparse-volumes
    - mode: '0755'

metalk8s-sparse-volumes-unit:
  file.managed:
    - name: /etc/systemd/system/metalk8s-sparse-volumes.service
    - source: salt://metalk8s/volumes/files/metalk8s-sparse-volumes.service
    - template: jinja
    - context:
        directory: {{ (directory ~ '/sparse') | json }}
    - mode: '0644'

metalk8s-sparse-volumes-enabled:
  service.enabled:
    - name: metalk8s-sparse-volumes
    - require:
        - file: metalk8s-sparse-volumes-script
        - file: metalk8s-sparse-volumes-unit
