/**
 * Makes etcd, and with it the API server, forget every version but the newest. `etcd` is its URL; it speaks JSON beside
 * gRPC.
 */
export async function compact(etcd: string): Promise<void> {
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${etcd}${path}`, { method: "POST", body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`etcd refused ${path}: ${await answer.text()}`);
    return (await answer.json()) as { header: { revision: string } };
  };
  const { header } = await post("/v3/kv/range", { key: Buffer.from("/").toString("base64"), keys_only: true });
  await post("/v3/kv/compaction", { revision: header.revision, physical: true });
}
