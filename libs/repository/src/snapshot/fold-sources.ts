/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'f9c772a2ddd6afae1c91cdb982583463cfcca3e0aa1239bd373ee25b5c321ea3';
