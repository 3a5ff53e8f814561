/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '5b68f4ad0e0730b69186f7d533ddfc862609fb614810fcabd3913c0cdfc67749';
