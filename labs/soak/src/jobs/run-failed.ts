/** A run whose figures would describe something else: a job did not complete, or a check of the log failed. */
export class RunFailed extends Error {
  readonly code = 'run_failed';
}
