"""Nova's fake hypervisor, on hosts that share the storage of their servers: an evacuation finds their disks."""

from nova.virt import fake


class SharedStorageDriver(fake.FakeLiveMigrateDriver):
    def instance_on_disk(self, instance):
        return True
