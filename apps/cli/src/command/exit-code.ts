import type { JobStatus } from '@phaseline/contracts';

/** What the command answers to the shell. Stable: scripts branch on these. */
export const exitCode = {
  ok: 0,
  /** The job failed or is blocked; the audit found something; a definition is not valid. */
  failed: 1,
  /** The command line is wrong. */
  usage: 2,
  /** No such job or file. */
  notFound: 3,
  /** Refused: the request, a document, a key or a conflict. Repeating it changes nothing. */
  refused: 4,
  /** The server, the database or a part of the local stack does not answer or does not start. */
  unreachable: 5,
  /** The job was cancelled. */
  cancelled: 6,
  /** A defect of Phaseline. */
  internal: 70,
  /** Ctrl-C and other signals that end a command, as shells have it. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** For the help and for people, in the order of the numbers. */
export const exitCodeMeanings: readonly (readonly [ExitCode, string])[] = [
  [exitCode.ok, 'done'],
  [exitCode.failed, 'the job failed or is blocked; the audit or a validation found something'],
  [exitCode.usage, 'the command line is wrong'],
  [exitCode.notFound, 'no such job or file'],
  [exitCode.refused, 'refused: bad request or document, wrong API key, conflict'],
  [exitCode.unreachable, 'server, database or local stack not reachable or not startable'],
  [exitCode.cancelled, 'the job was cancelled'],
  [exitCode.internal, 'a defect; run again with PHASELINE_DEBUG=1'],
  [exitCode.interrupted, 'interrupted'],
];

/** The code for a command that followed a job to its end. A job that goes on is no failure. */
export function exitCodeOfStatus(status: JobStatus): ExitCode {
  switch (status) {
    case 'failed':
    case 'blocked':
      return exitCode.failed;
    case 'cancelled':
      return exitCode.cancelled;
    default:
      return exitCode.ok;
  }
}
