/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'cd5d967380a4c7c89af3dbe95376d9436bf104d390eef06505f06bc64237e9d0';
