import { findChangedInputs, parseObjects, type Files, type GroundTruth } from './files.js';
import { findObligations, type Obligation } from './obligations.js';

export const REQUIREMENTS = 'output/requirements.json';

/** Path of the file with the sentences of one document. */
export const getExtractPath = (document: string): string =>
  `work/${document.replace(/^documents\//, '').replace(/\.md$/, '')}.json`;

/** Truth of the task to list every obligation of the documents with a citation. `documents` are those that the job was given, by path. */
export function createRequirementsTruth(documents: Files): GroundTruth {
  const expected = findObligations(documents);
  const extracts = [...documents.keys()].map((path) => [
    getExtractPath(path),
    (files: Files) =>
      findListFlaws(
        parseObjects(files.get(getExtractPath(path))),
        expected.filter((one) => one.path === path),
        ['quote', 'days'],
      ),
  ]);
  const findFlaws = (files: Files) => {
    const items = parseObjects(files.get(REQUIREMENTS));
    return [...findListFlaws(items, expected, ['path', 'quote', 'days']), ...findTextFlaws(items ?? [])];
  };
  return {
    job: (files) => [...findChangedInputs(documents, files), ...findFlaws(files)],
    parts: { ...(Object.fromEntries(extracts) as GroundTruth['parts']), [REQUIREMENTS]: findFlaws },
  };
}

function findListFlaws(
  items: readonly Record<string, unknown>[] | undefined,
  expected: readonly Obligation[],
  members: readonly (keyof Obligation)[],
): readonly string[] {
  if (!items) return ['it is no list'];
  const describe = (item: Readonly<Record<string, unknown>>): string =>
    JSON.stringify(members.map((member) => item[member]));
  const found = items.map(describe);
  const wanted = expected.map((one) => describe({ ...one }));
  return [
    ...wanted.filter((one) => !found.includes(one)).map((one) => `missing: ${one}`),
    ...found.filter((one) => !wanted.includes(one)).map((one) => `not in the documents: ${one}`),
    ...(new Set(found).size < found.length ? ['an item is repeated'] : []),
  ];
}

function* findTextFlaws(items: readonly Record<string, unknown>[]): Iterable<string> {
  if (new Set(items.map(({ id }) => id)).size < items.length) yield 'an id is repeated';
  for (const { id, text } of items) {
    if (typeof id !== 'string' || id.trim() === '') yield 'an id is empty';
    if (typeof text !== 'string' || text.trim().length < 10) yield 'a text is missing';
  }
}
