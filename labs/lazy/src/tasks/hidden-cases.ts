import type { BrokenFunction } from './broken-functions.js';
import type { SubmittedVerifier } from './task.js';

/**
 * Verifier with cases that the model never sees. It calls the function in a process of its own and compares the results itself, because the
 * source may end its process or patch what compares them.
 */
export function verifyHiddenCases(source: string, { name, hidden }: BrokenFunction): SubmittedVerifier {
  const call = `import { ${name} } from './${source}';
process.stdout.write(JSON.stringify(JSON.parse(process.argv[1]).map((args) => ${name}(...args))));`;
  const program = `
import { spawnSync } from 'node:child_process';
const cases = ${JSON.stringify(hidden)};
const flags = ['--input-type=module', '-e', ${JSON.stringify(call)}, JSON.stringify(cases.map(([args]) => args))];
const { stdout } = spawnSync(process.execPath, flags, { encoding: 'utf8' });
const right = stdout === JSON.stringify(cases.map(([, expected]) => expected));
console.log('TAP version 13\\n1..1\\n' + (right ? 'ok' : 'not ok') + ' 1 - ${name} is right for other input');
process.exitCode = right ? 0 : 1;`;
  return {
    argv: ['node', '--input-type=module', '-e', program],
    inputs: ['test/**', 'package.json'],
    reads: { tap: 'stdout' },
  };
}
