/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '0b1dea944ecfa18a9a6c94d3a023fc44d1d5e978b4cf0899adabaef178b29ed6';
