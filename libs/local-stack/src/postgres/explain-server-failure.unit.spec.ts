import { describe, expect, it } from 'vitest';
import { explainServerFailure, isDataDirectoryLocked, isPortConflict } from './explain-server-failure.js';

const directory = '/somewhere/postgres';

describe('explainServerFailure', () => {
  it.each([
    ['disk_full', ['FATAL:  could not write to file "pg_wal/xlogtemp.29": No space left on device']],
    ['disk_full', ['FATAL:  could not create lock file "postmaster.pid": Disk quota exceeded']],
    [
      'platform_unsupported',
      ['postgres: error while loading shared libraries: libicuuc.so.60: cannot open shared object file'],
    ],
    ['data_directory_unusable', ['initdb: error: could not access directory "/somewhere/postgres": Permission denied']],
    ['server_start_failed', ['FATAL:  invalid value for parameter "wal_level": "none"']],
  ])('recognises %s from the log of the server', (code, lines) => {
    expect(explainServerFailure(directory, lines)).toMatchObject({ code });
  });

  it('recognises a full disk from a file system error', () => {
    const cause = Object.assign(new Error('ENOSPC: no space left on device, mkdir'), { code: 'ENOSPC' });
    expect(explainServerFailure(directory, [cause.message], cause)).toMatchObject({ code: 'disk_full', cause });
  });

  it('includes the last log lines if it does not recognise the failure', () => {
    expect(explainServerFailure(directory, ['FATAL:  something new']).message).toContain('something new');
  });
});

describe('transient failures', () => {
  it('include a port that another process took in the meantime', () => {
    expect(isPortConflict(['LOG:  could not bind IPv4 address "127.0.0.1": Address already in use'])).toBe(true);
    expect(isPortConflict(['FATAL:  out of memory'])).toBe(false);
  });

  it('include the lock file of a server that is exiting', () => {
    expect(isDataDirectoryLocked(['FATAL:  lock file "postmaster.pid" already exists'])).toBe(true);
    expect(isDataDirectoryLocked(['FATAL:  out of memory'])).toBe(false);
  });
});
