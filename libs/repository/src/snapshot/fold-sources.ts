/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'dcbbbb6b8a8cf9ed59c9e7e290b5aa9c0aff239a9cdd063e676dee91c2a6957c';
