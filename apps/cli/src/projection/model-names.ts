import { readModelNames, UnknownReadModel, type ReadModelName } from '@phaseline/projections';

/** The names as they were given; all where none was. Throws UnknownReadModel. */
export function modelNames(given: readonly string[]): readonly ReadModelName[] {
  // As they read in other places: `tool-calls`.
  const names = given.map((name) => name.replaceAll('-', '_'));
  for (const [index, name] of names.entries())
    if (!(readModelNames as readonly string[]).includes(name))
      throw new UnknownReadModel(given[index]!, readModelNames);
  return names.length === 0 ? readModelNames : (names as ReadModelName[]);
}
