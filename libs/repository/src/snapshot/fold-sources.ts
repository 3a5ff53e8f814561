/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '80be147dc3d1012e4465c28fc25cde0c33f030556941d874330da6ab5e3cca75';
