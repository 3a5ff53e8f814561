/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '845d577ffa3c942e623e1cfe390142889838d3da2e56eff9329e9b08aa7a35d8';
