/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'adc6b26ee54674c6f81b17176f1a07c1384b9bbd6bd6c905ded84e2c3ddf5e2d';
