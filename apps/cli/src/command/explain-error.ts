import { logWarning } from '../stack/log-warning.js';
import { CommandError } from './command-errors.js';
import { exitCode, type ExitCode } from './exit-code.js';

/** An error as the command reports it. */
export interface Explanation {
  /** Stable, for scripts. */
  readonly code: string;
  /** One or two plain lines; details follow indented. */
  readonly message: string;
  readonly exitCode: ExitCode;
}

/** Codes of the other parts that are not told by where they come from. */
const exitCodes: Readonly<Record<string, ExitCode>> = {
  job_not_found: exitCode.notFound,
  file_not_found: exitCode.notFound,
  route_not_found: exitCode.unreachable,
  server_unreachable: exitCode.unreachable,
  request_timed_out: exitCode.unreachable,
  unexpected_answer: exitCode.unreachable,
  rate_limited: exitCode.unreachable,
  not_ready: exitCode.unreachable,
  internal: exitCode.internal,
  invalid_definitions: exitCode.failed,
  unknown_agent: exitCode.refused,
  graph_file_unusable: exitCode.refused,
  audit_key_unusable: exitCode.refused,
  receipt_unusable: exitCode.refused,
  export_folder_taken: exitCode.refused,
  REBUILD_UNDER_WAY: exitCode.refused,
  UNKNOWN_READ_MODEL: exitCode.usage,
  READ_MODELS_BEHIND: exitCode.refused,
  READ_MODELS_AHEAD: exitCode.refused,
  BACKUP_UNUSABLE: exitCode.refused,
  RESTORE_REFUSED: exitCode.refused,
  PORT_IN_USE: exitCode.refused,
  DATA_DIRECTORY_IN_USE: exitCode.refused,
  MIGRATION_CHANGED: exitCode.refused,
  MIGRATION_FAILED: exitCode.unreachable,
};

/** What to do with a job that has an event that cannot be read. */
const WAYS_OUT: readonly string[] = [
  '  phaseline cancel JOB               ends it',
  '  phaseline events JOB               marks the event',
  '  phaseline fork JOB --at POSITION   continues from before it',
];

/** The most details of a refused request that are shown; the first ones are mostly the cause of the others. */
const SHOWN_DETAILS = 5;

/**
 * Turns any error into what the person at the terminal reads, and the exit code. Errors are told by their `code` and shape,
 * not by class, so that no library has to be loaded for it.
 */
export function explainError(error: unknown): Explanation {
  if (error instanceof CommandError) return { code: error.code, message: error.message, exitCode: error.exitCode };
  if (!(error instanceof Error)) return unexpected(error);
  const { code, status, details } = error as Error & { code?: unknown; status?: unknown; details?: unknown };
  if (typeof code !== 'string') return isRefusedConnection(error) ? databaseProblem(error) : unexpected(error);
  if (code === 'SERVICE_FAILED') return serviceProblem(error);
  if (code === 'job_unreadable')
    return { code, message: [error.message, ...WAYS_OUT].join('\n'), exitCode: exitCode.refused };
  if (code in exitCodes) return { code, message: withDetails(error.message, details), exitCode: exitCodes[code]! };
  if (typeof status === 'number') {
    return {
      code,
      message: withDetails(error.message, details),
      exitCode: status >= 500 ? exitCode.internal : exitCode.refused,
    };
  }
  if (isDatabaseCode(code)) return databaseProblem(error);
  if (isFileCode(code)) return fileProblem(code, error);
  // Failures of the local stack and of the log carry codes in capitals and complete messages.
  if (/^[A-Z]+(_[A-Z]+)+$/.test(code) && !code.startsWith('ERR_'))
    return { code: code.toLowerCase(), message: error.message, exitCode: exitCode.unreachable };
  return unexpected(error);
}

function unexpected(error: unknown): Explanation {
  const said = error instanceof Error ? error.message || error.name : String(error);
  return {
    code: 'internal',
    message: `Something went wrong that should not: ${said}\nRun it again with PHASELINE_DEBUG=1 to see where.`,
    exitCode: exitCode.internal,
  };
}

function withDetails(message: string, details: unknown): string {
  // The message of a refusal repeats its first detail.
  if (!Array.isArray(details) || details.length < 2) return message;
  const lines = (details as { path?: unknown; message?: unknown }[])
    .slice(0, SHOWN_DETAILS)
    .map(({ path, message: what }) => `  ${path ? `${String(path)}: ` : ''}${String(what)}`);
  if (details.length > SHOWN_DETAILS) lines.push(`  and ${details.length - SHOWN_DETAILS} more`);
  return [message, ...lines].join('\n');
}

/** The last lines of a service's log are JSON; what they warn of is what a person wants to know. */
function serviceProblem(error: Error): Explanation {
  const { lastLines } = error as Error & { lastLines?: unknown };
  const lines = Array.isArray(lastLines) ? lastLines.map(String) : [];
  // A service that cannot start says why in plain words besides; then its log repeats it.
  const plain = lines.filter((line) => !line.startsWith('{'));
  const warnings = (plain.length > 0 ? plain : lines).map(logWarning).filter((line) => line !== undefined);
  const said = [...new Set(warnings)].slice(-SHOWN_DETAILS);
  const title = error.message.split('\n', 1)[0]!;
  const message = said.length === 0 ? error.message : [title, ...said.map((line) => `  ${line}`)].join('\n');
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

/** A connection that failed to several addresses at once is an AggregateError without message or code. */
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
  const said =
    error instanceof AggregateError
      ? error.errors.map((one: unknown) => (one instanceof Error ? one.message : String(one))).join('; ')
      : error.message;
  return {
    code: 'database_unavailable',
    message: `The database cannot be used: ${said}.\nCheck that PostgreSQL runs and that DATABASE_URL is right.`,
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
    code === 'ENOSPC' || code === 'EDQUOT' ? 'Free some space and try again.' : 'Check the path and its rights.';
  return { code: 'cannot_use_file', message: `${error.message}. ${advice}`, exitCode: exitCode.refused };
}
