import { z } from 'zod';
import {
  addExperience,
  addItem,
  EXPERIENCE_CHARACTERS,
  EXPERIENCES_FILE,
  experienceKinds,
  itemsOf,
  itemText,
  setSection,
} from '@phaseline/domain';
import { logTool, type LogTool, type LogToolContext, type LogToolOutcome, type ToolPack } from '@phaseline/tools';
import { ToolError } from '@phaseline/contracts';
import { encodeText, readText } from '@phaseline/workspace';
import { MEMORY_FILE, memoryChange, readMemory } from './memory-file.js';
import { ACCOMPLISHMENTS, fileLines, FILES, NOTES, remembered, STATE, stateLines } from './workspace-summary.js';

/** Maximum characters per item. The memory is in every prompt, so longer texts belong in separate files. */
const MAX_ITEM_CHARACTERS = 1_000;

const text = z.string().min(1).max(MAX_ITEM_CHARACTERS);

const generateSummary = logTool({
  name: 'generate_workspace_summary',
  description: `Brings the sections "${STATE}" and "${FILES}" of ${MEMORY_FILE} up to date. Everything else in it stays as it is.`,
  input: z.object({}),
  run: async ({ state, workspace }) => {
    const memory = await readMemory(workspace);
    const after = setSection(setSection(memory, STATE, stateLines(state)), FILES, fileLines(workspace.tree));
    return { content: `Brought ${MEMORY_FILE} up to date.`, files: [memoryChange(after)] };
  },
});

const getSummary = logTool({
  name: 'get_workspace_summary',
  description: 'Says where the work stands: the phase, its progress, accomplishments, notes and files.',
  input: z.object({}),
  run: async ({ state, workspace }) => {
    const memory = remembered(await readMemory(workspace));
    const content = [`## ${STATE}`, ...stateLines(state), '', ...memory, `## ${FILES}`, ...fileLines(workspace.tree)];
    return { content: content.join('\n') };
  },
});

const addAccomplishment = defineNoteTool(
  'add_accomplishment',
  'Records in workspace.md something that was achieved: a result with its figures and where it stands.',
  ACCOMPLISHMENTS,
);

const addNote = defineNoteTool(
  'add_note',
  'Records in workspace.md something that later phases have to know: a fact, a decision, a peculiarity.',
  NOTES,
);

function defineNoteTool(name: string, description: string, heading: string): LogTool {
  return logTool({
    name,
    description,
    input: z.object({ text }),
    run: async ({ workspace }, input) => {
      const item = itemText(input.text, MAX_ITEM_CHARACTERS);
      if (item === '') throw new ToolError('empty', 'Not recorded: the text is empty.');
      const memory = await readMemory(workspace);
      if (itemsOf(memory, heading).includes(item)) return { content: `It stands in ${MEMORY_FILE} already.` };
      return {
        content: `Recorded under "${heading}" in ${MEMORY_FILE}.`,
        files: [memoryChange(addItem(memory, heading, item))],
      };
    },
  });
}

const addExperienceTool = logTool({
  name: 'add_experience',
  description: `Records in ${EXPERIENCES_FILE} an approach that failed, a lesson or a pattern that works. Later phases are shown it, and later jobs where the agent carries experiences on: say it so that it helps with other material too.`,
  input: z.object({
    kind: z
      .enum(experienceKinds)
      .describe('failed: an approach that did not work; lesson; works: a pattern that works'),
    text: z.string().min(1).max(EXPERIENCE_CHARACTERS),
  }),
  run: async ({ workspace, callId }: LogToolContext, { kind, text: given }): Promise<LogToolOutcome> => {
    const file = workspace.tree[EXPERIENCES_FILE] ? await readText(workspace, EXPERIENCES_FILE) : undefined;
    if (itemText(given, EXPERIENCE_CHARACTERS) === '') throw new ToolError('empty', 'Not recorded: the text is empty.');
    const added = addExperience(file, { kind, text: given });
    if (!added)
      return {
        content: `Nothing was added: it stands in ${EXPERIENCES_FILE} already, or that file is full and has to be tidied.`,
      };
    return {
      content: `Recorded in ${EXPERIENCES_FILE}.`,
      files: [{ path: EXPERIENCES_FILE, content: encodeText(added.file) }],
      facts: [{ type: 'ExperienceNoted', data: { ...added.noted, callId } }],
    };
  },
});

/** Tools for the agent's own memory: workspace.md for this job, experiences.md also for later ones. */
export const memoryPack: ToolPack = {
  name: 'memory',
  tools: [generateSummary, getSummary, addAccomplishment, addNote, addExperienceTool],
};
