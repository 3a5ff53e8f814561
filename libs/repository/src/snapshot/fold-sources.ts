/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'b69ad52920bbda061e1e630274005767f1c087657b0725b7fc8b22125c453050';
