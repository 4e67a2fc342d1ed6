#!jinja|yaml
{#- Takes the storage of the Volume that pillar `volume` names back. Never of several. -#}
{%- if pillar.get('volume') %}
{{ ('metalk8s-volume-' ~ pillar.volume ~ '-unprepared') | json }}:
  metalk8s_volumes.unprepared:
    - name: {{ pillar.volume | json }}
{%- else %}
metalk8s-no-volume-named:
  test.fail_without_changes:
    - comment: Name the Volume to take back in the pillar, as `volume`.
{%- endif %}
