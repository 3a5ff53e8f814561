/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '21bded9dacbd0ce628b85765dacc14833989eb1192c793f88cfd91121ef1611f';
