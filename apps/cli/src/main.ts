#!/usr/bin/env node
// Nothing is imported before this check: on an older Node it is the imports that fail, and not in words that help.
const oldestNode = 24;
if (Number(process.versions.node.split('.')[0]) < oldestNode) {
  process.stderr.write(
    `Phaseline needs Node ${oldestNode} or later, and this is ${process.versions.node}. ` +
      'Run it as `npx phaseline` or by an npm script: these take the Node that npm installed with the project.\n',
  );
  process.exit(70);
}

const { runInProcess } = await import('./run-in-process.js');
await runInProcess();

export {};
