import { execFile } from "node:child_process";
import { promisify } from "node:util";

interface Bill {
  serialNumber?: string;
  metadata: { timestamp?: string; component: { name: string } };
}

/**
 * What a release is made of, as CycloneDX, by npm: every package of the lock file, with its hash and licence; those
 * that only build and test are marked. Without time and number, and with the package's name instead of the folder's:
 * the same lock file gives the same bill. What each image holds is attached to the image.
 */
export async function billOfMaterials(root: string, name: string): Promise<string> {
  const flags = ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx", "--sbom-type", "application"];
  const { stdout } = await promisify(execFile)("npm", flags, { cwd: root, maxBuffer: 2 ** 26 });
  const bill = JSON.parse(stdout) as Bill;
  delete bill.serialNumber;
  delete bill.metadata.timestamp;
  bill.metadata.component.name = name;
  return `${JSON.stringify(bill, null, 2)}\n`;
}
