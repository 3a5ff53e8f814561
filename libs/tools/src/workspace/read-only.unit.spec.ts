import { ARCHIVE_DIRECTORY, RESULTS_DIRECTORY, SKILLS_DIRECTORY, TODOS_FILE } from '@phaseline/domain';
import { expect, it } from 'vitest';
import { readOnlyReason, SOURCES_DIRECTORY } from './read-only.js';

const KEPT = [ARCHIVE_DIRECTORY, SOURCES_DIRECTORY, RESULTS_DIRECTORY];

it.each([...KEPT, 'documents', SKILLS_DIRECTORY])(
  'an agent cannot change %s/, nor write a file in its place',
  (folder) => {
    for (const kind of ['strategic', 'tactical'] as const)
      for (const path of [folder, `${folder}/a.md`, `${folder}/b/a.md`])
        expect(readOnlyReason(path, kind), path).toContain('cannot be changed');
    expect(readOnlyReason(`${folder}-of-mine/a.md`, 'tactical')).toBeUndefined();
  },
);

it('an agent cannot change its instructions, and the list of todos only where it plans', () => {
  expect(readOnlyReason('instructions.md', 'strategic')).toContain('cannot be changed');
  expect(readOnlyReason(TODOS_FILE, 'tactical')).toContain('belongs to the strategic phase');
  expect(readOnlyReason(TODOS_FILE, 'strategic')).toBeUndefined();
  expect(readOnlyReason('output/report.md', 'tactical')).toBeUndefined();
});
