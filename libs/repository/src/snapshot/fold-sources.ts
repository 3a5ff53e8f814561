/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '35454475be155f99c6f1ef6613c97f7f554d33f835693db956880cde88d28616';
