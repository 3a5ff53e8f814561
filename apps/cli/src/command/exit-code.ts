import type { JobStatus } from '@phaseline/contracts';

/** Exit codes of the command. Stable: scripts branch on them. */
export const exitCode = {
  ok: 0,
  /** The job failed or was aborted by a cap, the audit found a problem, an alert is critical, or a definition is invalid. */
  failed: 1,
  /** The command line is wrong. */
  usage: 2,
  /** No such job or file. */
  notFound: 3,
  /** A plan waits for its person. */
  waiting: 3,
  /** Refused because of the request, a document, a key or a conflict. Repeating it does not help. */
  refused: 4,
  /** The server, the database or a part of the local stack does not respond or does not start. */
  unreachable: 5,
  /** The job was cancelled. */
  cancelled: 6,
  /** The workflow ended the job because it cannot continue. */
  blocked: 7,
  /** A defect of Phaseline. */
  internal: 70,
  /** Ended by Ctrl-C or another signal; the number that shells use. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** Meanings of the exit codes for the help, in numerical order. */
export const exitCodeMeanings: readonly (readonly [ExitCode, string])[] = [
  [exitCode.ok, 'done'],
  [
    exitCode.failed,
    'the job failed or was aborted by a cap, or the audit or a validation found a problem, or an alert is critical',
  ],
  [exitCode.usage, 'the command line is wrong'],
  [exitCode.notFound, 'no such job or file; of "plan": the plan waits for its person'],
  [exitCode.refused, 'refused: bad request or document, wrong API key, conflict'],
  [exitCode.unreachable, 'the server, the database or the local stack is unreachable or does not start'],
  [exitCode.cancelled, 'the job was cancelled'],
  [exitCode.blocked, 'the job is blocked: its workflow could not continue'],
  [exitCode.internal, 'a bug in Phaseline; run again with PHASELINE_DEBUG=1'],
  [exitCode.interrupted, 'interrupted'],
];

/** Exit code of a command that followed a job to its end. A job that still runs counts as success. */
export function exitCodeOfStatus(status: JobStatus): ExitCode {
  switch (status) {
    case 'failed':
    case 'aborted':
      return exitCode.failed;
    case 'blocked':
      return exitCode.blocked;
    case 'cancelled':
      return exitCode.cancelled;
    default:
      return exitCode.ok;
  }
}
