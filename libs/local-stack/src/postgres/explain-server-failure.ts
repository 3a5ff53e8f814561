import {
  DataDirectoryUnusable,
  DiskFull,
  PlatformUnsupported,
  ServerStartFailed,
  type LocalStackError,
} from '../local-stack-error.js';

/** Converts the last log lines of a server that failed to start into an error with advice. */
export function explainServerFailure(
  dataDirectory: string,
  lines: readonly string[],
  cause?: unknown,
): LocalStackError {
  const text = lines.join('\n');
  const options = { cause };
  const { code } = (cause ?? {}) as { code?: unknown };
  if (code === 'ENOSPC' || code === 'EDQUOT' || /No space left on device|Disk quota exceeded/.test(text)) {
    return new DiskFull(dataDirectory, options);
  }
  if (/error while loading shared libraries|Library not loaded|cannot execute binary/.test(text)) {
    return new PlatformUnsupported(
      `The embedded PostgreSQL does not run on this system (${lines.at(-1)}). Set DATABASE_URL to a PostgreSQL 18 server.`,
      options,
    );
  }
  if (code === 'EACCES' || code === 'EROFS' || /Permission denied|Read-only file system/.test(text)) {
    return new DataDirectoryUnusable(
      `PostgreSQL may not write to ${dataDirectory}. Set PHASELINE_HOME to a folder that you own, or DATABASE_URL to a PostgreSQL 18 server.`,
      options,
    );
  }
  return new ServerStartFailed('PostgreSQL did not start. Its last log lines:', lines.slice(-8), options);
}

/** Whether the server exited because its port was in use. */
export function isPortConflict(lines: readonly string[]): boolean {
  return lines.some((line) => /could not bind .*address|Address already in use/i.test(line));
}

/** Whether the server exited because another one, running or just exiting, uses the data directory. */
export function isDataDirectoryLocked(lines: readonly string[]): boolean {
  return lines.some((line) =>
    /lock file ".*postmaster\.pid" already exists|pre-existing shared memory block/.test(line),
  );
}
