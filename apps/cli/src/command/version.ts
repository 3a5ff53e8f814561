import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildProgramEnvironment, runProgramSync } from '@phaseline/basics/processes';

const folder = new URL('../../', import.meta.url);

/** Describes the version for bug reports: package version, commit (in a checkout), Node version and platform. */
export function describeVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as { version: string };
  const commit = readCommit(fileURLToPath(folder));
  return `phaseline ${version}${commit === undefined ? '' : ` (${commit})`}, Node ${process.versions.node}, ${process.platform}-${process.arch}`;
}

function readCommit(directory: string): string | undefined {
  try {
    return runProgramSync('git', ['rev-parse', '--short', 'HEAD'], {
      cwd: directory,
      env: buildProgramEnvironment({}, ['PATH', 'HOME']),
      timeout: 2_000,
    }).trim();
  } catch {
    return undefined;
  }
}
