/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '2323144c6153536da8ec3819fd2de91efb7c68f27954a80b5007f5508b215805';
