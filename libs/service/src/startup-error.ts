/** Exit codes of a service, after sysexits.h, so that a supervisor can tell what a restart may mend. */
export const exitCode = {
  ok: 0,
  /** The database or the queue's server does not answer: try again later. */
  unavailable: 69,
  /** A defect: an error that nobody handled. */
  software: 70,
  /** The port is taken: try again later or choose another. */
  portInUse: 75,
  /** A setting is missing or wrong: a restart mends nothing. */
  config: 78,
} as const;

/** Why a service did not start. The message is for the operator, complete without a stack trace, and says what to do. */
export abstract class StartupError extends Error {
  abstract readonly code: string;
  abstract readonly exitCode: number;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The database cannot be used: it does not answer, refuses the login, or has no Phaseline schema. */
export class DatabaseUnavailable extends StartupError {
  readonly code = 'DATABASE_UNAVAILABLE';
  readonly exitCode = exitCode.unavailable;
}

/** The queues' server does not answer. */
export class QueueUnavailable extends StartupError {
  readonly code = 'QUEUE_UNAVAILABLE';
  readonly exitCode = exitCode.unavailable;
}

/** The HTTP port cannot be listened on. */
export class ListenFailed extends StartupError {
  readonly code = 'LISTEN_FAILED';
  readonly exitCode = exitCode.portInUse;

  constructor(
    readonly host: string,
    readonly port: number,
    options?: ErrorOptions,
  ) {
    const why = (options?.cause as NodeJS.ErrnoException | undefined)?.code;
    const reason =
      why === 'EADDRINUSE'
        ? 'the port is in use. Stop what uses it or set PORT to another'
        : why === 'EACCES'
          ? 'that needs more rights. Set PORT to one above 1023'
          : why === 'EADDRNOTAVAIL' || why === 'ENOTFOUND'
            ? 'this machine has no such address. Correct PHASELINE_HOST'
            : `${why ?? 'unknown reason'}. Check PHASELINE_HOST and PORT`;
    super(`Cannot listen on ${host}:${port}: ${reason}.`, options);
  }
}
