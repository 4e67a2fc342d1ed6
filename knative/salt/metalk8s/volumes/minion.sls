# Who may call one function on a minion may also have its return written to a file of the node, by these returners.
metalk8s-volumes-minion:
  file.managed:
    - name: {{ opts['config_dir'] }}/minion.d/holdfast.conf
    - source: salt://metalk8s/volumes/files/minion.conf
    - makedirs: true
    - mode: '0644'
