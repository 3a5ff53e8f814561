import { exitCode, type ExitCode } from './exit-code.js';

/** An error that the CLI itself detects. Its message is for the user and says what to do next. */
export abstract class CommandError extends Error {
  abstract readonly code: string;
  abstract readonly exitCode: ExitCode;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The command line is wrong. */
export class UsageError extends CommandError {
  readonly code = 'usage';
  readonly exitCode = exitCode.usage;
}

/** The server was unreachable for too long while a job was watched. */
export class WatchLost extends CommandError {
  readonly code = 'server_unreachable';
  readonly exitCode = exitCode.unreachable;
}

/** No job id has the given prefix. */
export class NoSuchJob extends CommandError {
  readonly code = 'job_not_found';
  readonly exitCode = exitCode.notFound;
}

/** The job has no file or folder at the given path. */
export class NoSuchFile extends CommandError {
  readonly code = 'file_not_found';
  readonly exitCode = exitCode.notFound;
}

/** Several job ids have the given prefix. */
export class AmbiguousJob extends CommandError {
  readonly code = 'ambiguous_job';
  readonly exitCode = exitCode.usage;
}

/** A document cannot be submitted. Thrown before anything is started or sent. */
export class DocumentUnusable extends CommandError {
  readonly code = 'document_unusable';
  readonly exitCode = exitCode.refused;
}

/** The graph refuses a query: it writes, cannot be parsed, or is too expensive. */
export class GraphQueryRefused extends CommandError {
  readonly code = 'graph_query_refused';
  readonly exitCode = exitCode.refused;
}

/** A file of nodes and relationships cannot be loaded into a graph. */
export class GraphFileRefused extends CommandError {
  readonly code = 'graph_file_unusable';
  readonly exitCode = exitCode.refused;
}

/** A file of a job would be written outside of the target folder. */
export class UnsafePath extends CommandError {
  readonly code = 'unsafe_path';
  readonly exitCode = exitCode.refused;
}

/** Existing files with different content would be overwritten. */
export class FilesExist extends CommandError {
  readonly code = 'files_exist';
  readonly exitCode = exitCode.refused;
}

/** A local file or folder cannot be written. */
export class CannotWrite extends CommandError {
  readonly code = 'write_failed';
  readonly exitCode = exitCode.refused;
}

/** The downloaded bytes do not match the size and hash in the list of files. */
export class ContentMismatch extends CommandError {
  readonly code = 'content_mismatch';
  readonly exitCode = exitCode.failed;
}

/** Another stack is running in the same PHASELINE_HOME. */
export class StackRuns extends CommandError {
  readonly code = 'stack_already_running';
  readonly exitCode = exitCode.refused;
}

/** An environment variable is missing or invalid. */
export class BadEnvironment extends CommandError {
  readonly code = 'environment_invalid';
  readonly exitCode = exitCode.usage;
}

/** A program of the stack is missing: the project was not built, or not installed completely. */
export class NotBuilt extends CommandError {
  readonly code = 'not_built';
  readonly exitCode = exitCode.unreachable;
}
