/** Oldest version of git that connects to the address that was checked (`http.curloptResolve`). */
export const MIN_GIT_VERSION = '2.37';

/** Returns the version that `git --version` printed, such as `2.39.5`; `undefined` for any other text. */
export function parseGitVersion(output: string): string | undefined {
  return /^git version (\d+\.\d+(?:\.\d+)*)/.exec(output)?.[1];
}

/** Whether a tool-runner can work with repositories with this version of git. */
export function isUsableGit(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [minMajor = 0, minMinor = 0] = MIN_GIT_VERSION.split('.').map(Number);
  return major > minMajor || (major === minMajor && minor >= minMinor);
}
