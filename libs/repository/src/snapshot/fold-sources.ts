/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '37c8e420f3f4cf65d80899a4a86f5c699eebc8b8d1132b150009f5087c2d9eb9';
