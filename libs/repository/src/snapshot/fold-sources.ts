/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'ef13a8dd676d4081a12f051929459a9cf436bda109957124358d601cfe73934f';
