import { CodedError } from '@phaseline/basics';

/** Base class of the errors of this library. The message is for the person at the terminal and says what to do next. */
export abstract class LocalStackError extends CodedError {}

/** There is no PostgreSQL for this platform, or no user that it can run as. */
export class PlatformUnsupported extends LocalStackError {
  readonly code = 'platform_unsupported';
}

/** The requested port is in use. `remedy` says how to choose another one. */
export class PortInUse extends LocalStackError {
  readonly code = 'port_in_use';

  constructor(
    readonly port: number,
    what: string,
    options?: ErrorOptions & { readonly remedy?: string },
  ) {
    super(
      `${what} cannot listen on 127.0.0.1:${port}: the port is in use. ${options?.remedy ?? 'Choose another port'}, or stop the program that uses it.`,
      options,
    );
  }
}

/** The disk (or the quota) is full. */
export class DiskFull extends LocalStackError {
  readonly code = 'disk_full';

  constructor(
    readonly directory: string,
    options?: ErrorOptions,
  ) {
    super(
      `There is no space left for ${directory}. Free some space and start again; committed data are not lost.`,
      options,
    );
  }
}

/** Another running process uses this data directory. */
export class DataDirectoryInUse extends LocalStackError {
  readonly code = 'data_directory_in_use';

  constructor(
    readonly directory: string,
    readonly pid: number,
    owner: string,
  ) {
    super(`${directory} is in use by ${owner}. Stop it first, or set PHASELINE_HOME to another folder.`);
  }
}

/** The directory was written by another major version of PostgreSQL, is not a data directory, or is not writable. */
export class DataDirectoryUnusable extends LocalStackError {
  readonly code = 'data_directory_unusable';
}

/** A server exited or did not become ready for any other reason. The message contains the last log lines. */
export class ServerStartFailed extends LocalStackError {
  readonly code = 'server_start_failed';

  constructor(
    message: string,
    readonly lastLines: readonly string[],
    options?: ErrorOptions,
  ) {
    super([message, ...lastLines.map((line) => `  ${line}`)].join('\n'), options);
  }
}
