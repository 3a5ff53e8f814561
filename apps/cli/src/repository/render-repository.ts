import type { JobRepositoryResponse, RepositoryOutputRecord } from '@phaseline/client';
import { pluralise } from '../output/quantities.js';
import { toPrintable } from '../output/printable.js';

/** Renders the repository of a job and its outputs. */
export function renderRepository({ url, path, ref, outputs, ...imported }: JobRepositoryResponse): readonly string[] {
  const { commit, branch, fileCount = 0, submodules = 0 } = imported;
  return [
    `repository  ${toPrintable(url ?? path ?? '?')} at ${toPrintable(ref)}`,
    commit === undefined
      ? 'commit      not imported yet'
      : `commit      ${toPrintable(commit)} on ${toPrintable(branch ?? '?')}, ${pluralise(fileCount, 'file')}`,
    ...(submodules > 0 ? [`            ${pluralise(submodules, 'submodule')} not followed`] : []),
    ...outputs.flatMap(renderOutput),
  ];
}

/** Renders an output in one line. */
export function renderOutput(output: RepositoryOutputRecord): readonly string[] {
  const { kind, status, actor, failure, commits = 0, includesUncommitted, unverified, branch, url } = output;
  const name = `${unverified ? 'unverified ' : ''}${kind.replace('_', ' ')}`;
  if (failure) return [`${name}: failed, requested by ${toPrintable(actor)}: ${toPrintable(failure.message)}`];
  if (status === 'open') return [`${name}: being made, requested by ${toPrintable(actor)}`];
  const rest = includesUncommitted ? '; the last one contains work that the agent did not commit' : '';
  const place = url ?? branch;
  return [`${name}: ${pluralise(commits, 'commit')}${rest}${place === undefined ? '' : `, ${toPrintable(place)}`}`];
}
