import { exitCode, type ExitCode } from './exit-code.js';

/** A failure that the CLI itself finds. The message is for the person at the terminal and says what to do next. */
export abstract class CommandError extends Error {
  abstract readonly code: string;
  abstract readonly exitCode: ExitCode;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The command line does not make sense. */
export class UsageError extends CommandError {
  readonly code = 'usage';
  readonly exitCode = exitCode.usage;
}

/** The server has been away for too long to go on watching a job. */
export class WatchLost extends CommandError {
  readonly code = 'server_unreachable';
  readonly exitCode = exitCode.unreachable;
}

/** No job has an id that begins so. */
export class NoSuchJob extends CommandError {
  readonly code = 'job_not_found';
  readonly exitCode = exitCode.notFound;
}

/** The job has no file or folder of that path. */
export class NoSuchFile extends CommandError {
  readonly code = 'file_not_found';
  readonly exitCode = exitCode.notFound;
}

/** Several jobs have ids that begin so. */
export class AmbiguousJob extends CommandError {
  readonly code = 'ambiguous_job';
  readonly exitCode = exitCode.usage;
}

/** A document that cannot be submitted; found before anything was started or sent. */
export class DocumentUnusable extends CommandError {
  readonly code = 'document_unusable';
  readonly exitCode = exitCode.refused;
}

/** A query that the graph does not run: not read-only, not understood, or too broad. */
export class GraphQueryRefused extends CommandError {
  readonly code = 'graph_query_refused';
  readonly exitCode = exitCode.refused;
}

/** A file of nodes and relationships that a graph cannot take. */
export class GraphFileRefused extends CommandError {
  readonly code = 'graph_file_unusable';
  readonly exitCode = exitCode.refused;
}

/** A file of a job would be written outside of the folder that was given. */
export class UnsafePath extends CommandError {
  readonly code = 'unsafe_path';
  readonly exitCode = exitCode.refused;
}

/** Files that are there and differ would be overwritten. */
export class FilesExist extends CommandError {
  readonly code = 'files_exist';
  readonly exitCode = exitCode.refused;
}

/** A folder or file of this machine cannot be written. */
export class CannotWrite extends CommandError {
  readonly code = 'cannot_write';
  readonly exitCode = exitCode.refused;
}

/** The bytes that came are not those that the list of files announced. */
export class ContentMismatch extends CommandError {
  readonly code = 'content_mismatch';
  readonly exitCode = exitCode.failed;
}

/** Another stack runs in the same local home. */
export class StackRuns extends CommandError {
  readonly code = 'stack_runs';
  readonly exitCode = exitCode.refused;
}

/** A setting of the environment is missing or wrong. */
export class BadEnvironment extends CommandError {
  readonly code = 'bad_environment';
  readonly exitCode = exitCode.usage;
}

/** A part of the stack is not there: the project was not built, or not installed as a whole. */
export class NotBuilt extends CommandError {
  readonly code = 'not_built';
  readonly exitCode = exitCode.unreachable;
}
