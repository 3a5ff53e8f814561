#!/usr/bin/env node
// Lies in the repository, so that npm can link the command before the project is built.
import { existsSync } from 'node:fs';

const main = new URL('../dist/main.js', import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  process.stderr.write('Phaseline is not built yet. Run: npm run build\n');
  process.exitCode = 5;
}
