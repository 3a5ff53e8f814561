/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '133fff8e689d742c580a49ad069e5248890bd824c8e8f63de1ff6b0f9e312ebf';
