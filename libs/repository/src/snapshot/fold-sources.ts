/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '888a8b5175b6d0432e7a421670f3b6aed802b190451a6f69fe8c8d1a430ee3d2';
