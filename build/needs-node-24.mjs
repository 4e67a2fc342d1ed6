// Says in one line what an older Node would say in many, each time another. Older ones must be able to read this file.
if (Number.parseInt(process.versions.node, 10) < 24) {
  process.stderr.write(
    `holdfast: Node 24 or newer is needed, and this is ${process.version}. ` +
      "On Linux, and on Macs with Apple silicon, npm ci brings it along unless optional dependencies are left out.\n",
  );
  process.exit(1);
}
