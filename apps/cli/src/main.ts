#!/usr/bin/env node
// Nothing is imported before this check, because on an older Node the imports fail with an unhelpful message.
const oldestNode = 24;
if (Number(process.versions.node.split('.')[0]) < oldestNode) {
  process.stderr.write(
    `Phaseline requires Node ${oldestNode} or later; this is ${process.versions.node}. ` +
      'Run it with `npx phaseline` or an npm script, which use the Node that npm installed with the project.\n',
  );
  process.exit(70);
}

const { runInProcess } = await import('./run-in-process.js');
await runInProcess();

export {};
