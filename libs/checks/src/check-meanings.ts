import type { Check } from './check.js';

type KindOf<One> = One extends Check ? keyof One : never;

/** What each kind of check demands, and what its main members name, for the reference. */
export const checkMeanings: Readonly<Record<KindOf<Check> | 'file.path' | 'call.tool' | 'read.path', string>> = {
  file: 'A file of the workspace is as its members say',
  'file.path': 'Path or glob; of the files that match a glob, one must fulfil everything',
  call: 'Calls of tools were made, and ended as its members say',
  'call.tool': 'Name of the tool, or names; * matches a part of a name',
  read: 'Files that existed when the phase began were read in it, from their beginning and with read_file',
  'read.path': 'Path or glob; each of the files that match must be read',
  verifier: 'The verifier of the agent with this name passes on the claimed files',
  proof:
    'The cases of the item pass with this verifier and failed on the files with which the work on it began; no other test is worse than then',
  judge: 'The judge with this name has no objection; diff-review needs no entry in the agent',
  all: 'Each of these holds',
  any: 'At least one of these holds',
  not: 'This does not hold',
};
