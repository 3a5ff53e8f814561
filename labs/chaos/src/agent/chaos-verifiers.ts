import { partText } from './chaos-job.js';

/** Verifier of a todo. */
export const TODO_VERIFIER = 'part';
/** Verifier of the end of a round. */
export const ROUND_VERIFIER = 'round';

/** Fails unless there are parts, and each of them is whole. Runs long enough for a process to die meanwhile. */
const CHECK_PARTS = [
  'set -e',
  'sleep 0.3',
  'ls output/round-*.txt',
  `for part in output/round-*.txt; do test "$(wc -c < "$part")" -eq ${partText(1, 1).length}; done`,
].join('; ');

/** The verifiers of the checked agent, by the names of their files. Their runs are alike, so that all of them can be hit. */
export const VERIFIERS: Readonly<Record<string, string>> = Object.fromEntries(
  [TODO_VERIFIER, ROUND_VERIFIER].map((name) => [
    `${name}.yaml`,
    JSON.stringify({ name, argv: ['sh', '-c', CHECK_PARTS], reads: { exitCode: true } }),
  ]),
);
