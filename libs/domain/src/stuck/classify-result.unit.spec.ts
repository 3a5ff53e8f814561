import { describe, expect, it } from 'vitest';
import {
  isSilentExitOne,
  isWaitingCall,
  isTransientFailure,
  isEmptyResult,
  isNotReady,
  isReportedFailure,
} from './classify-result.js';

describe('the classification of results', () => {
  it.each(['The build is still running.', 'queued', 'status: IN_PROGRESS', 'not ready yet', 'Deploying 2 of 3'])(
    '%j is not ready',
    (text) => expect(isNotReady(text)).toBe(true),
  );
  it.each(['done', 'failed', '3 of 3 replicas', 'The forerunner of the act'])('%j does not ask to wait', (text) =>
    expect(isNotReady(text)).toBe(false),
  );
  it.each(['HTTP 429: too many requests', 'Connection refused', 'ETIMEDOUT', 'the database is locked'])(
    '%j is a transient failure',
    (text) => expect(isTransientFailure(text)).toBe(true),
  );
  it.each(['no such column', 'HTTP 404: not found', 'permission denied'])('%j is a permanent failure', (text) =>
    expect(isTransientFailure(text)).toBe(false),
  );
  it.each([
    'Exit code 2 after 1.0 s.',
    'Error: x',
    'Traceback (most recent call last)',
    '{"success": false}',
    '{"error": "no"}',
    'HTTP 500',
  ])('%j reports a failure', (text) => expect(isReportedFailure(text)).toBe(true));
  it.each([
    'Exit code 0 after 1.0 s.',
    '{"error": null, "rows": 3}',
    '{"errors": []}',
    'The error rate fell',
    '{"success": true}',
  ])('%j reports no failure', (text) => expect(isReportedFailure(text)).toBe(false));
  it.each(['[]', 'No line of 14 files matches.', 'No results found.', '', '{"items": [], "total": 30}', 'null'])(
    '%j says that there was nothing',
    (text) => expect(isEmptyResult(text)).toBe(true),
  );
  it.each(['Wrote a.md (3 bytes).', 'valid', '12 rows'])('%j says that there was something', (text) =>
    expect(isEmptyResult(text)).toBe(false),
  );

  it('treats exit code 1 without output as a negative answer, not as a failure', () => {
    expect(isSilentExitOne('Exit code 1 after 0.1 s.\nstdout: empty\nstderr: empty')).toBe(true);
    expect(isSilentExitOne('Exit code 1 after 0.1 s.\nstdout: empty\nstderr:\nno such file')).toBe(false);
    expect(isSilentExitOne('Exit code 2 after 0.1 s.\nstdout: empty\nstderr: empty')).toBe(false);
  });

  it('recognises calls that only let time pass', () => {
    expect(isWaitingCall('wait_seconds', {})).toBe(true);
    expect(isWaitingCall('mcp__tools__sleep', {})).toBe(true);
    expect(isWaitingCall('run_command', { program: 'sleep', args: ['5'] })).toBe(true);
    expect(isWaitingCall('list_waiters', {})).toBe(false);
    expect(isWaitingCall('run_command', { program: 'ls', args: ['sleeping'] })).toBe(false);
  });
});
