/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '95304097cef2d8614332852373d0dfa4a833c2f2da72aabe71ef564628ee9c07';
