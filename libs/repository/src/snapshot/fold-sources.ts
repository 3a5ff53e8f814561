/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'a5dbc0a0bda7bcace5b4f12032d123bd62b0d3ccec2122661194b4cb5f5d47cf';
