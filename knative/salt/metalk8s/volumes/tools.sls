# Optional: the programs that Volumes need, from the node's own packages.
metalk8s-volume-tools:
  pkg.installed:
    - pkgs:
        - e2fsprogs
        - xfsprogs
        - gdisk
        - lvm2
