#!/usr/bin/env node
// Not compiled, so that npm can link the command before the first build.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const main = new URL('../dist/main.js', import.meta.url);
const compile = fileURLToPath(new URL('../../../scripts/compile.mjs', import.meta.url));

// Takes a second or two, once. The npm scripts compile later changes.
if (!existsSync(main) && existsSync(compile))
  spawnSync(process.execPath, [compile], { stdio: ['ignore', 'ignore', 'inherit'] });

if (existsSync(main)) {
  await import(main.href);
} else {
  process.stderr.write('Phaseline could not be compiled. Run: npm ci && npm run build\n');
  process.exitCode = 5;
}
