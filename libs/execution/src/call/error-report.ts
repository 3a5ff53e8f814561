import { toSingleLine } from '@phaseline/basics';
import { errorReportPath, ERRORS_DIRECTORY, type AdmittedCall } from '@phaseline/domain';
import type { PendingCommit } from '../step/pending-commit.js';

/** An attempt that failed. Times are milliseconds since the call began. */
export interface FailedAttempt {
  readonly code: string;
  readonly message: string;
  readonly startedMs: number;
  readonly durationMs: number;
}

/** Maximum characters of a reason, and of the arguments, in a report. */
const MAX_CHARACTERS = 4_000;

/**
 * Builds the report about a call whose attempts are used up. `undefined` if the file cannot be created, because the job was
 * submitted with a file in its place.
 */
export function buildErrorReport(
  { workspace: { tree }, now }: PendingCommit,
  { callId, name, arguments: args }: AdmittedCall,
  failures: readonly FailedAttempt[],
): { readonly path: string; readonly content: Uint8Array } | undefined {
  const path = errorReportPath(callId);
  if (Object.hasOwn(tree, ERRORS_DIRECTORY) || Object.keys(tree).some((other) => other.startsWith(`${path}/`)))
    return undefined;
  const last = failures.at(-1);
  // The commit is made right after the last attempt, so the times of all follow from it.
  const endMs = now.getTime() - (last ? last.startedMs + last.durationMs : 0);
  const lines = failures.map(
    ({ code, message, startedMs, durationMs }, index) =>
      `${index + 1}. ${new Date(endMs + startedMs).toISOString()}, ${durationMs} ms: \`${code}\` ${clean(message)}`,
  );
  const text = [
    `# ${name} failed`,
    '',
    `Call ${callId} failed ${failures.length} ${failures.length === 1 ? 'time' : 'times'}. No attempt is left.`,
    '',
    '## Attempts',
    '',
    ...lines,
    '',
    '## Arguments',
    '',
    '```json',
    JSON.stringify(args, null, 2).slice(0, MAX_CHARACTERS),
    '```',
    '',
  ].join('\n');
  return { path, content: new TextEncoder().encode(text.toWellFormed()) };
}

function clean(message: string): string {
  return toSingleLine(message).slice(0, MAX_CHARACTERS);
}
