import { z } from 'zod';
import {
  addExperience,
  addItem,
  MAX_EXPERIENCE_CHARACTERS,
  EXPERIENCES_FILE,
  experienceKinds,
  listItems,
  toItemText,
  setSection,
} from '@phaseline/domain';
import {
  defineInlineTool,
  type InlineTool,
  type InlineToolContext,
  type InlineToolOutcome,
  type ToolPack,
} from '@phaseline/tools';
import { ToolError } from '@phaseline/contracts';
import { encodeText, readText } from '@phaseline/workspace';
import { MEMORY_FILE, createMemoryChange, readMemory } from './memory-file.js';
import {
  ACCOMPLISHMENTS_HEADING,
  listFiles,
  FILES_HEADING,
  NOTES_HEADING,
  listMemoryItems,
  STATE_HEADING,
  listState,
} from './workspace-summary.js';

/** Maximum characters per item. The memory is in every prompt, so longer texts belong in separate files. */
const MAX_ITEM_CHARACTERS = 1_000;

const text = z.string().min(1).max(MAX_ITEM_CHARACTERS);

const generateSummary = defineInlineTool({
  name: 'generate_workspace_summary',
  description: `Brings the sections "${STATE_HEADING}" and "${FILES_HEADING}" of ${MEMORY_FILE} up to date. Everything else in it stays as it is.`,
  input: z.object({}),
  run: async ({ state, workspace }) => {
    const memory = await readMemory(workspace);
    const after = setSection(
      setSection(memory, STATE_HEADING, listState(state)),
      FILES_HEADING,
      listFiles(workspace.tree),
    );
    return { content: `Brought ${MEMORY_FILE} up to date.`, files: [createMemoryChange(after)] };
  },
});

const getSummary = defineInlineTool({
  name: 'get_workspace_summary',
  description: 'Says where the work stands: the phase, its progress, accomplishments, notes and files.',
  input: z.object({}),
  run: async ({ state, workspace }) => {
    const memory = listMemoryItems(await readMemory(workspace));
    const content = [
      `## ${STATE_HEADING}`,
      ...listState(state),
      '',
      ...memory,
      `## ${FILES_HEADING}`,
      ...listFiles(workspace.tree),
    ];
    return { content: content.join('\n') };
  },
});

const addAccomplishment = defineNoteTool(
  'add_accomplishment',
  'Records in workspace.md something that was achieved: a result with its figures and where it stands.',
  ACCOMPLISHMENTS_HEADING,
);

const addNote = defineNoteTool(
  'add_note',
  'Records in workspace.md something that later phases have to know: a fact, a decision, a peculiarity.',
  NOTES_HEADING,
);

function defineNoteTool(name: string, description: string, heading: string): InlineTool {
  return defineInlineTool({
    name,
    description,
    input: z.object({ text }),
    run: async ({ workspace }, input) => {
      const item = toItemText(input.text, MAX_ITEM_CHARACTERS);
      if (item === '') throw new ToolError('empty', 'Not recorded: the text is empty.');
      const memory = await readMemory(workspace);
      if (listItems(memory, heading).includes(item)) return { content: `It stands in ${MEMORY_FILE} already.` };
      return {
        content: `Recorded under "${heading}" in ${MEMORY_FILE}.`,
        files: [createMemoryChange(addItem(memory, heading, item))],
      };
    },
  });
}

const addExperienceTool = defineInlineTool({
  name: 'add_experience',
  description: `Records in ${EXPERIENCES_FILE} an approach that failed, a lesson or a pattern that works. Later phases are shown it, and later jobs where the agent carries experiences on: say it so that it helps with other material too.`,
  input: z.object({
    kind: z
      .enum(experienceKinds)
      .describe('failed: an approach that did not work; lesson; works: a pattern that works'),
    text: z.string().min(1).max(MAX_EXPERIENCE_CHARACTERS),
  }),
  run: async ({ workspace, callId }: InlineToolContext, { kind, text: given }): Promise<InlineToolOutcome> => {
    const file = workspace.tree[EXPERIENCES_FILE] ? await readText(workspace, EXPERIENCES_FILE) : undefined;
    if (toItemText(given, MAX_EXPERIENCE_CHARACTERS) === '')
      throw new ToolError('empty', 'Not recorded: the text is empty.');
    const added = addExperience(file, { kind, text: given });
    if (!added)
      return {
        content: `Nothing was added: it stands in ${EXPERIENCES_FILE} already, or that file is full and has to be tidied.`,
      };
    return {
      content: `Recorded in ${EXPERIENCES_FILE}.`,
      files: [{ path: EXPERIENCES_FILE, content: encodeText(added.file) }],
      events: [{ type: 'ExperienceNoted', data: { ...added.noted, callId } }],
    };
  },
});

/** Tools for the agent's own memory: workspace.md for this job, experiences.md also for later ones. */
export const memoryPack: ToolPack = {
  name: 'memory',
  tools: [generateSummary, getSummary, addAccomplishment, addNote, addExperienceTool],
};
