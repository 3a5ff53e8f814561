import { jobStream } from '@phaseline/domain';
import { describe, expect, it } from 'vitest';
import { JOB, toRecorded } from './edit-history.fixture.js';
import { FileHistory } from './file-history.js';

const written = (path: string, content: string, more: object = { callId: 'c' }) => ({
  ...{ path, hash: content.repeat(64), size: 1, writtenAt: '2026-01-01T00:00:00.000Z' },
  ...more,
});
const deleted = (path: string, callId = 'c') => ({ path, callId });

/** Folds events. Each is in the commit with its index, from 0. */
function fold(
  ...events: readonly (readonly [commit: number, type: string, data: object, stream?: never])[]
): FileHistory {
  const history = new FileHistory();
  for (const [commit, type, data, stream] of events) history.apply(toRecorded(commit, type, data, stream));
  return history;
}

const inJob = jobStream(JOB) as never;
const edit = (path: string, more: object) => ({ actor: 'ada', path, ...more });
const file = { hash: 'b'.repeat(64), size: 1, writtenAt: '2026-01-01T00:00:00.000Z' };

describe('the edit of a person', () => {
  it('is theirs, whichever of its two events comes first', () => {
    const inPhase = [1, 'FileWritten', written('a.md', 'b', { origin: 'person' })] as const;
    const inStream = [1, 'WorkspaceEdited', edit('a.md', { file, phase: 1 }), inJob] as const;
    for (const events of [
      [inPhase, inStream],
      [inStream, inPhase],
    ])
      expect(fold(...events).files.get('a.md')).toMatchObject({ author: 'person', actor: 'ada', phase: 1 });
  });

  it('between two phases is a version too', () => {
    const history = fold(
      [0, 'FileWritten', written('a.md', 'a')],
      [1, 'WorkspaceEdited', edit('a.md', { file }), inJob],
      [2, 'WorkspaceEdited', edit('b.md', { file }), inJob],
      [3, 'WorkspaceEdited', edit('b.md', {}), inJob],
    );
    expect([...history.files.keys()]).toEqual(['a.md']);
    expect(history.files.get('a.md')).toMatchObject({ author: 'person', actor: 'ada', previous: { author: 'call' } });
    expect(history.files.get('a.md')).not.toHaveProperty('phase');
  });
});

it('a file of a repository is from its commit', () => {
  const commit = 'c'.repeat(40);
  const repository = { ref: 'main', commit, treeHash: commit, branch: 'work', fileCount: 1, bytes: 1, submodules: 0 };
  const history = fold([0, 'RepositoryImported', { ...repository, tree: { 'src/a.ts': file } }, inJob]);
  expect(history.files.get('src/a.ts')).toMatchObject({ author: 'import', imported: { from: 'repository', commit } });
});

it('what changed in the working folder is not the work of the call that found it', () => {
  const history = fold([0, 'FileWritten', written('a.md', 'a', { callId: 'c', origin: 'outside' })]);
  expect(history.files.get('a.md')).toMatchObject({ author: 'outside' });
  expect(history.files.get('a.md')).not.toHaveProperty('callId');
});

describe('the history of a file', () => {
  const path = (history: FileHistory, name: string) => history.files.get(name)?.previous?.path;

  it('continues if one call renames it, in one commit and without a change', () => {
    const before = [0, 'FileWritten', written('a.md', 'a')] as const;
    const after = [1, 'FileWritten', written('b.md', 'a')] as const;
    expect(path(fold(before, [1, 'FileDeleted', deleted('a.md')], after), 'b.md')).toBe('a.md');
    expect(path(fold(before, after, [1, 'FileDeleted', deleted('a.md')]), 'b.md')).toBe('a.md');
    for (const [name, history] of Object.entries({
      otherCommit: fold(before, [1, 'FileDeleted', deleted('a.md')], [2, 'FileWritten', written('b.md', 'a')]),
      otherCall: fold(before, [1, 'FileDeleted', deleted('a.md', 'd')], after),
      otherContent: fold(before, [1, 'FileDeleted', deleted('a.md')], [1, 'FileWritten', written('b.md', 'b')]),
      copy: fold(before, after),
    }))
      expect(history.files.get('b.md'), name).not.toHaveProperty('previous');
  });

  it('never leads back to itself', () => {
    const history = fold(
      [0, 'FileWritten', written('a.md', 'a')],
      [0, 'FileDeleted', deleted('a.md')],
      [0, 'FileWritten', written('b.md', 'a')],
      [0, 'FileDeleted', deleted('b.md')],
      [0, 'FileWritten', written('a.md', 'a')],
    );
    const paths: string[] = [];
    for (let version = history.files.get('a.md'); version && paths.length < 9; version = version.previous)
      paths.push(version.path);
    expect(paths).toEqual(['a.md', 'b.md', 'a.md']);
  });

  it('names files like members of every object', () => {
    const history = fold(
      [0, 'FileWritten', written('__proto__', 'a')],
      [1, 'FileWritten', written('constructor', 'b')],
    );
    expect([...history.files.keys()]).toEqual(['__proto__', 'constructor']);
  });
});
