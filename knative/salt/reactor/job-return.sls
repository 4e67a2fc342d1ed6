#!jinja|yaml
{#- The return of a job of a Volume becomes a CloudEvent at the broker. Only a hint: its receiver reads
    GET /jobs/<jid>. It is posted once; what is lost, the sweep makes up for.
    The Volume's name is in the metadata that the job was given. -#}
{%- set fun = data.get('fun') %}
{%- set metadata = data.get('metadata') if data.get('metadata') is mapping else {} %}
{%- set volume = metadata.get('volume') if fun | string | regex_match('(metalk8s_volumes\.)') else '' %}
{#- It goes into a header: nothing but a name of Kubernetes may. -#}
{%- if volume is string and volume | regex_match('([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?)\\Z') %}
holdfast-job-returned:
  runner.http.query:
    - args:
        - url: {{ opts.holdfast.broker | json }}
        - method: POST
        - raise_error: false
        - opts: {http_request_timeout: 5, http_connect_timeout: 2}
        - header_dict:
            content-type: application/json
            ce-specversion: '1.0'
            ce-type: dev.holdfast.salt.job-returned
            ce-source: {{ ('/salt/' ~ opts.id) | json }}
            ce-id: {{ (data.jid ~ '-' ~ data.id) | json }}
            ce-time: {{ (data._stamp | replace('+00:00', '') ~ 'Z') | json }}
            ce-apiversion: storage.metalk8s.scality.com/v1alpha1
            ce-kind: Volume
            ce-name: {{ volume | json }}
{%- set body = {'jid': data.jid, 'minion': data.id, 'fun': fun, 'retcode': data.get('retcode'), 'metadata': metadata} %}
        - data: {{ body | json | json }}
{%- endif %}
