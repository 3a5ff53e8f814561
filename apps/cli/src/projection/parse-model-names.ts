import { readModelNames, UnknownReadModel, type ReadModelName } from '@phaseline/projections';

/** Parses names of read models; returns all if none is given. Throws UnknownReadModel. */
export function parseModelNames(given: readonly string[]): readonly ReadModelName[] {
  // The command line uses hyphens, as in `tool-calls`.
  const names = given.map((name) => name.replaceAll('-', '_'));
  for (const [index, name] of names.entries())
    if (!(readModelNames as readonly string[]).includes(name))
      throw new UnknownReadModel(given[index]!, readModelNames);
  return names.length === 0 ? readModelNames : (names as ReadModelName[]);
}
