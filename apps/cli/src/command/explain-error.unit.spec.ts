import {
  InvalidRequest,
  JobNotFound,
  RequestRefused,
  RequestTimedOut,
  ServerFailed,
  ServerUnreachable,
  Unauthorized,
  UnexpectedAnswer,
} from '@phaseline/client';
import { DiskFull, PortInUse, ServerStartFailed, ServiceFailed } from '@phaseline/local-stack';
import { describe, expect, it } from 'vitest';
import { DocumentUnusable, FilesExist, NoSuchJob, UsageError } from './command-errors.js';
import { exitCode, exitCodeMeanings, exitCodeOfStatus } from './exit-code.js';
import { explainError } from './explain-error.js';

const problem = (code: string, message = 'because') => ({ code, message });
const withCode = (code: string, message: string): Error => Object.assign(new Error(message), { code });

describe('the exit code', () => {
  it.each([
    ['a wrong command line', new UsageError('x'), exitCode.usage],
    ['a job that no prefix fits', new NoSuchJob('x'), exitCode.notFound],
    ['a job that the server does not know', new JobNotFound(problem('job_not_found'), 404), exitCode.notFound],
    ['a file that is not there', new RequestRefused(problem('file_not_found'), 404), exitCode.notFound],
    ['a request that is not valid', new InvalidRequest(problem('invalid_request'), 400), exitCode.refused],
    ['a wrong API key', new Unauthorized(problem('unauthorized'), 401), exitCode.refused],
    ['an unknown agent', new RequestRefused(problem('unknown_agent'), 422), exitCode.refused],
    ['a conflict', new RequestRefused(problem('idempotency_conflict'), 409), exitCode.refused],
    ['a refusal of a newer server', new RequestRefused(problem('something_new'), 418), exitCode.refused],
    ['a document that cannot be used', new DocumentUnusable('x'), exitCode.refused],
    ['files that would be overwritten', new FilesExist('x'), exitCode.refused],
    ['a port in use', new PortInUse(7070, 'The orchestrator'), exitCode.refused],
    ['no server', new ServerUnreachable('http://127.0.0.1:1', { cause: new Error('x') }), exitCode.unreachable],
    ['a server that does not answer', new RequestTimedOut('http://127.0.0.1:1', 5), exitCode.unreachable],
    ['a server that is something else', new UnexpectedAnswer('GET /', 'no'), exitCode.unreachable],
    ['a server that is not ready', new RequestRefused(problem('not_ready'), 503), exitCode.unreachable],
    [
      'a database that refuses connections',
      new AggregateError([withCode('ECONNREFUSED', 'connect ECONNREFUSED ::1:5432')]),
      exitCode.unreachable,
    ],
    ['a database login that is wrong', withCode('28P01', 'password authentication failed'), exitCode.unreachable],
    ['a server that does not start', new ServerStartFailed('x', []), exitCode.unreachable],
    ['a full disk under the database', new DiskFull('/x'), exitCode.unreachable],
    ['a server with a defect', new ServerFailed(problem('internal'), 500), exitCode.internal],
    ['a defect of the CLI', new TypeError('x is not a function'), exitCode.internal],
    ['something that is no error', 'oops', exitCode.internal],
  ])('of %s', (_name, error, expected) => {
    expect(explainError(error).exitCode).toBe(expected);
  });

  it.each([
    ['completed', exitCode.ok],
    ['running', exitCode.ok],
    ['failed', exitCode.failed],
    ['blocked', exitCode.failed],
    ['cancelled', exitCode.cancelled],
  ] as const)('of a job that is %s', (status, expected) => {
    expect(exitCodeOfStatus(status)).toBe(expected);
  });

  it('is explained in the help, each once', () => {
    expect(exitCodeMeanings.map(([code]) => code).sort()).toEqual([...new Set(Object.values(exitCode))].sort());
  });
});

describe('the text of an error', () => {
  it('never shows a stack', () => {
    for (const error of [new TypeError('boom'), new UsageError('boom'), new ServerStartFailed('boom', ['last line'])]) {
      expect(explainError(error).message).not.toMatch(/\n\s+at /);
    }
  });

  it('lists what is wrong with a request, but not endlessly', () => {
    const details = Array.from({ length: 8 }, (_, index) => ({ path: `labels.${index}`, message: 'expected less' }));
    const { message } = explainError(
      new InvalidRequest({ ...problem('invalid_request', 'The request is not valid.'), details }, 400),
    );
    expect(message.split('\n')).toEqual([
      'The request is not valid.',
      ...[0, 1, 2, 3, 4].map((index) => `  labels.${index}: expected less`),
      '  and 3 more',
    ]);
  });

  it('does not repeat the only detail, which is in the message already', () => {
    const details = [{ path: 'agent', message: 'expected text' }];
    expect(
      explainError(new InvalidRequest({ ...problem('invalid_request', 'agent: expected text'), details }, 400)).message,
    ).toBe('agent: expected text');
  });

  it('says what to do about a database that does not answer', () => {
    const { message } = explainError(
      new AggregateError([withCode('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:5432')]),
    );
    expect(message).toBe(
      'The database cannot be used: connect ECONNREFUSED 127.0.0.1:5432.\nCheck that PostgreSQL runs and that DATABASE_URL is right.',
    );
  });

  it('of a service that does not come up is what its log warns of, not the log itself', () => {
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

  it('says what to do about a full disk', () => {
    expect(explainError(withCode('ENOSPC', 'ENOSPC: no space left on device, write')).message).toContain(
      'Free some space',
    );
  });
});
