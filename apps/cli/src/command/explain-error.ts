import { parseLogWarning } from '../stack/parse-log-warning.js';
import { CommandError } from './command-errors.js';
import { exitCode, type ExitCode } from './exit-code.js';

/** How the command reports an error. */
export interface Explanation {
  /** Stable, for scripts. */
  readonly code: string;
  /** One or two lines; further ones are indented. */
  readonly message: string;
  readonly exitCode: ExitCode;
}

/**
 * Exit codes of error codes from libraries and the server. Any other code of a problem response has the exit code of its HTTP status, and
 * any other code of a library is a refusal: its message says what was refused, and repeating the command does not help.
 */
const exitCodes: Readonly<Record<string, ExitCode>> = {
  ...Object.fromEntries(
    [
      'server_unreachable',
      'request_timed_out',
      'unexpected_response',
      'route_not_found',
      'rate_limited',
      'not_ready',
      'database_unavailable',
      'database_unreachable',
      'queue_unavailable',
      'queue_not_migrated',
      'migration_failed',
      'migration_folder_invalid',
      'server_start_failed',
      'platform_unsupported',
      'no_directory_for_server',
      'data_directory_unusable',
      'home_unusable',
      'disk_full',
      'listen_failed',
    ].map((code) => [code, exitCode.unreachable]),
  ),
  ...Object.fromEntries(
    // What a check of definitions or of stored data found.
    [
      'definitions_invalid',
      'decryption_failed',
      'blob_corrupt',
      'blob_missing',
      'blob_not_stored',
      'large_text_missing',
      'lineage_broken',
      'undecodable_event',
      'unfoldable_stream',
    ].map((code) => [code, exitCode.failed]),
  ),
  job_not_found: exitCode.notFound,
  file_not_found: exitCode.notFound,
  model_call_not_found: exitCode.notFound,
  internal: exitCode.internal,
  unknown_read_model: exitCode.usage,
};

/** Remedies for a job with an unreadable event. */
const UNREADABLE_JOB_REMEDIES: readonly string[] = [
  '  phaseline cancel JOB               ends the job',
  '  phaseline events JOB               shows which event it is',
  '  phaseline fork JOB --at POSITION   continues from before it',
];

/** Number of errors of a refused request to show. The first ones usually cause the others. */
const MAX_ERRORS_SHOWN = 5;

/**
 * Converts any error into a message for the user and an exit code. Errors are recognised by their `code` and shape rather than by
 * class, so that no library has to be loaded.
 */
export function explainError(error: unknown): Explanation {
  if (error instanceof CommandError) return { code: error.code, message: error.message, exitCode: error.exitCode };
  if (!(error instanceof Error)) return unexpected(error);
  const { code, status, errors } = error as Error & { code?: unknown; status?: unknown; errors?: unknown };
  if (typeof code !== 'string') return isRefusedConnection(error) ? databaseProblem(error) : unexpected(error);
  if (code === 'service_failed') return serviceProblem(error);
  if (code === 'job_unreadable')
    return { code, message: [error.message, ...UNREADABLE_JOB_REMEDIES].join('\n'), exitCode: exitCode.refused };
  if (code in exitCodes) return { code, message: withErrors(error.message, errors), exitCode: exitCodes[code]! };
  if (typeof status === 'number') {
    return {
      code,
      message: withErrors(error.message, errors),
      exitCode: status >= 500 ? exitCode.internal : exitCode.refused,
    };
  }
  if (isDatabaseCode(code)) return databaseProblem(error);
  if (isFileCode(code)) return fileProblem(code, error);
  // Our own codes are in snake_case, unlike those of Node.js and PostgreSQL, and their messages are complete.
  if (/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(code)) return { code, message: error.message, exitCode: exitCode.refused };
  return unexpected(error);
}

function unexpected(error: unknown): Explanation {
  const reason = error instanceof Error ? error.message || error.name : String(error);
  return {
    code: 'internal',
    message: `Unexpected error: ${reason}\nThis is a bug. Run the command again with PHASELINE_DEBUG=1 to see where it occurs.`,
    exitCode: exitCode.internal,
  };
}

function withErrors(message: string, errors: unknown): string {
  // The message of a refusal repeats its first detail.
  if (!Array.isArray(errors) || errors.length < 2) return message;
  const lines = (errors as { path?: unknown; message?: unknown }[])
    .slice(0, MAX_ERRORS_SHOWN)
    .map(({ path, message: problem }) => `  ${path ? `${String(path)}: ` : ''}${String(problem)}`);
  if (errors.length > MAX_ERRORS_SHOWN) lines.push(`  and ${errors.length - MAX_ERRORS_SHOWN} more`);
  return [message, ...lines].join('\n');
}

/** Extracts the warnings and errors from the last lines of a service's log, which are JSON. */
function serviceProblem(error: Error): Explanation {
  const { lastLines } = error as Error & { lastLines?: unknown };
  const lines = Array.isArray(lastLines) ? lastLines.map(String) : [];
  // A service that cannot start also prints the reason as plain text; its log lines only repeat it.
  const plain = lines.filter((line) => !line.startsWith('{'));
  const warnings = (plain.length > 0 ? plain : lines).map(parseLogWarning).filter((line) => line !== undefined);
  const reasons = [...new Set(warnings)].slice(-MAX_ERRORS_SHOWN);
  const title = error.message.split('\n', 1)[0]!;
  const message = reasons.length === 0 ? error.message : [title, ...reasons.map((line) => `  ${line}`)].join('\n');
  return { code: 'service_failed', message, exitCode: exitCode.unreachable };
}

const NETWORK_CODES: readonly string[] = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'EAI_AGAIN',
];

/** A connection that failed for several addresses is an AggregateError without a message or code. */
function isRefusedConnection(error: Error): boolean {
  return (
    error instanceof AggregateError &&
    error.errors.some((one) => NETWORK_CODES.includes((one as { code?: string }).code ?? ''))
  );
}

function isDatabaseCode(code: string): boolean {
  return NETWORK_CODES.includes(code) || /^[0-9A-Z]{5}$/.test(code);
}

function databaseProblem(error: Error): Explanation {
  const reason =
    error instanceof AggregateError
      ? error.errors.map((one: unknown) => (one instanceof Error ? one.message : String(one))).join('; ')
      : error.message;
  return {
    code: 'database_unavailable',
    message: `Cannot use the database: ${reason}.\nCheck that PostgreSQL is running and that DATABASE_URL is correct.`,
    exitCode: exitCode.unreachable,
  };
}

function isFileCode(code: string): boolean {
  return [
    'ENOENT',
    'EACCES',
    'EPERM',
    'EISDIR',
    'ENOTDIR',
    'ENOSPC',
    'EDQUOT',
    'EROFS',
    'ELOOP',
    'ENAMETOOLONG',
    'EMFILE',
  ].includes(code);
}

function fileProblem(code: string, error: Error): Explanation {
  const advice =
    code === 'ENOSPC' || code === 'EDQUOT' ? 'Free some space and try again.' : 'Check the path and its permissions.';
  return { code: 'file_unusable', message: `${error.message}. ${advice}`, exitCode: exitCode.refused };
}
