import { clearingSection } from './clearing-section.js';
import type { ContextOptions, ContextSection, ContextTable } from './context-section.js';
import { peakSection } from './peak-section.js';
import { positionsSection } from './positions-section.js';
import { skillsSection } from './skills-section.js';
import { stepsSection } from './steps-section.js';
import { toolSearchSection } from './tool-search.js';

/** Sections of `npm run bench -- context`, in the order of the report. To add one, create a file in this folder and list it here. */
const SECTIONS: readonly ContextSection[] = [
  stepsSection,
  clearingSection,
  positionsSection,
  toolSearchSection,
  skillsSection,
  peakSection,
];

export async function measureContext(
  options: ContextOptions,
  note: (what: string) => void,
): Promise<readonly ContextTable[]> {
  const tables: ContextTable[] = [];
  for (const section of SECTIONS) {
    note(`context: ${section.name}`);
    tables.push(...(await section.run(options)));
  }
  return tables;
}
