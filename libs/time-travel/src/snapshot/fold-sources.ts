/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'b5d59ed3eef2a8fd0bec6ae5f49064db642c2d88e14b9dce8041e6713782c6b8';
