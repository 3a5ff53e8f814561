/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '6a175f1366e83d04f4ce85b0189bbb785eb8d29020b8725eb3c8e5a72f98f9a5';
