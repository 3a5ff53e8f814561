import {
  InvalidRequest,
  JobNotFound,
  RequestRefused,
  RequestTimedOut,
  ServerFailed,
  ServerUnreachable,
  Unauthorized,
  UnexpectedResponse,
} from '@phaseline/client';
import { DiskFull, PortInUse, ServerStartFailed, ServiceFailed } from '@phaseline/local-stack';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as commandErrors from './command-errors.js';
import { DocumentUnusable, FilesExist, NoSuchJob, UsageError, type CommandError } from './command-errors.js';
import { exitCode, exitCodeMeanings, exitCodeOfStatus } from './exit-code.js';
import { explainError } from './explain-error.js';

const problem = (code: string, message = 'because') => ({ code, message });
const withCode = (code: string, message: string): Error => Object.assign(new Error(message), { code });

/** One error of each class of the command line. */
function createCommandErrors(): CommandError[] {
  const { CommandError: _, defineCommandError: __, ...classes } = commandErrors;
  return Object.values(classes).map((ErrorClass) => new ErrorClass('x'));
}

describe('the exit code', () => {
  it.each([
    ['a wrong command line', new UsageError('x'), exitCode.usage],
    ['a prefix that no job has', new NoSuchJob('x'), exitCode.notFound],
    ['a job that the server does not know', new JobNotFound(problem('job_not_found'), 404), exitCode.notFound],
    ['a file that is not there', new RequestRefused(problem('file_not_found'), 404), exitCode.notFound],
    ['an invalid request', new InvalidRequest(problem('invalid_request'), 400), exitCode.refused],
    ['a wrong API key', new Unauthorized(problem('unauthorized'), 401), exitCode.refused],
    ['an unknown agent', new RequestRefused(problem('unknown_agent'), 422), exitCode.refused],
    ['a conflict', new RequestRefused(problem('idempotency_conflict'), 409), exitCode.refused],
    ['an unknown refusal of a newer server', new RequestRefused(problem('something_new'), 418), exitCode.refused],
    ['an unusable document', new DocumentUnusable('x'), exitCode.refused],
    ['files that would be overwritten', new FilesExist('x'), exitCode.refused],
    ['a port in use', new PortInUse(7070, 'The orchestrator'), exitCode.refused],
    ['no server', new ServerUnreachable('http://127.0.0.1:1', { cause: new Error('x') }), exitCode.unreachable],
    ['a server that does not answer', new RequestTimedOut('http://127.0.0.1:1', 5), exitCode.unreachable],
    ['a server that is not Phaseline', new UnexpectedResponse('GET /', 'no'), exitCode.unreachable],
    ['a server that is not ready', new RequestRefused(problem('not_ready'), 503), exitCode.unreachable],
    [
      'a database that refuses connections',
      new AggregateError([withCode('ECONNREFUSED', 'connect ECONNREFUSED ::1:5432')]),
      exitCode.unreachable,
    ],
    ['a wrong database login', withCode('28P01', 'password authentication failed'), exitCode.unreachable],
    ['a server that does not start', new ServerStartFailed('x', []), exitCode.unreachable],
    ['a full disk under the database', new DiskFull('/x'), exitCode.unreachable],
    ['a code of a library without an exit code of its own', withCode('lease_lost', 'x'), exitCode.refused],
    ['content that cannot be decrypted', withCode('decryption_failed', 'x'), exitCode.failed],
    ['an internal error of the server', new ServerFailed(problem('internal'), 500), exitCode.internal],
    ['a bug in the CLI', new TypeError('x is not a function'), exitCode.internal],
    ['a thrown value that is not an error', 'oops', exitCode.internal],
  ])('for %s', (_name, error, expected) => {
    expect(explainError(error).exitCode).toBe(expected);
  });

  it.each([
    ['completed', exitCode.ok],
    ['running', exitCode.ok],
    ['failed', exitCode.failed],
    ['blocked', exitCode.blocked],
    ['aborted', exitCode.failed],
    ['cancelled', exitCode.cancelled],
  ] as const)('for a job that is %s', (status, expected) => {
    expect(exitCodeOfStatus(status)).toBe(expected);
  });

  it('is stable for each error code that a command can meet', () => {
    const page = readFileSync(new URL('../../../../docs/reference/errors.md', import.meta.url), 'utf8');
    const [met] = page.split('## Model calls');
    const own = new Map(createCommandErrors().map((error) => [error.code, error]));
    const codes = [...met!.matchAll(/^\| `([^`]+)` \|/gm)].map(([, code]) => code!);
    const byExitCode = Map.groupBy(
      codes.toSorted(),
      (code) => explainError(own.get(code) ?? withCode(code, 'x')).exitCode,
    );
    // All others are refusals.
    byExitCode.delete(exitCode.refused);
    expect([...byExitCode].map(([exit, list]) => `${exit}: ${list.join(' ')}`).sort()).toMatchInlineSnapshot(`
      [
        "1: blob_corrupt blob_missing blob_not_stored content_mismatch decryption_failed definitions_invalid large_text_missing lineage_broken undecodable_event unfoldable_stream",
        "2: ambiguous_job environment_invalid unknown_read_model usage",
        "3: file_not_found job_not_found model_call_not_found nothing_to_anchor",
        "5: cases_failed data_directory_unusable database_unavailable database_unreachable disk_full home_unusable listen_failed migration_failed migration_folder_invalid no_directory_for_server not_built not_ready platform_unsupported queue_not_migrated queue_unavailable rate_limited redis_unreachable request_timed_out route_not_found server_start_failed server_unreachable service_failed unexpected_response what_if_failed",
        "70: internal",
      ]
    `);
  });

  it('is listed in the help exactly once', () => {
    expect(exitCodeMeanings.map(([code]) => code).sort()).toEqual([...new Set(Object.values(exitCode))].sort());
  });
});

describe('the text of an error', () => {
  it('never contains a stack trace', () => {
    for (const error of [new TypeError('boom'), new UsageError('boom'), new ServerStartFailed('boom', ['last line'])]) {
      expect(explainError(error).message).not.toMatch(/\n\s+at /);
    }
  });

  it('lists the first problems of a request and counts the others', () => {
    const details = Array.from({ length: 8 }, (_, index) => ({ path: `labels.${index}`, message: 'expected less' }));
    const { message } = explainError(
      new InvalidRequest({ ...problem('invalid_request', 'The request is not valid.'), errors: details }, 400),
    );
    expect(message.split('\n')).toEqual([
      'The request is not valid.',
      ...[0, 1, 2, 3, 4].map((index) => `  labels.${index}: expected less`),
      '  and 3 more',
    ]);
  });

  it('does not repeat a single detail, which the message already contains', () => {
    const details = [{ path: 'agent', message: 'expected text' }];
    expect(
      explainError(new InvalidRequest({ ...problem('invalid_request', 'agent: expected text'), errors: details }, 400))
        .message,
    ).toBe('agent: expected text');
  });

  it('says what to do if the database does not respond', () => {
    const { message } = explainError(
      new AggregateError([withCode('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:5432')]),
    );
    expect(message).toBe(
      'Cannot use the database: connect ECONNREFUSED 127.0.0.1:5432.\nCheck that PostgreSQL is running and that DATABASE_URL is correct.',
    );
  });

  it('for a service that does not start shows the warnings of its log instead of raw log lines', () => {
    const log = ['{"level":"info","message":"starting"}', '{"level":"fatal","message":"REDIS_URL: is missing"}'];
    expect(
      explainError(new ServiceFailed('tool-runner', 'ended (exit code 78)', '/logs/tool-runner.log', log)),
    ).toEqual({
      code: 'service_failed',
      message:
        'tool-runner ended (exit code 78). Its log is /logs/tool-runner.log; the last lines are:\n  fatal: REDIS_URL: is missing',
      exitCode: exitCode.unreachable,
    });
  });

  it('says what to do if the disk is full', () => {
    expect(explainError(withCode('ENOSPC', 'ENOSPC: no space left on device, write')).message).toContain(
      'Free some space',
    );
  });
});
