import { runHiddenCases, type HiddenCase } from './code-truth.js';
import type { Files, GroundTruth } from './files.js';

/** Truth of the task to repair several functions of a repository: each returns what it must, also for cases that no visible test has. */
export function createFeaturesTruth(folder: string, features: ReadonlyMap<string, readonly HiddenCase[]>): GroundTruth {
  const findIn = (cases: readonly HiddenCase[]) => (files: Files) => runHiddenCases(pickFolder(files, folder), cases);
  return {
    job: findIn([...features.values()].flat()),
    parts: Object.fromEntries([...features].map(([id, cases]) => [id, findIn(cases)])),
  };
}

/** The files of a folder, with their paths in it. */
function pickFolder(files: Files, folder: string): Files {
  const start = `${folder}/`;
  return new Map(
    [...files].flatMap(([path, text]) => (path.startsWith(start) ? [[path.slice(start.length), text] as const] : [])),
  );
}
