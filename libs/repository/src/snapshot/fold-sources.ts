/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '3d2bbfc1e5d45b18d9c0b4eb35f60ec62bd27ed36a1a891ef407d7495916ed27';
