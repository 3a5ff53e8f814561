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

/** Creates the base class of the errors with this code. */
export function defineCommandError(code: string, exit: ExitCode) {
  return class extends CommandError {
    readonly code = code;
    readonly exitCode = exit;
  };
}

/** The command line is wrong. */
export class UsageError extends defineCommandError('usage', exitCode.usage) {}

/** The server was unreachable for too long while a job was watched. */
export class WatchLost extends defineCommandError('server_unreachable', exitCode.unreachable) {}

/** A person has no open plan that could be continued. */
export class NoOpenPlan extends defineCommandError('no_open_plan', exitCode.refused) {}

/** No job id has the given prefix. */
export class NoSuchJob extends defineCommandError('job_not_found', exitCode.notFound) {}

/** The job has no file or folder at the given path. */
export class NoSuchFile extends defineCommandError('file_not_found', exitCode.notFound) {}

/** Several job ids have the given prefix. */
export class AmbiguousJob extends defineCommandError('ambiguous_job', exitCode.usage) {}

/** A document cannot be submitted. Thrown before anything is started or sent. */
export class DocumentUnusable extends defineCommandError('document_unusable', exitCode.refused) {}

/** The graph refuses a query: it writes, cannot be parsed, or is too expensive. */
export class GraphQueryRefused extends defineCommandError('graph_query_refused', exitCode.refused) {}

/** A file of nodes and relationships cannot be loaded into a graph. */
export class GraphFileRefused extends defineCommandError('graph_file_unusable', exitCode.refused) {}

/** A file of a job would be written outside of the target folder. */
export class UnsafePath extends defineCommandError('unsafe_path', exitCode.refused) {}

/** A folder whose files a verifier checks cannot be read. */
export class FolderUnusable extends defineCommandError('folder_unusable', exitCode.refused) {}

/** A verifier that is run here uses a secret, and no variable has its name. */
export class SecretNotSet extends defineCommandError('secret_not_set', exitCode.refused) {}

/** Existing files with different content would be overwritten. */
export class FilesExist extends defineCommandError('files_exist', exitCode.refused) {}

/** A local file or folder cannot be written. */
export class CannotWrite extends defineCommandError('write_failed', exitCode.refused) {}

/** The downloaded bytes do not match the size and hash in the list of files. */
export class ContentMismatch extends defineCommandError('content_mismatch', exitCode.failed) {}

/** Another stack is running in the same PHASELINE_HOME. */
export class StackRuns extends defineCommandError('stack_already_running', exitCode.refused) {}

/** An environment variable is missing or invalid. */
export class BadEnvironment extends defineCommandError('environment_invalid', exitCode.usage) {}

/** The log has no events that an anchor could cover. */
export class NothingToAnchor extends defineCommandError('nothing_to_anchor', exitCode.notFound) {}

/** Nothing listens at the address of REDIS_URL. */
export class RedisUnreachable extends defineCommandError('redis_unreachable', exitCode.unreachable) {}

/** Jobs cannot be bisected, or a candidate cannot be tried on them. */
export class NothingToBranch extends defineCommandError('nothing_to_branch', exitCode.refused) {}

/** The program that runs and makes cases ended early. */
export class CasesFailed extends defineCommandError('cases_failed', exitCode.unreachable) {}

/** A job cannot become a case. */
export class CaseRefused extends defineCommandError('case_refused', exitCode.refused) {}

/** The program that decides recorded jobs again ended early. */
export class WhatIfFailed extends defineCommandError('what_if_failed', exitCode.unreachable) {}

/** A program of the stack is missing: the project was not built, or not installed completely. */
export class NotBuilt extends defineCommandError('not_built', exitCode.unreachable) {}
