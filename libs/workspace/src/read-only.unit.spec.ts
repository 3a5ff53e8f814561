import {
  ARCHIVE_DIRECTORY,
  RESULTS_DIRECTORY,
  GUARD_SETS_DIRECTORY,
  SKILLS_DIRECTORY,
  SOURCES_DIRECTORY,
  TODOS_FILE,
} from '@phaseline/domain';
import { expect, it } from 'vitest';
import { getReadOnlyReason } from './read-only.js';

const systemDirectories = [ARCHIVE_DIRECTORY, SOURCES_DIRECTORY, RESULTS_DIRECTORY];

it.each([...systemDirectories, 'documents', SKILLS_DIRECTORY, GUARD_SETS_DIRECTORY])(
  'an agent cannot change files in %s/, or create a file with that name',
  (folder) => {
    for (const kind of ['strategic', 'tactical'] as const)
      for (const path of [folder, `${folder}/a.md`, `${folder}/b/a.md`])
        expect(getReadOnlyReason(path, kind), path).toContain('cannot be changed');
    expect(getReadOnlyReason(`${folder}-of-mine/a.md`, 'tactical')).toBeUndefined();
  },
);

it('an agent cannot change its instructions, and can change the list of todos only in strategic phases', () => {
  expect(getReadOnlyReason('instructions.md', 'strategic')).toContain('cannot be changed');
  expect(getReadOnlyReason(TODOS_FILE, 'tactical')).toContain('belongs to the strategic phase');
  expect(getReadOnlyReason(TODOS_FILE, 'strategic')).toBeUndefined();
  expect(getReadOnlyReason('output/report.md', 'tactical')).toBeUndefined();
});
