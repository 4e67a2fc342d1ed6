# One state that takes pillar volume_seconds, and for the volume "bad" one that fails, with one that requires it.
{%- set volume = pillar.get('volume', 'none') %}
prepare-{{ volume }}:
  module.run:
    - metalk8s_volumes.device_info:
      - name: good-{{ volume }}
      - seconds: {{ pillar.get('volume_seconds', 0) }}
{%- if volume == 'bad' %}
format-bad:
  test.fail_with_changes:
    - name: unsupported filesystem
mount-bad:
  test.nop:
    - require:
      - test: format-bad
{%- endif %}
