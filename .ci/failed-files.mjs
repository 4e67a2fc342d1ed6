// Prints the test files that failed, one a line, out of the JSON report of a suite's run that is named.
import { readFileSync } from "node:fs";

const { testResults } = JSON.parse(readFileSync(process.argv[2], "utf8"));
for (const { name, status } of testResults) if (status === "failed") console.log(name);
