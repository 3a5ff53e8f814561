/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'e146ddd2faccaa371f445c467e5bb51c76efa405d60d71ac3f4375653104c2f4';
