import { listItems } from '@phaseline/domain';

export const ACCOMPLISHMENTS_HEADING = 'Accomplishments';
export const NOTES_HEADING = 'Notes';

/** Returns the accomplishments and notes in a memory, which people may have edited. */
export function listMemoryItems(memory: string): readonly string[] {
  const formatSection = (heading: string): readonly string[] => {
    const items = listItems(memory, heading);
    return items.length > 0 ? [`## ${heading}`, ...items.map((item) => `- ${item}`), ''] : [];
  };
  return [...formatSection(ACCOMPLISHMENTS_HEADING), ...formatSection(NOTES_HEADING)];
}
