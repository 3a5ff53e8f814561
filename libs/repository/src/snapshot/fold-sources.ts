/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '834a68aaa655eeb01c16c4bad84ad9b929569df7299e6d3e689e021aa83d7b98';
