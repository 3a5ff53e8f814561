/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '5a47bf86dc6f9f6248e9ed74ee212125c3884b131f79fd5836ffdfbd3edf22d2';
