/** Exit codes of a service, following sysexits.h, so that a supervisor knows whether a restart can help. */
export const exitCode = {
  ok: 0,
  /** The database or the queue server does not respond: retry later. */
  unavailable: 69,
  /** A defect: an unhandled error. */
  software: 70,
  /** The port is in use: retry later or choose another. */
  portInUse: 75,
  /** A setting is missing or invalid: a restart does not help. */
  config: 78,
} as const;

/** Base class of the errors that prevent a service from starting. The message tells the operator what to do, without a stack trace. */
export abstract class StartupError extends Error {
  abstract readonly code: string;
  abstract readonly exitCode: number;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The database does not respond, rejects the login, or lacks migrations. */
export class DatabaseUnavailable extends StartupError {
  readonly code = 'database_unavailable';
  readonly exitCode = exitCode.unavailable;
}

/** The queue server does not respond. */
export class QueueUnavailable extends StartupError {
  readonly code = 'queue_unavailable';
  readonly exitCode = exitCode.unavailable;
}

/** Other machines could reach the service, and no key exists that they would have to send. */
export class KeysMissing extends StartupError {
  readonly code = 'keys_missing';
  readonly exitCode = exitCode.config;

  constructor(readonly host: string) {
    super(
      `Other machines can reach ${host}, and no administrator has a key. Start once with PHASELINE_HOST=127.0.0.1 and create one (phaseline keys create), or set PHASELINE_API_KEYS.`,
    );
  }
}

/** The service cannot listen on its HTTP port. */
export class ListenFailed extends StartupError {
  readonly code = 'listen_failed';
  readonly exitCode = exitCode.portInUse;

  constructor(
    readonly host: string,
    readonly port: number,
    options?: ErrorOptions,
  ) {
    const code = (options?.cause as NodeJS.ErrnoException | undefined)?.code;
    const reason =
      code === 'EADDRINUSE'
        ? 'the port is in use. Stop what uses it or set PORT to another'
        : code === 'EACCES'
          ? 'that needs more rights. Set PORT to one above 1023'
          : code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND'
            ? 'this machine has no such address. Correct PHASELINE_HOST'
            : `${code ?? 'unknown reason'}. Check PHASELINE_HOST and PORT`;
    super(`Cannot listen on ${host}:${port}: ${reason}.`, options);
  }
}
