/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '6da04bf94afef7fa13b70a3b47f344b7ff0bea9e6b5ade3b82e3364aaf0b6a7c';
