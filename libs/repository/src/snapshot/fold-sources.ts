/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'de40c2526768d212dfffb841a4efd1796644db224634fcd7d77bd78a72a20e44';
