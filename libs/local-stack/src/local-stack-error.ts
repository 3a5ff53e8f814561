/**
 * Base of every failure that this library reports. The message is one plain sentence for the person at the terminal and
 * says what to do next; `code` is stable, for programs.
 */
export abstract class LocalStackError extends Error {
  abstract readonly code: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** There is no PostgreSQL for this platform, or nobody to run it as. */
export class PlatformUnsupported extends LocalStackError {
  readonly code = 'PLATFORM_UNSUPPORTED';
}

/** The port that was asked for is taken. `remedy` says how to choose another one. */
export class PortInUse extends LocalStackError {
  readonly code = 'PORT_IN_USE';

  constructor(
    readonly port: number,
    what: string,
    options?: ErrorOptions & { readonly remedy?: string },
  ) {
    super(
      `${what} cannot listen on 127.0.0.1:${port}: the port is in use. ${options?.remedy ?? 'Choose another port'}, or stop what uses it.`,
      options,
    );
  }
}

/** The disk (or the quota) is full. */
export class DiskFull extends LocalStackError {
  readonly code = 'DISK_FULL';

  constructor(
    readonly directory: string,
    options?: ErrorOptions,
  ) {
    super(
      `There is no space left for ${directory}. Free some space and start again; nothing committed is lost.`,
      options,
    );
  }
}

/** Another live process already serves this data directory. */
export class DataDirectoryInUse extends LocalStackError {
  readonly code = 'DATA_DIRECTORY_IN_USE';

  constructor(
    readonly directory: string,
    readonly pid: number,
    owner: string,
  ) {
    super(`${directory} is in use by ${owner}. Stop that one first, or set PHASELINE_HOME to another folder.`);
  }
}

/** The data directory was written by another major version of PostgreSQL, or is not one at all. */
export class DataDirectoryUnusable extends LocalStackError {
  readonly code = 'DATA_DIRECTORY_UNUSABLE';
}

/** A server ended, or did not become ready, for a reason that has no class of its own; the last log lines are in the message. */
export class ServerStartFailed extends LocalStackError {
  readonly code = 'SERVER_START_FAILED';

  constructor(
    message: string,
    readonly lastLines: readonly string[],
    options?: ErrorOptions,
  ) {
    super([message, ...lastLines.map((line) => `  ${line}`)].join('\n'), options);
  }
}
