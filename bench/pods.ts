/** What a pod of a benchmark is to be like. */
export interface PodShape {
  readonly namespace: string;
  readonly name: string;
  readonly node?: string;
  /** The claim it uses. */
  readonly claim?: string;
  /** About how many bytes it has as JSON; pods of real clusters have 4,000 to 8,000. */
  readonly bytes: number;
  /** As the API server stores it; by default with what the kubelet and the server would add. */
  readonly asCreated?: boolean;
}

/**
 * A running pod that looks like one of a real cluster: two containers with probes and variables, and managed fields.
 */
export function pod({ namespace, name, node, claim, bytes, asCreated = false }: PodShape) {
  const base = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace,
      labels: { "app.kubernetes.io/name": "web", "app.kubernetes.io/instance": name, "pod-template-hash": "5d4f8c7b9" },
      ...(asCreated ? {} : served(name)),
    },
    spec: {
      ...(node ? { nodeName: node } : {}),
      serviceAccountName: "default",
      restartPolicy: "Always",
      terminationGracePeriodSeconds: 30,
      volumes: [
        ...(claim ? [{ name: "data", persistentVolumeClaim: { claimName: claim } }] : []),
        { name: "configuration", configMap: { name: "web-configuration", optional: true } },
      ],
      containers: [container("web", name, 8080), container("metrics", name, 9090)],
      tolerations: [
        { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
      ],
    },
    ...(asCreated ? {} : { status: running(name) }),
  };
  const [first] = base.spec.containers;
  // Environment variables are what makes real pods long.
  for (let index = 0; first && JSON.stringify(base).length < bytes; index++)
    first.env.push({ name: `SETTING_${index}`, value: `${name}: ${words(index)}` });
  return base;
}

function container(name: string, pod: string, port: number) {
  const probe = { httpGet: { path: "/healthz", port, scheme: "HTTP" }, periodSeconds: 10, failureThreshold: 3 };
  return {
    name,
    image: `registry.example/shop/${name}:1.17.${pod.length}`,
    ports: [{ name: "http", containerPort: port, protocol: "TCP" }],
    env: [{ name: "POD_NAME", value: pod }],
    resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } },
    livenessProbe: probe,
    readinessProbe: probe,
    volumeMounts: [{ name: "configuration", mountPath: `/etc/${name}`, readOnly: true }],
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } },
  };
}

function served(name: string) {
  const time = "2026-01-01T00:00:00Z";
  const fields = { ".": {}, "f:image": {}, "f:name": {}, "f:ports": { ".": {} }, "f:resources": { ".": {} } };
  return {
    uid: `5e1f0000-0000-4000-8000-${name.padStart(12, "0").slice(-12)}`,
    resourceVersion: "4711",
    creationTimestamp: time,
    managedFields: [
      {
        manager: "kube-controller-manager",
        operation: "Update",
        apiVersion: "v1",
        time,
        fieldsType: "FieldsV1",
        fieldsV1: { "f:spec": { "f:containers": { 'k:{"name":"web"}': fields, 'k:{"name":"metrics"}': fields } } },
      },
    ],
  };
}

function running(name: string) {
  const time = "2026-01-01T00:00:05Z";
  const types = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"];
  return {
    phase: "Running",
    podIP: "10.244.1.17",
    startTime: time,
    conditions: types.map((type) => ({ type, status: "True", lastTransitionTime: time })),
    containerStatuses: ["web", "metrics"].map((container) => ({
      name: container,
      ready: true,
      started: true,
      restartCount: 0,
      image: `registry.example/shop/${container}:1.17.${name.length}`,
      containerID: `containerd://${container}-${name}`,
      state: { running: { startedAt: time } },
    })),
  };
}

/** Text that compresses about as well as that of real settings. */
const words = (index: number) => `${(index * 2654435761) % 4294967296} https://service-${index}.shop.svc.cluster.local`;
