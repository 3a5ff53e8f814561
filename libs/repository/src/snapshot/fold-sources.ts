/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '110c6c6c51670a28a74f219d44b6407330f362271cea4ad4c2e87674856acadf';
